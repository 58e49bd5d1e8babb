"""Passages: the sentences, table rows and record fields of chunks, any of which may answer a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sage_ld.build.annotators.sentences import sentence_spans
from sage_ld.build.chunkers.runs import LINE, Span, cut
from sage_ld.build.readers.content import ATTACHMENTS, SHOWN_HEADERS
from sage_ld.build.readers.tables import cells
from sage_ld.foundation.model import ChunkKind
from sage_ld.graph.store.reading import StoredChunk

_ITEM: Final = re.compile(r"\n(\((?:[a-z]|[ivx]{1,5}|[0-9]{1,2})\) )")
_HEAD: Final = re.compile(rf"(?:(?:{'|'.join((*SHOWN_HEADERS, ATTACHMENTS))}): [^\n]*(?:\n|$))+")
MOST_PASSAGES: Final = 200
"""Passages of one chunk that are looked at."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, a table's row or a record's field, with its place in the document's text."""

    source: StoredChunk
    rank: int
    """Of its chunk among the results, from 0."""
    number: int
    """In its chunk, from 0."""
    begin: int
    end: int
    quote: str
    """`document.text[begin:end]`."""
    cells: tuple[tuple[str, str], ...] = ()
    """Column and value of each cell of a row, name and value of a field."""

    @property
    def text(self) -> str:
        """The passage on one line."""
        return " ".join(self.quote.split())

    @property
    def row(self) -> int | None:
        """The number of a row in its table, from 0."""
        table = self.source.chunk.table
        return None if table is None else table.first_row + self.number

    @property
    def is_head(self) -> bool:
        """Whether it is the head of a mail."""
        return self.is_sentence and _HEAD.fullmatch(self.quote) is not None

    @property
    def is_sentence(self) -> bool:
        """Whether it is running text."""
        return self.source.chunk.kind is ChunkKind.TEXT


def passages(source: StoredChunk, rank: int) -> list[Passage]:
    """The passages of a chunk, in their order."""
    chunk = source.chunk
    return [
        Passage(
            source,
            rank,
            number,
            chunk.begin + begin,
            chunk.begin + end,
            chunk.text[begin:end],
            tuple(_cells(source, chunk.text[begin:end])),
        )
        for number, (begin, end) in enumerate(_spans(source)[:MOST_PASSAGES])
    ]


def _spans(source: StoredChunk) -> list[Span]:
    text = source.chunk.text
    if source.chunk.kind is ChunkKind.TEXT:
        return [each for span in sentence_spans(text) for each in _items(text, span)]
    return cut(text, (0, len(text)), LINE)


def _items(text: str, span: Span) -> Iterator[Span]:
    """A sentence, cut before lines that begin with a letter or number in parentheses."""
    begin, end = span
    for match in _ITEM.finditer(text, begin, end):
        if match.start() > begin:
            yield begin, match.start()
        begin = match.start(1)
    yield begin, end


def _cells(source: StoredChunk, line: str) -> Iterator[tuple[str, str]]:
    if source.chunk.kind is ChunkKind.TABLE and source.chunk.table is not None:
        for column, begin, end in cells(source.chunk.table.columns, line):
            yield column, line[begin:end]
    elif source.chunk.kind is ChunkKind.RECORD:
        name, colon, value = line.partition(": ")
        if colon:
            yield name, value
