"""The one writer: store and indexes change together, and become visible together."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from typing import IO, Final, cast

from pyoxigraph import BlankNode, NamedNode, Quad, Triple

from sage_ld.build.annotators.targets import Target
from sage_ld.build.chunkers import encoding_text
from sage_ld.build.encoders.cache import CachedEncoder
from sage_ld.build.encoders.stored import encode_stored
from sage_ld.build.languages import ENGLISH, indexed_language
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import WHOLE_DOCUMENT, Document, FloatArray
from sage_ld.foundation.settings import Settings
from sage_ld.graph.derivations.concept_indexes import ConceptIndexes
from sage_ld.graph.indexes.aspects import AspectIndex
from sage_ld.graph.indexes.documents import (
    DocumentIndex,
    IndexedDocument,
    indexed_document,
    indexed_documents,
)
from sage_ld.graph.indexes.lexical import LexicalIndex
from sage_ld.graph.indexes.links import LinkIndex
from sage_ld.graph.indexes.mentions import MentionIndex
from sage_ld.graph.indexes.positions import ChunkInDocument
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.indexes.words import WordIndex
from sage_ld.graph.store import curated_edges, reading, resources, shared_statements, user_statements
from sage_ld.graph.store.configuration import RevisionConfiguration
from sage_ld.graph.store.curated_edges import CuratedEdge
from sage_ld.graph.store.derived import label_lines
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.documents import (
    PreparedDocument,
    document_lines,
    mention_edges,
    mentioned,
    shareable,
)
from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import quads_of
from sage_ld.graph.store.oxigraph import in_memory, open_for_reading, open_for_writing
from sage_ld.graph.store.protocol import Store, WritableStore
from sage_ld.graph.store.shared_statements import SharedStatements, TouchedStatements
from sage_ld.graph.store.stores import read_shared
from sage_ld.graph.store.terms import in_graph, node
from sage_ld.graph.upkeep.rebuilding import placed_chunks
from sage_ld.graph.writing.graph_replacement import FileBackedBatches, LoadingStore, replace_statements
from sage_ld.graph.writing.index_table import (
    CHUNK_INDEXES,
    ChunkBatch,
    ChunkIndex,
    RereadIndex,
    SummaryIndex,
    opened,
)

_log = logging.getLogger(__name__)
_MOST_ADDED: Final = 5_000
"""Chunks that wait for the indexes in memory; when there are more, the indexes take them."""


@dataclass(slots=True)
class RemovalEffects:
    """The consequences of removed documents that have to be derived again."""

    chunks: int = 0
    """The number of chunks of the documents."""
    entities: set[str] = field(default_factory=set)
    """IRIs of the entities that they mentioned, whose labels still count what is gone."""
    linking: set[str] = field(default_factory=set)
    """IRIs of the chunks that linked to them."""
    resources: set[str] = field(default_factory=set)
    """IRIs of the users' resources that they described, whose labels may be gone."""
    keywords: set[str] = field(default_factory=set)
    """The keywords of their chunks, where concepts follow them."""


class Writer:
    """Changes `live/`; for a process that holds the lock. Nothing shows before `publish`."""

    def __init__(
        self,
        directory: Directory,
        iris: Iris,
        encoder: CachedEncoder,
        settings: Settings,
        distrusted: Collection[str] = (),
    ) -> None:
        self.iris = iris
        self.encoder = encoder
        self.settings = settings
        self._directory = directory
        directory.prepare_live()
        for part in distrusted:  # where there is no index, one is made
            remove(directory.live / part)
        self._changing = False
        self._added: dict[str, tuple[ChunkInDocument, FloatArray]] = {}
        self._removed: set[str] = set()
        self._changed_documents: dict[str, IndexedDocument | None] = {}
        """Documents that the index does not know yet, or knows otherwise; None for one to be read again."""
        self._perhaps_gone: set[str] = set()
        self._stated: dict[int, int] = {}
        """Statement -> the graph in which the first documents make it, both by their hashes."""
        self._touched = TouchedStatements()
        self.joining: set[str] = set()
        """IRIs of the properties that join users' resources in statements which a change may touch."""
        self.identified: set[str] = set()
        """IRIs of the users' resources of which a change may say what they are the same as or replaced by."""
        self.restated = False
        """Whether a change may touch what users state."""
        self.warnings: list[str] = []
        """What of a derivation went otherwise than it was asked for."""
        self.is_first = directory.current() == 0
        """Whether nothing was published yet: then only what files themselves say may be stated twice."""
        self._shared = (
            SharedStatements() if self.is_first else read_shared(directory.revision(directory.current()))
        )
        self._published: Store | None = None
        self._store = LoadingStore(open_for_writing(directory.live / "store"))
        self.store = cast("WritableStore", self._store)
        """The store that is changed, with all that was added to it: it waits for what is being loaded."""
        self.lost_edges: list[CuratedEdge] = []
        """The first curated edges, by IRI, that went with their ends."""
        live = directory.live
        self._chunk_indexes = {each.name: each.opened(live, encoder.dimensions) for each in CHUNK_INDEXES}
        self.documents = opened(DocumentIndex, live / "documents")
        self.links = RereadIndex(LinkIndex, live / "links", reading.links)
        self.mentions = RereadIndex(MentionIndex, live / "mentions", reading.mentions)
        self.summaries = SummaryIndex(live / "summaries")
        self.concepts = ConceptIndexes(live)
        self._mend_indexes(None if self.is_first else directory.made(directory.current()))
        self._untargeted: FileBackedBatches[tuple[str, list[tuple[str, str]]]] | None = (
            FileBackedBatches(self.scratch_file()) if self.is_first else None
        )
        """The graphs of the first documents with their mentions, until it is known what these are of."""

    @property
    def vectors(self) -> VectorIndex:
        """The index of the vectors of chunks."""
        return cast("VectorIndex", self._chunk_indexes["vectors"])

    @property
    def aspects(self) -> AspectIndex:
        """The index of the aspects of chunks."""
        return cast("AspectIndex", self._chunk_indexes["aspects"])

    @property
    def words(self) -> WordIndex:
        """The index of the words of chunks."""
        return cast("WordIndex", self._chunk_indexes["words"])

    def add(self, prepared: Sequence[PreparedDocument], vectors: Sequence[FloatArray]) -> None:
        """Stores documents that the graph does not hold; `vectors` has one (chunks, d) array a document."""
        self._begin()
        self._load(prepared)
        for each, rows in zip(prepared, vectors, strict=True):
            document, title = self.iris.document(each.document.identifier), each.document.title
            language = indexed_language(each.document.language, self.settings.default_language)
            url = each.document.url
            if not each.goes_on:
                self._take_head(each, document)
            self.mentions.stale.update(each.iris)
            parts = zip(each.iris, each.chunks, each.annotations, rows, strict=True)
            for number, (iri, chunk, note, row) in enumerate(parts):
                skeleton = each.skeletons.get(number, "")
                placed = ChunkInDocument(chunk, document, title, language, note.topic, url, skeleton)
                self._added[iri] = (placed, row)
                if len(self._added) > _MOST_ADDED:
                    self.flush_indexes()

    def target_mentions(self, replaced: Mapping[str, str]) -> bool:
        """Has the first documents' mentions be of entities, or of what `replaced` has in their place.

        False where mentions are in the store with what they are of: later ones always are.
        """
        waiting, self._untargeted = self._untargeted, None
        if waiting is None:
            return False
        with closing(waiting):
            self._store.load_in_background(
                text
                for graph, mentions in waiting
                for text in mention_edges(mentions, graph, replaced, self.iris)
            )
        return True

    def remove(self, documents: Iterable[str]) -> RemovalEffects:
        """Takes documents (IRIs) out with the edges at them; returns what else followed from them."""
        self._begin()
        removed = RemovalEffects()
        for document in documents:
            chunks = reading.chunks_of(self.store, document)
            removed.chunks += len(chunks)
            removed.linking |= self._linking_to(document)
            for chunk in chunks:
                removed.entities.update(self._entities_of(chunk))
                if self.concepts.terms is not None:
                    removed.keywords.update(reading.keywords(self.store, chunk))
            graph = NamedNode(self.iris.document_graph(document))
            removed.resources |= resources.described(self.store, self.iris, graph.value)
            self._perhaps_gone |= curated_edges.possible_ends(self.store, self.iris, graph)
            self._notice(self.store.quads_for_pattern(None, node(v.REIFIES), None, graph))
            if self.summaries.index is not None:
                told = self.store.quads_for_pattern(None, node(v.ABSTRACT), None, graph)
                self.summaries.stale.update(_subjects(told, v.ABSTRACT))
            self._withdraw(graph)
            self.store.remove_graph(graph)
            self._touched.graphs.add(graph.value)
            for resource in (*chunks, document):
                self._remove_edges_at(NamedNode(resource))
                self.exchange(resources.label_mentions(self.store, resource, self.iris), ())
            self.links.stale.update(chunks)
            self.mentions.stale.update(chunks)
            self._perhaps_gone.update(chunks, (document,))
            self._changed_documents[document] = None
            for chunk in chunks:
                if self._added.pop(chunk, None) is None:
                    self._removed.add(chunk)
        self._perhaps_gone.update(removed.entities)
        return removed

    def derive_entities(self, entities: Iterable[str]) -> None:
        """Derives labels and classes of some entities again; drops those that nothing mentions any more."""
        self._begin()
        graph = node(self.iris.entities_graph)
        wanted = sorted(entities)
        for entity in wanted:
            for quad in list(self.store.quads_for_pattern(NamedNode(entity), None, None, graph)):
                self._remove(quad)
        if wanted:
            lines = list(label_lines(self.store, self.iris, wanted))
            self.store.extend(self._touched.add(quads_of(lines)))

    def exchange(self, removed: Collection[Quad], added: Collection[Quad]) -> None:
        """Takes statements out and adds others.

        The index of links does not follow: use `extend` and `remove_edges` for statements about links.
        """
        if removed or added:
            self._begin()
            for quad in removed:
                self.store.remove(quad)
            self.store.extend(added)
            self.touch(self._shareable(chain(removed, added)))
            changed = (*removed, *added)
            self.mentions.stale.update(_subjects(changed, v.MENTIONS))
            self._changed_documents |= dict.fromkeys(_subjects(changed, v.FILE_PATH, v.FILE_ROOT))

    def replace_graph(self, graph: str, lines: Iterable[str]) -> None:
        """Replaces all that a named graph says by statements without blank nodes, as lines of N-Quads."""
        self._begin()
        with self.scratch_file() as file:
            replace_statements(self._store, node(graph), lines, file)
        self._touched.everything |= not self.is_first
        self.links.all_stale |= graph == self.iris.edges_graph

    def extend(self, quads: Iterable[Quad]) -> None:
        """Adds statements."""
        self._begin()
        self.store.extend(self._touched.add(self._noticed(quads)))

    def place(self, quads: Sequence[Quad]) -> None:
        """Adds statements about which files documents came from."""
        self.extend(quads)
        subjects = (quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode))
        self._changed_documents |= dict.fromkeys(subjects)

    def remove_edges(self, reifiers: Iterable[str]) -> None:
        """Takes single edges out, with the statements that they annotate."""
        self._begin()
        for reifier in reifiers:
            self._remove_edge(NamedNode(reifier))

    def change(self, *, told: bool = False) -> WritableStore:
        """The store, for a change other than those above; afterwards `refresh` what it is about.

        Unless `touch` is `told` of each statement, publishing looks through the store
        (`store/shared_statements.py`), and what the properties join is seen when all is derived again.
        """
        self._begin()
        self._touched.everything |= not told
        self.restated |= not told
        return self.store

    def touch(self, statements: Iterable[Quad | Triple]) -> None:
        """Says which statements a change may add to a graph, or remove from one; too many do no harm."""
        for each in self._touched.add(statements):
            self.restated = self.restated or not user_statements.speaks_of_ours(each.subject, self.iris.base)
            if resources.joins(each, self.iris):
                self.joining.add(each.predicate.value)
            self.identified |= resources.identified(each, self.iris)

    def changed_in_documents(self) -> Iterator[Quad] | None:
        """The statements that came or went in graphs of documents, but those of own resources; None: any."""
        return None if self.is_first else self._changed_in(sorted(self._touched.graphs))

    def forget_absent(self) -> None:
        """Forgets who states, and in which form, what a change has taken out of users' graphs."""
        touched = self._touched
        stored = None if touched.everything else set(map(user_statements.as_stored, touched.statements))
        user_statements.forget_absent(self.store, stored)

    def share(self, graphs: Collection[str]) -> bool:
        """Whether two of some graphs make the same statement."""
        among = set(map(user_statements.graph_of_text, graphs))
        return len(among) > 1 and any(
            len(among.intersection(each)) > 1 for each in self._shared_now().graphs.values()
        )

    def refresh(self, resources: Collection[str]) -> None:
        """Has the indexes follow the store in those of `resources` (IRIs) that are or were chunks.

        Of a document, all chunks: they know its title.
        """
        self._begin()
        wanted = set(resources)
        wanted |= {chunk for resource in resources for chunk in reading.chunks_of(self.store, resource)}
        self._changed_documents |= dict.fromkeys({*resources, *self._documents_of(wanted)})
        gone = wanted - self._index(reading.chunk_iris(self.store, wanted))
        self._removed |= self._indexed(gone)
        for chunk in gone:
            self._added.pop(chunk, None)
        self.links.stale |= wanted
        self.mentions.stale |= wanted
        if self.summaries.index is not None:
            self.summaries.stale.update(resources)
        self._perhaps_gone.update(resources)
        for resource in resources:  # it may be the reifier of a link
            self._notice(self.store.quads_for_pattern(NamedNode(resource), node(v.REIFIES), None, None))

    def flush_indexes(self) -> None:
        """Brings the indexes to the state of the store."""
        if self._added or self._removed:
            batch = ChunkBatch.of(self._added, self.encoder)
            for each in CHUNK_INDEXES:
                each.take(self._chunk_indexes[each.name], batch, self._removed)
            self._added, self._removed = {}, set()
        if self._changed_documents:
            changed, self._changed_documents = self._changed_documents, {}
            unread = [iri for iri, each in changed.items() if each is None]
            known = {iri: each for iri, each in changed.items() if each is not None}
            known |= indexed_documents(self.store, unread) if unread else {}
            gone = self.documents.among(changed.keys() - known.keys())
            if known or gone:
                self.documents.update(known, gone)

    def use_encoder(self, encoder: CachedEncoder) -> None:
        """Replaces the encoder; the index of vectors is empty until `add_vectors` has filled it.

        That of aspects is empty until the indexes are repaired.
        """
        self._begin()
        self.flush_indexes()
        self.encoder = encoder
        self._empty_chunk_indexes(each for each in CHUNK_INDEXES if each.encoded)
        self.summaries.read_all()
        self.concepts.drop()

    def add_vectors(self, iris: Sequence[str], vectors: FloatArray) -> None:
        """Has the index of vectors take those of chunks (IRIs) that the other indexes hold; shape (n, d)."""
        self._begin()
        self.vectors.update(iris, vectors, ())

    def index(self, vectors: Mapping[str, FloatArray]) -> None:
        """Has all indexes take chunks (IRIs) that the store holds, with these vectors."""
        self._begin()
        for iri, each in placed_chunks(self.store, self.settings.default_language, vectors).items():
            self._added[iri] = (each, vectors[iri])
        self.flush_indexes()

    def scratch_file(self) -> IO[bytes]:
        """An empty file without a name, on the graph's disk, for what is too much for memory."""
        return tempfile.TemporaryFile(dir=self._directory.live)

    def published_store(self) -> Store:
        """The store as it is published, without what this writer has changed; good until `publish`."""
        if self._published is None:
            number = self._directory.current()
            folder = self._directory.revision(number) / "store"
            self._published = open_for_reading(folder) if number else in_memory()
        return self._published

    def start_over(self, quads: Iterable[Quad], iris: Iris) -> None:
        """Replaces all statements by others, whose resources `iris` names; the indexes are empty."""
        self._begin()
        self.iris = iris
        self.store.clear()
        self.store.bulk_extend(quads)
        self._empty_chunk_indexes(CHUNK_INDEXES)
        self.documents = DocumentIndex.create(self._directory.live / "documents")
        self._changed_documents = {each.iri: None for each in reading.documents(self.store)}
        self._touched.everything = self.links.all_stale = self.mentions.all_stale = True
        self.summaries.read_all()
        self.concepts.drop()

    def merge_indexes(self) -> None:
        """Brings the indexes into the form of a fresh build; their row numbers change."""
        self._begin()
        self.flush_indexes()
        for index in (*self._chunk_indexes.values(), self.documents):
            index.merge()
        self.mentions.all_stale = True
        self.summaries.read_all()

    def align_indexes(self) -> None:
        """Gives the indexes of vectors and of aspects the same rows in the same order, if they differ."""
        if not self.aspects.is_beside(self.vectors.segments):
            self._begin()
            self.vectors.merge()
            self.aspects.merge()

    def compact(self) -> None:
        """Merges the store's files, between which whoever reads would else have to look in several."""
        self._begin()
        self.store.optimize()

    @property
    def changed(self) -> bool:
        """Whether there is something to publish."""
        return self._changing

    def remove_loose_edges(self) -> None:
        """Takes out the curated edges of what has gone; of what a change has brought back, they stay.

        `publish` does so, too; a caller that does it first can say which edges go (`lost_edges`).
        """
        for edge in curated_edges.loose_edges(self.store, self.iris, self._perhaps_gone):
            self._note_loss(edge)
            for quad in curated_edges.removal(self.store, self.iris, edge):
                self._remove(quad)
        self._perhaps_gone = set()

    def publish(self, recipe: str = "") -> int | None:
        """Makes the changes visible to readers; returns the revision's number, None if nothing changed.

        `recipe` is the text of the graph's recipe from now on, if that changes.
        """
        if not self._changing:
            return None
        self.target_mentions({})  # where nothing has told what they are of
        self.remove_loose_edges()
        self.flush_indexes()
        for each in (self.links, self.mentions):
            each.refresh(self.store)
        self.summaries.refresh(self.store, self.encoder)
        self._published = None
        reread = self.links.index, self.mentions.index
        indexes = self.vectors, self.documents, *reread, self.summaries, self.concepts
        texts = *(each.digest for each in indexes), recipe
        made = RevisionConfiguration(self.iris.base, self.encoder.name, *texts)
        number = self._directory.publish(self.store, self._shared_now(), made)
        self._changing = False
        return number

    def close(self) -> None:
        """Closes the store, whose lock on its files would else last as long as anyone knows this writer."""
        self._store.close()
        self._published = None
        if self._untargeted is not None:
            self._untargeted.close()
        del self._chunk_indexes, self.documents, self.links, self.mentions, self.summaries, self.concepts

    # --- inside ---

    def _take_head(self, prepared: PreparedDocument, iri: str) -> None:
        """Notes what follows from a document as a whole."""
        document = prepared.document
        statements = shareable(document, self.iris)
        self.touch(self._stated_twice(statements) if self.is_first else statements)
        if not self.is_first:
            self._touched.graphs.add(self.iris.document_graph(iri))
        self.summaries.stale.update(
            iri if number == WHOLE_DOCUMENT else self.iris.section(iri, number)
            for number in prepared.abstracts
        )
        target = Target(document.identifier, document.title, url=document.url)
        chunks = zip(prepared.iris, prepared.chunks, strict=True)
        self._changed_documents[iri] = indexed_document(target, chunks, document.root, document.path)

    def _load(self, prepared: Sequence[PreparedDocument]) -> None:
        """Has the store take documents: in the background those without blank nodes, which a text renames."""
        blank = [each for each in prepared if _is_blank(each.document)]
        plain = (each for each in prepared if not _is_blank(each.document))
        self._store.load_in_background(self._lines(plain))
        if blank:
            self.store.bulk_extend(self._noticed(quads_of(self._lines(blank))))

    def _lines(self, prepared: Iterable[PreparedDocument]) -> Iterator[str]:
        for each in prepared:
            if self._untargeted is not None:
                graph = self.iris.document_graph(self.iris.document(each.document.identifier))
                self._untargeted.append([(graph, list(mentioned(each, self.iris)))])
            yield from document_lines(each, self.iris, targets=self._untargeted is None)

    def _changed_in(self, graphs: Iterable[str]) -> Iterator[Quad]:
        for each in graphs:
            states = (self.published_store(), self.store)
            was, now = (set(store.quads_for_pattern(None, None, None, NamedNode(each))) for store in states)
            for quad in was ^ now:
                if isinstance(quad.object, Triple):  # a document states it, in a graph of users
                    quad = Quad(quad.object.subject, quad.object.predicate, quad.object.object)
                if not self._is_own(quad.subject):
                    yield quad

    def _is_own(self, term: object) -> bool:
        return isinstance(term, NamedNode) and term.value.startswith(self.iris.base)

    def _shared_now(self) -> SharedStatements:
        """The statements that several graphs make."""
        if self._shared is None or self._touched.everything:
            self._shared = shared_statements.everywhere(self.store)
        else:
            self._shared = shared_statements.followed(self._shared, self.store, self._touched)
        self._touched = TouchedStatements()
        return self._shared

    def _shareable(self, quads: Iterable[Quad]) -> Iterator[Quad]:
        """The quads, of some, that another graph may have: of first documents, only what is not ours."""
        return (each for each in quads if not (self.is_first and self._is_own(each.subject)))

    def _stated_twice(self, statements: Iterable[Quad]) -> Iterator[Quad]:
        """The statements of first documents that another document's graph has, or may have."""
        for each in statements:
            graph = hash(each.graph_name)
            if self._is_own(each.subject) or self._stated.setdefault(hash(each.triple), graph) != graph:
                yield each

    def _note_loss(self, iri: str) -> None:
        if (edge := curated_edges.read_edge(self.store, self.iris, iri)) is not None:
            ends = f"<{edge.source}> <{edge.relation_type}> <{edge.target}>"
            _log.warning("the curated edge %s goes with its end: %s; add it again if it holds", iri, ends)
            if len(self.lost_edges) < self.settings.max_report_entries:
                self.lost_edges.append(edge)

    def _withdraw(self, document_graph: NamedNode) -> None:
        """Takes out what a document states and no other does, and the named graphs that are empty then."""
        named = user_statements.graphs_of(self.store, document_graph)
        for quad in list(user_statements.claimed_alone(self.store, document_graph)):
            self._remove(quad)
        for name in named:
            if next(self.store.quads_for_pattern(None, None, None, name), None) is None:
                self.store.remove_graph(name)

    def _remove(self, quad: Quad) -> None:
        self.store.remove(quad)
        self.touch((quad.triple,))

    def _begin(self) -> None:
        if not self._changing:
            self._directory.mark_changing()
            self._changing = True

    def _empty_chunk_indexes(self, rows: Iterable[ChunkIndex]) -> None:
        live, dimensions = self._directory.live, self.encoder.dimensions
        self._chunk_indexes |= {each.name: each.created(live, dimensions) for each in rows}

    @property
    def _lexical(self) -> LexicalIndex:
        return cast("LexicalIndex", self._chunk_indexes["lexical"])

    def _is_as_published(self, made: RevisionConfiguration | None) -> bool:
        """Whether the indexes hold the chunks and documents that the current revision was published with."""
        return (
            made is not None
            and made.documents == self.documents.digest
            and all(made.chunks == index.digest for index in self._chunk_indexes.values())
        )

    def _mend_indexes(self, made: RevisionConfiguration | None) -> None:
        """Makes the indexes those of the current revision, which `made` describes; None before the first."""
        if not self._is_as_published(made):
            self.repair_indexes()
        self.links.all_stale |= made is not None and made.links not in ("", self.links.index.digest)
        # an earlier release, which says nothing of mentions, does not follow them either
        self.mentions.all_stale |= made is not None and made.mentions != self.mentions.index.digest
        for each in (self.links, self.mentions):
            if each.all_stale:
                self._begin()
                each.refresh(self.store)
        if made is not None and made.summaries != self.summaries.digest:
            self._begin()
            self.summaries.all_stale = True
        if made is not None and made.concepts != self.concepts.digest:
            self.concepts.drop()

    def repair_indexes(self) -> None:
        """Makes the indexes hold exactly the chunks of the store, as far as these say what a chunk needs."""
        self.flush_indexes()
        stored, speaking = set(reading.chunk_iris(self.store)), self._of_another_language()
        indexed = {name: set(index.iris) for name, index in self._chunk_indexes.items()}
        read = self._read(speaking.union(*(stored - each for each in indexed.values())))
        for row in CHUNK_INDEXES:
            held = indexed[row.name]
            lacking = {iri: each for iri, each in read.items() if iri not in held or iri in speaking}
            if lacking or held - stored:
                self._begin()
                batch = ChunkBatch.of(lacking, self.encoder)
                row.take(self._chunk_indexes[row.name], batch, held - stored)
        if self._lexical.outdated:
            self._lexical.merge()
        documents, held = {each.iri for each in reading.documents(self.store)}, set(self.documents.iris)
        if documents != held:
            self._begin()
            missing = indexed_documents(self.store, documents - held)
            self.documents.update(missing, held - documents)

    def _of_another_language(self) -> set[str]:
        """The chunks that an earlier release indexed as English, and whose documents are not."""
        if not self._lexical.outdated:
            return set()
        documents = (each for each in reading.documents(self.store) if each.language is not None)
        other = [each.iri for each in documents if indexed_language(each.language) != ENGLISH]
        chunks = [chunk for document in other for chunk in reading.chunks_of(self.store, document)]
        languages = self._lexical.languages(chunks)
        return {chunk for chunk, language in zip(chunks, languages, strict=True) if language == ENGLISH}

    def _indexed(self, iris: Collection[str]) -> set[str]:
        """The chunks among some IRIs that an index holds."""
        wanted, held = list(iris), set[str]()
        for index in self._chunk_indexes.values():
            rows = index.rows(wanted).tolist()
            held.update(iri for iri, row in zip(wanted, rows, strict=True) if row >= 0)
        return held

    def _documents_of(self, chunks: Iterable[str]) -> Iterator[str]:
        """The documents (IRIs) that some chunks are parts of."""
        for chunk in chunks:
            for quad in self.store.quads_for_pattern(NamedNode(chunk), node(v.IS_PART_OF), None, None):
                if isinstance(quad.object, NamedNode):
                    yield quad.object.value

    def _read(self, iris: Iterable[str]) -> dict[str, tuple[ChunkInDocument, FloatArray]]:
        """The content of some chunks (IRIs) in the store, with their vectors; only of complete ones."""
        wanted = sorted(iris)
        placed = placed_chunks(self.store, self.settings.default_language, wanted) if wanted else {}
        texts = [encoding_text(each.chunk) for each in placed.values()]
        vectors = encode_stored(self.encoder, texts) if texts else ()
        return {iri: (each, row) for (iri, each), row in zip(placed.items(), vectors, strict=True)}

    def _index(self, iris: Iterable[str]) -> set[str]:
        """Has the indexes take what the store says of some chunks (IRIs); returns those that say enough."""
        read = self._read(iris)
        self._added |= read
        return set(read)

    def _noticed(self, quads: Iterable[Quad]) -> Iterator[Quad]:
        """The same; of the chunks of whose links they say something, the index of links reads all again."""
        for quad in quads:
            if isinstance(quad.object, Triple):
                self.links.stale.update(_linking(quad.object))
            yield quad

    def _notice(self, quads: Iterable[Quad]) -> None:
        for _ in self._noticed(quads):
            pass

    def _linking_to(self, document: str) -> set[str]:
        links = self.store.quads_for_pattern(None, node(v.LINKS_TO), NamedNode(document), None)
        return {quad.subject.value for quad in links if isinstance(quad.subject, NamedNode)}

    def _entities_of(self, chunk: str) -> Iterator[str]:
        for quad in self.store.quads_for_pattern(NamedNode(chunk), node(v.MENTIONS), None, None):
            if isinstance(quad.object, NamedNode):
                yield quad.object.value

    def _remove_edges_at(self, resource: NamedNode) -> None:
        graph = node(self.iris.edges_graph)
        quads: list[Quad] = []
        for role in (v.SOURCE, v.TARGET):
            quads += self.store.quads_for_pattern(None, node(role), resource, graph)
        for link in self.store.quads_for_pattern(resource, node(v.LINKS_TO), None, graph):
            quads += self.store.quads_for_pattern(None, node(v.REIFIES), link.triple, graph)
        for reifier in {quad.subject for quad in quads}:
            if isinstance(reifier, NamedNode):
                self._remove_edge(reifier)

    def _remove_edge(self, reifier: NamedNode) -> None:
        """Takes an edge out, and the statement that it annotates unless another edge annotates it too."""
        graph = node(self.iris.edges_graph)
        for quad in list(self.store.quads_for_pattern(reifier, None, None, graph)):
            self._remove(quad)
            if isinstance(term := quad.object, Triple):
                self._notice((quad,))
                others = self.store.quads_for_pattern(None, node(v.REIFIES), term, graph)
                if next(others, None) is None:
                    self._remove(in_graph(term, graph))


def _subjects(statements: Iterable[Quad], *predicates: str) -> Iterator[str]:
    """The IRIs of which some statements say something by one of some properties."""
    for each in statements:
        if each.predicate.value in predicates and isinstance(each.subject, NamedNode):
            yield each.subject.value


def _is_blank(document: Document) -> bool:
    """Whether a document's own statements have blank nodes, or triple terms, which may have some."""
    statements = chain(document.statements, document.named_statements)
    return any(isinstance(term, BlankNode | Triple) for each in statements for term in each)


def _linking(statement: Triple) -> Iterator[str]:
    """The chunk of which a statement says that it links to something."""
    if statement.predicate == node(v.LINKS_TO) and isinstance(statement.subject, NamedNode):
        yield statement.subject.value
