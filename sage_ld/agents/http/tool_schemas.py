"""JSON Schemas of `/v1/tools`: the list of tools, and a call that waits for a person."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypedDict

from sage_ld.foundation.records import said
from sage_ld.service.api import schemas

Schema = dict[str, Any]

LIST: Final[Schema] = schemas.closed(
    [],
    {
        "format": {
            "type": "string",
            "enum": ["plain", "openai"],
            "default": "plain",
            "description": "plain: each tool in full; openai: in the form of OpenAI's chat API.",
        }
    },
)


class ToolsJson(TypedDict):
    """The tools that the sender may use."""

    tools: list[dict[str, Any]]


class PendingCallJson(TypedDict):
    """A call that waits for a person."""

    approval: Annotated[str, said("The approval's identifier.")]
    address: Annotated[str, said("The path at which to decide it: /v1/approvals/{id}.")]
    detail: Annotated[str, said("The next step: get the approval, then repeat the call.")]
