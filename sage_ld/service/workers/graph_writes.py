"""Graphs written as a whole (the Graph Store Protocol), from RDF in a request's body.

They lie below `{base}graph/`: `docs/architecture.md` lists them. Single statements in them are data like any
other, which a token that writes may change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Final

import pyoxigraph as ox

from sage_ld.build.readers.contexts import ContextError, ContextLoader
from sage_ld.build.readers.derived_graphs import left_out, without_derived
from sage_ld.build.readers.rdf_text import rdf_quads
from sage_ld.foundation.errors import ForbiddenError, InputError, LimitError
from sage_ld.foundation.processes.failures import parser_message
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes import preconditions
from sage_ld.graph.changes.curated_edges import (
    EdgeDraft,
    add_edges,
    edge_iri,
    existing_edge,
    remove_edges,
    replace_edge,
)
from sage_ld.graph.changes.named_graphs import retrievable_graphs
from sage_ld.graph.changes.statement_counts import StatementCounts
from sage_ld.graph.exports.curated_edges import draft_of, patched_draft
from sage_ld.graph.store.blank_nodes import named_as
from sage_ld.graph.store.curated_edges import CuratedEdge
from sage_ld.graph.store.nquads import line
from sage_ld.graph.store.oxigraph import empty_graph
from sage_ld.graph.store.protocol import GraphName, WritableStore
from sage_ld.graph.store.stores import RDF_FORMATS
from sage_ld.graph.store.terms import in_graph, node
from sage_ld.graph.store.user_statements import (
    FormCollector,
    as_stored,
    as_written,
    forms_of,
    is_stated_by_documents,
    release,
    users_graphs,
)
from sage_ld.service.workers.commit import Job, Result, Write, exists
from sage_ld.service.workers.effects import Touched, graph_named
from sage_ld.service.workers.query_process import no_graph
from sage_ld.service.workers.text_limits import tokens
from sage_ld.service.workers.update_text import Kind, Operation

_EVERY = ("ALL", "NAMED")


def refuse_removal(graph: str | None, base_iri: str) -> None:
    """Raises ForbiddenError if `graph` is one of those of the graph with `base_iri`."""
    if graph is not None and graph.startswith(_root(base_iri)):
        raise ForbiddenError(
            f"sage-ld keeps the graph <{graph[:200]}> itself; removing or replacing it as a whole needs a "
            "token of role admin"
        )


def refuse_removals(store: WritableStore, operations: Iterable[Operation], base: str, base_iri: str) -> None:
    """Raises ForbiddenError if an operation clears, drops, moves or overwrites one of them.

    `base` is what relative IRIs in the update are relative to.
    """
    for operation in operations:
        if operation.kind is Kind.MANAGEMENT:
            for graph in _removed(store, operation, base):
                refuse_removal(graph, base_iri)


def _removed(store: WritableStore, operation: Operation, base: str) -> Iterator[str]:
    """The graphs of which nothing that is in them now is left."""
    verb, *others = tokens(operation.source or "")
    reached = verb.keyword in ("CLEAR", "DROP", "MOVE")
    if not reached and verb.keyword != "COPY":
        return
    for token in others:
        if token.keyword in _EVERY:
            yield from (each.value for each in store.named_graphs() if isinstance(each, ox.NamedNode))
        elif token.keyword == "TO":
            reached = True
        elif reached and token.kind in ("iri", "name"):
            yield graph_named(store, token.text, operation.prologue, base).value


def _root(base_iri: str) -> str:
    return f"{base_iri}graph/"


def write_edges(write: Write) -> Result:
    """Adds, changes or removes edges, as the job says.

    Raises InputError, NotFoundError, ConflictError, PreconditionError.
    """
    return _ACTIONS[write.job["action"]](write)


def _add(write: Write) -> Result:
    drafts = [draft_of(each) for each in write.job["edges"]]
    added = add_edges(write.writer, drafts, write.terms)
    said = {"edges": write.edges_json(added.edges), "added": added.added}
    return {**said, "tag": added.edges[0].tag, **write.published(write.writer.changed)}


def _put(write: Write) -> Result:
    before = _existing(write)
    ends = {"source": before.source, "target": before.target}
    return _changed(write, before, draft_of(ends | write.job["edge"]))


def _patch(write: Write) -> Result:
    before = _existing(write)
    [said] = write.edges_json([before])
    draft = patched_draft(before, said, write.job["edge"], write.terms, write.writer.iris.base)
    return _changed(write, before, draft)


def _remove(write: Write) -> Result:
    remove_edges(write.writer, [_existing(write).iri])
    return write.published(write.writer.changed)


_ACTIONS: Final[dict[str, Callable[[Write], Result]]] = {
    "add": _add,
    "put": _put,
    "patch": _patch,
    "remove": _remove,
}


def _existing(write: Write) -> CuratedEdge:
    """The edge that the job names, if what the request asks of it holds. Raises NotFoundError."""
    writer = write.writer
    edge = existing_edge(writer.store, writer.iris, edge_iri(writer.iris, write.job["identifier"]))
    preconditions.check(write.job.get("conditions"), True, edge.tag)
    return edge


def _changed(write: Write, before: CuratedEdge, draft: EdgeDraft) -> Result:
    edge = replace_edge(write.writer, before.iri, draft, write.terms)
    [said] = write.edges_json([edge])
    return {"edge": said, "tag": edge.tag, **write.published(write.writer.changed)}


_FREE: Final = 1 << 20
"""Characters that any body may have as N-Triples."""
_GRAMMARS: Final = {
    "turtle": ("Turtle", "https://www.w3.org/TR/rdf12-turtle/"),
    "ntriples": ("N-Triples", "https://www.w3.org/TR/rdf12-n-triples/"),
    "jsonld": ("JSON-LD", "https://www.w3.org/TR/json-ld11/"),
    "rdfxml": ("RDF/XML", "https://www.w3.org/TR/rdf12-xml/"),
    "trig": ("TriG", "https://www.w3.org/TR/rdf12-trig/"),
    "nquads": ("N-Quads", "https://www.w3.org/TR/rdf12-n-quads/"),
}


def write_graph(write: Write) -> Result:
    """Replaces, adds to or removes a graph.

    Raises InputError if the RDF does not parse, NotFoundError, ForbiddenError, PreconditionError,
    ShapeError.
    """
    job, writer = write.job, write.writer
    if job.get("dataset"):
        return _write_dataset(write)
    existed = exists(writer.store, job["graph"])
    if job["action"] == "remove" and not existed:
        raise no_graph(job["graph"])
    write.check_conditions(job["graph"])
    if job["action"] != "add" and not job["may_remove"]:
        refuse_removal(job["graph"], write.graph.configuration.base_iri)
    name = ox.DefaultGraph() if job["graph"] is None else ox.NamedNode(job["graph"])
    quads = [
        ox.Quad(each.subject, each.predicate, each.object, name)
        for each in parsed(job, write.body, write.graph.settings)
    ]
    if job["action"] == "replace":
        return replace_graphs(write, [name], quads)
    store, touched = writer.change(told=True), Touched(writer.touch)
    touched.add(quads)
    if job["action"] == "remove":
        _empty(store, name, touched)
        store.remove_graph(name)
    elif isinstance(name, ox.NamedNode):
        store.add_graph(name)
    _extend(write, store, quads)
    graphs = [] if job["graph"] is None else [job["graph"]]
    wanted = job["action"] != "remove" and job.get("retrievable")
    return {**write.commit(touched, graphs, wanted), "created": not existed}


def replace_graphs(
    write: Write,
    names: Collection[ox.NamedNode | ox.DefaultGraph],
    quads: Collection[ox.Quad],
    gone: Collection[ox.NamedNode] = (),
    beside: Callable[[WritableStore], None] = lambda store: None,
) -> Result:
    """Makes graphs be some quads, and removes some: only what differs is written, if anything does.

    `beside` is told the store once it is about to change, for what has to change with it. Raises ShapeError.
    """
    writer, retrievable = write.writer, write.job.get("retrievable")
    named = [each for each in names if isinstance(each, ox.NamedNode)]
    created = not all(map(writer.store.contains_named_graph, named))
    is_change = created or bool(gone) or retrievable is not None
    touched = _replaced(write, [*names, *gone], quads, is_change=is_change)
    if touched is None:
        return {**_unchanged(write), "created": False}
    store = writer.change(told=True)
    followed = {each.value for each in gone} & retrievable_graphs(store, writer.iris)
    for each in named:
        store.add_graph(each)
    for each in gone:
        store.remove_graph(each)
    beside(store)
    changed = followed.union(each.value for each in named)
    return {**write.commit(touched, changed, retrievable), "created": created}


def _replaced(
    write: Write, names: Collection[GraphName], quads: Collection[ox.Quad], *, is_change: bool
) -> Touched | None:
    """Makes graphs be some quads; None where they are them, nobody else states them, and nothing is to do."""
    writer = write.writer
    standing = (writer.store.quads_for_pattern(None, None, None, name) for name in names)
    before = set(as_written(writer.store, chain.from_iterable(standing)))
    after = set(named_as(before, quads))
    stated = (is_stated_by_documents(writer.store, name) for name in names)
    if not is_change and before == after and not any(stated):
        return None
    store, touched = writer.change(told=True), Touched(writer.touch)
    touched.add(before ^ after)
    for name in names:
        release(store, name)
    staying = {in_graph(as_stored(each.triple), each.graph_name) for each in after}
    for each in before - after:
        if (stored := in_graph(as_stored(each.triple), each.graph_name)) not in staying:
            store.remove(stored)
    forms = FormCollector(writer.iris, node(writer.iris.forms_graph))
    for each in after:
        forms.add(each)
    store.extend(after - before)
    store.extend(list(forms.quads()))
    return touched


def _unchanged(write: Write) -> Result:
    return write.counted(StatementCounts(0, 0), write.published(changed=False))


def _write_dataset(write: Write) -> Result:
    """Adds to what users state in the default graph and in named graphs, or replaces it.

    Of a whole export, what users state is taken. Raises as `write_graph`; ForbiddenError for a graph of the
    graph's own.
    """
    job, writer = write.job, write.writer
    base = write.graph.configuration.base_iri
    write.check_conditions(None)
    stated = list(parsed(job, write.body, write.graph.settings))
    quads = without_derived(stated)
    warnings = [left_out(derived)] if (derived := len(stated) - len(quads)) else []
    named = {each.graph_name for each in quads if not isinstance(each.graph_name, ox.DefaultGraph)}
    for name in named:
        if isinstance(name, ox.NamedNode) and name.value.startswith(_root(base)):
            raise ForbiddenError(f"sage-ld keeps the graph <{name.value[:200]}> itself; leave it out")
    if job["action"] == "replace":
        before = set(users_graphs(writer.store, base))
        empty = any(map(partial(_is_empty, writer.store), before))
        replaced = _replaced(write, [ox.DefaultGraph(), *before], quads, is_change=empty)
        if replaced is None:
            return {**_unchanged(write), "warnings": warnings, "created": False}
        store, touched = writer.change(told=True), replaced
        for name in before:
            if _is_empty(store, name):
                store.remove_graph(name)
        named |= before
    else:
        store, touched = writer.change(told=True), Touched(writer.touch)
        touched.add(quads)
        _extend(write, store, quads)
    graphs = sorted(name.value for name in named if isinstance(name, ox.NamedNode))
    done = write.commit(touched, graphs)
    return {**done, "warnings": warnings + done["warnings"], "created": False}


def _is_empty(store: WritableStore, name: GraphName) -> bool:
    return next(store.quads_for_pattern(None, None, None, name), None) is None


def _empty(store: WritableStore, name: GraphName, touched: Touched) -> None:
    touched.add(store.quads_for_pattern(None, None, None, name))
    release(store, name)
    empty_graph(store, name)


def _extend(write: Write, store: WritableStore, quads: Collection[ox.Quad]) -> None:
    forms = list(forms_of(store, write.writer.iris, quads))
    store.extend(quads)
    store.extend(forms)


def translated(graph: KnowledgeGraph, job: Job, content: bytes) -> Result:
    """The quads of a body as N-Quads, for a writer that is to hold the graph's lock for them alone.

    Raises as `parsed`, and LimitError where they are longer than `max_text_ratio` allows.
    """
    settings = graph.settings
    most = _FREE + settings.max_text_ratio * len(content)
    parts, length = [], 0
    for each in parsed(job, content, settings):
        parts.append(line(each))
        length += len(parts[-1])
        if length > most:
            raise LimitError.of("the graph as N-Quads", length, most, "characters", "max_text_ratio")
    return {"quads": "".join(parts)}


def parsed(job: Job, body: bytes, settings: Settings) -> Iterator[ox.Quad]:
    """The quads of the body's parts. Blank nodes get new names: those of two parts are different.

    Only a dataset may have named graphs. Raises InputError if one does not parse, LimitError if one nests
    deeper than `max_json_depth`.
    """
    begin = 0
    for name, size in job["parts"]:
        content = body[begin : begin + size]
        begin += size
        form, grammar = _GRAMMARS[name]
        try:
            loader, dataset = ContextLoader(f"the {form}", settings), bool(job.get("dataset"))
            yield from rdf_quads(content, RDF_FORMATS[name], job["base"], loader, is_dataset=dataset)
        except (ContextError, LimitError):
            raise
        except (SyntaxError, InputError) as error:
            raise InputError(f"the {form} does not parse: {parser_message(error)}; see {grammar}") from None
