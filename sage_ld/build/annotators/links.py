"""Links between documents: the hyperlinks that files carry, and titles found in prose, cells and fields.

A chunk's links follow from the chunk and the targets alone, so they are the same whether it is linked alone
or with all others; a change of the targets may change the links of every chunk.

A name has to be written as one: with a capital that is not only its sentence's, or, where it is a title of
several words, word for word. The longest name at a place counts. Which of the documents that share a name is
meant is told by the words that a document's beginning shares with the chunk, and by the vectors of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from math import exp
from typing import Final, NamedTuple

import numpy as np

from sage_ld.build.annotators.cell_links import cell_links
from sage_ld.build.annotators.hyperlinks import resolve_hyperlinks, resolved
from sage_ld.build.annotators.link_selection import PossibleLink, select_links
from sage_ld.build.annotators.names import find_names
from sage_ld.build.annotators.targets import Match, Target, TargetIndex, TargetVectors, index_targets
from sage_ld.build.annotators.titles import AliasKind, Word, forms, words
from sage_ld.build.annotators.words import STOP_WORDS
from sage_ld.foundation.model import Chunk, ChunkKind, FloatArray, Link, LinkKind
from sage_ld.foundation.settings import Settings

__all__ = ["Target", "TargetIndex", "find_links", "find_title_links", "index_targets", "resolve_hyperlinks"]

_TRUST: Final = {AliasKind.TITLE: 0.95, AliasKind.BARE: 0.8, AliasKind.LEAD: 0.8, AliasKind.OTHER: 0.6}
"""How often a name of this kind, standing alone and meant by one document only, is that document's."""
_LIKELY: Final = {AliasKind.TITLE: 1.0, AliasKind.BARE: 0.4, AliasKind.LEAD: 0.3, AliasKind.OTHER: 0.15}
"""How likely a document is meant before the context is looked at, beside others of the same name."""
_GOES_ON: Final = 0.3
_GOES_ON_ALONE: Final = 0.1
"""Factor of the confidence for each side on which the name goes on; smaller for a single word."""
_LOWER_CASE: Final = 0.5
_SELF: Final = 40.0
_UNIT: Final = 8.0
_MAX_TITLES: Final = 4
_DIVIDERS: Final = re.compile(r"[,;:()\"“”]")
_MOST_CONTEXT: Final = 3.0
_SIMILARITY_SCALE: Final = 4.0


class _Text(NamedTuple):
    names_of: TargetIndex
    chunk: Chunk
    words: list[Word]
    forms: list[str]
    around: Set[str]
    names: Set[int]
    """Numbers of the words that are parts of a name by the way they are written."""


def prose_links(
    index: TargetIndex, chunk: Chunk, vector: FloatArray | None, vectors: TargetVectors | None
) -> list[PossibleLink]:
    """The documents that the chunk's text names, with confidence; arguments as of `cell_links`."""
    chunk_words = words(chunk.text)
    text = _Text(
        index,
        chunk,
        chunk_words,
        [word.form for word in chunk_words],
        (frozenset(word.form for word in chunk_words) | frozenset(forms(chunk.heading))) - STOP_WORDS,
        _named_words(chunk, chunk_words),
    )
    out: list[PossibleLink] = []
    for match, written in _longest(text, index.matches(text.forms)):
        begin = chunk.begin + chunk_words[match.begin].begin
        end = chunk.begin + chunk_words[match.end - 1].end
        for target, chance in _choose(text, match, vector, vectors):
            out.append(PossibleLink(target, begin, end, chance * written, None, None))
    return out


def _named_words(chunk: Chunk, chunk_words: Sequence[Word]) -> Set[int]:
    known = {word.casefold() for word in chunk.heading.split() if word[0].isupper()}
    spans = find_names(chunk.text, known)
    out: set[int] = set()
    at = 0
    for span in spans:
        while at < len(chunk_words) and chunk_words[at].end <= span.begin:
            at += 1
        inside = at
        while inside < len(chunk_words) and chunk_words[inside].begin < span.end:
            out.add(inside)
            inside += 1
    return out


def _longest(text: _Text, matches: Sequence[Match]) -> Iterator[tuple[Match, float]]:
    """The matches that are written as names and lie in no longer one, with how well they are written."""
    taken: set[int] = set()
    for match in sorted(matches, key=lambda each: (each.begin - each.end, each.begin)):
        places = range(match.begin, match.end)
        if taken.isdisjoint(places) and (written := _written(text, match)):
            taken.update(places)
            yield match, written


def _written(text: _Text, match: Match) -> float:
    """The confidence, by their writing, that the words are this name, 0..1."""
    held = text.forms[match.begin : match.end]
    if all(word.isdigit() or word in STOP_WORDS or len(word) < 2 for word in held) or _is_cut(text, match):
        return 0.0
    telling = [at for at in range(match.begin, match.end) if text.forms[at] not in STOP_WORDS]
    named = sum(at in text.names for at in telling)
    if not named:
        several = len(telling) > 1 and any(alias.kind is AliasKind.TITLE for alias in match.aliases)
        return _LOWER_CASE if several else 0.0
    sides = (match.begin - 1, match.begin), (match.end - 1, match.end)
    factor = _GOES_ON if len(held) > 1 else _GOES_ON_ALONE
    return float(factor ** sum(_is_joined(text, *side) for side in sides))


def _is_cut(text: _Text, match: Match) -> bool:
    """Whether punctuation that is not the title's own divides the words: "to Paris, calling it"."""
    begin, end = text.words[match.begin].begin, text.words[match.end - 1].end
    marks = set(_DIVIDERS.findall(text.chunk.text[begin:end]))
    return bool(marks) and not any(
        marks <= set(text.names_of.targets[alias.target].title) for alias in match.aliases
    )


def _is_joined(text: _Text, before: int, after: int) -> bool:
    """Whether two words stand in one name, so that a match that ends between them is a part of it."""
    if before < 0 or after >= len(text.words) or not {before, after} <= text.names:
        return False
    if text.forms[before].isdigit() or text.forms[after].isdigit():
        return False
    between = text.chunk.text[text.words[before].end : text.words[after].begin]
    return not between.strip(" .-–'’") and text.forms[before] not in STOP_WORDS


def _choose(
    text: _Text, match: Match, vector: FloatArray | None, vectors: TargetVectors | None
) -> list[tuple[int, float]]:
    """The targets of a name with the chance of each; targets of one title are all meant where one is."""
    index = text.names_of
    strengths: dict[tuple[str, ...], float] = {}
    rated: list[tuple[int, float, float]] = []
    for alias in match.aliases:
        target = index.targets[alias.target]
        if target.identifier == text.chunk.document:
            strengths[()] = _SELF  # a document that names itself means no other of its name
            continue
        if not _names_alone(text, match, alias.kind):
            continue
        context = _context(text, match, alias.target)
        trust = _TRUST[alias.kind]
        if match.end - match.begin == 1 and alias.kind is not AliasKind.TITLE:
            trust *= 1.0 - exp(-context)
        if vector is not None and vectors is not None:
            context += _SIMILARITY_SCALE * float(vectors[np.array([alias.target])][0] @ vector)
        strength = _LIKELY[alias.kind] * exp(context)
        title = index.titles[alias.target]
        strengths[title] = max(strengths.get(title, 0.0), strength)
        rated.append((alias.target, strength, trust))
    total = sum(strengths[title] for title in sorted(strengths))
    return [(target, trust * strength / total) for target, strength, trust in rated]


def _names_alone(text: _Text, match: Match, kind: AliasKind) -> bool:
    """A single word that many titles hold, or that only a text gives, is no name by itself: a first name."""
    if match.end - match.begin > 1 or kind is AliasKind.TITLE:
        return True
    word = text.forms[match.begin]
    written = text.words[match.begin]
    if kind is AliasKind.OTHER and not text.chunk.text[written.begin : written.end].isupper():
        return False
    return len(text.names_of.postings.get(word, ())) <= _MAX_TITLES


def _context(text: _Text, match: Match, target: int) -> float:
    """The overlap of the beginning of the target's text with the chunk and its heading, beside the name."""
    held = frozenset(text.forms[match.begin : match.end])
    shared = text.names_of.leads[target] & (text.around - held)
    return min(sum(text.names_of.lead_idf[word] for word in sorted(shared)) / _UNIT, _MOST_CONTEXT)


def find_links(
    chunks: Sequence[Chunk],
    targets: Sequence[Target] | TargetIndex,
    *,
    chunk_vectors: FloatArray | None = None,
    target_vectors: TargetVectors | None = None,
    settings: Settings | None = None,
) -> list[Link]:
    """All links of `chunks` to `targets`, in the order of chunks, places and targets.

    Vectors have unit length: (n, d) for the chunks, (m, d) for the targets; without both, only words tell
    which of several documents is meant. A target that a hyperlink of the same row leads to gets no link by
    title beside it.

    >>> text = "Opponent: Bath; Ground: The Rec"
    >>> from sage_ld.foundation.model import TablePart
    >>> part = TablePart(0, ("Opponent", "Ground"), 0, 0)
    >>> chunk = Chunk("a", ChunkKind.TABLE, 0, "", "Rugby season", text, 0, len(text), table=part)
    >>> [link.document for link in find_links([chunk], [Target("b", "Bath Rugby"), Target("c", "Bathurst")])]
    [0]
    """
    index = targets if isinstance(targets, TargetIndex) else index_targets(targets)
    carried = resolved(chunks, index.targets, index.places, index.numbers)
    taken = {(link.chunk, link.row, link.document) for link in carried}
    named = find_title_links(
        chunks, index, chunk_vectors=chunk_vectors, target_vectors=target_vectors, settings=settings
    )
    links = carried + [link for link in named if (link.chunk, link.row, link.document) not in taken]
    return sorted(links, key=lambda link: (link.chunk, link.begin, link.end, link.document, link.kind))


def find_title_links(
    chunks: Sequence[Chunk],
    index: TargetIndex,
    *,
    chunk_vectors: FloatArray | None = None,
    target_vectors: TargetVectors | None = None,
    settings: Settings | None = None,
) -> list[Link]:
    """The links of `chunks` by name alone, whatever links the files carry."""
    limits = settings or Settings()
    links: list[Link] = []
    for number, chunk in enumerate(chunks):
        vector = None if chunk_vectors is None else chunk_vectors[number]
        find = prose_links if chunk.kind is ChunkKind.TEXT else cell_links
        places = find(index, chunk, vector, target_vectors)
        settled = select_links(places, limits.min_link_confidence, limits.max_links_per_name)
        links.extend(_link(number, chunk, each) for each in settled)
    return links


def _link(number: int, chunk: Chunk, place: PossibleLink) -> Link:
    anchor = chunk.text[place.begin - chunk.begin : place.end - chunk.begin]
    return Link(
        number,
        place.target,
        LinkKind.TITLE,
        anchor,
        round(place.confidence, 6),
        place.begin,
        place.end,
        place.row,
        place.column,
    )
