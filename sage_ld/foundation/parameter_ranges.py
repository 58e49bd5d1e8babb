"""The ranges of a recipe's numbers, by the names of their keys."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.errors import InputError

MOST: Final = 1_000_000
MOST_POWER: Final = 100.0
_SHARES: Final = frozenset(
    {
        *(
            "threshold",
            "judge_threshold",
            "near_threshold",
            "bm25_weight",
            "seed_share",
            "decay",
            "damping",
            "walk_share",
            "global_share",
        ),
        *("vector_weight", "graph_weight", "connectivity_weight", "centrality_weight"),
        *("relationship_weight", "legacy_connectivity", "centrality_damping", "duplicate_threshold"),
        *("section_weight", "coverage_share", "heading_share", "inheritance_decay", "neighbour_weight"),
        "summary_weight",
    }
)
_POWERS: Final = frozenset(("restart_power",))
_MINIMUM: Final = {
    **dict.fromkeys(("window", "max_edges", "entity_hub", "statement_hub", "relation_hub"), 0),
    **dict.fromkeys(("hub_sample", "nearest_entities"), 0),
    "max_tokens": 16,
}
_MAXIMUM: Final = {"hops": 10, "expansion_depth": 4, "vector_seeds": 1_000, "expanded_seeds": 1_000}


def check_range(value: Any, place: str) -> None:
    """Raises InputError where `value` is outside the range of the key at the end of `place`, a dotted path.

    >>> check_range(2.0, "retrieval.decay")
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: retrieval.decay: 2.0 is outside 0..1; give a share such as 0.5
    """
    key = place.rsplit(".", 1)[-1]
    if key == "percentile" and not 0 <= value <= 100:
        raise InputError(f"{place}: {value} is outside 0..100; give a percentile such as 95.0")
    if key in _SHARES and not 0 <= value <= 1:
        raise InputError(f"{place}: {value} is outside 0..1; give a share such as 0.5")
    if key in _POWERS and not 0 <= value <= MOST_POWER:
        raise InputError(f"{place}: {value} is outside 0..{MOST_POWER:.0f}; give a power such as 5.0")
    if isinstance(value, int) and not isinstance(value, bool):
        least, most = _MINIMUM.get(key, 1), _MAXIMUM.get(key, MOST)
        if value < least:
            raise InputError(f"{place}: {value} is below its minimum {least}; give a larger value")
        if value > most:
            raise InputError(f"{place}: {value} is above its maximum {most:,}; give a smaller value")
