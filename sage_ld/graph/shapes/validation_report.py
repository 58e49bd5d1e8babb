"""Validation reports in RDF (https://www.w3.org/TR/shacl/#validation-report), in N-Triples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rdflib import RDF, SH, BNode, Graph, Literal, URIRef
from rdflib.term import Node

from sage_ld.foundation import vocabulary as v

_REPORT: Final = BNode("report")


def result_text(report: Graph, result: Node) -> str:
    """A result of a report as N-Triples, with the blank nodes that it leads to: paths and shapes."""
    copied, waiting = Graph(bind_namespaces="none"), [result]
    done: set[Node] = set()
    while waiting:
        subject = waiting.pop()
        done.add(subject)
        for predicate, value in report.predicate_objects(subject):
            copied.add((subject, predicate, value))
            if isinstance(value, BNode) and value not in done:
                waiting.append(value)
    copied.add((_REPORT, SH.result, result))
    return _ntriples(copied)


def report_text(results: Iterable[str]) -> str:
    """The report of some results, each in N-Triples."""
    head = Graph(bind_namespaces="none")
    head.add((_REPORT, RDF.type, SH.ValidationReport))
    head.add((_REPORT, SH.conforms, Literal(False)))
    return _ntriples(head) + "".join(results)


def made_result(focus: str, rule: str, severity: str, message: str) -> str:
    """The result of a rule of ours that a query checks, not pySHACL."""
    result, made = BNode(), Graph(bind_namespaces="none")
    made.add((result, RDF.type, SH.ValidationResult))
    made.add((result, SH.focusNode, URIRef(focus)))
    made.add((result, SH.resultSeverity, SH[severity]))
    made.add((result, SH.sourceConstraintComponent, SH.SPARQLConstraintComponent))
    made.add((result, SH.sourceShape, URIRef(v.SAGE + rule)))
    made.add((result, SH.resultMessage, Literal(message)))
    made.add((_REPORT, SH.result, result))
    return _ntriples(made)


def _ntriples(graph: Graph) -> str:
    return graph.serialize(format="nt", encoding="utf-8").decode()
