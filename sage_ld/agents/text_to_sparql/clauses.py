"""Several questions in one: `Where is part VL-020, and how many of it are there?`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sage_ld.agents.text_to_sparql.compiler import Binding

_FURTHER: Final = re.compile(
    r"(?:,?\s+and\s+(?:also\s+)?|;\s*|\?\s+(?:and\s+)?)"
    r"(?=(?:which|what|who|whose|when|where|how)\b|(?:is|are|was|were|does|do|did|has|have)\s+(?:it|they|he|she)\b)",
    re.IGNORECASE,
)
_OF_ONE: Final = re.compile(r"\b(?:it|he|she|him|her)\b", re.IGNORECASE)
_ITS: Final = re.compile(r"\b(?:its|his)\b", re.IGNORECASE)
_OF_SEVERAL: Final = re.compile(r"\b(?:them|they|these|those)\b", re.IGNORECASE)


def clauses(question: str) -> list[str]:
    """The questions that one text has, in order; the text alone where it is one.

    >>> clauses("Where is part VL-020 and how many of it are there?")
    ['Where is part VL-020', 'how many of it are there?']
    >>> clauses("Which albums came out between 1985 and 1995?")
    ['Which albums came out between 1985 and 1995?']
    """
    return [each.strip() for each in _FURTHER.split(question) if each.strip()]


def without_pronouns(clause: str, before: Sequence[Binding]) -> str:
    """A question with what its pronouns stand for, which an earlier question named.

    >>> before = [Binding("parts", "property", "part"), Binding("Hall 3", "value", "Hall 3")]
    >>> without_pronouns("which of them are new?", before)
    'which of the parts Hall 3 are new?'
    """
    values = " ".join(each.words for each in before if each.kind == "value")
    named = next((each.words for each in before if each.kind != "value"), "")
    if values:
        clause = _OF_ONE.sub(lambda _: values, clause)
        clause = _ITS.sub(lambda _: f"{values}'s", clause)
    several = " ".join(filter(None, ("the", named, values)))
    return _OF_SEVERAL.sub(lambda _: several, clause) if values or named else clause
