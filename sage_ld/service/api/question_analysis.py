"""JSON Schemas of the requests and answers of `/v1/analyse`."""

from __future__ import annotations

from typing import Any

from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval, schemas

Schema = dict[str, Any]


def schema(settings: Settings) -> Schema:
    """The parameters of an analysis."""
    given = retrieval.schema(settings)["properties"]
    return schemas.closed(
        ["question"], {"question": given["q"], "question_language": given["question_language"]}
    )
