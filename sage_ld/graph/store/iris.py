"""IRIs of resources, made from content: the same input gives the same IRIs.

A document's IRI comes from its identifier, so that a changed document keeps it; a chunk's from its document
and its text, so that a chunk that did not change keeps its IRI, its vector and its links.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Chunk

DEFAULT_BASE_IRI = "http://localhost:8000/id/"
_SEPARATOR = "\x1f"
_HASH_CHARACTERS = 24  # 96 bits: a collision among a billion resources has a chance of 1e-11


@dataclass(frozen=True, slots=True)
class Iris:
    """Mints the IRIs below one base.

    >>> Iris("http://localhost:8000/id/").document("notes/a.md")
    'http://localhost:8000/id/document/a614e055c910fdcc073244b1'
    """

    base: str = DEFAULT_BASE_IRI

    def document(self, identifier: str) -> str:
        """The document with this identifier."""
        return self._mint("document", identifier)

    def section(self, document: str, number: int) -> str:
        """The section `number` (in document order) of a document."""
        return self._mint("section", document, str(number))

    def chunks(self, chunks: Iterable[Chunk], seen: Counter[str] | None = None) -> list[str]:
        """One IRI a chunk, in order; equal texts of one document are told apart by their order.

        `seen` counts those of the same document that came before, and takes these.
        """
        seen = Counter() if seen is None else seen
        result = []
        for chunk in chunks:
            key = (chunk.document, str(chunk.kind), chunk.text)
            first = self._mint("chunk", *key, "0")
            count = seen[first]
            result.append(self._mint("chunk", *key, str(count)) if count else first)
            seen[first] = count + 1
        return result

    def column(self, document: str, table: int, name: str) -> str:
        """A column of the `table`-th table of a document."""
        return self._mint("column", document, str(table), name)

    def cell(self, document: str, table: int | str, row: int | str, column: str) -> str:
        """A cell of the `table`-th table of a document, whose value is stored beside its text."""
        return self._mint("cell", document, str(table), str(row), column)

    def entity(self, label: str) -> str:
        """The entity with this normalised label."""
        return self._mint("entity", label)

    def concept(self, term: str) -> str:
        """The concept with this preferred label, in whatever case."""
        return self._mint("concept", term.casefold())

    @property
    def entity_scheme(self) -> str:
        """The concept scheme in which the entities of texts are, but for resources of users."""
        return self.base + "scheme/entities"

    @property
    def concept_scheme(self) -> str:
        """The concept scheme in which the concepts are that are derived."""
        return self.base + "scheme/concepts"

    def mention(self, chunk: str, entity: str) -> str:
        """The reifier of `chunk schema:mentions entity`."""
        return self._mint("mention", chunk, entity)

    def statements(self, graph: str, *parts: str) -> str:
        """The resource that stands for all that a document's file states in one graph."""
        return self._mint("statements", graph.removeprefix(self.base), *parts)

    def lexical_form(self, graph: str, *parts: str) -> str:
        """The form in which literals are written in a graph, as the graph of a document says it."""
        return self._mint("lexical-form", graph.removeprefix(self.base), *parts)

    def annotation(self, chunk: str) -> str:
        """The reifier of the topic and keywords of a chunk, where a model gave them."""
        return self._mint("annotation", chunk)

    def model_call(self, *parts: str) -> str:
        """Calls of a language model, from what tells them from all others."""
        return self._mint("model-call", *parts)

    def hyperlink(self, chunk: str, href: str, begin: int, end: int) -> str:
        """The reifier of a link that a file carries: the same before and after it is resolved."""
        return self._mint("link", chunk, "hyperlink", href, str(begin), str(end))

    def title_link(self, chunk: str, document: str, begin: int, end: int) -> str:
        """The reifier of a link by a document's title found in a chunk."""
        return self._mint("link", chunk, "title", document, str(begin), str(end))

    def order(self, chunk: str, following: str) -> str:
        """The reifier of `chunk sage:next following`."""
        return self._mint("order", chunk, following)

    def edge(self, kind: str, source: str, target: str) -> str:
        """The reifier of a similarity edge; the pair is unordered."""
        return self._mint("edge", kind, *sorted((source, target)))

    def relation(self, source: str, relation_type: str, target: str, *more: str) -> str:
        """A curated edge; `more` tells apart edges that make the same statement."""
        return self._mint("relation", source, relation_type, target, *more)

    def build(self, *parts: str) -> str:
        """A build, from what it was made of."""
        return self._mint("build", *parts)

    def pull(self, graph: str) -> str:
        """The newest pull of a user's graph, by its name."""
        return self._mint("pull", graph)

    def retrieval(self, *parts: str) -> str:
        """One retrieval, from what tells it from all others."""
        return self._mint("retrieval", *parts)

    def document_graph(self, document: str) -> str:
        """The named graph of all that one document says; `document` is its IRI."""
        return f"{self.base}graph/document/{document.rsplit('/', 1)[-1]}"

    @property
    def edges_graph(self) -> str:
        """The named graph of what follows from several documents: links and similarity edges."""
        return self.base + "graph/edges"

    @property
    def entities_graph(self) -> str:
        """The named graph of the entities' labels."""
        return self.base + "graph/entities"

    @property
    def concepts_graph(self) -> str:
        """The named graph of concepts: terms that name one thing, and the chunks about it."""
        return self.base + "graph/concepts"

    @property
    def resources_graph(self) -> str:
        """The named graph that joins entities and documents to the resources of users' RDF."""
        return self.base + "graph/resources"

    @property
    def inferred_graph(self) -> str:
        """The named graph of what follows from users' statements by an entailment regime."""
        return self.base + "graph/inferred"

    @property
    def derived_graphs(self) -> tuple[str, ...]:
        """The named graphs of what follows from several documents, but for the record of the build."""
        edges, entities, concepts = self.edges_graph, self.entities_graph, self.concepts_graph
        return edges, entities, concepts, self.resources_graph, self.inferred_graph

    @property
    def curated_graph(self) -> str:
        """The named graph of the edges that users state."""
        return self.base + "graph/curated"

    @property
    def forms_graph(self) -> str:
        """The named graph of the lexical forms that users wrote literals in, beside their documents."""
        return self.base + "graph/forms"

    @property
    def sources_graph(self) -> str:
        """The named graph of where users' graphs were pulled from."""
        return self.base + "graph/sources"

    @property
    def relations_graph(self) -> str:
        """The named graph of the relation types that a user has added, or gives other weights."""
        return self.base + "graph/relations"

    @property
    def builds_graph(self) -> str:
        """The named graph of builds and thresholds."""
        return self.base + "graph/builds"

    @property
    def retrievals_graph(self) -> str:
        """The named graph of kept retrievals, which no revision has (`sage_ld.graph.provenance`)."""
        return self.base + "graph/retrievals"

    def _mint(self, kind: str, *parts: str) -> str:
        digest = hashlib.sha256(_SEPARATOR.join((kind, *parts)).encode()).hexdigest()
        return f"{self.base}{kind}/{digest[:_HASH_CHARACTERS]}"


def checked_base(base: str) -> str:
    """`base`, if IRIs can be made below it.

    Raises InputError for anything but an absolute http(s) IRI that ends in `/` or `#`, or for one whose path
    begins with two slashes: as an address on a page, that path would lead to another host.
    """
    try:
        parts = urlsplit(base)
    except ValueError:  # not a valid host
        parts = urlsplit("")
    bad = set(' <>"{}|\\^`') & set(base) or parts.path.startswith("//")
    if parts.scheme not in ("http", "https") or not parts.netloc or base[-1] not in "/#" or bad:
        raise InputError(
            f"base IRI {base!r} is not an absolute http(s) IRI that ends in '/' or '#'; "
            f"give one such as {DEFAULT_BASE_IRI}"
        )
    return base
