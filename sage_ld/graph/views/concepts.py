"""The concepts of a graph, read from a revision, and why a term is in one or in none.

A concept has labels and a number of chunks about it. The explanation of a term has the rule and the cosine of
each pair of terms, and near misses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode

from sage_ld.build.concepts.candidates import partners
from sage_ld.build.concepts.grouping import INTRODUCED, JUDGED, LEAST, THESAURUS, AliasEvidence
from sage_ld.build.concepts.lookup import CanonicalLookup
from sage_ld.build.concepts.rules import AliasVerdict, Decision, alias_rule, compare
from sage_ld.build.concepts.terms import term_form
from sage_ld.build.encoders import Encoder
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.rdf_values import integer_of, iri_of
from sage_ld.graph.derivations.concept_vocabulary import judgements, thesaurus, unit_vectors, vocabulary
from sage_ld.graph.open_graph import Snapshot
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.terms import node

_TEXTS: Final = (v.PREF_LABEL, v.ALT_LABEL)


class Concept(NamedTuple):
    """A concept: terms that name one thing."""

    iri: str
    label: str
    """The preferred one."""
    aliases: tuple[str, ...]
    """The other terms, sorted."""
    chunks: int
    """The number of chunks about it."""
    matches: tuple[str, ...]
    """IRIs of the entities that have these names, and of a user's concept with them, sorted."""
    related: tuple[str, ...]
    """IRIs of the concepts that are near and not the same, sorted."""
    exact_matches: tuple[str, ...] = ()
    """The concepts of users among `matches`, sorted."""

    @property
    def terms(self) -> tuple[str, ...]:
        """All of its terms, the preferred one first."""
        return (self.label, *self.aliases)


def all_concepts(snapshot: Snapshot) -> tuple[Concept, ...]:
    """The concepts of a revision, those of the most chunks first, of as many by their labels.

    What an update has written beside them, such as a concept without a preferred label, does not count.
    """
    graph = node(Iris(snapshot.configuration.base_iri).concepts_graph)
    values: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, int] = {}
    for name in (*_TEXTS, v.FOCUS, v.EXACT_MATCH, v.RELATED, v.CHUNKS_ABOUT):
        for quad in snapshot.stores.named.quads_for_pattern(None, node(name), None, graph):
            if (concept := iri_of(quad.subject)) is None:
                continue
            if name == v.CHUNKS_ABOUT:
                counts[concept] = integer_of(quad.object) or 0
            elif isinstance(quad.object, Literal if name in _TEXTS else NamedNode):
                values[concept][name].append(quad.object.value)
    found = [
        Concept(
            iri,
            min(said[v.PREF_LABEL]),
            tuple(sorted(said[v.ALT_LABEL])),
            counts.get(iri, 0),
            tuple(sorted({*said[v.FOCUS], *said[v.EXACT_MATCH]})),
            tuple(sorted(said[v.RELATED])),
            tuple(sorted(said[v.EXACT_MATCH])),
        )
        for iri, said in values.items()
        if said[v.PREF_LABEL]
    ]
    return tuple(sorted(found, key=lambda each: (-each.chunks, each.label)))


def with_text(concepts: tuple[Concept, ...], text: str) -> tuple[Concept, ...]:
    """The concepts with a term that contains a text, in whatever case."""
    wanted = text.casefold()
    return tuple(each for each in concepts if any(wanted in term.casefold() for term in each.terms))


def synonym_table(concepts: tuple[Concept, ...]) -> dict[str, str]:
    """Each term of a concept, and the preferred one."""
    return {term: each.label for each in concepts for term in each.terms}


def lookup_of(concepts: tuple[Concept, ...], encoder: Encoder, fallback_threshold: float) -> CanonicalLookup:
    """The lookup of canonical terms in concepts, whose preferred labels are encoded."""
    names = tuple(each.label for each in concepts)
    return CanonicalLookup(
        synonym_table(concepts),
        names,
        unit_vectors(encoder, names) if names else None,
        lambda term: unit_vectors(encoder, [term])[0],
        fallback_threshold,
    )


_MOST_NEAR: Final = 20
"""Near misses that are shown, the nearest."""


class NearMiss(NamedTuple):
    """A term that is similar to another one but not its alias."""

    term: str
    reason: str
    """What keeps them apart."""
    cosine: float


@dataclass(frozen=True, slots=True)
class TermExplanation:
    """The reasons why a term is in its concept, and others are not."""

    term: str
    """As the graph writes it, where it has it."""
    known: bool
    """Whether a chunk has it as a keyword or as the name of an entity."""
    concept: Concept | None
    evidence: tuple[AliasEvidence, ...]
    """Of the pairs of the concept's terms; of a thesaurus's terms, of the first with each other one."""
    near_misses: tuple[NearMiss, ...]
    """The nearest first."""


def explained(snapshot: Snapshot, encoder: Encoder, term: str, least_chunks: int) -> TermExplanation:
    """The explanation of a term, in whatever case, from a pass over the graph's vocabulary.

    `least_chunks` is that of the recipe: how many chunks have a keyword that is part of the vocabulary.
    """
    iris, store = Iris(snapshot.configuration.base_iri), snapshot.stores.named
    stated = thesaurus(store, iris)
    owner = {label: each.iri for each in stated for label in each.labels}
    terms = vocabulary(store, snapshot.vectors.iris, iris, least_chunks, stated)
    names = {key: each.name or key for key, each in terms.items()}
    concepts = all_concepts(snapshot)
    written = {each.casefold(): (each, concept) for concept in concepts for each in concept.terms}
    key = term.casefold()
    name, concept = written.get(key, (names.get(key, term), None))
    judged = {frozenset(group) for each in judgements(store, iris) for group in each.aliases}
    evidence = () if concept is None else tuple(_evidence(concept.terms, owner, judged, encoder))
    near = _near_misses(name, concept, concepts, list(names.values()), encoder)
    return TermExplanation(name, key in terms and bool(terms[key].chunks), concept, evidence, near)


def _evidence(
    terms: Sequence[str], owner: Mapping[str, str], judged: Collection[frozenset[str]], encoder: Encoder
) -> Iterator[AliasEvidence]:
    """The evidence that joins each two terms: the thesaurus (by their `owner`), a rule, a text, the judge."""
    terms = sorted(terms, key=lambda term: term in owner)  # those of the thesaurus last
    forms, vectors = [term_form(each) for each in terms], unit_vectors(encoder, terms)
    cosines = _cosines(vectors, vectors)
    free = sum(term not in owner for term in terms)
    for j in range(free + 1, len(terms)):
        yield AliasEvidence(terms[free], terms[j], THESAURUS, cosines[free][j])
    for i, j in combinations(range(len(terms)), 2):
        if i >= free:
            break
        rule = alias_rule(forms[i], forms[j])
        if rule and cosines[i][j] >= LEAST[rule]:
            yield AliasEvidence(terms[i], terms[j], rule, cosines[i][j])
        elif any({terms[i], terms[j]} <= group for group in judged):
            yield AliasEvidence(terms[i], terms[j], JUDGED, cosines[i][j])
        elif rule == "acronym":
            yield AliasEvidence(terms[i], terms[j], INTRODUCED, cosines[i][j])


def _near_misses(
    name: str, concept: Concept | None, concepts: Sequence[Concept], names: Sequence[str], encoder: Encoder
) -> tuple[NearMiss, ...]:
    """The terms that share a key of the rules with a term, and the concepts that are near to its own."""
    ours = {name} if concept is None else set(concept.terms)
    forms = [term_form(each) for each in names]
    form = term_form(name)
    sharing = {names[i]: compare(form, forms[i]) for i in partners(form, forms) if names[i] not in ours}
    labels = {each.iri: each.label for each in concepts}
    related = [labels[iri] for iri in (() if concept is None else concept.related) if iri in labels]
    others = sorted({*sharing, *related})
    vectors = unit_vectors(encoder, [name, *others])
    (cosines,) = _cosines(vectors[:1], vectors[1:])
    misses = [
        NearMiss(each, _apart(sharing, each, cosine, known=name in names), cosine)
        for each, cosine in zip(others, cosines, strict=True)
    ]
    return tuple(sorted(misses, key=lambda each: (-each.cosine, each.term))[:_MOST_NEAR])


def _apart(verdicts: Mapping[str, AliasVerdict], term: str, cosine: float, *, known: bool) -> str:
    """The reason that keeps a term apart from one that the graph has, or would join it with another."""
    if term not in verdicts or verdicts[term].decision is Decision.OPEN:
        return "no rule"
    verdict = verdicts[term]
    if verdict.decision is Decision.DIFFERENT:
        return verdict.reason
    if cosine < (least := LEAST[verdict.reason]):
        return f"{verdict.reason}, below its least cosine {least}"
    return verdict.reason if not known else f"{verdict.reason}, but not of all terms of one concept"


def _cosines(rows: FloatArray, columns: FloatArray) -> list[list[float]]:
    """The cosines of unit vectors, each of the rows with each of the columns, to six decimals."""
    cosines: list[list[float]] = (rows.astype("float64") @ columns.astype("float64").T).round(6).tolist()
    return cosines
