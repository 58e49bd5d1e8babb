"""The entities that a chunk mentions, without a language model.

Four sources, in this order of trust: the anchors of hyperlinks, the document's own title, whole table cells
and record fields that hold a name or a number that identifies, and names and identifiers in running text. One
`Mention` for each label: its first place, and how often it comes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from sage_ld.build.annotators.cells import TextCell, cells_of, holds_name
from sage_ld.build.annotators.entity_classes import (
    class_in_text,
    class_of_column,
    class_of_lead,
    class_of_name,
    class_of_phrase,
)
from sage_ld.build.annotators.field_annotator import FieldAnnotator
from sage_ld.build.annotators.labels import bare_title, entity_label
from sage_ld.build.annotators.names import Span, find_names
from sage_ld.build.annotators.words import is_ordinary
from sage_ld.build.languages import ENGLISH, indexed_language
from sage_ld.build.languages.analysis import is_function_word
from sage_ld.build.languages.identifiers import find_codes, is_number_of, named_number
from sage_ld.build.readers.content import BETWEEN_VALUES
from sage_ld.foundation.model import Chunk, ChunkKind, Document, Mention

_WORD = re.compile(r"\w+")
_MOST_BETWEEN = 4
"""Characters between two words of a title."""
_PARTS = re.compile(r"\s*(?:[,/;|•\n]|\s\(|\)|\s&\s|\sand\s)\s*")
_MAX_LABEL = 120  # characters; longer is a sentence


FindNames: TypeAlias = Callable[[str, Set[str], str], Sequence[Span]]
"""The names in a running text, given words known to be names and the language."""
_Find: TypeAlias = Callable[[str, Set[str]], Sequence[Span]]


@dataclass(frozen=True, slots=True)
class _PlacedName:
    """A place where an entity is named; sources of a lower rank stay when there are too many."""

    rank: int
    label: str
    begin: int
    end: int
    row: int | None = None
    column: str | None = None
    surface: str = ""
    """As written, where that is not the text from begin to end."""


def mentions(
    document: Document, chunk: Chunk, limit: int, language: str = ENGLISH, find: FindNames = find_names
) -> tuple[Mention, ...]:
    """At most `limit` entities of the chunk, which is written in `language`, in the order of their places."""
    names = [
        *_anchors(chunk, document.text),
        *_title(document, chunk, language),
        *_content(document, chunk, lambda text, known: find(text, known, language)),
    ]
    kept = [each for each in names if _is_entity(each, document.text, language)]
    kept += _headings(document, chunk, {each.label for each in kept})
    kept.sort(key=lambda each: (each.begin, each.rank, -each.end))
    first: dict[str, _PlacedName] = {}
    places: dict[str, set[int]] = {}
    for each in kept:
        best = first.setdefault(each.label, each)
        first[each.label] = replace(best, rank=min(best.rank, each.rank))
        places.setdefault(each.label, set()).add(each.begin)
    chosen = sorted(_fair(list(first.values()))[:limit], key=lambda each: (each.begin, each.end, each.label))
    return tuple(
        Mention(
            each.label,
            each.surface or document.text[each.begin : each.end],
            each.begin,
            each.end,
            len(places[each.label]),
            each.row,
            each.column,
            _class_name(document, chunk, each),
        )
        for each in chosen
    )


def _class_name(document: Document, chunk: Chunk, place: _PlacedName) -> str | None:
    """The class of what is named, if the text around it, the page or the column tells it."""
    if chunk.position == 0 and chunk.kind is ChunkKind.TEXT and place.rank == 1:
        qualifier = document.title[len(bare_title(document.title)) :].strip(" ()")
        if name := class_of_phrase(qualifier) or class_of_lead(chunk.text):
            return name
    begin, end = place.begin - chunk.begin, place.end - chunk.begin
    if chunk.kind is not ChunkKind.TEXT:
        whole = class_of_column(place.column) if place.rank == 2 else None
        return whole or class_of_name(chunk.text[begin:end])
    return class_in_text(chunk.text, begin, end)


def _fair(names: list[_PlacedName]) -> list[_PlacedName]:
    """Ordered by trust, then row by row in turn, so that a limit takes no row of a table before another."""
    turns: dict[int | None, int] = {}
    keyed = []
    for each in sorted(names, key=lambda each: (each.rank, each.begin, each.end)):
        turn = turns[each.row] = turns.get(each.row, 0) + 1
        keyed.append(((turn if each.row is not None else each.rank, each.begin, each.end), each))
    return [each for _, each in sorted(keyed, key=lambda pair: pair[0])]


def _is_entity(name: _PlacedName, text: str, language: str) -> bool:
    label = name.label
    if not 2 <= len(label) <= _MAX_LABEL or name.begin >= name.end:
        return False
    if name.rank >= 2 and label.isdigit():
        return True  # an identifier: no other name in a cell or in running text is all digits
    words = _WORD.findall(label)
    return any(not word.isdigit() and not is_ordinary(word, language) for word in words) or (
        name.rank == 1 and bool(text[name.begin : name.end].strip())
    )


def _place(rank: int, text: str, begin: int, end: int, cell: TextCell | None = None) -> _PlacedName:
    """The name in `text[begin:end]`, without the space and punctuation around it."""
    while end > begin and (text[end - 1].isspace() or text[end - 1] in ",;:\"'([–-"):
        end -= 1
    surface = text[begin:end]
    stripped = surface.lstrip(" \t\n,;:\"')]–-")
    begin += len(surface) - len(stripped)
    row, column = (cell.row, cell.column) if cell else (None, None)
    return _PlacedName(rank, entity_label(stripped), begin, begin + len(stripped), row, column)


def _anchors(chunk: Chunk, text: str) -> Iterator[_PlacedName]:
    for link in chunk.links:
        if link.text.strip() and text[link.begin : link.end].strip():
            yield replace(_place(0, text, link.begin, link.end), row=link.row, column=link.column)


def _title(document: Document, chunk: Chunk, language: str) -> Iterator[_PlacedName]:
    """The document's title where the chunk names it; the first chunk does so at least by a part of it."""
    title = bare_title(document.title)
    label = entity_label(title)
    if not title.strip() or len(label) > _MAX_LABEL:
        return
    words = _WORD.findall(title)
    places = _find(words, chunk.text)
    if not places and chunk.position == 0:
        shorter = (
            words[begin : begin + length]
            for length in range(len(words) - 1, 0, -1)
            for begin in range(len(words) - length + 1)
        )
        places = next(
            (at for part in shorter if _telling(part, language) and (at := _find(part, chunk.text))), []
        )
    for begin, end in places:
        yield _PlacedName(1, label, chunk.begin + begin, chunk.begin + end)


def _headings(document: Document, chunk: Chunk, named: Set[str]) -> Iterator[_PlacedName]:
    """The identifiers in the headings above a chunk that its text does not name; its first place is theirs.

    Those of the document's title are in its first chunk alone.
    """
    title = document.title if chunk.heading.startswith(document.title) else ""
    heading = chunk.heading if chunk.position == 0 else chunk.heading[len(title) :]
    for begin, end in find_codes(heading):
        place = _place(3, heading, begin, end)
        if place.label not in named:
            yield replace(place, begin=chunk.begin, end=chunk.begin, surface=heading[place.begin : place.end])


def _telling(words: Sequence[str], language: str) -> bool:
    return any(len(word) > 1 and not is_function_word(word.casefold(), language) for word in words)


def _find(words: Sequence[str], text: str) -> list[tuple[int, int]]:
    """The places of a title's words in a row in a text, in any case, with at most four signs between two."""
    if not words or _lacks(text, words):
        return []
    if text.isascii() and all(word.isascii() for word in words):
        return _find_ascii([word.lower() for word in words], text.lower())
    pattern = r"\W{1,4}".join(re.escape(word) for word in words)
    return [match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)]


def _find_ascii(words: list[str], text: str) -> list[tuple[int, int]]:
    """The same in lower case: a pattern for each title would take longer to compile than to match.

    >>> _find_ascii(["new", "york"], "new york, new -- york and york")
    [(0, 8), (10, 21)]
    """
    matches = list(_WORD.finditer(text))
    places: list[tuple[int, int]] = []
    for at, first in enumerate(matches):
        if first[0] != words[0] or (places and first.start() < places[-1][1]):
            continue
        here = matches[at : at + len(words)]
        near = all(after.start() - before.end() <= _MOST_BETWEEN for before, after in pairwise(here))
        if near and [match[0] for match in here] == words:
            places.append((first.start(), here[-1].end()))
    return places


def _lacks(text: str, words: Sequence[str]) -> bool:
    """Whether a text lacks one of the words, in any case: a look that saves a pattern for them all.

    Only of ASCII, whose cases are two.

    >>> _lacks("the Golden Heron", ["GOLDEN", "egret"]), _lacks("the Golden Heron", ["heron"])
    (True, False)
    """
    if not text.isascii():
        return False
    lower = text.lower()
    return any(word.isascii() and word.lower() not in lower for word in words)


def _content(document: Document, chunk: Chunk, find: _Find) -> Iterator[_PlacedName]:
    if chunk.kind is ChunkKind.TABLE and chunk.table is not None:
        for cell in cells_of(chunk):
            yield from _cell(document, cell, find)
    elif chunk.kind is ChunkKind.RECORD:
        yield from _fields(document, chunk, find)
    else:
        yield from _names(document, chunk.text, chunk.begin, find)


def _cell(document: Document, cell: TextCell, find: _Find) -> Iterator[_PlacedName]:
    """A cell's name as a whole, and its parts where it lists several ("Boston , MA"); its identifiers."""
    yield from _value(document, cell.column, cell.text, cell.begin, find, cell)
    begin, cuts = 0, [*_PARTS.finditer(cell.text)]
    for cut_begin, cut_end in [*(cut.span() for cut in cuts), (len(cell.text), len(cell.text))]:
        if cuts and holds_name(cell.text) and holds_name(cell.text[begin:cut_begin]):
            yield _place(3, document.text, cell.begin + begin, cell.begin + cut_begin, cell)
        begin = cut_end


def _fields(document: Document, chunk: Chunk, find: _Find) -> Iterator[_PlacedName]:
    """The values of a record's lines `field: value`, each of a field that has several.

    The classes of a resource, which stand as `type` in its record, are left out.
    """
    begin = chunk.begin
    for line in chunk.text.split("\n"):
        name, mark, values = line.partition(": ")
        start = begin + len(name) + len(mark)
        is_class = chunk.subject is not None and name == "type"
        for value in values.split(BETWEEN_VALUES) if mark and not is_class else ():
            yield from _value(document, name, value, start, find)
            start += len(value) + len(BETWEEN_VALUES)
        begin += len(line) + 1


def _value(
    document: Document, name: str, text: str, begin: int, find: _Find, cell: TextCell | None = None
) -> Iterator[_PlacedName]:
    """The name that a value of a column or field is, and the identifiers in it; else the names in it."""
    whole = _place(2, document.text, begin, begin + len(text), cell)
    if label := named_number(name, text):
        yield replace(whole, label=label)
    elif is_number_of(name, text):
        yield whole
    elif holds_name(text):
        yield whole
        for first, end in find_codes(text):
            yield _place(3, document.text, begin + first, begin + end, cell)
    else:
        yield from _names(document, text, begin, find, cell)


def _names(
    document: Document, text: str, begin: int, find: _Find, cell: TextCell | None = None
) -> Iterator[_PlacedName]:
    for span in find(text, _capitalised(document.title)):
        yield _place(3, document.text, begin + span.begin, begin + span.end, cell)


@lru_cache
def _capitalised(title: str) -> Set[str]:
    return {word.casefold() for word in _WORD.findall(title) if word[0].isupper()}


def mention_annotator(find: FindNames) -> FieldAnnotator:
    """The annotator of mentions that finds names in running text by a function."""
    return FieldAnnotator(
        gives="mentions",
        reads=frozenset(
            (
                *("document.title", "document.text", "document.language"),
                *("chunk.kind", "chunk.position", "chunk.heading", "chunk.text", "chunk.begin"),
                *("chunk.table", "chunk.links", "chunk.subject"),
            )
        ),
        annotate=lambda document, chunk, settings: mentions(
            document,
            chunk,
            settings.max_mentions_per_chunk,
            indexed_language(document.language, settings.default_language),
            find,
        ),
    )


MENTIONS: Final = mention_annotator(find_names)
