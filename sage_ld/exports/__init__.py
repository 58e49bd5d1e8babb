"""Exports: the graph in standard formats, answers in JSON-LD, its VoID description; and its validation."""

from sage_ld.exports.streams import FORMATS, export, stream

__all__ = ["FORMATS", "export", "stream"]
