"""Framing of answers: JSON-LD 1.1 Framing (https://www.w3.org/TR/json-ld11-framing/) by PyLD.

A client chooses one of our frames by name. Frames of clients' own would let them choose the work, too.
"""

from __future__ import annotations

from typing import Any, Final, cast

from pyld import jsonld

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError

_PARTS: Final = {"hasPart": {"@reverse": v.IS_PART_OF, "@container": "@set"}}
_MENTIONED: Final = {"mentionedIn": {"@reverse": v.MENTIONS, "@container": "@set"}}
_NAMED_ONLY: Final = {"@explicit": True, "name": {}}

FRAMES: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "chunks": ({}, {"type": "Chunk", "@embed": "@always"}),
    "documents": (
        _PARTS,
        {"type": "Document", "hasPart": {"type": "Chunk", "isPartOf": {"@embed": "@never"}}},
    ),
    "entities": (
        _MENTIONED,
        {"prefLabel": {}, "mentionedIn": {"type": "Chunk", **_NAMED_ONLY}},
    ),
    "paths": ({}, {"type": "PathStep", "@embed": "@always"}),
}
"""Name to the terms that the frame adds to the context of answers, and the frame."""


def frame(document: dict[str, object], name: str) -> dict[str, object]:
    """The JSON-LD document of an answer, framed. Raises InputError for a name of no frame."""
    if name not in FRAMES:
        raise InputError(f"frame={name[:40]!r}: unknown frame; choose from {', '.join(FRAMES)}")
    terms, shape = FRAMES[name]
    context = {**cast(dict[str, Any], document["@context"]), **terms}
    options = {"documentLoader": _load_nothing, "omitGraph": False, "processingMode": "json-ld-1.1"}
    framed: dict[str, object] = jsonld.frame(document, {"@context": context, **shape}, options)
    return framed


def _load_nothing(url: str, options: object) -> dict[str, object]:
    """A document loader that refuses every document: all contexts are inline, so none is needed."""
    raise jsonld.JsonLdError(
        f"{url}: no document is loaded from anywhere",
        "jsonld.LoadDocumentError",
        code="loading document failed",
    )
