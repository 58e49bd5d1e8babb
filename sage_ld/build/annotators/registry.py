"""The annotators by which a graph's chunks are annotated, one for each field of an annotation."""

from __future__ import annotations

from sage_ld.build.annotators.entities import MENTIONS
from sage_ld.build.annotators.field_annotator import FieldAnnotator
from sage_ld.build.annotators.keywords import KEYWORDS, TOPIC

ANNOTATORS: tuple[FieldAnnotator, ...] = (TOPIC, KEYWORDS, MENTIONS)
