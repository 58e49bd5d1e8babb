"""The description of the SPARQL endpoint: SPARQL 1.1 Service Description with VoID counts.

https://www.w3.org/TR/sparql11-service-description/ . Where `sd:BasicFederatedQuery` is missing, SERVICE is
refused.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Final

import pyoxigraph as ox
from flask import Response
from werkzeug import Request

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.recipes import Reasoning
from sage_ld.graph.derivations.inference import REGIMES, regime_of
from sage_ld.graph.exports.void import largest
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.statistics import Statistics, statistics
from sage_ld.graph.store.stores import RDF_FORMATS, Stores
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.context import Service
from sage_ld.service.http.negotiation import GRAPHS, choose
from sage_ld.service.sparql.queries import content_type, stream
from sage_ld.service.workers.searches import PROPERTIES

FORMATS: Final = "http://www.w3.org/ns/formats/"
SIMPLE: Final = "http://www.w3.org/ns/entailment/Simple"
RL_PROFILE: Final = "http://www.w3.org/ns/owl-profile/RL"
GEOSPARQL: Final = "http://www.opengis.net/def/function/geosparql/"
GEOMETRY_FUNCTIONS: Final = (
    *("distance", "convexHull", "envelope", "getSRID", "length", "perimeter", "centroid", "asGeoJSON"),
    *("area", "union", "intersection", "difference", "symDifference"),
    *("isEmpty", "isSimple", "dimension", "coordinateDimension", "spatialDimension"),
    *(
        "sfEquals",
        "sfDisjoint",
        "sfIntersects",
        "sfTouches",
        "sfWithin",
        "sfContains",
        "sfOverlaps",
        "sfCrosses",
    ),
    *("ehEquals", "ehDisjoint", "ehMeet", "ehOverlap", "ehCovers", "ehCoveredBy", "ehInside", "ehContains"),
    *("rcc8eq", "rcc8dc", "rcc8ec", "rcc8po", "rcc8tppi", "rcc8tpp", "rcc8ntpp", "rcc8ntppi", "relate"),
)
"""The functions of GeoSPARQL 1.1 that the store has, over geo:wktLiteral."""
_MOST_GRAPHS: Final = 500
"""Named graphs that are listed; those of documents are not: {base}graph/document/ and the document's hash."""
_RESULT_FORMATS = (
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "Turtle",
    "N-Triples",
    "JSON-LD",
    "RDF_XML",
)
_PATIENCE: Final = 10.0  # seconds that a client waits for the counts
_INTEGER = ox.NamedNode(v.XSD + "integer")

Statement = tuple[ox.NamedNode | ox.BlankNode, str, ox.NamedNode | ox.BlankNode | ox.Literal]


def respond(here: Service, sent: Request) -> Response:
    """The description, in the format that the client prefers."""
    choice = choose(sent.headers.get("Accept"), GRAPHS)
    counted = _counted(here)
    triples = [ox.Triple(s, ox.NamedNode(p), o) for s, p, o in _statements(here, sent.url_root, counted)]
    body = io.BytesIO()
    ox.serialize(triples, body, RDF_FORMATS[choice.offer.name], prefixes={"sd": v.SD, "void": v.VOID})
    return stream(body, content_type(choice.offer, "1.1"))


def _counted(here: Service) -> Statistics | None:
    """The counts of the newest revision; None if counting takes longer than a client should wait."""
    with here.revisions.use() as pin:
        number = pin.number
    if number == 0:
        return statistics(Stores.empty())
    try:
        return here.statistics.of(number, _PATIENCE, newest=True)[1]
    except UnavailableError:
        return None


def _statements(here: Service, root: str, counted: Statistics | None) -> Iterator[Statement]:
    query, dataset, graph = (
        ox.NamedNode(root + "sparql#service"),
        ox.BlankNode("dataset"),
        ox.BlankNode("graph"),
    )
    yield query, v.TYPE, ox.NamedNode(v.SD + "Service")
    yield query, v.SD + "endpoint", ox.NamedNode(root + "sparql")
    yield query, v.SD + "supportedLanguage", ox.NamedNode(v.SD + "SPARQL11Query")
    yield query, v.SD + "feature", ox.NamedNode(v.SD + "UnionDefaultGraph")
    yield query, v.SD + "feature", ox.NamedNode(v.SD + "EmptyGraphs")
    if here.settings.service_endpoints:
        yield query, v.SD + "feature", ox.NamedNode(v.SD + "BasicFederatedQuery")
    for iri in PROPERTIES:
        yield query, v.SD + "propertyFeature", ox.NamedNode(iri)
        yield ox.NamedNode(iri), v.TYPE, ox.NamedNode(v.SD + "Feature")
    for name in GEOMETRY_FUNCTIONS:
        yield query, v.SD + "extensionFunction", ox.NamedNode(GEOSPARQL + name)
        yield ox.NamedNode(GEOSPARQL + name), v.TYPE, ox.NamedNode(v.SD + "Function")
    regime, names = _named_graphs(here)
    yield from _entailment(query, regime)
    for name in _RESULT_FORMATS:
        yield query, v.SD + "resultFormat", ox.NamedNode(FORMATS + name)
    yield query, v.SD + "defaultDataset", dataset
    yield dataset, v.TYPE, ox.NamedNode(v.SD + "Dataset")
    yield dataset, v.SD + "defaultGraph", graph
    yield from _listed_graphs(dataset, regime, names)
    yield graph, v.TYPE, ox.NamedNode(v.SD + "Graph")
    yield graph, v.TYPE, ox.NamedNode(v.VOID + "Dataset")
    yield graph, v.VOID + "uriSpace", ox.Literal(here.configuration.base_iri)
    if counted is not None:
        yield from _counts(graph, counted)
    if here.tokens.any(AccessRole.WRITE):
        yield from _update_service(root, dataset)


def _named_graphs(here: Service) -> tuple[str, list[str]]:
    """The entailment regime of the merge of all graphs, and the first graphs, by name, but documents'."""
    with here.revisions.use() as pin:
        if pin.number == 0:
            return SIMPLE, []
    documents = f"{here.configuration.base_iri}graph/document/"
    with here.snapshots.use() as snapshot:
        store = snapshot.stores.named
        names = (each.value for each in store.named_graphs() if isinstance(each, ox.NamedNode))
        shown = sorted(each for each in names if not each.startswith(documents))[:_MOST_GRAPHS]
        return regime_of(store, Iris(snapshot.configuration.base_iri)) or SIMPLE, shown


def _listed_graphs(dataset: ox.BlankNode, regime: str, names: Sequence[str]) -> Iterator[Statement]:
    """Named graphs. A regime but the simple one holds of the merge of all graphs, and of none alone."""
    for number, name in enumerate(names):
        named = ox.BlankNode(f"named{number}")
        yield dataset, v.SD + "namedGraph", named
        yield named, v.TYPE, ox.NamedNode(v.SD + "NamedGraph")
        yield named, v.SD + "name", ox.NamedNode(name)
        if regime != SIMPLE:
            yield named, v.SD + "entailmentRegime", ox.NamedNode(SIMPLE)


def _entailment(query: ox.NamedNode, regime: str) -> Iterator[Statement]:
    yield query, v.SD + "defaultEntailmentRegime", ox.NamedNode(regime)
    if regime == REGIMES[Reasoning.OWL_RL]:
        yield query, v.SD + "defaultSupportedEntailmentProfile", ox.NamedNode(RL_PROFILE)


def _update_service(root: str, dataset: ox.BlankNode) -> Iterator[Statement]:
    update = ox.NamedNode(root + "update#service")
    yield update, v.TYPE, ox.NamedNode(v.SD + "Service")
    yield update, v.SD + "endpoint", ox.NamedNode(root + "update")
    yield update, v.SD + "supportedLanguage", ox.NamedNode(v.SD + "SPARQL11Update")
    yield update, v.SD + "defaultDataset", dataset


def _counts(graph: ox.BlankNode, counted: Statistics) -> Iterator[Statement]:
    yield graph, v.VOID + "triples", _integer(counted.triples)
    yield graph, v.VOID + "classes", _integer(len(counted.classes))
    yield graph, v.VOID + "properties", _integer(len(counted.properties))
    for number, (iri, count) in enumerate(largest(counted.classes)):
        part = ox.BlankNode(f"class{number}")
        yield graph, v.VOID + "classPartition", part
        yield part, v.VOID + "class", ox.NamedNode(iri)
        yield part, v.VOID + "entities", _integer(count)
    for number, (iri, count) in enumerate(largest(counted.properties)):
        part = ox.BlankNode(f"property{number}")
        yield graph, v.VOID + "propertyPartition", part
        yield part, v.VOID + "property", ox.NamedNode(iri)
        yield part, v.VOID + "triples", _integer(count)


def _integer(value: int) -> ox.Literal:
    return ox.Literal(str(value), datatype=_INTEGER)
