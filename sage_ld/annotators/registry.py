"""The annotators by which a graph's chunks are annotated, one for each field of an annotation."""

from __future__ import annotations

from sage_ld.annotators.entities import MENTIONS
from sage_ld.annotators.field_annotator import FieldAnnotator
from sage_ld.annotators.keywords import KEYWORDS
from sage_ld.annotators.topics import TOPIC

ANNOTATORS: tuple[FieldAnnotator, ...] = (TOPIC, KEYWORDS, MENTIONS)
