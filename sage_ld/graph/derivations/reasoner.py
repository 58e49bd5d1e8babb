"""Entailments of RDF statements by RDFS or OWL 2 RL, and the process in which they are computed.

The library `reasonable` applies the rules of OWL 2 RL (https://www.w3.org/TR/owl2-profiles/, section 4.3) and
no others. So it is told what to look at: it sees a term outside RDF, RDFS and OWL as a number, be it an IRI,
a blank node, a literal or a triple term. For RDFS (https://www.w3.org/TR/rdf11-mt/#rdfs-entailment), it sees
terms of OWL as numbers as well, so none of its rules for them applies.

Equality is not left to it: it would copy each statement to each name in every round, and take two values of
a functional property for the same literal. Here, the names of one resource are one term while rules are
applied, and no two literals are the same.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import IO, Any, Final, TypeAlias

from pyoxigraph import BlankNode, NamedNode, RdfFormat, Triple, parse, serialize

from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError, SageError
from sage_ld.foundation.processes import messages
from sage_ld.foundation.processes.failures import failure
from sage_ld.foundation.recipes import Reasoning
from sage_ld.graph.store.terms import Term

Name: TypeAlias = NamedNode | BlankNode
_VISIBLE: Final = {Reasoning.RDFS: (v.RDF, v.RDFS), Reasoning.OWL_RL: (v.RDF, v.RDFS, v.OWL)}
"""The namespaces whose terms the rules of a regime know."""
_TYPE: Final = NamedNode(v.TYPE)
_SAME_AS: Final = NamedNode(v.OWL + "sameAs")
_FUNCTIONAL: Final = NamedNode(v.OWL + "FunctionalProperty")
_CHAIN: Final = NamedNode(v.OWL + "propertyChainAxiom")
_INVERSE_FUNCTIONAL: Final = NamedNode(v.OWL + "InverseFunctionalProperty")
_NUMBERED: Final = frozenset(
    (
        *(each.value for each in (_SAME_AS, _FUNCTIONAL, _INVERSE_FUNCTIONAL)),
        *(v.OWL + name for name in ("maxCardinality", "maxQualifiedCardinality")),
    )
)
"""The terms from which equality follows."""
_AXIOMS: Final = {
    Reasoning.RDFS: ((v.RDFS + "subPropertyOf", v.TYPE, v.OWL + "TransitiveProperty"),),
    Reasoning.OWL_RL: (
        (v.RDFS + "subPropertyOf", v.TYPE, v.OWL + "TransitiveProperty"),
        *(
            (v.OWL + name, v.TYPE, v.OWL + "SymmetricProperty")
            for name in ("equivalentProperty", "equivalentClass", "inverseOf")
        ),
        (v.OWL + "equivalentProperty", v.RDFS + "subPropertyOf", v.RDFS + "subPropertyOf"),
    ),
}
"""Rules of schemas that the library lacks (rdfs5, scm-spo, scm-eqp1), as statements that it has rules for."""
_SCHEMA: Final = (v.RDF, v.RDFS, v.OWL, v.XSD)
_TOP: Final = frozenset((v.RDFS + "Resource", v.OWL + "Thing"))
_OF_CLASSES: Final = frozenset(
    (
        v.TYPE,
        *(v.RDFS + name for name in ("subClassOf", "domain", "range")),
        *(v.OWL + name for name in ("equivalentClass", "disjointWith")),
    )
)


@dataclass(frozen=True, slots=True)
class ReasoningLimits:
    """The limits of what is inferred."""

    statements: int
    """Inferred statements (setting `max_inferred_statements`)."""
    names: int
    """Names of one resource that get each other's statements (setting `max_same_resources`)."""


@dataclass(frozen=True, slots=True)
class Entailment:
    """The statements that follow from others."""

    statements: tuple[Triple, ...]
    """None of them stated, none trivial; sorted."""
    unmerged: int = 0
    """Resources with more names than the limit, whose names count as different resources."""


def entailed(stated: Iterable[Triple], regime: Reasoning, limits: ReasoningLimits) -> Entailment:
    """The entailment of statements by a regime.

    Raises LimitError over `limits.statements`, UnavailableError where the library is not installed.

    >>> a, b, c, p = (NamedNode(f"http://example.org/{name}") for name in "abcp")
    >>> stated = [Triple(a, p, b), Triple(p, NamedNode(v.RDFS + "subPropertyOf"), c)]
    >>> [str(each) for each in entailed(stated, Reasoning.RDFS, ReasoningLimits(10, 10)).statements]
    ['<http://example.org/a> <http://example.org/c> <http://example.org/b>']
    """
    given = dict.fromkeys(stated)
    closed, same = _closed(_relevant(given), regime), _ResourceNames({}, {})
    if regime is Reasoning.OWL_RL:
        closed, same = _closed_by_owl(closed, limits.names)
    closed.update(same.one(each) for each in given if any(map(same.first.__contains__, _terms(each))))
    result = dict[Triple, None]()
    for each in same.expanded(closed):
        if each not in given and not _is_trivial(each):
            result[each] = None
            if len(result) > limits.statements:
                raise LimitError(
                    f"more than {limits.statements:,} statements follow by {regime}, the limit; leave out "
                    "the axioms that give most, or raise the setting max_inferred_statements"
                )
    return Entailment(tuple(sorted(result, key=str)), same.unmerged)


def _terms(statement: Triple) -> tuple[Term, ...]:
    return statement.subject, statement.predicate, statement.object


def _relevant(statements: Collection[Triple]) -> Iterator[Triple]:
    """The statements that a rule may look at: those of schemas, and those whose property one speaks of."""
    spoken_of = {term for each in statements for term in (each.subject, each.object)}
    for each in statements:
        if each.predicate in spoken_of or each.predicate.value.startswith(_SCHEMA):
            yield each


# --- the rules ----------------------------------------------------------------------------------------


def _closed_by_owl(closed: set[Triple], most: int) -> tuple[set[Triple], _ResourceNames]:
    """The closure by all rules of OWL RL: the library's, chains and equality, in turns until nothing follows.

    In it, each resource has the first of its names.
    """
    same, pairs = _ResourceNames({}, {}), set[tuple[Name, Name]]()
    while True:
        found, chained = set(_equal(closed)) - pairs, set(_chained(closed)) - closed
        if not found and not chained:
            return closed, same
        pairs |= found
        same = _ResourceNames.of(pairs, most)
        closed = _closed({same.one(each) for each in closed | chained}, Reasoning.OWL_RL)


def _closed(statements: Iterable[Triple], regime: Reasoning) -> set[Triple]:
    """The statements with all that the library's rules add, but for what RDF does not allow."""
    numbers = _TermNumbers(_VISIBLE[regime])
    reasoner = extras.load("reasonable", extras.REASONING).PyReasoner()
    reasoner.from_graph([tuple(map(numbers.of, _terms(each))) for each in statements])
    reasoner.from_graph(list(_AXIOMS[regime]))
    closed = set[Triple]()
    for row in reasoner.reason():
        subject, predicate, value = (numbers.term(str(each)) for each in row)
        if isinstance(subject, Name) and isinstance(predicate, NamedNode):
            closed.add(Triple(subject, predicate, value))
    return closed


def _chained(statements: Collection[Triple]) -> Iterator[Triple]:
    """The statements that follow by chains of properties (prp-spo2), which the library does not know."""
    said: dict[NamedNode, dict[Term, set[Term]]] = defaultdict(lambda: defaultdict(set))
    for subject, predicate, value in statements:
        said[predicate][subject].add(value)
    for name, chains in list(said[_CHAIN].items()):
        for chain in chains:
            steps = [said[each] for each in _members(said, chain) if isinstance(each, NamedNode)]
            for subject, values in _composed(steps).items():
                if isinstance(subject, Name) and isinstance(name, NamedNode):
                    yield from (Triple(subject, name, value) for value in values)


def _members(said: Mapping[NamedNode, Mapping[Term, set[Term]]], head: Term) -> Iterator[Term]:
    """The members of an RDF list, as far as it is well formed."""
    seen = set[Term]()
    while head not in seen:
        seen.add(head)
        first, rest = (said[NamedNode(v.RDF + name)].get(head, set()) for name in ("first", "rest"))
        if len(first) != 1 or len(rest) != 1:
            return
        yield from first
        head = next(iter(rest))


def _composed(steps: Iterable[Mapping[Term, set[Term]]]) -> Mapping[Term, set[Term]]:
    """The composition of relations."""
    result: Mapping[Term, set[Term]] = {}
    for number, step in enumerate(steps):
        if number == 0:
            result = step
            continue
        joined = {
            subject: {end for value in values for end in step.get(value, ())}
            for subject, values in result.items()
        }
        result = {subject: values for subject, values in joined.items() if values}
    return result


@dataclass(slots=True)
class _TermNumbers:
    """Numbers, as IRIs, of the terms that the rules know no more of than that they are there."""

    visible: tuple[str, ...]
    terms: list[Term] = field(default_factory=list)
    numbers: dict[Term, str] = field(default_factory=dict)

    def of(self, term: Term) -> str:
        """The IRI by which the library knows a term."""
        if isinstance(term, NamedNode) and self._is_visible(term.value):
            return term.value
        if (number := self.numbers.get(term)) is None:
            number = self.numbers[term] = f"t:{len(self.terms)}"
            self.terms.append(term)
        return number

    def term(self, iri: str) -> Term:
        """The term that the library knows by an IRI."""
        return self.terms[int(iri[2:])] if iri.startswith("t:") else NamedNode(iri)

    def _is_visible(self, iri: str) -> bool:
        return iri.startswith(self.visible) and iri not in _NUMBERED


def _is_trivial(statement: Triple) -> bool:
    """Whether a statement says nothing: of terms of the schema languages, of all things, or of itself.

    That something is in a class without a name, such as an OWL restriction, counts as nothing too.
    """
    subject, predicate, value = statement
    if isinstance(subject, NamedNode) and subject.value.startswith(_SCHEMA):
        return True
    if not predicate.value.startswith(_SCHEMA):
        return False
    if predicate.value in _OF_CLASSES and (
        isinstance(value, BlankNode) or (isinstance(value, NamedNode) and value.value in _TOP)
    ):
        return True
    is_class = predicate.value in _OF_CLASSES and predicate != _TYPE
    return subject == value or (is_class and isinstance(subject, BlankNode))


# --- equality -----------------------------------------------------------------------------------------


def _equal(statements: Collection[Triple]) -> Iterator[tuple[Name, Name]]:
    """Pairs of names of one resource: stated, or by the rules prp-fp and prp-ifp."""
    functional, inverse = (
        {each.subject for each in statements if each.predicate == _TYPE and each.object == kind}
        for kind in (_FUNCTIONAL, _INVERSE_FUNCTIONAL)
    )
    subjects, values = dict[tuple[Term, Term], Name](), dict[tuple[Term, Term], Name]()
    for subject, predicate, value in statements:
        if predicate in inverse:
            yield from _pair(subjects.setdefault((predicate, value), subject), subject)
        if isinstance(value, Name) and predicate == _SAME_AS:
            yield from _pair(subject, value)
        if isinstance(value, Name) and predicate in functional:
            yield from _pair(values.setdefault((subject, predicate), value), value)


def _pair(one: Name, other: Name) -> Iterator[tuple[Name, Name]]:
    if one != other:
        yield one, other


@dataclass(frozen=True, slots=True)
class _ResourceNames:
    """The names that resources have."""

    first: Mapping[Term, Name]
    """By each name of a resource that has several, the first of these."""
    all: Mapping[Term, list[Name]]
    """By the first name, all, sorted."""
    unmerged: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[Name, Name]], most: int) -> _ResourceNames:
        """The names by pairs of the same resource; where there are more than `most`, none is the same."""
        beside = defaultdict[Name, set[Name]](set)
        for one, other in pairs:
            beside[one].add(other)
            beside[other].add(one)
        groups = [sorted(each, key=str) for each in _connected(beside)]
        small = [each for each in groups if len(each) <= most]
        first: dict[Term, Name] = {name: each[0] for each in small for name in each}
        every: dict[Term, list[Name]] = {each[0]: each for each in small}
        return cls(first, every, len(groups) - len(small))

    def one(self, statement: Triple) -> Triple:
        """The statement with the first name of each resource."""
        subject, predicate, value = (self.first.get(each, each) for each in _terms(statement))
        if not isinstance(subject, Name) or not isinstance(predicate, NamedNode):
            return statement
        return Triple(subject, predicate, value)

    def expanded(self, statements: Iterable[Triple]) -> Iterator[Triple]:
        """The statements with all names of each resource, and that these are the same (eq-rep-s, -p, -o)."""
        for each in statements:
            if each.predicate == _SAME_AS:
                continue
            names = (self.all.get(term, (term,)) for term in _terms(each))
            for subject, predicate, value in product(*names):
                if isinstance(subject, Name) and isinstance(predicate, NamedNode):
                    yield Triple(subject, predicate, value)
        for group in self.all.values():
            yield from (Triple(one, _SAME_AS, other) for one, other in permutations(group, 2))


def _connected(beside: Mapping[Name, set[Name]]) -> Iterator[set[Name]]:
    """The connected components of a graph."""
    left = dict.fromkeys(beside)
    while left:
        waiting, group = [next(iter(left))], set[Name]()
        while waiting:
            if (name := waiting.pop()) not in group:
                group.add(name)
                left.pop(name)
                waiting += beside[name]
        yield group


# --- the process --------------------------------------------------------------------------------------


def main() -> None:
    """Does the jobs that the parent sends, until it closes its end: `reasoner SOCKET MEMORY`."""
    from sage_ld.foundation.processes import sandbox  # which needs POSIX
    from sage_ld.foundation.processes.parent import connection_to_parent, deadline

    with connection_to_parent(sys.argv[1]) as connection, tempfile.TemporaryFile() as body:
        peer = messages.BufferedPeer(connection)
        sandbox.limit_memory(int(sys.argv[2]))
        sandbox.no_network()
        messages.send_end(peer, {})
        job = messages.receive_message(peer, body)
        body.seek(0)
        with deadline(job["seconds"]):
            messages.send_end(peer, _answer(job, body, peer))


def _answer(job: dict[str, Any], body: IO[bytes], peer: messages.Peer) -> dict[str, Any]:
    """Sends what follows, as N-Triples after a line with the number `unmerged`; gives how that failed."""
    try:
        found = entailed(
            read_triples(body), Reasoning(job["regime"]), ReasoningLimits(job["statements"], job["names"])
        )
        content = serialize(found.statements, format=RdfFormat.N_TRIPLES) or b""
    except (MemoryError, SageError) as error:
        return failure(error, "reasoning_memory")
    answer = b"%d\n" % found.unmerged + content
    for begin in range(0, len(answer), messages.BLOCK):
        messages.send_data(peer, answer[begin : begin + messages.BLOCK])
    return {}


def read_triples(file: IO[bytes]) -> Iterator[Triple]:
    """The statements of N-Triples; blank nodes keep their labels."""
    return (each.triple for each in parse(file, RdfFormat.N_TRIPLES))


if __name__ == "__main__":
    main()
