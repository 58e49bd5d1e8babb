"""Documents whose metadata is stated in RDF properties.

Readers give keys as they are written. Here each key becomes the IRI of a property, by the graph's table of
terms, and what a run states of all its documents (`--meta`) comes before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, replace

from sage_ld.build.readers import FileResult
from sage_ld.build.readers.metadata.fields import filled, overridden, resolved
from sage_ld.foundation.metadata_terms import MetadataTerms
from sage_ld.foundation.model import Document, Property


@dataclass(frozen=True, slots=True)
class Describing:
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
