"""Bridges: the rows and sentences among what was found that name another chunk, and so lead to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from sage_ld.agents.answering.passages import Passage
from sage_ld.foundation.model import ChunkKind, Result
from sage_ld.graph.store.reading import StoredChunk

_WORD: Final = re.compile(r"\w+")
_IN_BRACKETS: Final = re.compile(r"\s*\(.*\)$")
_LEAST_NAME: Final = 5
"""Characters of a name that a sentence may lead by; shorter ones stand in too many."""
_SENTENCE: Final = 0.8
"""The weight of a sentence, where a row, in whose columns things are named on purpose, has 1."""

TermsOf = Callable[[str], frozenset[str]]
"""The terms of a text."""


def bridge_terms(
    sources: Sequence[StoredChunk],
    results: Sequence[Result],
    cut: Mapping[str, Sequence[Passage]],
    terms_of: TermsOf,
    share: Callable[[frozenset[str]], float],
) -> list[frozenset[str]]:
    """For each of the results, the terms of the passage that leads to it best; none where none does.

    A row leads to a chunk that it names by its title, or by a link that the search followed; a sentence of
    another chunk, likewise. The best is that which carries most of the question, by `share`, with the names
    of what it stands in. `cut` has the passages of the results and of tables on the paths to them, by chunk.
    """
    rows = [(each, _words(each.text)) for passages in cut.values() for each in passages if _is_row(each)]
    sentences = [
        (each, _words(each.text)) for chunk in sources for each in cut[chunk.iri] if not _is_row(each)
    ]

    def leading(rank: int) -> Iterator[tuple[float, frozenset[str]]]:
        name = _words(_IN_BRACKETS.sub("", sources[rank].chunk.name))
        followed = followed_rows(results[rank])
        for row, words in rows:
            if name in words or (row.source.iri, row.row) in followed:
                terms = terms_of(row.text) | terms_of(_title(row))
                yield share(terms), terms
        for sentence, words in sentences:
            if sentence.rank != rank and len(name.strip()) >= _LEAST_NAME and name in words:
                terms = terms_of(sentence.text) | terms_of(sentence.source.chunk.name)
                yield share(terms) * _SENTENCE, terms

    return [
        max(leading(rank), key=lambda each: each[0], default=(0.0, frozenset[str]()))[1]
        if source.chunk.kind is not ChunkKind.TABLE
        else frozenset()
        for rank, source in enumerate(sources)
    ]


def followed_rows(result: Result) -> frozenset[tuple[str, int]]:
    """Chunk and row of each step of the path to a result that goes over a row."""
    return frozenset(
        (chunk, step.row) for step in result.path if step.row is not None for chunk in (step.seed, step.chunk)
    )


def _is_row(passage: Passage) -> bool:
    return passage.source.chunk.kind is ChunkKind.TABLE


def _title(row: Passage) -> str:
    chunk = row.source.chunk
    return f"{chunk.name} {chunk.heading}"


def _words(text: str) -> str:
    """A text as its words in lower case, each between blanks."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
