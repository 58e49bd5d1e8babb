"""The annotators by which a graph's chunks are annotated, one for each field of an annotation."""

from __future__ import annotations

from sage_ld.build.annotators.entities import MENTIONS, mention_annotator
from sage_ld.build.annotators.field_annotator import FieldAnnotator
from sage_ld.build.annotators.keywords import KEYWORDS, TOPIC
from sage_ld.build.annotators.spacy_names import find_names_with_spacy
from sage_ld.foundation.recipes import NameFinder

ANNOTATORS: tuple[FieldAnnotator, ...] = (TOPIC, KEYWORDS, MENTIONS)


def annotators(names: NameFinder) -> tuple[FieldAnnotator, ...]:
    """The annotators where names in running text are found so."""
    if names is NameFinder.RULES:
        return ANNOTATORS
    return (TOPIC, KEYWORDS, mention_annotator(find_names_with_spacy))
