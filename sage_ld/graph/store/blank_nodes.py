"""Blank nodes named by what is said of them, so that two readings of one graph can be compared.

A name follows from the statements around the node, by colour refinement as in RDFC-1.0 (RDF Dataset
Canonicalization, section 4.4), whose search through all orders is left out: of nodes that it cannot tell
apart, one is taken after the other. A class of nodes is looked at again only where one beside it was split,
and not at the largest part of that (Hopcroft 1971): so the work is that of sorting the statements. Where it
cannot tell, a comparison says that nodes differ, never that they are the same.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from pyoxigraph import BlankNode, Quad, Triple

from sage_ld.graph.store.terms import Term

Statement: TypeAlias = Triple | Quad
"""A quad where the graphs of the statements are to be told apart."""
Around: TypeAlias = Mapping[BlankNode, list[Statement]]
"""The statements about each blank node."""
Names: TypeAlias = Mapping[BlankNode, BlankNode]


def named_by_content(quads: Collection[Quad], graph: str) -> list[Quad]:
    """The quads of one graph with other blank nodes: the same in each reading, and in no other graph.

    >>> from pyoxigraph import DefaultGraph, Literal, NamedNode
    >>> said = [Quad(BlankNode(), NamedNode("urn:p"), Literal("a"), DefaultGraph()) for _ in range(2)]
    >>> named_by_content(said[:1], "urn:g") == named_by_content(said[1:], "urn:g")
    True
    """
    return list(renamed(quads, content_names((each.triple for each in quads), graph)))


def content_names(statements: Iterable[Statement], space: str) -> dict[BlankNode, BlankNode]:
    """The names of the blank nodes in some statements, which no other space has."""
    around: defaultdict[BlankNode, list[Statement]] = defaultdict(list)
    for each in statements:
        for node in dict.fromkeys(_blank_nodes(each)):
            around[node].append(each)
    names: dict[BlankNode, BlankNode] = {}
    like: Counter[str] = Counter()
    for part in _parts(around):
        places = _Classes(part, around).told_apart()
        said = {_said(each, places) for node in part for each in around[node]}
        content = _digest(space, *sorted(said))
        for node, place in places.items():
            names[node] = BlankNode("b" + _digest(content, str(like[content]), str(place)))
        like[content] += 1
    return names


def named_as(standing: Iterable[Quad], quads: Collection[Quad]) -> list[Quad]:
    """The quads with the blank nodes of standing ones, as far as the same is said of them."""
    names = content_names(quads, "")
    known = {name: node for node, name in content_names(standing, "").items()}
    kept = {name: known[name] for name in names.values() if name in known}
    taken = set(kept.values())

    def free(name: BlankNode) -> BlankNode:
        """The name, unless a node has it of which less was said before."""
        return BlankNode() if name in taken else name

    return list(renamed(quads, {node: kept.get(name) or free(name) for node, name in names.items()}))


def renamed(quads: Iterable[Quad], names: Names) -> Iterator[Quad]:
    """The quads with other blank nodes."""
    return (_renamed_quad(each, names) for each in quads) if names else iter(quads)


def _renamed_quad(quad: Quad, names: Names) -> Quad:
    statement, graph = _renamed(quad.triple, names), quad.graph_name
    if isinstance(graph, BlankNode):
        graph = names.get(graph, graph)
    return Quad(statement.subject, statement.predicate, statement.object, graph)


def _parts(around: Around) -> Iterator[list[BlankNode]]:
    """The blank nodes by what statements join: a change elsewhere does not rename them."""
    seen: set[BlankNode] = set()
    for start in around:
        if start in seen:
            continue
        part = [start]
        seen.add(start)
        for node in part:  # which grows meanwhile
            reached = {each for statement in around[node] for each in _blank_nodes(statement)} - seen
            seen |= reached
            part += reached
        yield part


class _Classes:
    """Classes of blank nodes that nothing has told apart yet, by numbers that no order of reading changes."""

    def __init__(self, part: Iterable[BlankNode], around: Around) -> None:
        self._around = around
        self._members = [dict.fromkeys(part)]
        self._of = dict.fromkeys(self._members[0], 0)
        self._waiting = deque([0])
        """The classes whose neighbours are to be looked at."""

    def told_apart(self) -> Mapping[BlankNode, int]:
        """A class for each node alone; where no more can be told, nodes are taken as they come."""
        self._refine()
        for members in self._members:  # which grows meanwhile
            while len(members) > 1:
                self._move([next(iter(members))])
                self._refine()
        return self._of

    def _refine(self) -> None:
        while self._waiting:
            told: dict[int, dict[BlankNode, list[str]]] = defaultdict(lambda: defaultdict(list))
            for member in self._members[self._waiting.popleft()]:
                for statement in self._around[member]:
                    for node in _blank_nodes(statement):
                        if len(self._members[number := self._of[node]]) > 1:
                            told[number][node].append(_said(statement, self._of, node))
            for number in sorted(told):
                self._split(number, told[number])

    def _split(self, number: int, told: Mapping[BlankNode, list[str]]) -> None:
        """Splits a class by what was said of some of its nodes; the largest part keeps the number."""
        alike: dict[tuple[str, ...], list[BlankNode]] = defaultdict(list)
        for node, said in told.items():
            alike[tuple(sorted(said))].append(node)
        untold = len(self._members[number]) - len(told)
        parts = [alike[said] for said in sorted(alike)]
        largest = max(parts, key=len)
        if untold and untold < len(largest):
            self._move([node for node in self._members[number] if node not in told])
        for part in parts:
            if part is not largest or untold >= len(largest):
                self._move(part)

    def _move(self, nodes: Collection[BlankNode]) -> None:
        """Makes some nodes of one class a class of their own."""
        number = len(self._members)
        for node in nodes:
            del self._members[self._of[node]][node]
            self._of[node] = number
        self._members.append(dict.fromkeys(nodes))
        self._waiting.append(number)


def _said(statement: Term | Quad, classes: Mapping[BlankNode, int], node: BlankNode | None = None) -> str:
    """A statement as one of its blank nodes sees it, or for None as all do."""
    if isinstance(statement, BlankNode):
        return "_:" if statement == node else f"_:{classes[statement]}"
    if isinstance(statement, Triple | Quad):
        return f"<<{' '.join(_said(each, classes, node) for each in statement)}>>"
    return str(statement)


def has_blank(term: object) -> bool:
    """Whether a term is, or holds, a blank node."""
    return next(_blank_nodes(term), None) is not None


def _blank_nodes(term: object) -> Iterator[BlankNode]:
    if isinstance(term, BlankNode):
        yield term
    elif isinstance(term, Triple | Quad):
        for each in term:
            yield from _blank_nodes(each)


def _renamed(term: Triple, names: Names) -> Triple:
    def new(each: Term) -> Term:
        if isinstance(each, Triple):
            return _renamed(each, names)
        return names[each] if isinstance(each, BlankNode) else each

    return Triple(new(term.subject), term.predicate, new(term.object))  # type: ignore[arg-type]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
