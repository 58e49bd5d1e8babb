"""An annotator of one field: how the field is found for each chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sage_ld.foundation.model import Chunk, Document
from sage_ld.foundation.settings import Settings


@dataclass(frozen=True, slots=True)
class FieldAnnotator:
    """The function that finds one field of a chunk's annotation, from the document and the chunk alone."""

    gives: str
    """The field of `sage_ld.foundation.model.Annotation`."""
    reads: frozenset[str]
    """What it looks at, such as `chunk.text`: where none of this changes, what it gives stays the same."""
    annotate: Callable[[Document, Chunk, Settings], Any]
    """The field's value for a chunk."""
