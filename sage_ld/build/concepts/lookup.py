"""The canonical term of any term: by the table of synonyms, else by the nearest concept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from sage_ld.foundation.model import FloatArray

FALLBACK_THRESHOLD = 0.8
"""The least cosine at which a term that the table lacks takes the nearest concept."""


@dataclass(frozen=True, slots=True)
class CanonicalLookup:
    """A table of synonyms, and the vectors of its canonical terms for terms that it lacks (seed 002).

    >>> lookup = CanonicalLookup({"films": "film", "film": "film"})
    >>> lookup.canonical("Films"), lookup.canonical("opera")
    ('film', 'opera')
    """

    table: Mapping[str, str]
    """Term -> canonical term."""
    names: tuple[str, ...] = ()
    """The canonical terms, in the order of `vectors`."""
    vectors: FloatArray | None = None
    """(n, d) their vectors, of length 1; None for a lookup by the table alone."""
    encode: Callable[[str], FloatArray] | None = None
    """The vector (d,) of a term."""
    fallback_threshold: float = FALLBACK_THRESHOLD
    """Cosine at or above which the nearest concept is taken, in 0..1."""
    _folded: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._folded.update(
            (term.casefold(), name) for term, name in sorted(self.table.items(), reverse=True)
        )

    def known(self, term: str) -> str | None:
        """The canonical term of one in the table, in upper or lower case; None for another."""
        return self.table.get(term) or self._folded.get(term.casefold())

    def canonical(self, term: str) -> str:
        """The canonical term: that of the table, else the nearest at the threshold, else `term` itself."""
        known = self.known(term)
        if known is not None:
            return known
        if self.encode is None or self.vectors is None or not self.names:
            return term
        cosines = np.round(self.vectors @ self.encode(term), 6)
        best = int(np.argmax(cosines))
        return self.names[best] if cosines[best] >= self.fallback_threshold else term
