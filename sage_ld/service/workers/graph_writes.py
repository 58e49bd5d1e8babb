"""Graphs written as a whole (the Graph Store Protocol), from RDF in a request's body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pyoxigraph as ox

from sage_ld.build.readers.xml_events import check_xml
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.processes.failures import parser_message
from sage_ld.graph.store.oxigraph import empty_graph
from sage_ld.service.workers import own_graphs
from sage_ld.service.workers.commit import Result, Write, exists
from sage_ld.service.workers.effects import Touched
from sage_ld.service.workers.query_process import GRAPH_FORMATS, no_graph

_GRAMMARS: Final = {
    "turtle": ("Turtle", "https://www.w3.org/TR/rdf12-turtle/"),
    "ntriples": ("N-Triples", "https://www.w3.org/TR/rdf12-n-triples/"),
    "jsonld": ("JSON-LD", "https://www.w3.org/TR/json-ld11/"),
    "rdfxml": ("RDF/XML", "https://www.w3.org/TR/rdf12-xml/"),
}


def write_graph(write: Write) -> Result:
    """Replaces, adds to or removes a graph.

    Raises InputError if the RDF does not parse, NotFoundError, ForbiddenError, PreconditionError,
    ShapeError.
    """
    job, writer = write.job, write.writer
    existed = exists(writer.store, job["graph"])
    if job["action"] == "remove" and not existed:
        raise no_graph(job["graph"])
    write.check_conditions(job["graph"])
    if job["action"] != "add" and not job["may_remove"]:
        own_graphs.refuse_removal(job["graph"], write.graph.configuration.base_iri)
    name = ox.DefaultGraph() if job["graph"] is None else ox.NamedNode(job["graph"])
    quads = [ox.Quad(each.subject, each.predicate, each.object, name) for each in _triples(write)]
    store, touched = writer.change(told=True), Touched(writer.touch)
    touched.add(quads)
    if job["action"] != "add":
        touched.add(store.quads_for_pattern(None, None, None, name))
        empty_graph(store, name)
    if job["action"] == "remove":
        store.remove_graph(name)
    elif isinstance(name, ox.NamedNode):
        store.add_graph(name)
    store.extend(quads)
    graphs = [] if job["graph"] is None else [job["graph"]]
    wanted = job["action"] != "remove" and job.get("retrievable")
    return {**write.commit(touched, graphs, wanted), "created": not existed}


def _triples(write: Write) -> Iterator[ox.Quad]:
    """The quads of the body's parts. Blank nodes get new names: those of two parts are different.

    Raises InputError if one does not parse, LimitError if XML nests deeper than `max_json_depth`.
    """
    begin = 0
    for name, size in write.job["parts"]:
        content = write.body[begin : begin + size]
        begin += size
        form, grammar = _GRAMMARS[name]
        try:
            if name == "rdfxml":  # whose entities may expand without end
                check_xml(content, form, write.graph.settings)
            yield from ox.parse(
                content,
                GRAPH_FORMATS[name],
                base_iri=write.job["base"],
                without_named_graphs=True,
                rename_blank_nodes=True,
            )
        except LimitError:
            raise
        except (SyntaxError, InputError) as error:
            raise InputError(f"the {form} does not parse: {parser_message(error)}; see {grammar}") from None
