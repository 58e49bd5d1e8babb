"""Exports: the graph in standard formats, its JSON-LD context, and its VoID description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sage_ld.foundation.lazy_imports import lazy_names

if TYPE_CHECKING:
    from sage_ld.graph.exports.streams import FORMATS, export, stream

__all__ = ["FORMATS", "export", "stream"]

__getattr__ = lazy_names(globals(), dict.fromkeys(__all__, "streams"))
