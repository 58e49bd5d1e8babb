"""YAML: objects as records, like those of JSON; a file of several documents is a list of them."""

from __future__ import annotations

from collections.abc import Iterator

from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.data.json_objects import document_of
from sage_ld.build.readers.data.yaml_values import parse_yaml
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE = "application/yaml"  # RFC 9512


def read_yaml(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the top-level object's title or name, else the file's name."""
    data = source.read(settings)
    values = parse_yaml(decode(data, source.identifier), source.identifier, settings)
    value = values[0] if len(values) == 1 else values
    yield document_of(value, source, data, MEDIA_TYPE, settings)


YAML = Reader("YAML", {".yaml": MEDIA_TYPE, ".yml": MEDIA_TYPE}, read_yaml)
