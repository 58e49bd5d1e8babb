"""The check that a user's file says nothing about the graph's own resources.

Pages, edges and counts follow from what the graph's own documents, chunks and entities are said to be. So a
statement that names an IRI below the graph's base, as any of its terms or inside a triple term, is left out
unless its file is imported as curated.
"""

from __future__ import annotations

from dataclasses import replace

from pyoxigraph import NamedNode, Triple

from sage_ld.foundation.model import Block, Document, Record


def without_own(document: Document, base: str) -> Document:
    """The document without the statements, and the subjects of records, that name IRIs below `base`."""
    statements = tuple(
        each for each in document.statements if not any(names_own(term, base) for term in each)
    )
    blocks = tuple(_anonymous(each, base) for each in document.blocks)
    if len(statements) == len(document.statements) and blocks == document.blocks:
        return document
    return replace(document, statements=statements, blocks=blocks)


def names_own(term: object, base: str) -> bool:
    """Whether a term is an IRI below `base`, or a triple with one in it.

    >>> names_own(NamedNode("http://localhost:8000/id/chunk/1"), "http://localhost:8000/id/")
    True
    """
    if isinstance(term, Triple):
        return any(names_own(each, base) for each in (term.subject, term.predicate, term.object))
    return isinstance(term, NamedNode) and term.value.startswith(base)


def _anonymous(block: Block, base: str) -> Block:
    if isinstance(block, Record) and block.subject is not None and block.subject.startswith(base):
        return replace(block, subject=None)
    return block
