"""The JSON Schema of the parameters that choose documents on their page."""

from __future__ import annotations

from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.schemas import Schema


def schema(settings: Settings) -> Schema:
    """The parameters of `/documents`: those of the list `/v1/documents`, and a format."""
    listed = dict(retrieval.document_schema(settings)["properties"])
    del listed["cursor"]
    media_type = {
        "type": "string",
        "minLength": 1,
        "maxLength": 200,
        "description": "Only documents of this media type.",
    }
    return schemas.closed([], {**listed, "type": media_type})
