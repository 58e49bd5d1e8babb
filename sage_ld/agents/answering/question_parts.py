"""The parts of a question: the words that say what is asked, and the noun for the answer.

Both are of English questions; of others, all words are said to ask.
"""

from __future__ import annotations

import re
from typing import Final

from sage_ld.build.languages.analysis import ENGLISH_FUNCTION_WORDS

_ASKING: Final = re.compile(r"\b(?:who|whom|whose|what|which|when|where|how)\b", re.I)
_RELATIVE: Final = ("who", "whose")
"""Words that more often begin a clause than a question, where they do not stand at its beginning."""
_CLAUSE: Final = re.compile(r"\b(?:who|that|which|whose|where|when|whom)\b|[,;]", re.I)
_SPLIT: Final = re.compile(r"\b(?:do|does|did)\b", re.I)
_AUXILIARY: Final = re.compile(r"\b(?:do|does|did|is|are|was|were|has|have|had|can|will)\b", re.I)
_NOUN: Final = re.compile(
    r"\b(?:which|what|whose|how many|how much)\s+(?:(?:is|was|are|were)\s+(?:the\s+)?)?"
    r"(?:(?:type|kind|sort|name|names)\s+of\s+)?(?:the\s+)?((?:[\w'’-]+\s*){1,4})",
    re.I,
)
_FEW: Final = 2
"""Words before the asking one, up to which a question begins with it."""
_NEAR: Final = 4
"""Words that belong to the asking one: before it, where it stands later; after it, up to an auxiliary."""


def focus(question: str) -> str:
    """The words of a question that say what is asked, without what says which thing it is asked of.

    They go to the first relative clause, or to *do*, with the words at the end that belong to it.

    >>> focus("Which instrument did the composer of The Ninth Ferry play?")
    'instrument Ferry play'
    >>> focus("Who published the book that The Glass Orchard is based on?")
    'published the book'
    >>> focus("The singer of the band that was born in Oslo plays which instrument?")
    'born in Oslo plays instrument'
    """
    text = question.strip().rstrip("?. ")
    found = list(_ASKING.finditer(text))
    if not found:
        return text
    if len(text[: found[0].start()].split()) > _FEW:  # it begins with what is known
        asking = [each for each in found if each[0].lower() not in _RELATIVE] or found
        before = text[: asking[-1].start()].split()[-_NEAR:]
        return " ".join((*before, *text[asking[-1].end() :].split()))
    rest = text[found[0].end() :]
    if (split := _SPLIT.search(rest)) is not None and len(rest[: split.start()].split()) < _NEAR:
        return " ".join((*rest[: split.start()].split(), *rest[split.end() :].split()[-_FEW:]))
    clause = _CLAUSE.search(rest)
    if clause is None or len(rest[: clause.start()].split()) < _FEW:
        return rest.strip()
    own = rest[: clause.start()].split()
    is_split = _AUXILIARY.search(" ".join(own[:_NEAR])) is not None
    return " ".join(own + rest.split()[-1:] * is_split)


def asked_noun(question: str) -> str:
    """The noun for the answer, with the words before it; empty where the question names none.

    >>> asked_noun("Which wind instrument did she play?"), asked_noun("How many seats has it?")
    ('wind instrument', 'seats')
    >>> asked_noun("Who was it?")
    ''
    """
    match = _NOUN.search(question)
    if match is None:
        return ""
    words = match[1].split()
    silent = (n for n, word in enumerate(words) if word.casefold() in ENGLISH_FUNCTION_WORDS)
    return " ".join(words[: next(silent, len(words))])
