"""Example queries for the SPARQL editor: ways to look around, searches, and the query of each channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sage_ld.foundation.channels import CHANNELS, Hubs
from sage_ld.retrieval.channels.expansion import bind
from sage_ld.retrieval.channels.relations import FollowedRelations

_PREFIXES: Final = "PREFIX sage: <https://w3id.org/sage-ld#>\nPREFIX schema: <https://schema.org/>\n\n"


class QueryExample(NamedTuple):
    """A query that runs as it is, on any graph; `view` is how its answer is best looked at."""

    group: str
    title: str
    view: str
    query: str


_PLAIN: Final = (
    ("Look around", "Documents, and how many passages each has", "table", """\
SELECT ?document ?name (COUNT(?chunk) AS ?passages) WHERE {
  ?document a sage:Document ; schema:name ?name .
  ?chunk a sage:Chunk ; schema:isPartOf ?document .
}
GROUP BY ?document ?name
ORDER BY DESC(?passages) ?name
LIMIT 100
"""),
    ("Look around", "Classes, and how many resources have each", "chart", """\
SELECT ?class (COUNT(DISTINCT ?resource) AS ?resources) WHERE {
  ?resource a ?class .
}
GROUP BY ?class
ORDER BY DESC(?resources)
"""),
    ("Look around", "Which documents link to which, as a graph", "graph", """\
CONSTRUCT {
  ?document sage:linksTo ?other .
  ?document schema:name ?name .
  ?other schema:name ?otherName .
} WHERE {
  ?chunk sage:linksTo ?other ; schema:isPartOf ?document .
  ?document a sage:Document ; schema:name ?name .
  ?other a sage:Document ; schema:name ?otherName .
}
LIMIT 300
"""),
    ("Look around", "Entities that most passages mention", "chart", """\
SELECT ?name ?passages WHERE {
  ?entity sage:chunkFrequency ?passages ; schema:name ?name .
}
ORDER BY DESC(?passages) ?name
LIMIT 20
"""),
    ("Look around", "Edges with their weights, in the syntax of SPARQL 1.2", "table", """\
SELECT ?from ?property ?to ?weight WHERE {
  ?from ?property ?to ~ ?edge .
  ?edge sage:weight ?weight .
}
ORDER BY DESC(?weight)
LIMIT 50
"""),
    ("Look around", "Everything about one document", "graph", """\
DESCRIBE ?document WHERE {
  { SELECT ?document { ?document a sage:Document } ORDER BY ?document LIMIT 1 }
}
"""),
    ("Search", "Passages found by words, with the names of their documents", "table", """\
SELECT ?score ?name ?document WHERE {
  (?chunk ?score) sage:search ("the music of a ferry" 20) .
  ?chunk schema:isPartOf ?document .
  ?document a sage:Document ; schema:name ?name .
}
ORDER BY DESC(?score)
"""),
    ("Search", "Seeds and the neighbours that the graph adds", "table", """\
SELECT ?score ?role ?name ?chunk ?seed ?edge WHERE {
  (?chunk ?score ?role ?seed ?edge) sage:retrieve (
    "Which instrument did the composer of The Ninth Ferry play?" 6 3
  ) .
  ?chunk schema:name ?name .
}
ORDER BY DESC(?score)
"""),
    ("Search", "A search joined with the links of what it finds", "table", """\
SELECT ?found ?linked WHERE {
  ?chunk sage:search ("a boat in the fog" 3) .
  ?chunk schema:name ?found ; sage:linksTo/schema:name ?linked .
}
ORDER BY ?found ?linked
"""),
    ("Search", "A search over some channels only, in text alone", "table", """\
SELECT ?chunk ?role ?score WHERE {
  (?chunk ?score ?role) sage:retrieve (
    "Who wrote the music of Night Bus to Hask?" 8 5 "channels=link,entity" "kinds=text"
  ) .
}
ORDER BY DESC(?score)
"""),
)  # fmt: skip
_CHANNELS_GROUP: Final = "What each channel follows"


def query_examples(
    seeds: Sequence[str], hubs: Hubs, relations: FollowedRelations
) -> tuple[QueryExample, ...]:
    """All examples; those of channels lead from `seeds`, IRIs of chunks."""
    plain = (QueryExample(group, title, view, _PREFIXES + text) for group, title, view, text in _PLAIN)
    channels = (
        QueryExample(
            _CHANNELS_GROUP,
            f"{name}: from {len(seeds)} passages",
            "table",
            bind(row.query, seeds, hubs, relations),
        )
        for name, row in CHANNELS.items()
    )
    return (*plain, *channels)
