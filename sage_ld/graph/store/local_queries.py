"""Local SPARQL: a user's read query, run in this process and written in a standard format.

This is for the command line, where the user owns the process. The service runs the queries of
strangers in worker processes (`docs/sparql.md`).
"""

from __future__ import annotations

from typing import TypeVar

from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, RdfFormat

from sage_ld.foundation.errors import InputError
from sage_ld.graph.store.stores import Stores

RESULT_FORMATS = {
    "json": QueryResultsFormat.JSON,
    "xml": QueryResultsFormat.XML,
    "csv": QueryResultsFormat.CSV,
    "tsv": QueryResultsFormat.TSV,
}
GRAPH_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "jsonld": RdfFormat.JSON_LD,
    "rdfxml": RdfFormat.RDF_XML,
}


T = TypeVar("T")


def answer(stores: Stores, query: str, most: int, form: str | None = None) -> bytes:
    """The answer to a SPARQL query, in `form` or the usual one for its kind.

    The default graph is the merge of the graphs after FROM, or of all; `most` as in `Stores.query`. Raises
    InputError for a query that does not parse, an update, or a format that does not fit its kind, LimitError.
    """
    try:
        results = stores.query(query, most=most)
    except SyntaxError as error:
        raise InputError(
            f"the query does not parse: {error}; see https://www.w3.org/TR/sparql11-query/"
        ) from None
    if isinstance(results, QuerySolutions | QueryBoolean):
        return results.serialize(format=_pick(RESULT_FORMATS, form or "json", "a table or a boolean")) or b""
    try:
        return results.serialize(format=_pick(GRAPH_FORMATS, form or "turtle", "a graph")) or b""
    except OSError as error:  # JSON-LD has no triple terms
        raise InputError(f"{error}; ask for --format turtle") from None


def _pick(formats: dict[str, T], name: str, kind: str) -> T:
    if name not in formats:
        raise InputError(
            f"format {name!r} does not fit: the query's answer is {kind}; use {', '.join(formats)}"
        )
    return formats[name]
