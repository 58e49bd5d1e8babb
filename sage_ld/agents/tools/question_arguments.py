"""The arguments of tools that put a question: the question itself, and filters of what is searched."""

from __future__ import annotations

from typing import Final

from sage_ld.agents.tools.tool import Schema
from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import Filter, Question
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval

_OPTIONS: Final = (
    *(each.http for each in parameters(Question).values() if each.tool),
    *parameters(Filter),
    "metadata",
)


def question_argument(settings: Settings) -> Schema:
    """The schema of the question, described for a model."""
    given: Schema = retrieval.schema(settings)["properties"]["q"]
    return {**given, "description": "The question, in words; a whole sentence is best."}


def filter_arguments(settings: Settings) -> dict[str, Schema]:
    """The schemas of the filters, by name."""
    given = retrieval.schema(settings)["properties"]
    return {name: given[name] for name in _OPTIONS}
