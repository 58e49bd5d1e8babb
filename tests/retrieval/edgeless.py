"""Rankings that follow no edge: their results have no path."""

from sage_ld.foundation.recipes import Ranking

EDGELESS = {Ranking.SAGEDB_VECTOR, Ranking.SECTIONS, Ranking.SUMMARIES}
