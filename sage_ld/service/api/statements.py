"""JSON Schemas of the answers to writes of statements: SPARQL Update and the Graph Store Protocol."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from sage_ld.foundation.records import Count, said
from sage_ld.service.api.edges import CuratedEdgeJson


class ChangedStatementsJson(TypedDict):
    """The report of a write of statements; a statement counts once in each named graph that makes it."""

    revision: Annotated[Count, said("The revision that shows the change; of a dry run, the current one.")]
    added: Annotated[Count, said("The number of statements that were not there before.")]
    removed: Annotated[Count, said("The number of statements that are there no longer.")]
    dryRun: Annotated[bool, said("Whether the change was only tried: then nothing was published.")]
    warnings: Annotated[list[str], said("What is likely to be a mistake, such as a WHERE without a match.")]
    removedEdges: NotRequired[
        Annotated[list[CuratedEdgeJson], said("The first curated edges that go with what they joined.")]
    ]
