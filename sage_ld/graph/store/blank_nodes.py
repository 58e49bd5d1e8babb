"""Blank nodes named by what is said of them, so that two readings of one graph can be compared.

A name follows from the statements around the node, by colour refinement as in RDFC-1.0 (RDF Dataset
Canonicalization, section 4.4), whose search through all orders is left out: of nodes that it cannot tell
apart, one is taken after the other. So the work grows with the graph and not beyond; where it cannot tell, a
comparison says that nodes differ, never that they are the same.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Final, TypeAlias

from pyoxigraph import BlankNode, Quad, Triple

from sage_ld.graph.store.terms import Term

_MOST_ROUNDS: Final = 100
"""Statements between two nodes up to which one changes the name of the other."""
_MOST_CHOICES: Final = 100
"""Nodes that are taken first among their like; the others keep the order in which they came."""

Colours: TypeAlias = dict[BlankNode, str]
Around: TypeAlias = Mapping[BlankNode, list[Triple]]
"""The statements about each blank node."""


def named_by_content(quads: Collection[Quad], graph: str) -> list[Quad]:
    """The quads of one graph with other blank nodes: the same in each reading, and in no other graph.

    >>> from pyoxigraph import DefaultGraph, Literal, NamedNode
    >>> said = [Quad(BlankNode(), NamedNode("urn:p"), Literal("a"), DefaultGraph()) for _ in range(2)]
    >>> named_by_content(said[:1], "urn:g") == named_by_content(said[1:], "urn:g")
    True
    """
    around: defaultdict[BlankNode, list[Triple]] = defaultdict(list)
    for each in quads:
        for node in dict.fromkeys(_blank_nodes(each.triple)):
            around[node].append(each.triple)
    names: dict[BlankNode, BlankNode] = {}
    like: Counter[str] = Counter()
    for part in _parts(around):
        colours = _told_apart({node: around[node] for node in part})
        ordered = sorted(part, key=colours.__getitem__)  # sorted() keeps the order of equal ones
        content = _digest(*(colours[node] for node in ordered))
        for position, node in enumerate(ordered):
            names[node] = BlankNode("b" + _digest(graph, content, str(like[content]), str(position)))
        like[content] += 1
    renamed = ((_renamed(each.triple, names), each.graph_name) for each in quads)
    return [Quad(each.subject, each.predicate, each.object, where) for each, where in renamed]


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


def _told_apart(around: Around) -> Colours:
    """The colours of some blank nodes, which are equal only where no more can be told."""
    colours = _refined(dict.fromkeys(around, ""), around)
    for _ in range(_MOST_CHOICES):
        seen: dict[str, BlankNode] = {}
        like = [colour for node, colour in colours.items() if seen.setdefault(colour, node) is not node]
        if not like:
            break
        first = min(like)
        colours = _refined({**colours, seen[first]: _digest(first, "first")}, around)
    return colours


def _refined(colours: Colours, around: Around) -> Colours:
    """The colours after as many rounds as tell more nodes apart."""
    different = len(set(colours.values()))
    for _ in range(_MOST_ROUNDS):
        told = {
            node: _digest(colours[node], *sorted(_said(each, node, colours) for each in statements))
            for node, statements in around.items()
        }
        if (now := len(set(told.values()))) == different and any(colours.values()):
            break
        colours, different = told, now
        if now == len(colours):
            break
    return colours


def _said(statement: Term, node: BlankNode, colours: Colours) -> str:
    """A statement as one of its blank nodes sees it."""
    if isinstance(statement, BlankNode):
        return "_:" if statement == node else f"_:{colours[statement]}"
    if isinstance(statement, Triple):
        terms = statement.subject, statement.predicate, statement.object
        return f"<<{' '.join(_said(each, node, colours) for each in terms)}>>"
    return str(statement)


def has_blank(term: Term) -> bool:
    """Whether a term is, or holds, a blank node."""
    return next(_blank_nodes(term), None) is not None


def _blank_nodes(term: Term) -> Iterator[BlankNode]:
    if isinstance(term, BlankNode):
        yield term
    elif isinstance(term, Triple):
        yield from _blank_nodes(term.subject)
        yield from _blank_nodes(term.object)


def _renamed(term: Triple, names: dict[BlankNode, BlankNode]) -> Triple:
    def new(each: Term) -> Term:
        if isinstance(each, Triple):
            return _renamed(each, names)
        return names[each] if isinstance(each, BlankNode) else each

    return Triple(new(term.subject), term.predicate, new(term.object))  # type: ignore[arg-type]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
