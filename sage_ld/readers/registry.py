"""The formats that are read, by suffix."""

from __future__ import annotations

from sage_ld.readers.delimited import DELIMITED
from sage_ld.readers.html import HTML
from sage_ld.readers.json_lines import JSON_LINES
from sage_ld.readers.json_objects import JSON
from sage_ld.readers.markdown import MARKDOWN
from sage_ld.readers.pdf import PDF
from sage_ld.readers.plain import PLAIN
from sage_ld.readers.rdf import RDF
from sage_ld.readers.source import Reader
from sage_ld.readers.xml import XML

READERS: tuple[Reader, ...] = (MARKDOWN, HTML, PLAIN, DELIMITED, JSON, JSON_LINES, XML, PDF, RDF)

_BY_SUFFIX = {suffix: reader for reader in READERS for suffix in reader.media_types}


def reader_for(suffix: str) -> Reader | None:
    """The reader of files whose name ends in `suffix` (lower case, with the dot), if there is one.

    >>> reader_for(".md").name
    'Markdown'
    """
    return _BY_SUFFIX.get(suffix)
