"""From quads back to the model: what deriving edges and rebuilding indexes need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pyoxigraph import NamedNode, QuerySolution, QuerySolutions, Store, Variable

from sage_ld import vocabulary as v
from sage_ld.model import Chunk, Hyperlink, TablePart
from sage_ld.store import queries
from sage_ld.store.documents import CHUNK_CLASS
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


def chunk_iris(store: Store) -> list[str]:
    """The IRIs of all chunks, sorted."""
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


def chunks(store: Store, iris: Iterable[str] | None = None) -> list[StoredChunk]:
    """The chunks of the graph (or those asked for), sorted by IRI."""
    wanted = chunk_iris(store) if iris is None else sorted(set(iris))
    links = _hyperlinks(store, None if iris is None else wanted)
    columns = _columns(store)
    identifiers = {each.iri: each.identifier for each in documents(store)}
    return [_chunk(store, iri, identifiers, columns, links.get(iri, ())) for iri in wanted]


def surface_forms(store: Store, entities: Iterable[str] | None = None) -> dict[str, dict[str, int]]:
    """Entity IRI -> surface form -> number of chunks that write it so."""
    forms: dict[str, dict[str, int]] = defaultdict(dict)
    for row in select(store, queries.bind("surface_forms", entity=entities)):
        if row["entity"] is not None:  # an aggregate over nothing has one empty row
            forms[row["entity"].value][row["surface"].value] = int(row["chunks"].value)
    return dict(forms)


def _chunk(
    store: Store,
    iri: str,
    identifiers: Mapping[str, str],
    columns: Mapping[str, tuple[int, str]],
    links: tuple[Hyperlink, ...],
) -> StoredChunk:
    said: dict[str, list[str]] = defaultdict(list)
    for quad in store.quads_for_pattern(NamedNode(iri), None, None, None):
        if not isinstance(quad.object, NamedNode) or quad.predicate.value in _IRI_VALUED:
            said[quad.predicate.value].append(getattr(quad.object, "value", ""))
    document = next(part for part in said[v.IS_PART_OF] if part in identifiers)
    chunk = Chunk(
        document=identifiers[document],
        kind=next(CHUNK_KINDS[each] for each in said[v.TYPE] if each in CHUNK_KINDS),
        position=int(said[v.POSITION][0]),
        name=_first(said, v.NAME),
        heading=_first(said, v.HEADING),
        text=_first(said, v.TEXT),
        begin=int(said[v.BEGIN_INDEX][0]),
        end=int(said[v.END_INDEX][0]),
        subject=_first(said, v.MAIN_ENTITY) or None,
        links=links,
    )
    if v.TABLE_NUMBER in said:
        names = tuple(name for _, name in sorted(columns[each] for each in said[v.COLUMN]))
        part = TablePart(
            int(said[v.TABLE_NUMBER][0]), names, int(said[v.FIRST_ROW][0]), int(said[v.LAST_ROW][0])
        )
        chunk = replace(chunk, table=part)
    return StoredChunk(iri, document, chunk, _first(said, v.ABOUT), tuple(sorted(said[v.MENTIONS])))


_IRI_VALUED = frozenset((v.TYPE, v.IS_PART_OF, v.MENTIONS, v.COLUMN, v.MAIN_ENTITY))


def _columns(store: Store) -> dict[str, tuple[int, str]]:
    """Column IRI -> its position in its table and its name."""
    return {
        column.value: (int(_value(store, column, v.POSITION) or 0), _value(store, column, v.CSVW_NAME))
        for column in _subjects(store, v.TYPE, node(v.CSVW_COLUMN))
    }


def _value(store: Store, subject: NamedNode, predicate: str) -> str:
    quad = next(store.quads_for_pattern(subject, node(predicate), None, None), None)
    return "" if quad is None else str(getattr(quad.object, "value", ""))


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


def _first(said: Mapping[str, list[str]], predicate: str) -> str:
    values = said.get(predicate)
    return values[0] if values else ""


def _text(row: QuerySolution, name: str) -> str:
    term = row[name]
    return "" if term is None else str(getattr(term, "value", ""))
