"""Answers with citations, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sage_ld.foundation.model import ChunkView
from sage_ld.foundation.question import Answer

NOT_IN_GRAPH: Final = "The graph does not say."
"""The text of an answer without sentences."""


class AnswerMethod(StrEnum):
    """The method by which the sentences of an answer are found."""

    EXTRACTION = "extraction"
    """They stand in the documents as they are."""
    MODEL = "model"
    """A language model wrote them."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A stretch of a chunk that a sentence rests on."""

    chunk: ChunkView
    begin: int
    """Offsets in the document's text, in code points, as those of the chunk."""
    end: int
    quote: str
    """`document.text[begin:end]`."""


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer, or a row of a table that answers, with at least one citation."""

    text: str
    citations: tuple[Citation, ...]
    cells: tuple[tuple[str, str], ...] = ()
    """Of a row or a record's field: column and value."""


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """The answer to a question in sentences; none where the graph does not answer it."""

    sentences: tuple[CitedSentence, ...]
    retrieval: Answer
    """The chunks that were looked at, and how they were found."""
    method: AnswerMethod = AnswerMethod.EXTRACTION
    note: str = ""
    """The reason if the answer was not made by the requested method."""
    model: str = ""
    """The name of the language model that wrote the sentences."""

    @property
    def in_graph(self) -> bool:
        """Whether the graph answers."""
        return bool(self.sentences)

    @property
    def text(self) -> str:
        """The sentences as one text."""
        return " ".join(each.text for each in self.sentences) or NOT_IN_GRAPH
