"""Annotators: what chunks are about (topics, keywords, entities) and, over the corpus, what they link to.

`Annotator` is what a graph is built with; `RuleAnnotator`, the default, needs no model: it is made of the
annotators that `registry` lists, one for each field of an annotation. It looks at one document at a time, so
a document's annotations do not depend on what else is ingested. Links do, and are found for the corpus:
`sage_ld.build.annotators.links`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sage_ld.build.annotators.field_annotator import FieldAnnotator
from sage_ld.build.annotators.labels import clean_surface, entity_label
from sage_ld.build.annotators.registry import ANNOTATORS, annotators
from sage_ld.foundation.model import Annotation, Chunk, Document
from sage_ld.foundation.settings import Settings

__all__ = [
    "ANNOTATORS",
    "Annotator",
    "FieldAnnotator",
    "RuleAnnotator",
    "annotators",
    "clean_surface",
    "entity_label",
]


class Annotator(Protocol):
    """The source of each chunk's topic, keywords and entities."""

    def annotate(self, document: Document, chunks: Sequence[Chunk]) -> list[Annotation]:
        """One annotation for each of the document's chunks; offsets are into `document.text`."""


@dataclass(frozen=True, slots=True)
class RuleAnnotator:
    """Annotates by rules: headings, phrase statistics within the chunk, and how names are written."""

    settings: Settings = field(default_factory=Settings)
    annotators: Sequence[FieldAnnotator] = ANNOTATORS
    """One for each field of an annotation."""

    def annotate(self, document: Document, chunks: Sequence[Chunk]) -> list[Annotation]:
        """One annotation for each of the document's chunks; the same input gives the same, always."""
        return [
            Annotation(
                **{each.gives: each.annotate(document, chunk, self.settings) for each in self.annotators}
            )
            for chunk in chunks
        ]
