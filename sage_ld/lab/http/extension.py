"""The part of the service that this room adds."""

from __future__ import annotations

from typing import Final

from sage_ld.lab.http import descriptions, evaluate, evaluation_schemas, overview, overview_schemas
from sage_ld.lab.http.state import NAME, LabState
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.extensions import Extension
from sage_ld.service.guard import CHANGES

EXTENSION: Final = Extension(
    name=NAME,
    blueprints=(evaluate.blueprint, overview.blueprint),
    begin=LabState.of,
    rights=(("/v1/evaluate", CHANGES, AccessRole.READ),),
    paths=descriptions.paths,
    components={
        "Community": overview_schemas.COMMUNITY,
        "Evaluation": evaluation_schemas.EVALUATION,
    },
)
