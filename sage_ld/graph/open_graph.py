"""An opened graph: its directory, what is configured, the revision that is read, and the writer.

It is what the operations on a graph take as their argument; `KnowledgeGraph` is the façade over it.
Imports that only writing needs are inside its functions, so that a search does not wait for them.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from functools import cached_property
from types import TracebackType
from typing import IO, TYPE_CHECKING, TypeVar

from sage_ld.build.encoders.cache import CachedEncoder, load_cached
from sage_ld.foundation.caches import ComputedOnce
from sage_ld.foundation.metadata_terms import MetadataTerms, builtin_terms
from sage_ld.foundation.model import IntArray
from sage_ld.foundation.progress import Progress, silent
from sage_ld.foundation.recipes import Recipe, write_recipe
from sage_ld.foundation.settings import Settings
from sage_ld.graph.indexes.links import Links
from sage_ld.graph.indexes.mentions import Mentions
from sage_ld.graph.indexes.positions import Positions
from sage_ld.graph.indexes.segments import aligned_rows, aligned_stored_rows
from sage_ld.graph.store.configuration import Configuration, check_format
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.drafts import RECIPE_FILE
from sage_ld.graph.store.graph_files import current_or_unknown
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.stores import Stores
from sage_ld.graph.upkeep.rebuilding import open_indexes

if TYPE_CHECKING:
    from sage_ld.build.annotators.abstracts import Summarise
    from sage_ld.build.annotators.skeletons import MakeSkeleton
    from sage_ld.build.concepts.grouping import Judge
    from sage_ld.graph.derivations.deriver import Deriver
    from sage_ld.graph.writing.writer import Writer

T = TypeVar("T")


class Snapshot:
    """A published revision. As long as it is open, nobody deletes it."""

    def __init__(
        self,
        directory: Directory,
        number: int,
        pin: IO[bytes],
        settings: Settings,
        distrusted: Collection[str] = (),
    ) -> None:
        self.directory = directory
        self.number = number
        self.configuration = directory.configuration(number)
        check_format(self.configuration, directory.path)
        """Its base IRI and its encoder are those of this revision."""
        self._derived = ComputedOnce()
        self._let_go = weakref.finalize(self, pin.close)
        self.stores = Stores.open(directory.revision(number))
        indexes = open_indexes(directory, number, self.store, settings, distrusted)
        self.lexical, self.vectors = indexes.lexical, indexes.vectors
        self._positions, self._links = indexes.positions, indexes.links
        self.mention_index = indexes.mentions
        self.summaries = indexes.summaries
        """The vectors of the abstracts of documents and sections; None where the graph has none."""
        self.rebuilt = indexes.rebuilt
        """The reason why an index was rebuilt for this process, by the index's name."""

    @property
    def store(self) -> Store:
        """Every statement once: the merge of all graphs. `stores.named` has each graph whole."""
        return self.stores.merged

    @cached_property
    def lexical_rows(self) -> IntArray:
        """The row of the lexical index for each row of the vector index: scores[lexical_rows] are aligned."""
        return aligned_rows(self.vectors.segments, self.lexical.segments)

    @cached_property
    def positions(self) -> Positions:
        """The terms of each chunk and their offsets, by row of the position index."""
        return self._positions.positions()

    @cached_property
    def position_rows(self) -> IntArray:
        """The row of the position index for each row of the vector index."""
        return aligned_rows(self.vectors.segments, self._positions.segments)

    @cached_property
    def links(self) -> Links:
        """Confidence and position of each chunk's links, by stored row of the link index."""
        return self._links.links()

    @cached_property
    def link_rows(self) -> IntArray:
        """The stored row of the link index for each row of the vector index; -1 for a chunk without links."""
        return aligned_stored_rows(self.vectors.segments, self._links.segments)

    @cached_property
    def mentions(self) -> Mentions:
        """The entities of each chunk and the chunks of each entity, by row of the mention index."""
        return self.mention_index.mentions()

    @cached_property
    def mention_rows(self) -> IntArray:
        """The row of the mention index for each row of the vector index; -1 for a chunk without mentions."""
        return aligned_rows(self.vectors.segments, self.mention_index.segments)

    @cached_property
    def mentioning_rows(self) -> IntArray:
        """The row of the vector index for each row of the mention index; -1 for a row without one."""
        return aligned_rows(self.mention_index.segments, self.vectors.segments)

    def derived(self, make: Callable[[Snapshot], T], key: Hashable = None) -> T:
        """The result of `make` for this revision, computed once and kept as long as the snapshot.

        It is kept under `key`, or under `make` itself, which then has to be one and the same function.
        """
        return self._derived.get(make if key is None else key, lambda: make(self))

    @classmethod
    def newest(
        cls,
        directory: Directory,
        settings: Settings,
        distrusted: Callable[[int], Collection[str]] = lambda number: (),
    ) -> Snapshot:
        """The current revision, or an earlier one where its store is damaged.

        `distrusted` returns the names of indexes that are to be rebuilt, from the number of a revision.
        Raises NotFoundError if nothing has been published yet.
        """
        return directory.open_newest(
            lambda number, pin: cls(directory, number, pin, settings, distrusted(number))
        )

    def close(self) -> None:
        """Release the revision, so that it may be deleted once there is a newer one."""
        self._let_go()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class OpenGraph:
    """The state of an opened graph. Reading never waits for a writer; writing takes the graph's one lock."""

    def __init__(
        self,
        directory: Directory,
        settings: Settings | None = None,
        *,
        judge: Judge | None = None,
        summarise: Summarise | None = None,
        make_skeleton: MakeSkeleton | None = None,
    ) -> None:
        self.directory = directory
        self.configuration = directory.configuration()
        """The number of the newest revision that this object has opened or written."""
        self.settings = settings or Settings.load(dict(self.configuration.settings))
        self.judge = judge
        """Says which near terms are aliases; writes to a graph with concepts ask it (docs/structure.md)."""
        self.summarise = summarise
        """Writes abstracts where the recipe asks for some; None: sentences are chosen by a rule."""
        self.make_skeleton = make_skeleton
        """Makes skeletons where the recipe asks for analogies; None: words are chosen by a rule."""
        self._loaded: tuple[str, CachedEncoder] | None = None
        self._snapshot: Snapshot | None = None
        self._asked = 0
        """The newest revision when `_snapshot` was opened, which is an earlier one if that was damaged."""
        self._guard = threading.Lock()

    @property
    def iris(self) -> Iris:
        """The IRIs of the graph's resources."""
        return Iris(self.configuration.base_iri)

    @property
    def encoder(self) -> CachedEncoder:
        """The graph's encoder, with its cache in front of it."""
        return self._encoder_named(self.configuration.encoder)

    def encoder_of(self, snapshot: Snapshot) -> CachedEncoder:
        """The encoder of a revision: another one where the graph was encoded again after or before it."""
        return self._encoder_named(snapshot.configuration.encoder)

    def _encoder_named(self, name: str) -> CachedEncoder:
        """The encoder, loaded when it is first asked for; the last one is kept."""
        loaded = self._loaded
        if loaded is None or loaded[0] != name:
            loaded = self._loaded = (name, load_cached(name, self.settings))
        return loaded[1]

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe by which the graph is built and searched: a preset, or its own copy of a recipe file."""
        return self.directory.recipe()

    def snapshot(self) -> Snapshot:
        """The newest revision. It stays open as long as somebody refers to it, or until the graph is closed.

        Of a damaged one, indexes are rebuilt in memory; where its store is damaged, an earlier revision that
        is still there takes its place. Raises NotFoundError if nothing has been ingested yet.
        """
        with self._guard:
            number = current_or_unknown(self.directory.path)
            if self._snapshot is None or self._asked != number:
                newest = Snapshot.newest(self.directory, self.settings)
                self.configuration = dataclasses.replace(
                    newest.configuration, recipe=self.configuration.recipe
                )
                self._snapshot, self._asked = newest, number
            return self._snapshot

    def close(self) -> None:
        """Close the open revision."""
        with self._guard:
            if self._snapshot is not None:
                self._snapshot.close()
                self._snapshot = None

    @contextmanager
    def writer(self, distrusted: Collection[str] = (), *, upgrades: bool = False) -> Iterator[Writer]:
        """The graph's writer, for as long as the block lasts.

        What the block did not `publish` is as if it had not been done. The indexes that `distrusted` names
        are rebuilt from the store. Raises ConflictError if another process writes, and for a graph of an
        earlier format unless the block `upgrades` it.
        """
        handled = sys.exception()
        with self.directory.locked():
            self.reread_configuration()
            if not upgrades:
                check_format(self.configuration, self.directory.path)
            from sage_ld.graph.writing.writer import Writer

            try:
                writer = Writer(self.directory, self.iris, self.encoder, self.settings, distrusted)
                try:
                    yield writer
                finally:
                    writer.close()
            except BaseException as error:
                _clear_frames(error, handled)
                raise

    def deriver(self, writer: Writer, progress: Progress = silent) -> Deriver:
        """The deriver of edges, links and labels by the graph's recipe, for a writer."""
        from sage_ld.graph.derivations.deriver import Deriver

        return Deriver(
            writer,
            self.recipe,
            self.configuration.encoder,
            progress,
            judge=self.judge,
            summarise=self.summarise,
            make_skeleton=self.make_skeleton,
        )

    def reread_recipe(self) -> Recipe:
        """The recipe as another process may have changed it."""
        self.__dict__.pop("recipe", None)  # what the cached property holds
        return self.recipe

    def reread_configuration(self) -> None:
        """Takes over base IRI, encoder and how the graph is built, which another process may have changed."""
        retrieval, self.configuration = self.recipe.retrieval, self.directory.configuration()
        self.__dict__["recipe"] = dataclasses.replace(self.reread_recipe(), retrieval=retrieval)

    def keep_recipe(self, recipe: Recipe) -> None:
        """Makes a recipe the graph's own, for whoever holds the lock."""
        self.configuration = dataclasses.replace(self.configuration, recipe=RECIPE_FILE)
        self.directory.configure(self.configuration, write_recipe(recipe))
        self.__dict__["recipe"] = recipe

    def configure_while_empty(self, change: Callable[[Configuration], Configuration]) -> bool:
        """Whether there is no revision yet; then the configuration alone is changed."""
        with self.directory.locked():
            if self.directory.current() > 0:
                return False
            self.reread_configuration()
            self.configuration = change(self.configuration)
            self.directory.configure(self.configuration)
            return True

    def metadata_terms(self, text: str | None, name: str) -> MetadataTerms:
        """The graph's table of keys of metadata, or the one that `text` is instead, from the file `name`."""
        if text is None:
            return self.directory.metadata_terms()
        return builtin_terms().extended(text, name, self.iris.base)


def _clear_frames(error: BaseException, before: BaseException | None) -> None:
    """Clears the frames of the failed calls so that they release the store, whose lock they would keep.

    So whoever handles the error may write again before it is forgotten. `error` followed from other errors
    (`__context__`); the error `before` them, and its causes, do not belong to the write.
    """
    cleared: list[BaseException] = []  # each once: whoever sets `__context__` may make a circle of errors
    ended: BaseException | None = error
    while ended is not None and ended is not before and ended not in cleared:
        traceback.clear_frames(ended.__traceback__)
        cleared.append(ended)
        ended = ended.__context__
