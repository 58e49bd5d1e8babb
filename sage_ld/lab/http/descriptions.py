"""The laboratory's routes, described."""

from __future__ import annotations

from functools import partial

from sage_ld.foundation.settings import Settings
from sage_ld.lab.http import evaluation_schemas, examples, overview_schemas
from sage_ld.service.openapi.parts import (
    JSON,
    SECURED,
    Described,
    answer_of,
    json_body,
    media,
    operation_of,
)

_media = partial(media, examples=examples.OF)


def paths(settings: Settings) -> Described:
    """The laboratory's routes."""
    return {
        "/v1/graph/overview": {
            "get": operation_of(
                "graph", "overview", "The communities into which the whole graph falls",
                answer_of("The communities, or the nodes of a small graph.", {JSON: _media("Community")}),
                "400", "404", "406", "504", cached=True,
            )
        },
        "/v1/graph/communities/{identifier}": {
            "get": operation_of(
                "graph", "community", "The communities or nodes in a community",
                answer_of("The community.", {JSON: _media("Community")}), "400", "404", "406", "504",
                parameters=[
                    {
                        "name": "identifier",
                        "in": "path",
                        "required": True,
                        "description": "The `id` of the community in the one around it.",
                        "schema": overview_schemas.IDENTIFIER,
                    }
                ],
                cached=True,
            )
        },
        "/v1/evaluate": {
            "post": {
                **operation_of(
                    "retrieval", "evaluate", "Measure recall at equal budget on a data set",
                    answer_of("The measures.", {JSON: _media("Evaluation")}),
                    "400", "404", "413", "415",
                    body=json_body(evaluation_schemas.parameters(settings), examples.EVALUATION),
                ),
                "security": SECURED,
            }
        },
    }  # fmt: skip
