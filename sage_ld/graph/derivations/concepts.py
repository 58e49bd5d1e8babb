"""Concepts: keywords and names of entities that name one thing, and the chunks about each.

The terms are grouped by `sage_ld.concepts`; a term that is alone has no concept: its keyword or entity says
all there is. After a change the terms are grouped anew, and what differs is written: reading them costs in
proportion to the graph, and all else to the change.

What a judge has said is kept in the same graph. With the judge, only groups that it has not seen are put
before it, and what it said of others is forgotten, as a fresh build would not know it; without one, all is
kept, and the aliases that it found stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pyoxigraph import NamedNode

from sage_ld import vocabulary as v
from sage_ld.concepts.grouping import Grouping, GroupingOptions, SettledTerms, group_terms
from sage_ld.concepts.judgements import AliasJudgement, RememberingJudge
from sage_ld.graph.concept_vocabulary import Term, judgements, unit_vectors, vocabulary
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.thesaurus import thesaurus
from sage_ld.indexes.hnsw import nearest
from sage_ld.store.iris import Iris
from sage_ld.store.nquads import LineCollector, integer, quads_of
from sage_ld.store.terms import node


def _derive(corpus: Corpus, _before: Mapping[str, Derived]) -> Derived:
    return Derived(_lines(corpus))


def _follow(corpus: Corpus, _changes: Changes) -> Mapping[str, int]:
    if not corpus.recipe.concepts.derive:
        return {}
    writer = corpus.writer
    graph = node(writer.iris.concepts_graph)
    before = set(writer.store.quads_for_pattern(None, None, None, graph))
    after = set(quads_of(_lines(corpus)))
    writer.exchange(sorted(before - after, key=str), sorted(after - before, key=str))
    return {}


def _lines(corpus: Corpus) -> Iterator[str]:
    """What the graph of concepts says, from the entities' graph as it is when the first is asked for."""
    writer, wanted = corpus.writer, corpus.recipe.concepts
    if not wanted.derive:
        return
    stated = thesaurus(writer.store, writer.iris)
    labels = [label for each in stated for label in each.labels]
    terms = vocabulary(writer.store, writer.vectors.iris, writer.iris, wanted.least_chunks, labels)
    texts = {term.name or key: term for key, term in terms.items()}
    known = judgements(writer.store, writer.iris)
    judge = None if corpus.judge is None else RememberingJudge(corpus.judge, known)
    grouping = group_terms(
        {text: len(term.chunks) for text, term in texts.items()},
        lambda wanted_texts: unit_vectors(writer.encoder, wanted_texts),
        GroupingOptions(
            threshold=wanted.judge_threshold,
            near_threshold=wanted.near_threshold,
            max_group_size=wanted.max_group_size,
        ),
        judge,
        nearest,
        SettledTerms([each.labels for each in stated], [group for each in known for group in each.aliases]),
    )
    matches = {label: each.iri for each in stated for label in each.labels}
    yield from _concept_lines(grouping, texts, matches, writer.iris)
    yield from _judgement_lines(known if judge is None else judge.given, writer.iris)


def _concept_lines(
    grouping: Grouping, terms: Mapping[str, Term], matches: Mapping[str, str], iris: Iris
) -> Iterator[str]:
    """The concepts of a grouping; `matches` are the users' concepts (IRIs) by their labels."""
    out = LineCollector(iris.concepts_graph)
    for group in grouping.groups:
        concept = NamedNode(iris.concept(group.canonical))
        out.typed(concept, v.CONCEPT)
        out.text(concept, v.PREF_LABEL, group.canonical)
        for text in group.terms:
            out.text(concept, v.ALT_LABEL, text if text != group.canonical else None)
        same = {matches[text] for text in group.terms if text in matches}
        for each in sorted(same):
            out.add(concept, v.EXACT_MATCH, NamedNode(each))
        for entity in sorted({entity for text in group.terms for entity in terms[text].entities} - same):
            out.add(concept, v.CLOSE_MATCH, NamedNode(entity))
        chunks = {chunk for text in group.terms for chunk in terms[text].chunks}
        out.add(concept, v.CHUNKS_ABOUT, integer(len(chunks)))
        for chunk in sorted(chunks):
            out.add(NamedNode(chunk), v.ABOUT, concept)
        yield from out.take()
    for one, other, _ in grouping.near_misses:
        first, second = NamedNode(iris.concept(one)), NamedNode(iris.concept(other))
        out.add(first, v.RELATED, second)
        out.add(second, v.RELATED, first)
        yield from out.take()


def _judgement_lines(judgements: Iterable[AliasJudgement], iris: Iris) -> Iterator[str]:
    """What a judge has said: the graph of concepts states it of itself."""
    out = LineCollector(iris.concepts_graph)
    for text in sorted(each.to_json() for each in judgements):
        out.text(NamedNode(iris.concepts_graph), v.JUDGEMENT, text)
    yield from out.take()


def _graph(iris: Iris) -> str:
    return iris.concepts_graph


CONCEPTS = Derivation("concepts", _graph, _derive, _follow)
