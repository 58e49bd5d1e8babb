"""Sidecars: metadata of a file in another one beside it, `report.pdf.meta.yaml`, in YAML or JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.codings import as_unicode
from sage_ld.build.readers.companions import CSVW_METADATA, SIDECAR, combined_hash
from sage_ld.build.readers.heads import stated_head
from sage_ld.build.readers.metadata.fields import overridden
from sage_ld.build.readers.metadata.front_matter import stated, without, yaml_properties
from sage_ld.build.readers.source import LeftOut, Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.metadata_terms import builtin_terms
from sage_ld.foundation.model import Document, Property, Table
from sage_ld.foundation.settings import Settings

_NO_BASE: Final = "about:blank#"  # where a file is read, no graph is known
ENCODING: Final = "encoding"
"""The key of a sidecar that says the coding of its file's text."""
HEADER: Final = "header"
"""The key of a sidecar that says which row of its file's tables names the columns."""
_OF_ONE: Final = frozenset({v.NAME, v.URL})


def read_described(reader: Reader, source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
    """The documents of a file, with the metadata of its sidecar, and hashes that cover its companions.

    What the sidecar says of the heads of tables (`header: 3`) and of the coding (`encoding: koi8-r`) goes
    before the settings of these names. Raises SageError, also for a sidecar that cannot be read.
    """
    sidecar = sidecar_properties(source, settings)
    if header := stated(sidecar, HEADER):
        sidecar = without(sidecar, HEADER)
        settings = replace(settings, header=_checked(header, source))
    warnings: tuple[str, ...] = ()
    if reader.text and source.companion(CSVW_METADATA) is None:  # whose standard says what the coding is
        source, warnings = as_unicode(source, settings, stated(sidecar, ENCODING))
        sidecar = without(sidecar, ENCODING)
    for each in reader.read(source, settings):
        if isinstance(each, LeftOut):
            yield each
        else:
            if warnings:  # of the file: its first document has them
                each, warnings = replace(each, warnings=(*each.warnings, *warnings)), ()
            yield with_sidecar(_renewed(each, source, settings.header), source, sidecar)


def _checked(header: str, source: Source) -> str:
    """The statement of a sidecar about the heads of tables. Raises InputError, which names the file."""
    try:
        stated_head(header)
    except InputError as error:
        raise InputError(f"{source.identifier}: in its metadata, {error}") from None
    return header


def _renewed(document: Document, source: Source, header: str) -> Document:
    """The document with a hash that covers the companions of its file, and a head that is stated."""
    digest = combined_hash(document.content_hash, source.companions)
    if stated_head(header) is not None and any(
        isinstance(each, Table) and each.head for each in document.blocks
    ):
        digest = hashlib.sha256(f"{digest}\0header\0{header}".encode()).hexdigest()
    return document if digest == document.content_hash else replace(document, content_hash=digest)


def sidecar_properties(source: Source, settings: Settings) -> tuple[Property, ...]:
    """The properties in the sidecar of a file; none without one.

    Raises InputError where it is no map in YAML, LimitError above the limits of metadata; both name it.
    """
    for companion in source.companions:
        if companion.kind == SIDECAR:
            name = source.beside(companion.name).identifier
            properties = yaml_properties(decode(companion.data, name), name, settings)
            if properties is None:
                raise InputError(f"{name}: not a map; write lines such as 'team: red'")
            return properties
    return ()


def with_sidecar(document: Document, source: Source, properties: tuple[Property, ...]) -> Document:
    """The document with what its file's sidecar states, which goes before what the file says.

    Title and address are those of the file: of many documents in one file none takes them.
    """
    if not properties:
        return document
    terms = builtin_terms()
    if document.identifier != source.identifier:
        properties = tuple(each for each in properties if terms.property(each.key, _NO_BASE) not in _OF_ONE)
    return overridden(document, properties, terms, _NO_BASE)
