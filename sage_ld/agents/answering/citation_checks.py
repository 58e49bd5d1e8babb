"""Checks of citations: the place of a quotation in a chunk, word by word or nearly so in a passage."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sage_ld.agents.answering.passages import passages
from sage_ld.build.annotators.quotations import plain_text, whole_words
from sage_ld.build.chunkers.spans import Span
from sage_ld.build.languages import ENGLISH
from sage_ld.build.languages.function_words import is_function_word
from sage_ld.graph.store.reading import StoredChunk

LEAST_SHARED: Final = 0.8
"""Share of the words of a quotation that a passage has to hold, where they do not stand there as quoted."""
FEWEST_WORDS: Final = 4
"""Words of a quotation that may differ from the text at all; a shorter one has to stand there as it is."""
_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPS: Final = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
"""Separators of thousands in a number."""
_AROUND: Final = " \"'.…"
"""Characters that may be left off at both ends of a quotation."""


def quoted_span(source: StoredChunk, quote: str) -> Span | None:
    """The span of a quotation in the document's text, within a chunk; None where it does not stand there.

    Blanks, capitals, and the forms of quotation marks and dashes make no difference. A quotation of four
    words or more that does not stand there so is taken for the passage of the chunk that holds most of its
    words, if these are four fifths of them.
    """
    wanted, _ = plain_text(quote)
    wanted = wanted.strip(_AROUND)
    if not _says_something(wanted):
        return None
    text, offsets = plain_text(source.chunk.text)
    if (at := whole_words(text, wanted)) is not None:
        return source.chunk.begin + offsets[at], source.chunk.begin + offsets[at + len(wanted) - 1] + 1
    return _near(source, wanted)


def numbers_stand(sentence: str, texts: Iterable[str]) -> bool:
    """Whether each number of a sentence stands in one of some texts, with its thousands parted or not.

    >>> numbers_stand("It has 612 seats.", ["Seats: 612"]), numbers_stand("In 1931.", ["1926"])
    (True, False)
    """
    cited = {number for text in texts for number in _numbers(text)}
    return cited.issuperset(_numbers(sentence))


def _numbers(text: str) -> list[str]:
    return _NUMBER.findall(_GROUPS.sub("", text))


def _says_something(wanted: str) -> bool:
    words = _WORD.findall(wanted)
    return any(not is_function_word(word, ENGLISH) for word in words)


def _near(source: StoredChunk, wanted: str) -> Span | None:
    words = set(_WORD.findall(wanted))
    if len(words) < FEWEST_WORDS:
        return None
    shared, best = 0.0, None
    for passage in passages(source, 0):
        text = plain_text(passage.quote)[0]
        held = words.intersection(_WORD.findall(text)) if numbers_stand(wanted, [text]) else ()
        if (share := len(held) / len(words)) > shared:
            shared, best = share, passage
    return (best.begin, best.end) if best is not None and shared >= LEAST_SHARED else None
