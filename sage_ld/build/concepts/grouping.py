"""Grouping of terms into concepts: which terms name one thing, which of them stands for all, and why.

Candidates are pairs that share a key of the rules and, where a judge is plugged in, pairs whose vectors are
near. The rules decide; a pair that they take for the same must be as near as its rule asks, since letters
alone deceive. What stays open goes to the judge, or stays apart. Complete linkage makes groups of the pairs,
so all terms of a group are aliases of each other. A term in no group stands for itself.

A thesaurus stands above all of this: the terms of one of its concepts stay together, those of two apart.
What is an alias of one of a concept's terms is one of the whole concept.

Two clusters merge at the least similarity of a pair between them. A pair that is not in the graph lies below
the cut, so clusters merge only where every pair between them is in the graph: no matrix of all pairs is
needed, and what lies in different connected components never merges.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from sage_ld.build.concepts.candidates import Nearest, indexed_pairs, near_pairs, nearest_pairs, sharing
from sage_ld.build.concepts.rules import Decision, alias_rule, compare
from sage_ld.build.concepts.terms import TermForm, term_form
from sage_ld.foundation.model import FloatArray

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


Encode: TypeAlias = Callable[[Sequence[str]], FloatArray]
"""(n, d) the vectors, of length 1, of n terms."""
Judge: TypeAlias = Callable[[Sequence[Sequence[str]]], Sequence[Sequence[Sequence[str]] | None]]
"""For each group of terms the groups of those among them that are aliases; a term in none stands alone. None
for a group that it has not decided."""
Introduces: TypeAlias = Callable[[str, str], bool]
"""Whether a text introduces one of two terms as short for the other: `Variable Frequency Drive (VFD)`."""
JUDGED: Final = "judged"
INTRODUCED: Final = "introduced in a text"
THESAURUS: Final = "thesaurus"
SMALL_GROUP: Final = 5
"""Terms of a group up to which several groups are put before the judge at once (seed 002)."""
MOST_BATCHED: Final = 10
"""Small groups in one batch."""
MOST_RELATED: Final = 20
"""Concepts near to one that are its near misses, the nearest; others may have it among their own."""
LEAST: Final[Mapping[str, float]] = {
    "abbreviation": 0.55,
    "acronym": 0.55,
    "inflection": 0.85,
    "one edit": 0.85,
    "spelling": 0.0,
}
"""Rule -> the least cosine of all-MiniLM-L6-v2 at which it holds; fitted by `benchmarks/concepts.py`."""


@dataclass(frozen=True, slots=True)
class GroupingOptions:
    """The options of grouping terms."""

    least: Mapping[str, float] = field(default_factory=lambda: LEAST)
    """Rule -> the least cosine of two terms at which it joins them."""
    threshold: float = 0.75
    """The least cosine of two terms about which the judge is asked, unless a rule holds for them."""
    near_threshold: float = 0.8
    """The least cosine of two canonical terms that are near misses."""
    max_group_size: int = 20
    """Terms of a group at most."""
    exact_terms: int = 20_000
    """Terms up to which all near pairs are found by exact products; beyond, by an index."""
    neighbours: int = 20
    """Neighbours of a term that the index gives."""


@dataclass(frozen=True, slots=True)
class SettledTerms:
    """Decisions about terms that were made before they are grouped."""

    thesaurus: Sequence[Sequence[str]] = ()
    """The terms of each concept of a thesaurus, the preferred one first; none is in two of them."""
    judged: Sequence[Sequence[str]] = ()
    """Groups of terms that a judge took for aliases before; rules that tell terms apart stand above it."""


class AliasEvidence(NamedTuple):
    """The evidence that two terms of a group are aliases."""

    left: str
    right: str
    reason: str
    """The rule, `introduced in a text`, `judged` or `thesaurus`."""
    cosine: float


@dataclass(frozen=True, slots=True)
class TermGroup:
    """A concept: terms that name one thing."""

    canonical: str
    """The term that stands for all."""
    terms: tuple[str, ...]
    """All of them, sorted."""
    evidence: tuple[AliasEvidence, ...]
    """Of all pairs; of a thesaurus's terms, of the first with each other one, none that only they join."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """The concepts of a vocabulary."""

    groups: tuple[TermGroup, ...]
    """In order of their canonical terms."""
    near_misses: tuple[tuple[str, str, float], ...]
    """Canonical terms of two concepts that are near, and the cosine; the first in order comes first."""

    def table(self) -> dict[str, str]:
        """The table of synonyms: each term of a group, and its canonical term."""
        return {term: group.canonical for group in self.groups for term in group.terms}


def group_terms(
    counts: Mapping[str, int],
    encode: Encode,
    options: GroupingOptions | None = None,
    judge: Judge | None = None,
    nearest: Nearest | None = None,
    settled: SettledTerms | None = None,
    forms: Mapping[str, TermForm] | None = None,
    introduces: Introduces | None = None,
    compared: Iterable[tuple[str, str]] | None = None,
) -> Grouping:
    """The concepts of a vocabulary, which `counts` maps to how often each term comes.

    Terms of a thesaurus are part of it, and may come 0 times; a group whose terms all do is left out.
    Without a judge only terms that something joins are encoded. `nearest` finds neighbours in a vocabulary of
    more than `exact_terms`, and only for the judge. The result does not depend on the order of the terms.
    `forms` are those of all terms, where the caller has them. `introduces` is asked about acronyms whose
    cosine is too low: one that a text introduces for a term is an alias of all that a rule joins to it, and
    one that texts introduce for several things is an alias of none.
    `compared` are the pairs at which the rules look, where `counts` has a part of a vocabulary: which keys
    say nothing follows from all of it.

    >>> one = lambda texts: np.ones((len(texts), 1), np.float32)
    >>> group_terms({"film festival": 3, "film festivals": 1, "1998 film": 1, "1999 film": 1}, one).table()
    {'film festival': 'film festival', 'film festivals': 'film festival'}
    """
    options, settled = options or GroupingOptions(), settled or SettledTerms()
    terms = sorted(counts)
    read = [(forms or {}).get(term) or term_form(term) for term in terms]
    number = {term: i for i, term in enumerate(terms)}
    owner = {number[term]: place for place, each in enumerate(settled.thesaurus) for term in each}
    reasons: dict[Pair, str] = {}
    shared = sharing(read) if compared is None else {_ordered(number[a], number[b]) for a, b in compared}
    for pair in _unsettled(shared, owner):
        if rule := alias_rule(read[pair[0]], read[pair[1]]):
            reasons[pair] = rule
    judged = _judged_before(settled, number, read, owner)
    encoded = {i for pair in (*reasons, *judged) for i in pair} | owner.keys()
    vectors = _Vectors(terms, encode, range(len(terms)) if judge else encoded)
    by_rule = dict(vectors.cosines(sorted(reasons)))
    joined = {pair: cosine for pair, cosine in by_rule.items() if cosine >= options.least[reasons[pair]]}
    if introduces is not None:
        told = _introduced(by_rule, joined, reasons, terms, introduces)
        introduced = list(_unambiguous(told, joined, read))
        joined |= {pair: by_rule[pair] for pair in introduced}
        reasons |= dict.fromkeys(introduced, INTRODUCED)
    if judge is not None:
        open_pairs = _open_pairs(read, vectors.matrix, options, nearest)
        similarities = {pair: open_pairs[pair] for pair in _unsettled(open_pairs, owner)} | by_rule
        judged = _judged(similarities, terms, options, judge)
    by_judge = dict(vectors.cosines(sorted(judged)))
    reasons |= dict.fromkeys(by_judge.keys() - joined.keys(), JUDGED)
    joined = by_judge | joined
    made = []
    linked = [
        numbers
        for numbers in _linked(joined, owner, options.max_group_size)
        if any(counts[terms[i]] for i in numbers)
    ]
    for numbers, evidence in zip(linked, _evidence(linked, joined, reasons, owner, vectors), strict=True):
        preferred = next((settled.thesaurus[owner[i]][0] for i in numbers if i in owner), None)
        canonical = preferred or elect({terms[i]: counts[terms[i]] for i in numbers})
        made.append(TermGroup(canonical, tuple(terms[i] for i in numbers), evidence))
    made.sort(key=lambda group: group.canonical)
    return Grouping(tuple(made), tuple(_near_misses(made, terms, vectors, options.near_threshold)))


def rule_pairs(
    terms: Sequence[str],
    forms: Sequence[TermForm],
    pairs: Iterable[Pair],
    encode: Encode,
    introduces: Introduces,
    least: Mapping[str, float] = LEAST,
) -> list[Pair]:
    """The pairs among some pairs of terms (numbers) that a rule joins, or a text may for an acronym."""
    rules = {pair: alias_rule(forms[pair[0]], forms[pair[1]]) for pair in pairs}
    reasons = {pair: rule for pair, rule in rules.items() if rule}
    vectors = _Vectors(terms, encode, {i for pair in reasons for i in pair})
    by_rule = dict(vectors.cosines(sorted(reasons)))
    joined = {pair: cosine for pair, cosine in by_rule.items() if cosine >= least[reasons[pair]]}
    return [*joined, *_introduced(by_rule, joined, reasons, terms, introduces)]


def _introduced(
    by_rule: Mapping[Pair, float],
    joined: Mapping[Pair, float],
    reasons: Mapping[Pair, str],
    terms: Sequence[str],
    introduces: Introduces,
) -> list[Pair]:
    """The pairs of an acronym, not joined by their cosine, that a text introduces, and what follows of these.

    What a rule joins to the one that is introduced is joined to its acronym as well, where it fits.
    """
    apart = [pair for pair in by_rule if reasons[pair] == "acronym" and pair not in joined]
    first = {pair for pair in apart if introduces(terms[pair[0]], terms[pair[1]])}
    beside = _neighbours((*joined, *first))
    ends = {item for pair in first for item in pair}
    return [pair for pair in apart if pair in first or beside[pair[0]] & beside[pair[1]] & ends]


def _unambiguous(
    introduced: Iterable[Pair], joined: Iterable[Pair], forms: Sequence[TermForm]
) -> Iterator[Pair]:
    """The introduced pairs of the acronyms whose expansions rules join, directly or over each other."""
    expansions = defaultdict[int, set[int]](set)
    for one, other in introduced:
        is_short = forms[one].acronym in forms[other].initials
        expansions[one if is_short else other].add(other if is_short else one)
    beside = _neighbours(joined)
    for short, longs in expansions.items():
        reached, waiting = set[int](), {min(longs)}
        while waiting:
            reached |= waiting
            waiting = {each for item in waiting for each in beside[item] & longs} - reached
        if reached == longs:
            yield from (_ordered(short, each) for each in longs)


def _neighbours(pairs: Iterable[Pair]) -> defaultdict[int, set[int]]:
    """The terms that a pair has beside each term."""
    beside = defaultdict[int, set[int]](set)
    for one, other in pairs:
        beside[one].add(other)
        beside[other].add(one)
    return beside


def elect(counts: Mapping[str, int]) -> str:
    """The canonical one of some aliases: the most frequent, of these the longest, then the first.

    The longest, since an acronym says less than what it stands for.

    >>> elect({"WHO": 2, "World Health Organization": 2})
    'World Health Organization'
    """
    return min(counts, key=lambda term: (-counts[term], -len(term), term))


def judge_in_batches(groups: Sequence[Sequence[str]], judge: Judge) -> list[Sequence[Sequence[str]] | None]:
    """The judge's answer on each group; small groups are put before it together, others one by one."""
    small = [number for number, group in enumerate(groups) if len(group) <= SMALL_GROUP]
    large = [number for number, group in enumerate(groups) if len(group) > SMALL_GROUP]
    answers: dict[int, Sequence[Sequence[str]] | None] = {}
    batches = [small[begin : begin + MOST_BATCHED] for begin in range(0, len(small), MOST_BATCHED)]
    for numbers in (*batches, *([number] for number in large)):
        given = judge([groups[number] for number in numbers])
        answers.update(zip(numbers, given, strict=True))
    return [answers[number] for number in range(len(groups))]


class _Vectors:
    """The vectors of some of the terms, by number."""

    def __init__(self, terms: Sequence[str], encode: Encode, wanted: range | set[int]) -> None:
        numbers = sorted(wanted)
        self.terms = terms
        self._row = {number: row for row, number in enumerate(numbers)}
        self.matrix = (
            encode([terms[number] for number in numbers]) if numbers else np.zeros((0, 1), np.float32)
        )

    def cosines(self, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, float]]:
        """Each pair with its cosine, to six decimals."""
        left = self.matrix[[self._row[one] for one, _ in pairs]]
        right = self.matrix[[self._row[other] for _, other in pairs]]
        values = np.round(np.einsum("ij,ij->i", left, right, dtype=np.float64), 6)
        return zip(pairs, values.tolist(), strict=True)

    def of(self, numbers: Sequence[int]) -> FloatArray:
        """(m, d)."""
        return self.matrix[[self._row[number] for number in numbers]]


def _open_pairs(
    forms: Sequence[TermForm], vectors: FloatArray, options: GroupingOptions, nearest: Nearest | None
) -> dict[Pair, float]:
    """The near pairs that no rule tells apart."""
    if nearest is None or len(forms) <= options.exact_terms:
        pairs, values = near_pairs(vectors, options.threshold)
    else:
        pairs, values = indexed_pairs(vectors, options.threshold, nearest, options.neighbours)
    candidates = zip(map(tuple, pairs.tolist()), values.tolist(), strict=True)
    return {
        pair: value
        for pair, value in candidates
        if compare(forms[pair[0]], forms[pair[1]]).decision is not Decision.DIFFERENT
    }


def _judged(
    similarities: Mapping[Pair, float], terms: Sequence[str], options: GroupingOptions, judge: Judge
) -> set[Pair]:
    """The pairs that the judge takes for aliases, among the groups that complete linkage puts before it."""
    number = {term: i for i, term in enumerate(terms)}
    groups = complete_linkage(similarities, options.max_group_size)
    asked = [[terms[i] for i in group] for group in groups]
    result: set[Pair] = set()
    for group, answer in zip(groups, judge_in_batches(asked, judge), strict=True):
        for aliases in answer or ():
            ours = {number[term] for term in aliases if term in number} & set(group)
            result.update(combinations(sorted(ours), 2))
    return result


def _unsettled(pairs: Iterable[Pair], owner: Mapping[int, int]) -> Iterator[Pair]:
    """The pairs of which the thesaurus lacks a term."""
    return (pair for pair in pairs if pair[0] not in owner or pair[1] not in owner)


def _judged_before(
    settled: SettledTerms, number: Mapping[str, int], forms: Sequence[TermForm], owner: Mapping[int, int]
) -> set[Pair]:
    """The pairs that a judge took for aliases before, but those that a rule or the thesaurus decides."""
    groups = (sorted(number[term] for term in each if term in number) for each in settled.judged)
    pairs = {pair for group in groups for pair in combinations(group, 2)}
    return {
        pair
        for pair in _unsettled(pairs, owner)
        if compare(forms[pair[0]], forms[pair[1]]).decision is not Decision.DIFFERENT
    }


def _linked(joined: Mapping[Pair, float], owner: Mapping[int, int], most: int) -> list[list[int]]:
    """The groups of more than one term; the terms of one concept of the thesaurus, `owner`, count as one."""
    of_concept: dict[int, list[int]] = {}
    for item in sorted(owner):
        of_concept.setdefault(owner[item], []).append(item)
    stands = {item: each[0] for each in of_concept.values() for item in each}
    similarities: dict[Pair, float] = {}
    for (one, other), value in joined.items():
        ends = stands.get(one, one), stands.get(other, other)
        pair = _ordered(*ends)
        similarities[pair] = max(value, similarities.get(pair, value))
    clusters = complete_linkage(similarities, most)
    linked = {item for cluster in clusters for item in cluster}
    clusters += [[each[0]] for each in of_concept.values() if each[0] not in linked and len(each) > 1]
    members = {each[0]: each for each in of_concept.values()}
    return [sorted(i for item in cluster for i in members.get(item, [item])) for cluster in clusters]


def _ordered(one: int, other: int) -> Pair:
    return min(one, other), max(one, other)


def _evidence(
    groups: Sequence[Sequence[int]],
    joined: Mapping[Pair, float],
    reasons: Mapping[Pair, str],
    owner: Mapping[int, int],
    vectors: _Vectors,
) -> Iterator[tuple[AliasEvidence, ...]]:
    """The evidence for the terms of each group; the pairs in order."""
    group_of = {item: place for place, numbers in enumerate(groups) for item in numbers}
    stated = [(numbers[0], other) for numbers in map(partial(_owned, owner), groups) for other in numbers[1:]]
    found = [(pair, THESAURUS, cosine) for pair, cosine in vectors.cosines(stated)]
    found += [(pair, reasons[pair], cosine) for pair, cosine in joined.items()]
    of_group: list[list[AliasEvidence]] = [[] for _ in groups]
    for (one, other), reason, cosine in sorted(found):
        if one in group_of and group_of[one] == group_of.get(other):
            evidence = AliasEvidence(vectors.terms[one], vectors.terms[other], reason, cosine)
            of_group[group_of[one]].append(evidence)
    return map(tuple, of_group)


def _owned(owner: Mapping[int, int], numbers: Sequence[int]) -> list[int]:
    """The numbers of the terms that the thesaurus has."""
    return [item for item in numbers if item in owner]


def _near_misses(
    groups: Sequence[TermGroup], terms: Sequence[str], vectors: _Vectors, threshold: float
) -> Iterator[tuple[str, str, float]]:
    if not groups:
        return
    number = {term: i for i, term in enumerate(terms)}
    names = [group.canonical for group in groups]
    own = vectors.of([number[name] for name in names])
    pairs, values = nearest_pairs(own, threshold, MOST_RELATED)
    for (one, other), value in zip(pairs.tolist(), values.tolist(), strict=True):
        yield names[one], names[other], round(value, 6)
