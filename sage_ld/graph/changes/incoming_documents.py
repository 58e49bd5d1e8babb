"""Incoming documents: what a reader gave, without what only the graph may say, with what the user states.

Pages, edges and counts follow from what the graph's own documents, chunks and entities are said to be. So a
statement that names an IRI below the graph's base, as any of its terms or inside a triple term, is left out
unless its file is imported as curated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, replace
from itertools import islice

from sage_ld.build.readers import FileResult
from sage_ld.build.readers.metadata.fields import filled, overridden, resolved
from sage_ld.foundation.metadata_terms import MetadataTerms
from sage_ld.foundation.model import Block, Document, Property, Record
from sage_ld.graph.store.user_statements import speaks_of_ours


def without_own(document: Document, base: str) -> Document:
    """The document without the statements, and the subjects of records, that name IRIs below `base`."""

    def is_foreign(statement: Iterable[object]) -> bool:
        return not any(speaks_of_ours(term, base) for term in islice(statement, 3))

    statements = tuple(filter(is_foreign, document.statements))
    named = tuple(filter(is_foreign, document.named_statements))
    blocks = tuple(_anonymous(each, base) for each in document.blocks)
    return replace(document, statements=statements, named_statements=named, blocks=blocks)


def count_statements(document: Document) -> int:
    """The number of statements that a document's file makes, in whatever graph."""
    return len(document.statements) + len(document.named_statements)


def _anonymous(block: Block, base: str) -> Block:
    if isinstance(block, Record) and block.subject is not None and block.subject.startswith(base):
        return replace(block, subject=None)
    return block


@dataclass(frozen=True, slots=True)
class Describer:
    """The context of describing one run's documents: the graph's table and base IRI, the run's metadata."""

    terms: MetadataTerms
    base: str
    stated: tuple[Property, ...] = ()

    def of(self, document: Document) -> Document:
        """The document with its metadata in RDF properties, and a hash that covers what the run states."""
        if not document.metadata and not self.stated:
            return document
        digest = self._digest(document)
        document = overridden(document, self.stated, self.terms, self.base)
        properties = (resolved(each, self.terms, self.base) for each in document.metadata)
        return replace(filled(document, properties), content_hash=digest)

    def files(self, results: Iterable[FileResult]) -> Iterator[FileResult]:
        """The results of reading files, with their documents described."""
        for each in results:
            yield replace(each, documents=tuple(map(self.of, each.documents)))

    def _digest(self, document: Document) -> str:
        """The hash of the file's part, and of what else decides what the document says."""
        if not self.stated and not self.terms.digest:
            return document.content_hash
        parts = [document.content_hash, self.terms.digest, *map(astuple, self.stated)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
