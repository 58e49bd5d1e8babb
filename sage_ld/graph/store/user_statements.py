"""Statements of users: their graphs, the documents that state them, and the lexical forms of their literals.

What a file states outside of named graphs stands in the store's own default graph, and what it states in a
named graph stands there. The graph of its document says so by triple terms (`sage:states`), so that each
statement goes with the last document that states it.

The store keeps the value of a literal, and not its lexical form: `"007"^^xsd:integer` becomes 7, and
`"7"^^xsd:byte` an `xsd:integer`. What was written is kept beside it (`sage:formOf`, `sage:lexicalForm`), and
`as_written` gives it back. The case of a language tag is lost before: pyoxigraph's literal has none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document
from sage_ld.graph.store.blank_nodes import content_names, renamed
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import GraphName, Store, WritableStore
from sage_ld.graph.store.query_graphs import DatasetNames, of_names
from sage_ld.graph.store.terms import Term, in_graph, node

Name: TypeAlias = NamedNode | BlankNode
DEFAULT_GRAPH: Final = NamedNode("urn:x-arq:DefaultGraph")
"""The name of the store's own default graph where a statement speaks of it: the one that Apache Jena uses."""
OWN: Final = "graph/own"
"""The end of the name that stands for all graphs of users, after the graph's base."""
_SUBJECT: Final = NamedNode("urn:s")
_CACHED: Final = 50_000
_NUMBERS: Final = ("integer", "decimal", "float", "double", "boolean")
_TIMES: Final = ("dateTime", "date", "time", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay")
_DURATIONS: Final = ("duration", "yearMonthDuration", "dayTimeDuration")
_STORED: Final = frozenset(v.XSD + name for name in (*_NUMBERS, *_TIMES, *_DURATIONS))
"""The datatypes whose values the store keeps; what has another one that it changes gets one of these."""


def graph_name(graph: GraphName) -> Name:
    """The name by which statements speak of a graph."""
    return DEFAULT_GRAPH if isinstance(graph, DefaultGraph) else graph


def _graph_named(name: Name) -> GraphName:
    return DefaultGraph() if name == DEFAULT_GRAPH else name


def standing(store: Store, statement: Triple, graph: GraphName) -> Iterator[Quad]:
    """A statement in a graph, if it stands there."""
    return store.quads_for_pattern(statement.subject, statement.predicate, statement.object, graph)


# --- what the store makes of a literal ----------------------------------------------------------------


_PLAIN: Final = {
    v.XSD + name: re.compile(pattern, re.ASCII)
    for name, pattern in {
        "integer": "-?[1-9][0-9]{0,17}|0",
        "decimal": "-?(?:0|[1-9][0-9]{0,9})\\.[0-9]{0,8}[1-9]",
        "boolean": "true|false",
        "date": "[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}Z?",
        "dateTime": "[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[01][0-9]:[0-5][0-9]:[0-5][0-9]Z?",
        "gYear": "[1-9][0-9]{3}",
    }.items()
}
"""Lexical forms that the store gives back as they are: it is not asked about them."""


@lru_cache(_CACHED)
def _stored_literal(literal: Literal) -> Literal:
    plain = _PLAIN.get(literal.datatype.value)
    if plain is not None and plain.fullmatch(literal.value):
        return literal
    store = in_memory()
    store.extend((Quad(_SUBJECT, _SUBJECT, literal),))
    [quad] = store
    assert isinstance(quad.object, Literal)
    return quad.object


def as_stored(statement: Triple) -> Triple:
    """The statement as the store gives it back.

    >>> byte = Literal("007", datatype=NamedNode(v.XSD + "byte"))
    >>> as_stored(Triple(_SUBJECT, _SUBJECT, byte)).object.value
    '7'
    """
    value = statement.object
    if isinstance(value, Triple):
        stored: Term = as_stored(value)
    elif isinstance(value, Literal) and _may_differ(value):
        stored = _stored_literal(value)
    else:
        return statement
    return statement if stored == value else Triple(statement.subject, statement.predicate, stored)


# --- the graphs of users ------------------------------------------------------------------------------


def users_graphs(store: Store, base: str) -> Iterator[Name]:
    """The named graphs that are not below the graph's base: users'."""
    for name in store.named_graphs():
        if isinstance(name, BlankNode) or not name.value.startswith(base):
            yield name


def with_users_graphs(store: Store, dataset: DatasetNames) -> DatasetNames:
    """The dataset with all graphs of users in place of the name `{base}graph/own`, which stands for them.

    Where no named graph is given beside it, users' named graphs are those of the dataset.
    """
    bases = [name.removesuffix(OWN) for name in (*dataset.default, *dataset.named) if name.endswith(OWN)]
    if not bases:
        return dataset
    named = [_text(name) for name in users_graphs(store, bases[0])]
    default = (each for name in dataset.default for each in _expanded(name, [DEFAULT_GRAPH.value, *named]))
    others = (each for name in dataset.named for each in _expanded(name, named))
    return of_names([*default], [*others] if dataset.named else named)


def _expanded(name: str, graphs: list[str]) -> list[str]:
    return graphs if name.endswith(OWN) else [name]


def _text(name: Name) -> str:
    return name.value if isinstance(name, NamedNode) else str(name)


def graph_of_text(name: str) -> GraphName:
    """The graph with a name, as a dataset has it: an IRI, or `_:` and the label of a blank node."""
    if name == DEFAULT_GRAPH.value:
        return DefaultGraph()
    return BlankNode(name.removeprefix("_:")) if name.startswith("_:") else NamedNode(name)


def users_dataset(store: Store, base: str) -> Iterator[Quad]:
    """All statements of users, in the default graph and in their named graphs, as they wrote them."""
    for graph in (DefaultGraph(), *users_graphs(store, base)):
        yield from as_written(store, store.quads_for_pattern(None, None, None, graph))


# --- statements of documents --------------------------------------------------------------------------


def users_quads(document: Document, base: str) -> Iterator[Quad]:
    """The statements of a document's file, each in the graph where it belongs.

    A graph below `base` is ours, so what a file states in one stands in the default graph, and so does what
    it states in the graph whose name stands for that: else it would outlive the file. Blank nodes are
    named by what the file says of them: what stays the same in it is the same in the store, whoever has
    written the graph meanwhile.
    """
    names = content_names(_users_quads(document, base), document.identifier)
    yield from renamed(_users_quads(document, base), names)


def _users_quads(document: Document, base: str) -> Iterator[Quad]:
    for each in document.statements:
        yield Quad(*each)  # type: ignore[arg-type]  # the model names no RDF library
    for subject, predicate, value, graph in document.named_statements:
        if isinstance(graph, NamedNode) and (graph == DEFAULT_GRAPH or graph.value.startswith(base)):
            graph = DefaultGraph()
        yield Quad(subject, predicate, value, graph)  # type: ignore[arg-type]  # as above


def document_quads(document: Document, iris: Iris) -> Iterator[Quad]:
    """The quads of what a document's file states, and those that say in the document's graph that it does.

    A statement about a resource of the graph's own, which only a curated file makes, stands in the
    document's graph.
    """
    own = NamedNode(iris.document_graph(iris.document(document.identifier)))
    forms = FormCollector(iris, own)
    parts: dict[Name, NamedNode] = {}
    for quad in users_quads(document, iris.base):
        statement, graph = quad.triple, quad.graph_name
        if speaks_of_ours(statement, iris.base):
            yield in_graph(statement, own)
            continue
        stored, name = as_stored(statement), graph_name(graph)
        if name not in parts:
            parts[name] = NamedNode(iris.statements(own.value, str(name)))
            yield Quad(parts[name], node(v.IN_GRAPH), name, own)
        yield in_graph(stored, graph)
        yield Quad(parts[name], node(v.STATES), stored, own)
        forms.add(quad)
    yield from forms.quads()


def speaks_of_ours(term: object, base: str) -> bool:
    """Whether a term is an IRI below `base`, or a triple with one in it.

    >>> speaks_of_ours(NamedNode("http://localhost:8000/id/chunk/1"), "http://localhost:8000/id/")
    True
    """
    if isinstance(term, Triple):
        return any(speaks_of_ours(each, base) for each in (term.subject, term.predicate, term.object))
    return isinstance(term, NamedNode) and term.value.startswith(base)


def claimed(store: Store, document_graph: NamedNode) -> Iterator[Quad]:
    """The statements of a document, in the graphs where it makes them."""
    graphs: dict[object, GraphName | None] = {}
    for quad in store.quads_for_pattern(None, node(v.STATES), None, document_graph):
        if quad.subject not in graphs:
            graphs[quad.subject] = _graph_of(store, quad)
        graph = graphs[quad.subject]
        if isinstance(quad.object, Triple) and graph is not None:
            yield in_graph(quad.object, graph)


def states_apart(store: Store, document_graph: NamedNode) -> bool:
    """Whether a document states something in graphs of users."""
    return next(store.quads_for_pattern(None, node(v.IN_GRAPH), None, document_graph), None) is not None


def claimed_alone(store: Store, document_graph: NamedNode) -> Iterator[Quad]:
    """The statements that a document makes and no other does: those that go with it."""
    for quad in claimed(store, document_graph):
        if all(name == document_graph for name in claimants(store, quad.triple, quad.graph_name)):
            yield quad


def is_claimed(store: Store, quad: Quad, iris: Iris, documents: Collection[NamedNode] = ()) -> bool:
    """Whether a document states a statement in its graph.

    The graphs `documents` are asked first: that takes a tenth of the time.
    """
    name = str(graph_name(quad.graph_name))
    for each in documents:
        part = NamedNode(iris.statements(each.value, name))
        if Quad(part, node(v.STATES), quad.triple, each) in store:
            return True
    return next(claimants(store, quad.triple, quad.graph_name), None) is not None


def is_stated_by_documents(store: Store, graph: GraphName) -> bool:
    """Whether a document states something in a graph."""
    said = store.quads_for_pattern(None, node(v.IN_GRAPH), graph_name(graph), None)
    return any(
        next(store.quads_for_pattern(each.subject, node(v.STATES), None, each.graph_name), None) is not None
        for each in said
        if not isinstance(each.subject, Triple)
    )


def claimants(store: Store, statement: Triple, graph: GraphName | None) -> Iterator[GraphName]:
    """The graphs of the documents that make a statement in a graph, or for None in any."""
    for quad in store.quads_for_pattern(None, node(v.STATES), statement, None):
        if graph is None or _speaking_of(quad, graph) in store:
            yield quad.graph_name


def graphs_of(store: Store, document_graph: NamedNode) -> set[Name]:
    """The named graphs in which a document states something."""
    said = store.quads_for_pattern(None, node(v.IN_GRAPH), None, document_graph)
    return {each.object for each in said if isinstance(each.object, NamedNode | BlankNode)} - {DEFAULT_GRAPH}


def _graph_of(store: Store, quad: Quad) -> GraphName | None:
    """The graph that the subject of a statement of ours speaks of."""
    found = store.quads_for_pattern(quad.subject, node(v.IN_GRAPH), None, quad.graph_name)
    names = (each.object for each in found)
    return next((_graph_named(name) for name in names if isinstance(name, NamedNode | BlankNode)), None)


def _speaking_of(quad: Quad, graph: GraphName) -> Quad:
    """The quad that the subject of a statement of ours speaks of a graph."""
    return Quad(quad.subject, node(v.IN_GRAPH), graph_name(graph), quad.graph_name)


# --- lexical forms ------------------------------------------------------------------------------------


class FormCollector:
    """Collects the lexical forms of literals that the store does not keep, for one graph to say so.

    A literal has one resource, however many statements have it.
    """

    def __init__(self, iris: Iris, graph: NamedNode) -> None:
        self._iris, self._graph = iris, graph
        self._changed: dict[tuple[Name, Triple], dict[Literal, None]] = {}
        """As written, by what is stored in which graph."""
        self._plain: set[int] = set()
        """What is stored in which graph as it was written, by hashes."""

    def add(self, quad: Quad) -> None:
        """Takes a statement as its user wrote it."""
        self._take(graph_name(quad.graph_name), quad.triple)

    def _take(self, graph: Name, written: Triple) -> None:
        if isinstance(written.object, Triple):
            self._take(graph, written.object)
            return
        if not isinstance(written.object, Literal) or not _may_differ(written.object):
            return
        stored = as_stored(written)
        if stored is written:
            self._plain.add(hash((graph, stored)))
        else:
            self._changed.setdefault((graph, stored), {})[written.object] = None

    def quads(self) -> Iterator[Quad]:
        """The statements about the forms, each once."""
        said: set[NamedNode] = set()
        for (graph, stored), literals in self._changed.items():
            both = [stored.object] if hash((graph, stored)) in self._plain else []
            for literal in (*literals, *both):
                assert isinstance(literal, Literal)
                form = NamedNode(self._iris.lexical_form(self._graph.value, str(graph), str(literal)))
                yield Quad(form, node(v.FORM_OF), stored, self._graph)
                if form not in said:
                    said.add(form)
                    yield Quad(form, node(v.IN_GRAPH), graph, self._graph)
                    yield Quad(form, node(v.LEXICAL_FORM), Literal(literal.value), self._graph)
                    yield Quad(form, node(v.LEXICAL_DATATYPE), literal.datatype, self._graph)


def _may_differ(literal: Literal) -> bool:
    datatype = literal.datatype.value
    return datatype.startswith(v.XSD) and datatype != v.XSD + "string"


def has_forms(store: Store, graph: GraphName | None = None) -> bool:
    """Whether there are lexical forms of a graph, or for None of any."""
    name = None if graph is None else graph_name(graph)
    return next(store.quads_for_pattern(None, node(v.IN_GRAPH), name, None), None) is not None


def as_written(store: Store, quads: Iterable[Quad], *, merged: bool = False) -> Iterator[Quad]:
    """The quads with their literals as users wrote them; one that is written in two ways comes twice.

    Of a `merged` store, in which a statement of several graphs stands in one of them, the forms of all
    graphs count. It costs two index lookups for each literal whose form may have been another.
    """
    for quad in quads:
        if not _was_changed(quad.object):
            yield quad
            continue
        for each in _written(store, quad.triple, None if merged else graph_name(quad.graph_name)):
            yield in_graph(each, quad.graph_name)


def _was_changed(term: object) -> bool:
    if isinstance(term, Triple):
        return _was_changed(term.object)
    return isinstance(term, Literal) and term.datatype.value in _STORED


def _written(store: Store, stored: Triple, graph: Name | None) -> list[Triple]:
    """The statements as written of one as stored; itself where nothing is known of it."""
    subject, predicate, value = stored
    if isinstance(value, Triple):
        return [Triple(subject, predicate, each) for each in _written(store, value, graph)]
    forms: dict[Literal, None] = {}
    sources: set[GraphName] = set()
    for quad in store.quads_for_pattern(None, node(v.FORM_OF), stored, None):
        if (literal := _form(store, quad, graph)) is not None:
            forms[literal] = None
            sources.add(quad.graph_name)
    if not forms:
        return [stored]
    claiming = claimants(store, stored, None if graph is None else _graph_named(graph))
    if any(each not in sources for each in claiming):
        return [stored, *(Triple(subject, predicate, each) for each in forms if each != value)]
    return [Triple(subject, predicate, each) for each in forms]


def _form(store: Store, quad: Quad, graph: Name | None) -> Literal | None:
    """The literal that a form stands for in a graph, or for None in any; None for another graph's."""
    said = {each.predicate.value: each.object for each in store.quads_for_pattern(quad.subject, None, None)}
    text, datatype = said.get(v.LEXICAL_FORM), said.get(v.LEXICAL_DATATYPE)
    if graph is not None and said.get(v.IN_GRAPH) != graph:
        return None
    if not isinstance(text, Literal) or not isinstance(datatype, NamedNode):
        return None
    return Literal(text.value, datatype=datatype)


def forms_of(store: Store, iris: Iris, written: Collection[Quad]) -> Iterator[Quad]:
    """The statements about the forms of what a user writes into graphs beside documents, before it is there.

    What stands there in another form keeps that, too.
    """
    forms = FormCollector(iris, node(iris.forms_graph))
    for quad in written:
        forms.add(quad)
        if _was_changed(quad.object) or as_stored(quad.triple) is not quad.triple:
            there = standing(store, as_stored(quad.triple), quad.graph_name)
            for each in as_written(store, there):
                forms.add(each)
    yield from forms.quads()


# --- changes of graphs --------------------------------------------------------------------------------


def release(store: WritableStore, graph: GraphName) -> None:
    """Forgets who states what in a graph, and in which form: a user replaces it."""
    for quad in list(store.quads_for_pattern(None, node(v.IN_GRAPH), graph_name(graph), None)):
        _forget(store, quad)


def forget_absent(store: WritableStore, statements: Collection[Triple] | None) -> None:
    """Forgets of some statements, or for None of all, what is said of those that no longer stand there."""
    for predicate in (v.STATES, v.FORM_OF):
        for stated in statements if statements is not None else (None,):
            for quad in list(store.quads_for_pattern(None, node(predicate), stated, None)):
                graph = _graph_of(store, quad)
                if isinstance(quad.object, Triple) and (
                    graph is None or not _stands(store, quad.object, graph)
                ):
                    store.remove(quad)
                    if next(_others(store, quad), None) is None:
                        _forget(store, quad)


def _others(store: Store, quad: Quad) -> Iterator[Quad]:
    return store.quads_for_pattern(quad.subject, quad.predicate, None, quad.graph_name)


def _forget(store: WritableStore, quad: Quad) -> None:
    for each in list(store.quads_for_pattern(quad.subject, None, None, quad.graph_name)):
        store.remove(each)


def _stands(store: Store, statement: Triple, graph: GraphName) -> bool:
    return next(standing(store, statement, graph), None) is not None
