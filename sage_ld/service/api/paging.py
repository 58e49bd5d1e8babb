"""JSON Schemas of the parameters that choose a page of a list."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.service.api.violations import SETTING

_CURSOR_LENGTH: Final = 200


def limit_schema(
    settings: Settings, description: str, *, name: str = "max_page_items", default: int = 50
) -> dict[str, Any]:
    """The schema of the number of items in an answer; `name` is the setting that no request may exceed."""
    most = getattr(settings, name)
    return {
        "type": "integer",
        "minimum": 1,
        "maximum": most,
        SETTING: name,
        "default": min(default, most),
        "description": description,
    }


def cursor_schema(item: str) -> dict[str, Any]:
    """The schema of the cursor at which a page begins, in a list of items of that name."""
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": _CURSOR_LENGTH,
        "description": f"The nextCursor of the page before: this one begins behind its last {item}, whatever "
        "was added or deleted meanwhile.",
    }
