"""Sentences of running text: where each begins and ends. The dot of an abbreviation ends none."""

from __future__ import annotations

from typing import Final

from sage_ld.build.annotators.words import ABBREVIATIONS, STOP_WORDS
from sage_ld.build.chunkers.runs import SENTENCE_OR_PARAGRAPH, Span, cut

_BEFORE_NUMBERS: Final = frozenset(("art", "ch", "fig", "no", "nos", "nr", "p", "pos", "pp", "sec", "vol"))
"""Words whose dot ends no sentence if a number, or a code with digits, follows: `order no. CP-1038`."""
_BEFORE_NAMES: Final = ABBREVIATIONS - {"ft", "jr", "no", "sr"}
_LONGEST: Final = 64
"""Characters around a dot that are looked at: more than any abbreviation has."""


def sentence_spans(text: str) -> list[Span]:
    """(begin, end) of each sentence of a text, without the blanks around it.

    >>> text = "Order sign no. CP-7 from Dr. Tolland. It says no. Wait."
    >>> [text[begin:end] for begin, end in sentence_spans(text)]
    ['Order sign no. CP-7 from Dr. Tolland.', 'It says no.', 'Wait.']
    >>> text = "Pumps by B. Braun. They stand in room C. The key is there."
    >>> [text[begin:end] for begin, end in sentence_spans(text)]
    ['Pumps by B. Braun.', 'They stand in room C.', 'The key is there.']
    """
    spans: list[Span] = []
    for begin, end in cut(text, (0, len(text)), SENTENCE_OR_PARAGRAPH):
        start, stop = spans[-1] if spans else (begin, begin)
        if _goes_on(text[max(start, stop - _LONGEST) : stop], text[begin : min(end, begin + _LONGEST)]):
            spans[-1] = start, end
        else:
            spans.append((begin, end))
    return spans


def _goes_on(before: str, after: str) -> bool:
    """Whether a part that ends with a dot goes on in the next one."""
    last, next_word = before.rsplit(maxsplit=1)[-1:], after.split(maxsplit=1)[:1]
    if not last or not next_word or not last[0].endswith("."):
        return False
    if _is_initial(last[0], next_word[0]):
        return True
    word = last[0][:-1].casefold().lstrip("(")
    return word in _BEFORE_NAMES or (word in _BEFORE_NUMBERS and any(map(str.isdigit, next_word[0])))


def _is_initial(last: str, next_word: str) -> bool:
    """Whether a letter with a dot begins a name: a word with a capital follows that is no function word."""
    letter = last.lstrip("(")
    is_letter = len(letter) == 2 and letter[0].isupper() and letter[0] != "I"
    return is_letter and next_word[0].isupper() and next_word.rstrip(".,;:").casefold() not in STOP_WORDS
