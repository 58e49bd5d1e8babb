"""Complete linkage over a sparse graph of similarities: agglomerative clustering in which all pairs agree.

Two clusters merge at the least similarity of a pair between them. A pair that is not in the graph lies below
the cut, so clusters merge only where every pair between them is in the graph: no matrix of all pairs is
needed, and what lies in different connected components never merges.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

Pair = tuple[int, int]


def complete_linkage(similarities: Mapping[Pair, float], most: int) -> list[list[int]]:
    """The clusters of more than one item, each sorted, in order of their first item.

    `similarities` are of pairs (lower number first) at or above the cut; none is missing that is. Merges that
    would give more than `most` items do not take place. Of equally near clusters, those of the lowest items
    merge first, so the result is one whatever the order of the pairs. O(e log e) for e pairs, times the
    neighbours of a cluster.

    >>> complete_linkage({(0, 1): 0.9, (1, 2): 0.8, (3, 4): 0.7}, 10)
    [[0, 1], [3, 4]]
    """
    near: dict[int, dict[int, float]] = {}
    for (one, other), value in similarities.items():
        near.setdefault(one, {})[other] = value
        near.setdefault(other, {})[one] = value
    members = {item: [item] for item in near}
    waiting = [(-value, one, other) for (one, other), value in similarities.items()]
    heapq.heapify(waiting)
    while waiting:
        value, one, other = heapq.heappop(waiting)
        if near.get(one, {}).get(other) != -value or len(members[one]) + len(members[other]) > most:
            continue
        joined = _joined(near, one, other)
        members[one] = sorted(members[one] + members.pop(other))
        near[one] = joined
        for third, least in joined.items():
            near[third][one] = least
            heapq.heappush(waiting, (-least, min(one, third), max(one, third)))
    return sorted(each for each in members.values() if len(each) > 1)


def _joined(near: dict[int, dict[int, float]], one: int, other: int) -> dict[int, float]:
    """The similarities of two clusters together; takes both out of those of the others."""
    ours, theirs = near.pop(one), near.pop(other)
    for third in ours.keys() | theirs.keys():
        if third in near:
            near[third].pop(one, None)
            near[third].pop(other, None)
    return {third: min(ours[third], theirs[third]) for third in ours.keys() & theirs.keys()}
