"""Reading from the store into the model: what deriving edges and rebuilding indexes need."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode, QuerySolution, QuerySolutions, Variable

from sage_ld import vocabulary as v
from sage_ld.model import Chunk, Hyperlink, LinkEvidence, TablePart
from sage_ld.store import queries
from sage_ld.store.documents import CHUNK_CLASS
from sage_ld.store.protocol import Store
from sage_ld.store.terms import Term, node

CHUNK_KINDS = {iri: kind for kind, iri in CHUNK_CLASS.items()}


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the graph knows it."""

    iri: str
    identifier: str
    name: str
    url: str | None
    content_hash: str


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as the graph knows it. Its `Chunk.section` is not restored: the heading says it."""

    iri: str
    document: str
    """The document's IRI."""
    chunk: Chunk
    topic: str
    entities: tuple[str, ...]
    """IRIs of the entities that it mentions, sorted."""


_MOST_OFFSET: Final = 1 << 31
"""Offsets are below it: no document has more characters."""


def select(store: Store, text: str, **bound: Term) -> Iterator[QuerySolution]:
    """The solutions of a SELECT over the union of all graphs, for the thread that asks.

    `bound` gives variables their values before the query is evaluated.
    """
    substitutions = {Variable(name): term for name, term in bound.items()}
    solutions = store.query(text, use_default_graph_as_union=True, substitutions=substitutions)
    if not isinstance(solutions, QuerySolutions):
        raise TypeError("only SELECT queries have solutions")
    return iter(solutions)


def documents(store: Store, iris: Iterable[str] | None = None) -> list[StoredDocument]:
    """The documents of the graph (or those asked for), sorted by identifier."""
    found = {}
    for row in select(store, queries.bind("documents", document=iris)):
        iri = row["document"].value
        found[iri] = StoredDocument(
            iri, row["identifier"].value, _text(row, "name"), _text(row, "url") or None, row["hash"].value
        )
    return sorted(found.values(), key=lambda document: document.identifier)


def chunk_iris(store: Store, among: Iterable[str] | None = None) -> list[str]:
    """The IRIs of all chunks (or of those among some resources), sorted."""
    if among is not None:
        return sorted({iri for iri in among if _is_chunk(store, NamedNode(iri))})
    return sorted({subject.value for subject in _subjects(store, v.TYPE, node(v.CHUNK))})


def chunks_of(store: Store, document: str) -> list[str]:
    """The IRIs of the chunks of one document, given by its IRI, sorted."""
    parts = _subjects(store, v.IS_PART_OF, NamedNode(document))
    return sorted({part.value for part in parts if _is_chunk(store, part)})


def _is_chunk(store: Store, subject: NamedNode) -> bool:
    return next(store.quads_for_pattern(subject, node(v.TYPE), node(v.CHUNK), None), None) is not None


def _subjects(store: Store, predicate: str, value: NamedNode) -> Iterator[NamedNode]:
    for quad in store.quads_for_pattern(None, node(predicate), value, None):
        if isinstance(quad.subject, NamedNode):
            yield quad.subject


def chunks(store: Store, iris: Iterable[str] | None = None, *, links: bool = True) -> list[StoredChunk]:
    """The chunks of the graph (or those asked for), sorted by IRI; without `links`, bare of theirs."""
    wanted = None if iris is None else sorted(set(iris))
    carried = _hyperlinks(store, wanted) if links else {}
    columns, entities = _columns(store, wanted), _entities(store, wanted)
    found = {}
    for row in select(store, queries.bind("chunk_contents", chunk=wanted)):
        iri = row["chunk"].value
        chunk = _chunk(row, columns.get(iri, ()), carried.get(iri, ()))
        found[iri] = StoredChunk(
            iri, row["document"].value, chunk, _text(row, "topic"), entities.get(iri, ())
        )
    return [found[iri] for iri in sorted(found)]


def links(store: Store, chunks: Iterable[str] | None = None) -> dict[str, list[LinkEvidence]]:
    """Chunk -> its links, of those of the chunks (IRIs) that have some.

    An update may say anything of a link; one whose confidence or offset is none is left out.
    """
    found: dict[str, list[LinkEvidence]] = defaultdict(list)
    wanted = None if chunks is None else sorted(set(chunks))
    for row in select(store, queries.bind("chunk_links", source=wanted)):
        try:
            link = LinkEvidence(
                _text(row, "target"), float(_text(row, "confidence")), int(_text(row, "begin"))
            )
        except ValueError:
            continue
        if math.isfinite(link.confidence) and 0 <= link.begin < _MOST_OFFSET:
            found[_text(row, "source")].append(link)
    return dict(found)


def surface_forms(store: Store, entities: Iterable[str] | None = None) -> dict[str, dict[str, int]]:
    """Entity IRI -> surface form -> number of chunks that write it so."""
    forms: dict[str, dict[str, int]] = defaultdict(dict)
    for row in select(store, queries.bind("surface_forms", entity=entities)):
        if row["entity"] is not None:  # an aggregate over nothing has one empty row
            forms[row["entity"].value][row["surface"].value] = int(row["chunks"].value)
    return dict(forms)


def _chunk(row: QuerySolution, columns: tuple[str, ...], links: tuple[Hyperlink, ...]) -> Chunk:
    part = None
    if row["table"] is not None:
        part = TablePart(int(row["table"].value), columns, int(row["first"].value), int(row["last"].value))
    return Chunk(
        document=row["identifier"].value,
        kind=CHUNK_KINDS[row["kind"].value],
        position=int(row["position"].value),
        name=_text(row, "name"),
        heading=_text(row, "heading"),
        text=_text(row, "text"),
        begin=int(row["begin"].value),
        end=int(row["end"].value),
        table=part,
        subject=_text(row, "subject") or None,
        links=links,
    )


def _columns(store: Store, iris: list[str] | None) -> dict[str, tuple[str, ...]]:
    """Chunk -> the names of its table's columns, in their order."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in select(store, queries.bind("chunk_columns", chunk=iris)):
        found[row["chunk"].value].append((int(row["number"].value), _text(row, "name")))
    return {iri: tuple(name for _, name in sorted(each)) for iri, each in found.items()}


def _entities(store: Store, iris: list[str] | None) -> dict[str, tuple[str, ...]]:
    """Chunk -> the IRIs of the entities that it mentions, sorted."""
    return {
        row["chunk"].value: tuple(sorted(set(row["entities"].value.split())))
        for row in select(store, queries.bind("chunk_entities", chunk=iris))
        if row["chunk"] is not None  # an aggregate over nothing has one empty row
    }


def _hyperlinks(store: Store, iris: list[str] | None) -> dict[str, tuple[Hyperlink, ...]]:
    found: dict[str, list[Hyperlink]] = defaultdict(list)
    for row in select(store, queries.bind("hyperlinks", chunk=iris)):
        found[row["chunk"].value].append(
            Hyperlink(
                target=row["href"].value,
                text=_text(row, "anchor"),
                begin=int(row["begin"].value),
                end=int(row["end"].value),
                row=int(row["row"].value) if row["row"] is not None else None,
                column=_text(row, "column") or None,
            )
        )
    return {
        iri: tuple(sorted(each, key=lambda link: (link.begin, link.end, link.target)))
        for iri, each in found.items()
    }


def _text(row: QuerySolution, name: str) -> str:
    term = row[name]
    return "" if term is None else str(getattr(term, "value", ""))
