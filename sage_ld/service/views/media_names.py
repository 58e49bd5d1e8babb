"""Names of media types for people."""

from __future__ import annotations

from functools import cache
from typing import Final

from sage_ld.build.readers.registry import READERS

MEDIA_NAMES: Final = {
    "text/plain": "Plain text",
    "text/markdown": "Markdown",
    "text/html": "Web page",
    "text/csv": "CSV table",
    "text/tab-separated-values": "TSV table",
    "application/json": "JSON",
    "application/x-ndjson": "JSON Lines",
    "application/pdf": "PDF",
    "application/xml": "XML",
    "text/xml": "XML",
    "text/turtle": "RDF (Turtle)",
    "application/ld+json": "RDF (JSON-LD)",
    "application/n-triples": "RDF (N-Triples)",
    "application/rdf+xml": "RDF/XML",
    "application/yaml": "YAML",
    "message/rfc822": "Mail",
}


def media_name(media_type: str) -> str:
    """A media type in words: the suffix of its files, if it has no better name.

    >>> media_name("text/markdown"), media_name("application/x-unknown")
    ('Markdown', 'application/x-unknown')
    """
    return MEDIA_NAMES.get(media_type) or _suffixes().get(media_type) or media_type


@cache
def _suffixes() -> dict[str, str]:
    suffixes: dict[str, str] = {}
    for reader in READERS:
        for suffix, media_type in reader.media_types.items():
            suffixes.setdefault(media_type, f"{suffix.lstrip('.').upper()} file")
    return suffixes
