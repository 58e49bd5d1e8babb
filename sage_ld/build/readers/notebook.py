"""Jupyter notebooks: Markdown cells as Markdown, code cells as they are, with the text that they put out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode, without_terminal_codes
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.data.json_values import Json, JsonObject, parse_json
from sage_ld.build.readers.html import add_fragment
from sage_ld.build.readers.markdown import add_markdown
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "application/x-ipynb+json"
_LEVELS: Final = frozenset("123456")
_MARKUP: Final = 4
"""Characters of HTML for one of text."""


def read_notebook(source: Source, settings: Settings) -> Iterator[Document]:
    """One document of nbformat 3 or 4; its title is that of its metadata, else its first heading.

    Raises InputError if it is no notebook.
    """
    data = source.read(settings)
    notebook = parse_json(decode(data, source.identifier), source.identifier, settings)
    builder = DocumentBuilder(source.identifier, settings)
    for number, cell in enumerate(_cells(notebook, source.identifier), 1):
        builder.at(PlaceKind.NOTEBOOK_CELL, number)
        _add(builder, cell, settings)
    yield file_document(
        builder,
        data,
        _text(_object(_object(notebook).get("metadata")).get("title"))
        or builder.first_heading
        or source.stem,
        MEDIA_TYPE,
        v.SCHEMA + "TextDigitalDocument",
    )


def _cells(notebook: Json, name: str) -> list[JsonObject]:
    whole = _object(notebook)
    worksheets = whole.get("worksheets")  # nbformat 3
    holders = [_object(each) for each in worksheets] if isinstance(worksheets, list) else [whole]
    lists = [each.get("cells") for each in holders]
    if not all(isinstance(each, list) for each in lists):
        raise InputError(f"{name}: not a notebook, it has no list of cells; check its format")
    return [_object(cell) for each in lists if isinstance(each, list) for cell in each]


def _add(builder: DocumentBuilder, cell: JsonObject, settings: Settings) -> None:
    kind, source = cell.get("cell_type"), _text(cell.get("source", cell.get("input")))
    if kind == "markdown":
        add_markdown(builder, source, settings)
    elif kind == "heading":  # nbformat 3
        level = _text(cell.get("level"))
        builder.heading(source, int(level) if level in _LEVELS else 1)
    else:
        builder.prose(source.strip("\n"))
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            _add_output(builder, _object(output), settings)


def _add_output(builder: DocumentBuilder, output: JsonObject, settings: Settings) -> None:
    """Adds what a cell has put out: the table of a result that has one in HTML, else its text."""
    page = _text(_object(output.get("data")).get("text/html"))
    if "<table" in page and len(page) <= settings.max_cell_output * _MARKUP:
        add_fragment(builder, page, settings)
    else:
        builder.prose(_shortened(_output(output).strip("\n"), settings.max_cell_output))


def _output(output: JsonObject) -> str:
    """The text that a cell has put out: a stream's, the plain form of a result, an error's message."""
    return without_terminal_codes(_raw_output(output))


def _raw_output(output: JsonObject) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    data = _object(output.get("data")).get("text/plain")
    return _text(output.get("text") if data is None else data)


def _shortened(text: str, limit: int) -> str:
    """`text`; of one longer than `limit` only the beginning, with a note of how much is left out."""
    return text if len(text) <= limit else f"{text[:limit]}\n… ({len(text) - limit:,} more characters)"


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> str:
    """A string of a notebook, which may be written as a list of its lines."""
    if isinstance(value, list):
        return "".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""


NOTEBOOK = Reader("Jupyter notebook", {".ipynb": MEDIA_TYPE}, read_notebook, text=True)
