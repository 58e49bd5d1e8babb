"""A change of the metadata of one document, by the rules of a JSON merge patch (RFC 7396).

The document's graph has each key that a patch has changed as `sage:patchedKey`, beside its values. When the
document's file is read again, these take the place of what the file says.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.build.readers.metadata.fields import filled, resolved
from sage_ld.build.readers.metadata.properties import check_length, check_values, joined, properties_of
from sage_ld.build.readers.roots import PROGRAM_ROOT
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.metadata_terms import MetadataTerms, builtin_terms, own_property
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes.named_graphs import check_no_named_graph
from sage_ld.graph.changes.preconditions import PYTHON, Conditions, check_document
from sage_ld.graph.changes.shape_checks import check_change
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store.documents import description_quads, file_quads
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.stored_documents import own_document
from sage_ld.graph.store.terms import node, term_property
from sage_ld.graph.views.documents import is_metadata, patched_keys, statements
from sage_ld.graph.writing.writer import Writer


@dataclass(frozen=True, slots=True)
class KeyScope:
    """The properties that some keys mean, with those of the keys inside them (`author`, `author.email`)."""

    properties: frozenset[str]
    prefixes: Sequence[str]

    @classmethod
    def of(cls, keys: Iterable[str], terms: MetadataTerms, base: str) -> KeyScope:
        """The scope of keys by a table of terms, and by the base IRI of the graph."""
        named = list(keys)
        inner = outermost(own_property(key, base) + "." for key in named)
        return cls(frozenset(terms.property(key, base) for key in named), inner)

    def __contains__(self, iri: str) -> bool:
        return iri in self.properties or begins_with_any(iri, self.prefixes)


def outermost(prefixes: Iterable[str]) -> list[str]:
    """The prefixes that begin with no other one, sorted.

    >>> outermost(["made.", "team.", "made.by."])
    ['made.', 'team.']
    """
    kept: list[str] = []
    for each in sorted(prefixes):
        if not kept or not each.startswith(kept[-1]):
            kept.append(each)
    return kept


def begins_with_any(text: str, prefixes: Sequence[str]) -> bool:
    """Whether a text begins with one of the prefixes that `outermost` returns, in few comparisons.

    >>> begins_with_any("made.by.year", ["made.", "team."]), begins_with_any("made", ["made.", "team."])
    (True, False)
    """
    place = bisect_right(prefixes, text)
    return place > 0 and text.startswith(prefixes[place - 1])


def with_patches(document: Document, store: Store, iris: Iris, terms: MetadataTerms) -> Document:
    """A document whose file is read again, with what patches say of it in a store that has each named graph.

    Of each patched key it has the values that the graph has, which may be none, and not those of the file.
    """
    about = statements(store, iris, iris.document(document.identifier))
    keys = patched_keys(about)
    scope = KeyScope.of(keys, terms, iris.base)
    former = KeyScope.of(keys, builtin_terms(), iris.base)  # of a patch before the graph had a table
    own = {own_property(key, iris.base) for key in keys}

    def is_patched(iri: str) -> bool:
        return iri in scope or iri in former or iri in own

    kept = sorted((each for each in about if is_metadata(each) and is_patched(each.predicate.value)), key=str)
    bare = replace(
        document,
        description="" if is_patched(v.DESCRIPTION) else document.description,
        keywords=() if is_patched(v.KEYWORDS) else document.keywords,
        modified=None if is_patched(v.MODIFIED) else document.modified,
        patched_keys=tuple(sorted(keys)),
    )
    stated = (each for each in document.metadata if not is_patched(each.key))
    patched = (term_property(each.predicate.value, each.object) for each in kept)
    return filled(bare, (*filter(None, patched), *stated))


_FIXED = {v.NAME: "name", v.IN_LANGUAGE: "language", v.URL: "url"}
"""Properties that decide how a document is cut, indexed and linked."""


def patch_document(
    graph: OpenGraph,
    identifier: str,
    patch: Mapping[str, object],
    conditions: Conditions | None,
    *,
    take_over: bool,
) -> int | None:
    """Changes the metadata of a document as `patch_metadata` does; returns the revision that shows it."""
    with graph.writer() as writer:
        stored = own_document(writer.store, writer.iris, identifier)
        if stored is None:
            raise NotFoundError(f"no document {identifier!r} in {graph.directory.path}; nothing was changed")
        check_document(writer.store, writer.iris, stored.iri, conditions, PYTHON)
        check_no_named_graph(stored)
        terms = graph.directory.metadata_terms()
        patch_metadata(graph.deriver(writer), stored, patch, terms, take_over=take_over)
        return writer.publish()


def patch_metadata(
    deriver: Deriver,
    stored: StoredDocument,
    patch: Mapping[str, object],
    terms: MetadataTerms,
    *,
    take_over: bool = False,
) -> bool:
    """Changes the metadata of a document; returns whether this changes anything.

    A key with the value None is removed, another one is replaced, an object changes the keys inside it. The
    keys that the patch changes are kept as patched: what the document's file says of them does not count any
    more. With `take_over`, a document that came from a file becomes a program's. What follows is derived; the
    caller publishes.

    Raises InputError for a key that cannot be changed alone, or a value that is no metadata, LimitError,
    ShapeError where the document would break the shapes.
    """
    writer = deriver.writer
    changed = _exchanged(writer, stored, patch, terms, PROGRAM_ROOT if take_over else stored.root)
    if changed:
        values = {each.object.value for each in changed if isinstance(each.object, NamedNode)}
        check_change(writer, {stored.iri} | values)
        deriver.run(Changes(), writer.settings.relink_share)
    return bool(changed)


# --- inside ---


def _exchanged(
    writer: Writer, stored: StoredDocument, patch: Mapping[str, object], terms: MetadataTerms, root: str
) -> list[Quad]:
    """The statements that the patch has removed and added; `root` is that of the document from now on."""
    base, about = writer.iris.base, statements(writer.store, writer.iris, stored.iri)
    changes = _limited(_flattened(patch, writer.settings), writer.settings)
    named = {key: terms.property(key, base) for key in changes}
    for key, iri in named.items():
        _check(key, iri)
    properties = properties_of(
        {key: value for key, value in changes.items() if value is not None}, "the patch", writer.settings
    )
    said = filled(
        Document(stored.identifier, "", "", (), "", ""), (resolved(each, terms, base) for each in properties)
    )
    scope = KeyScope.of(changes, terms, base)
    before = {each for each in about if is_metadata(each)}
    after = {each for each in before if each.predicate.value not in scope}
    after.update(description_quads(said, writer.iris))
    if before == after and root == stored.root:
        return []
    changing = _changing(named, {each.predicate.value for each in before ^ after}, base)
    replaced = KeyScope.of(changing, terms, base)
    keys = {key for key in patched_keys(about) if terms.property(key, base) not in replaced} | changing
    _check_size(after, keys, stored.identifier, writer.settings)
    fields = {each for each in about if each.predicate.value in (v.PATCHED_KEY, v.FILE_PATH, v.FILE_ROOT)}
    renewed = set(_renewed(stored, keys, root, writer))
    gone, new = before - after | fields - renewed, after - before | renewed - fields
    writer.exchange(sorted(gone, key=str), sorted(new, key=str))
    return [*gone, *new]


def _flattened(
    patch: Mapping[str, object], settings: Settings, above: str = "", depth: int = 0
) -> Iterator[tuple[str, object]]:
    """The keys of a patch, those inside objects with dots, and their values; None for one that is removed."""
    if depth > settings.max_json_depth:
        raise InputError(f"the patch is nested deeper than {settings.max_json_depth:,} levels; flatten it")
    for name, value in patch.items():
        key = joined(above, str(name))
        if isinstance(value, Mapping):
            yield from _flattened(value, settings, key, depth + 1)
        else:
            yield key, value


def _limited(changes: Iterable[tuple[str, object]], settings: Settings) -> dict[str, object]:
    """The changes by key, taken one by one up to the limits of the settings. Raises LimitError."""
    taken: dict[str, object] = {}
    length = 0
    for key, value in changes:
        taken[key] = value
        length += len(key)
        check_values(len(taken), "the patch", settings)
        check_length(length, "the patch", settings)
    return taken


def _changing(named: Mapping[str, str], properties: Collection[str], base: str) -> set[str]:
    """The keys, each with its property, that mean one of some properties, or have one inside them."""
    ordered = sorted(properties)

    def has_inner(key: str) -> bool:
        prefix = own_property(key, base) + "."
        place = bisect_left(ordered, prefix)
        return place < len(ordered) and ordered[place].startswith(prefix)

    return {key for key, iri in named.items() if iri in properties or has_inner(key)}


def _check(key: str, iri: str) -> None:
    if (field := _FIXED.get(iri)) is not None:
        raise InputError(
            f"{key[:60]!r} is the document's {field}, which decides how it is cut, indexed or linked; put "
            "the document with another one"
        )


def _check_size(metadata: Iterable[Quad], keys: Iterable[str], identifier: str, settings: Settings) -> None:
    """Raises LimitError for more metadata, or more patched keys, than a document may have."""
    values = [len(each.predicate.value) + len(str(each.object)) for each in metadata]
    for sizes in (values, [len(key) for key in keys]):
        check_values(len(sizes), identifier[:80], settings)
        check_length(sum(sizes), identifier[:80], settings)


def _renewed(stored: StoredDocument, keys: Iterable[str], root: str, writer: Writer) -> Iterator[Quad]:
    """The statements of which keys are patched, and of which file the document came from."""
    graph = NamedNode(writer.iris.document_graph(stored.iri))
    for key in keys:
        yield Quad(NamedNode(stored.iri), node(v.PATCHED_KEY), Literal(key), graph)
    path = stored.path if root == stored.root else stored.identifier
    yield from file_quads(stored.iri, root, path, graph.value)
