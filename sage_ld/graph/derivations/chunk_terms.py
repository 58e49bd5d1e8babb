"""The terms of a chunk in the word index, and the chunks that it gives for new documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sage_ld.build.annotators.hyperlinks import ReferenceIndex, reference_names
from sage_ld.build.annotators.targets import Target
from sage_ld.build.annotators.titles import aliases, forms
from sage_ld.graph.indexes.positions import ChunkInDocument
from sage_ld.graph.indexes.words import WordIndex

_REFERENCE: Final = "href "  # no word has a space


def chunk_terms(placed: ChunkInDocument) -> set[str]:
    """The words of a chunk's text, and the names of what its links refer to."""
    source = Target(placed.chunk.document, placed.title, url=placed.url)
    referred = (name for link in placed.chunk.links for name in reference_names(link.target, source))
    return {*forms(placed.chunk.text), *(_REFERENCE + name for name in referred)}


def may_name(words: WordIndex, targets: Iterable[Target]) -> set[str]:
    """The chunks (IRIs) that hold all words of a name of some documents, in whatever order."""
    names = (aliases(each.title, each.text) for each in targets)
    return {chunk for each in names for name in each for chunk in words.holding(set(name))}


def may_refer(words: WordIndex, targets: Sequence[Target]) -> set[str]:
    """The chunks (IRIs) with a link whose last name is one of those of some documents."""
    names = ReferenceIndex(targets).names
    return {chunk for name in sorted(names) for chunk in words.holding((_REFERENCE + name,))}
