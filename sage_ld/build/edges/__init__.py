"""Similarity edges between chunks: which pairs are compared, by which signals, and which of them are kept.

After the SAGE paper (arXiv:2602.16964), section 2.1B. See `docs/edges.md`.
"""

from sage_ld.build.edges.adjacency import next_weights
from sage_ld.build.edges.building import build
from sage_ld.build.edges.signals import Aspect, EdgeInput, StackedRows, kind_codes

__all__ = ["Aspect", "EdgeInput", "StackedRows", "build", "kind_codes", "next_weights"]
