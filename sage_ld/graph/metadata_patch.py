"""A change of the metadata of one document, by the rules of a JSON merge patch (RFC 7396)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld import vocabulary as v
from sage_ld.errors import InputError
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.deriver import Deriver
from sage_ld.graph.document_view import is_metadata, statements
from sage_ld.graph.guarding import check_change
from sage_ld.graph.writer import Writer
from sage_ld.metadata_terms import MetadataTerms, own_property
from sage_ld.model import Document
from sage_ld.readers.metadata.fields import filled, resolved
from sage_ld.readers.metadata.properties import check_length, check_values, joined, properties_of
from sage_ld.readers.roots import PROGRAM_ROOT
from sage_ld.settings import Settings
from sage_ld.store.documents import description_quads, file_quads
from sage_ld.store.reading import StoredDocument
from sage_ld.store.terms import node

_FIXED = {v.NAME: "name", v.IN_LANGUAGE: "language", v.URL: "url"}
"""Properties that decide how a document is cut, indexed and linked."""


def patch_metadata(
    deriver: Deriver, stored: StoredDocument, patch: Mapping[str, object], terms: MetadataTerms
) -> bool:
    """Changes the metadata of a document, which becomes a program's; gives whether this changes anything.

    A key with the value None is removed, another one is replaced, an object changes the keys inside it. What
    follows is derived; the caller publishes.

    Raises InputError for a key that cannot be changed alone, or a value that is no metadata, LimitError,
    ShapeError where the document would break the shapes.
    """
    writer = deriver.writer
    changed = _exchanged(writer, stored, patch, terms)
    if changed:
        values = {each.object.value for each in changed if isinstance(each.object, NamedNode)}
        check_change(writer, {stored.iri} | values)
        deriver.run(Changes(), writer.settings.relink_share)
    return bool(changed)


# --- inside ---


def _exchanged(
    writer: Writer, stored: StoredDocument, patch: Mapping[str, object], terms: MetadataTerms
) -> list[Quad]:
    """The statements that the patch has removed and added."""
    base, about = writer.iris.base, statements(writer.store, writer.iris, stored.iri)
    changes = dict(_flattened(patch, writer.settings))
    named = {key: terms.property(key, base) for key in changes}
    for key, iri in named.items():
        _check(key, iri)
    properties = properties_of(
        {key: value for key, value in changes.items() if value is not None}, "the patch", writer.settings
    )
    said = filled(
        Document(stored.identifier, "", "", (), "", ""), (resolved(each, terms, base) for each in properties)
    )
    prefixes = tuple(own_property(key, base) + "." for key in changes)
    removed = {each for each in about if is_metadata(each) and _is_meant(each, set(named.values()), prefixes)}
    added = set(description_quads(said, writer.iris))
    if removed == added:
        return []
    kept = {each for each in about if is_metadata(each)} - removed | added
    _check_size(kept, stored.identifier, writer.settings)
    fields = {each for each in about if each.predicate.value in (v.CONTENT_HASH, v.FILE_PATH, v.FILE_ROOT)}
    renewed = set(_renewed(stored, kept, writer))
    gone, new = removed - added | fields - renewed, added - removed | renewed - fields
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


def _check(key: str, iri: str) -> None:
    if (field := _FIXED.get(iri)) is not None:
        raise InputError(
            f"{key[:60]!r} is the document's {field}, by which it is cut, indexed or linked; put the "
            "document with another one"
        )


def _is_meant(quad: Quad, iris: set[str], prefixes: tuple[str, ...]) -> bool:
    return quad.predicate.value in iris or quad.predicate.value.startswith(prefixes)


def _check_size(metadata: Iterable[Quad], identifier: str, settings: Settings) -> None:
    sizes = [len(each.predicate.value) + len(str(each.object)) for each in metadata]
    check_values(len(sizes), identifier[:80], settings)
    check_length(sum(sizes), identifier[:80], settings)


def _renewed(stored: StoredDocument, metadata: Iterable[Quad], writer: Writer) -> Iterator[Quad]:
    """The hash of the document with the new metadata, and its place among those of programs."""
    said = [stored.content_hash, *sorted(f"{each.predicate} {each.object}" for each in metadata)]
    digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()
    graph = NamedNode(writer.iris.document_graph(stored.iri))
    yield Quad(NamedNode(stored.iri), node(v.CONTENT_HASH), Literal(digest), graph)
    yield from file_quads(stored.iri, PROGRAM_ROOT, stored.identifier, graph.value)
