"""The part of the service that this room adds."""

from __future__ import annotations

from typing import Final

from sage_ld.lab.http import evaluate, evaluation_schemas, examples, overview, overview_schemas
from sage_ld.lab.http.state import NAME, LabState
from sage_ld.service.extensions import Extension

EXTENSION: Final = Extension(
    name=NAME,
    surfaces=(evaluate.surface, overview.surface),
    begin=LabState.of,
    components={
        "Community": overview_schemas.CommunityJson,
        "Evaluation": evaluation_schemas.EvaluationJson,
    },
    examples=examples.OF,
)
