"""The values of RDF terms, read leniently: a user's update or file may put any term in any place.

Whoever reads a graph takes each term through one of these functions, and leaves out what it cannot use.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyoxigraph import Literal, NamedNode

MOST: Final = 1 << 31
"""Offsets and numbers are below it: no document has more characters, rows or sections."""
_DIGITS: Final = 20
"""Characters of a number beyond which it is not read."""


@cache
def _classes() -> tuple[type[Literal], type[NamedNode]]:
    """The classes of literals and IRIs, loaded at first use: the table of channels needs no store."""
    from pyoxigraph import Literal, NamedNode

    return Literal, NamedNode


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI.

    >>> is_iri("http://example.org/a"), is_iri("notes/a.md")
    (True, False)
    """
    try:
        _classes()[1](text)
    except ValueError:
        return False
    return True


def iri_of(term: object) -> str | None:
    """The IRI; None for a literal, a blank node, a triple term, or nothing.

    >>> from pyoxigraph import Literal, NamedNode
    >>> iri_of(NamedNode("urn:x")), iri_of(Literal("urn:x")), iri_of(None)
    ('urn:x', None, None)
    """
    _, iri = _classes()
    return term.value if isinstance(term, iri) else None


def text_of(term: object) -> str:
    """The text of a literal, or an IRI; empty for anything else."""
    return term.value if isinstance(term, _classes()) else ""


def is_english(label: Literal) -> bool:
    """Whether a label is in English or in no language."""
    return (label.language or "en").lower().startswith("en")


def label_order(label: Literal) -> tuple[bool, str]:
    """The key by which labels of one property stand: in English or no language first, then by their text."""
    return not is_english(label), label.value


def best_label(labels: Iterable[Literal]) -> str:
    """The text of the first label by `label_order`.

    >>> from pyoxigraph import Literal
    >>> best_label([Literal("Wien", language="de"), Literal("Zürich"), Literal("Vienna", language="en")])
    'Vienna'
    """
    return min(labels, key=label_order).value


def integer_of(term: object) -> int | None:
    """The integer that a literal says, from 0 to below 2^31; else None.

    >>> from pyoxigraph import Literal
    >>> integer_of(Literal(7)), integer_of(Literal("abc")), integer_of(Literal(-1))
    (7, None, None)
    """
    literal, _ = _classes()
    if not isinstance(term, literal) or len(term.value) > _DIGITS:
        return None
    try:
        number = int(term.value)
    except ValueError:
        return None
    return number if 0 <= number < MOST else None


def number_of(term: object) -> float | None:
    """The finite number that a literal says; else None.

    >>> from pyoxigraph import Literal
    >>> number_of(Literal("0.5")), number_of(Literal("INF")), number_of(Literal("abc"))
    (0.5, None, None)
    """
    literal, _ = _classes()
    if not isinstance(term, literal):
        return None
    try:
        number = float(term.value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def share_of(term: object) -> float | None:
    """The number in 0..1 that a literal says, as weights and confidences do; else None."""
    number = number_of(term)
    return number if number is not None and 0.0 <= number <= 1.0 else None
