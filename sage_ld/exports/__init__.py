"""What leaves the graph: exports, answers in JSON-LD, its VoID description; and whether it conforms."""

from sage_ld.exports.streams import FORMATS, export, stream

__all__ = ["FORMATS", "export", "stream"]
