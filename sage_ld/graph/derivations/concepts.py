"""Concepts: keywords and names of entities that name one thing, and the chunks about each.

The terms are grouped by `sage_ld.build.concepts`; a term that is alone has no concept: its keyword or entity
says all there is. After a change the terms that it touches are grouped again
(`concept_regrouping.py`); all of them with a judge, and where there are no indexes to follow.

What a judge has said is kept in the same graph. With the judge, only groups that it has not seen are put
before it, and what it said of others is forgotten, as a fresh build would not know it; without one, all is
kept, and the aliases that it found stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

import numpy as np
from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.build.concepts.grouping import Grouping, GroupingOptions, SettledTerms, group_terms
from sage_ld.build.concepts.judgements import AliasJudgement, RememberingJudge
from sage_ld.build.concepts.terms import term_form
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.recipes import Concepts
from sage_ld.graph.derivations.concept_indexes import term_row
from sage_ld.graph.derivations.concept_regrouping import NearConcepts, TermFollower
from sage_ld.graph.derivations.concept_vocabulary import (
    Term,
    introduces,
    judgements,
    thesaurus,
    unit_vectors,
    vocabulary,
)
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.indexes.terms import IndexedTerm, TermIndex
from sage_ld.graph.indexes.vectors import VectorIndex, nearest
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import LineCollector, integer, minted, quads_of
from sage_ld.graph.store.terms import node
from sage_ld.graph.writing.writer import Writer


def _derive(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    return DerivationResult(_lines(corpus))


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    writer = corpus.writer
    graph = node(writer.iris.concepts_graph)
    if not corpus.recipe.concepts.derive:
        writer.concepts.drop()
        writer.exchange(list(writer.store.quads_for_pattern(None, None, None, graph)), ())
        return {}
    terms, labels = writer.concepts.terms, writer.concepts.labels
    if terms is None or labels is None or corpus.judge is not None:
        before = set(writer.store.quads_for_pattern(None, None, None, graph))
        after = set(quads_of(_lines(corpus)))
    else:
        before, after = _followed(writer, corpus.recipe.concepts, changes, terms, labels)
    writer.exchange(sorted(before - after, key=str), sorted(after - before, key=str))
    return {}


def _lines(corpus: Corpus) -> Iterator[str]:
    """The statements of the graph of concepts, from the entities' graph at the time of the first."""
    writer, wanted = corpus.writer, corpus.recipe.concepts
    writer.concepts.drop()
    if not wanted.derive:
        return
    stated = thesaurus(writer.store, writer.iris)
    terms = vocabulary(writer.store, writer.vectors.iris, writer.iris, wanted.least_chunks, stated)
    texts = {term.name or key: term for key, term in terms.items()}
    forms = {text: term_form(text) for text in texts}
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
        forms,
        lambda one, other: introduces(writer.store, texts[one].chunks & texts[other].chunks, one, other),
    )
    names = [group.canonical for group in grouping.groups]
    rows = {
        text.casefold(): term_row(forms[text], IndexedTerm(text, tuple(sorted(term.entities)), term.stated))
        for text, term in texts.items()
    }
    writer.concepts.build(rows, names, _vectors(writer, names))
    yield from _concept_lines(grouping, texts, writer.iris)
    yield from _judgement_lines(known if judge is None else judge.given, writer.iris)


def _followed(
    writer: Writer, wanted: Concepts, changes: Changes, index: TermIndex, labels: VectorIndex
) -> tuple[set[Quad], set[Quad]]:
    """The statements about the concepts that a change touches, before and after it."""
    judged = [group for each in judgements(writer.store, writer.iris) for group in each.aliases]
    follower = TermFollower(
        writer,
        index,
        wanted.least_chunks,
        lambda texts: unit_vectors(writer.encoder, texts),
        [{text.casefold() for text in group} for group in judged],
    )
    touched = follower.touched(changes)
    grouping = group_terms(
        {text: len(term.chunks) for text, term in touched.terms.items()},
        follower.encode,
        GroupingOptions(near_threshold=inf, max_group_size=wanted.max_group_size),
        settled=SettledTerms([each.labels for each in touched.thesaurus], judged),
        introduces=lambda one, other: introduces(
            writer.store, touched.terms[one].chunks & touched.terms[other].chunks, one, other
        ),
        compared=touched.compared,
    )
    before = set(_statements(writer, _concepts_with(writer, touched.former)))
    labelled = (each.object for each in before if each.predicate == node(v.PREF_LABEL))
    formerly = {each.value for each in labelled if isinstance(each, Literal)}
    formerly = {each for each in formerly if labels.rows([each])[0] >= 0}  # an update may have stated others
    names = {group.canonical for group in grouping.groups}
    new, gone = sorted(names - formerly), formerly - names
    near = NearConcepts(labels, wanted.near_threshold)
    beside = near.of(sorted(gone))
    if new or gone:
        labels.update(new, _vectors(writer, new), gone)
    beside = (beside | near.of(new)) - gone
    before.update(_relations(writer, (NamedNode(writer.iris.concept(each)) for each in beside)))
    misses = tuple(near.misses(sorted(names | beside)))
    after = set(quads_of(_concept_lines(Grouping(grouping.groups, misses), touched.terms, writer.iris)))
    return before, after


def _vectors(writer: Writer, names: Sequence[str]) -> FloatArray:
    """(n, d) the vectors of preferred labels."""
    return (
        unit_vectors(writer.encoder, names) if names else np.zeros((0, writer.encoder.dimensions), np.float32)
    )


def _concepts_with(writer: Writer, texts: Iterable[str]) -> set[NamedNode]:
    """The concepts that have one of some labels."""
    graph = node(writer.iris.concepts_graph)
    found = (
        quad.subject
        for text in texts
        for name in (v.PREF_LABEL, v.ALT_LABEL)
        for quad in writer.store.quads_for_pattern(None, node(name), Literal(text), graph)
    )
    return {each for each in found if isinstance(each, NamedNode)}


def _statements(writer: Writer, concepts: Iterable[NamedNode]) -> Iterator[Quad]:
    """The statements of the graph of concepts about some concepts, and about those joined to them."""
    graph = node(writer.iris.concepts_graph)
    for each in concepts:
        yield from writer.store.quads_for_pattern(each, None, None, graph)
        yield from writer.store.quads_for_pattern(None, node(v.ABOUT), each, graph)
        yield from _relations(writer, (each,))


def _relations(writer: Writer, concepts: Iterable[NamedNode]) -> Iterator[Quad]:
    """The statements that some concepts are near to others."""
    graph, related = node(writer.iris.concepts_graph), node(v.RELATED)
    for each in concepts:
        yield from writer.store.quads_for_pattern(each, related, None, graph)
        yield from writer.store.quads_for_pattern(None, related, each, graph)


def _concept_lines(grouping: Grouping, terms: Mapping[str, Term], iris: Iris) -> Iterator[str]:
    """The concepts of a grouping, whose terms are given by their texts."""
    out = LineCollector(iris.concepts_graph)
    scheme = minted(iris.concept_scheme)
    for group in grouping.groups:
        concept = NamedNode(iris.concept(group.canonical))
        out.typed(concept, v.CONCEPT)
        out.add(concept, v.IN_SCHEME, scheme)
        out.text(concept, v.PREF_LABEL, group.canonical)
        for text in group.terms:
            out.text(concept, v.ALT_LABEL, text if text != group.canonical else None)
        same = {terms[text].stated for text in group.terms} - {""}
        for each in sorted(same):
            out.add(concept, v.EXACT_MATCH, NamedNode(each))
        for entity in sorted({entity for text in group.terms for entity in terms[text].entities} - same):
            out.add(concept, v.FOCUS, NamedNode(entity))
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
    """The statements of a judge's answers, which the graph of concepts makes about itself."""
    out = LineCollector(iris.concepts_graph)
    for text in sorted(each.to_json() for each in judgements):
        out.text(NamedNode(iris.concepts_graph), v.JUDGEMENT, text)
    yield from out.take()


CONCEPTS = Derivation("concepts", lambda iris: iris.concepts_graph, _derive, _follow)
