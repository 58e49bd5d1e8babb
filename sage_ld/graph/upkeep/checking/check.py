"""The run of all checks, and of the repairs that their findings name.

A repair changes nothing that was stored: files of documents' and users' statements are neither written nor
removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

from pyoxigraph import NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.progress import Progress
from sage_ld.graph.derivations.table import DERIVATIONS
from sage_ld.graph.store import reading
from sage_ld.graph.store.curated_edges import is_there
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.graph.upkeep.checking.findings import Cure, Finding

if TYPE_CHECKING:
    from sage_ld.graph.shapes.shacl import Violation
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import IO

from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError, SageError
from sage_ld.graph.derivations.concept_indexes import CONCEPT_PARTS
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.oxigraph import is_damage, open_for_reading
from sage_ld.graph.store.stores import Stores
from sage_ld.graph.upkeep.checking import files
from sage_ld.graph.upkeep.checking.findings import Health
from sage_ld.graph.upkeep.checking.indexes import indexes

_ENDS: Final = (v.SOURCE, v.TARGET, v.NEXT, v.LINKS_TO, v.SIMILAR_TO, v.ANALOGOUS_TO)
_RELINK: Final = "derives edges and labels again"


def shapes(store: Store, iris: Iris, most: int, progress: Progress) -> Iterator[Finding]:
    """A finding for each violation of the shapes; those beyond `most` are described as the last one."""
    from sage_ld.graph.shapes.shacl import validate

    report = validate(store, limit=most, progress=partial(progress, "shapes"))
    findings = [_broken(store, each, iris) for each in report.violations]
    yield from findings
    yield from chain.from_iterable(repeat(findings[-1:], report.count - len(findings)))


def _broken(store: Store, violation: Violation, iris: Iris) -> Finding:
    meaning = f"{violation.message} ({violation.rule})"
    if _is_derived(store, violation.focus, iris):
        return Finding("shapes", violation.focus, meaning, _RELINK, Cure.RELINK)
    remedy = "correct the statement by an update, or ingest its document again"
    return Finding("shapes", violation.focus, meaning, remedy)


def ends(store: Store, iris: Iris, chunks: set[str], progress: Progress) -> Iterator[Finding]:
    """The edges, but curated ones, that lead from or to a chunk or a document of ours that is not there."""
    known = chunks | {each.iri for each in reading.documents(store)}
    ours = tuple(f"{iris.base}{kind}/" for kind in ("chunk", "document"))
    derived, curated = _derived_graphs(iris), node(iris.curated_graph)
    for number, predicate in enumerate(_ENDS):
        progress("edges", number, len(_ENDS))
        for quad in store.quads_for_pattern(None, node(predicate), None, None):
            if quad.graph_name == curated and predicate in (v.SOURCE, v.TARGET):
                continue  # `loose_ends` has them
            gone = _end(quad.object, ours, known) or _end(quad.subject, ours, known)
            if gone is not None:
                yield _dangling(quad, gone, derived)
    progress("edges", len(_ENDS), len(_ENDS))


def loose_ends(store: Store, iris: Iris) -> Iterator[Finding]:
    """The ends of curated edges that are not there, in a store that has each named graph."""
    for role in (v.SOURCE, v.TARGET):
        for quad in store.quads_for_pattern(None, node(role), None, node(iris.curated_graph)):
            end = quad.object
            if isinstance(end, NamedNode) and not is_there(store, iris, end.value):
                meaning = (
                    f"it is an end of the curated edge {quad.subject}, and the graph has no such resource"
                )
                yield Finding("edges", end.value, meaning, "remove the edge (sage-ld edges remove)")


def _end(term: object, ours: tuple[str, ...], known: set[str]) -> str | None:
    """The IRI of a resource that should be there, and is not."""
    if isinstance(term, NamedNode) and term.value.startswith(ours) and term.value not in known:
        return term.value
    return None


def _dangling(quad: Quad, gone: str, derived: frozenset[str]) -> Finding:
    graph = quad.graph_name.value if isinstance(quad.graph_name, NamedNode) else "the default graph"
    meaning = f"it is an end of {quad.subject} {quad.predicate}, and there is no such chunk or document"
    if graph in derived:
        return Finding("edges", gone, meaning, _RELINK, Cure.RELINK)
    return Finding("edges", gone, meaning, f"remove the statement from {graph}")


def _is_derived(store: Store, focus: str, iris: Iris) -> bool:
    """Whether all that is said of a node is derived."""
    graphs = {quad.graph_name for quad in store.quads_for_pattern(NamedNode(focus), None, None, None)}
    names = {each.value for each in graphs if isinstance(each, NamedNode)}
    return bool(names) and len(names) == len(graphs) and names <= _derived_graphs(iris)


def _derived_graphs(iris: Iris) -> frozenset[str]:
    """The graphs that a relink writes again."""
    return frozenset(each.graph(iris) for each in DERIVATIONS)


def repaired(directory: Directory, findings: Sequence[Finding], progress: Progress) -> None:
    """Carries out the cures of some findings. Raises ConflictError where another process writes."""
    from sage_ld.graph.open_graph import OpenGraph

    cures = {each.cure for each in findings}
    with directory.locked():
        if Cure.CURRENT in cures:
            _name_current(directory)
        for each in findings:
            if each.removable:
                remove(directory.path / each.where)
        if Cure.CLEAN in cures:
            directory.prepare_live()
    if not cures & {Cure.REPUBLISH, Cure.REINDEX, Cure.RELINK}:
        return
    distrusted: Collection[str] = {each.part for each in findings if each.cure is Cure.REINDEX}
    graph = OpenGraph(directory)
    with graph.writer(distrusted) as writer:
        if Cure.RELINK in cures or not CONCEPT_PARTS.isdisjoint(distrusted):
            graph.deriver(writer, progress).run_all()
        writer.change()
        writer.publish()


def _name_current(directory: Directory) -> None:
    """Names the newest complete revision whose store can be read, if there is one."""
    for number in directory.complete():
        try:
            open_for_reading(directory.revision(number) / "store")
        except InputError:
            continue
        directory.make_current(number)
        return


_MOST: Final = 100
"""Findings of one check that are described."""
_ROUNDS: Final = 3
"""Repairs, after each of which everything is checked again: one may show what another is for."""


def check_graph(directory: Directory, *, repair: bool, progress: Progress) -> Health:
    """The state of a graph's files and of what its newest revision says.

    Raises NotFoundError where there is no graph, ConflictError where another process writes, and it is to
    be repaired, or a newer sage-ld has made it.
    """
    if not directory.exists():
        directory.configuration()  # says so
    health = _checked(directory, progress)
    before = health.findings
    for _ in range(_ROUNDS if repair else 0):
        if all(each.cure is Cure.NONE for each in health.findings):
            break
        repaired(directory, health.findings, progress)
        health = _checked(directory, progress)
    left = {(each.check, each.where) for each in health.findings}
    fixed = tuple(each for each in before if (each.check, each.where) not in left)
    return Health(health.findings, health.more, fixed, health.revision)


def _checked(directory: Directory, progress: Progress) -> Health:
    found = [*files.special(directory)] or [
        *files.configuration(directory),
        *files.current(directory),
        *_leftovers(directory),
        *files.retrievals(directory),
    ]
    number = more = 0
    if not any(each.conclusive for each in found):
        with suppress(NotFoundError):  # an empty graph
            number, inside, more = _inside(directory, progress)
            found += inside
    return Health(tuple(dict.fromkeys(found)), more, revision=number)


def _first(findings: Iterable[Finding]) -> tuple[list[Finding], int]:
    """The first findings of one check, with the first one of each cure, and how many more there are."""
    described: list[Finding] = []
    more = 0
    for each in findings:
        if len(described) < _MOST or all(each.cure is not other.cure for other in described):
            described.append(each)
        else:
            more += 1
    return described, more


def _leftovers(directory: Directory) -> Iterator[Finding]:
    """Leftovers of killed processes, and damage of `live/`; nothing while a process writes there."""
    try:
        with directory.locked():
            yield from [*files.leftovers(directory), *files.live(directory)]
    except (ConflictError, OSError):
        return


def _inside(directory: Directory, progress: Progress) -> tuple[int, list[Finding], int]:
    """The number of the newest revision that can be read, its first findings, and how many more it has."""
    try:
        return directory.open_newest(lambda number, pin: _pinned(directory, number, pin, progress))
    except (InputError, OSError) as error:
        return 0, [Finding("revision", "revisions", str(error), "restore a backup")], 0


def _pinned(
    directory: Directory, number: int, pin: IO[bytes], progress: Progress
) -> tuple[int, list[Finding], int]:
    with pin:
        return number, *_of_revision(directory, number, progress)


def _of_revision(directory: Directory, number: int, progress: Progress) -> tuple[list[Finding], int]:
    revision = directory.revision(number)
    stores = Stores.open(revision)
    try:
        iris = Iris(directory.configuration(number).base_iri)
    except SageError as error:
        where = f"revisions/{revision.name}/made.toml"
        remedy = "publishes a revision whose made.toml has base IRI and encoder from sage-ld.toml"
        return [Finding("revision", where, str(error), remedy, Cure.REPUBLISH, removable=True)], 0
    found, more = _first(files.digests(directory, number, progress))
    try:
        chunks = set(reading.chunk_iris(stores.merged))
        for part in (
            indexes(revision, stores.merged, chunks, progress),
            ends(stores.merged, iris, chunks, progress),
            loose_ends(stores.named, iris),
            shapes(stores.merged, iris, _MOST, progress),
        ):
            described, others = _first(part)
            found += described
            more += others
    except RuntimeError as error:
        if not is_damage(error):
            raise
        meaning = f"a file of the store is damaged ({str(error)[:200]}); what follows was not checked"
        found.append(Finding("store", f"revisions/{revision.name}/store", meaning, "restore a backup"))
    return found, more
