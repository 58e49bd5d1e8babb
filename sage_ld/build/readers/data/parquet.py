"""Parquet and Arrow: one table."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES: Final = {
    ".parquet": "application/vnd.apache.parquet",
    ".arrow": "application/vnd.apache.arrow.file",
    ".feather": "application/vnd.apache.arrow.file",
    ".arrows": "application/vnd.apache.arrow.stream",
}

_ROWS: Final = 4096
"""Rows that are read at once."""


def read_parquet(source: Source, settings: Settings) -> Iterator[Document]:
    """One document with one table; nested values are written on one line.

    Raises InputError if the file is damaged or another format, LimitError over `max_text_length`.
    """
    data = source.read(settings)
    arrow = extras.load("pyarrow", extras.DATA)
    try:
        names, rows = _table(data, source, settings)
    except (SageError, MemoryError):
        raise
    except (arrow.ArrowException, OSError, ValueError) as error:
        reason = one_line(str(error))[:200]
        raise InputError(
            f"{source.identifier}: not a complete {source.suffix[1:]} file ({reason}); write it again"
        ) from None
    builder = DocumentBuilder(source.identifier, settings)
    builder.at(PlaceKind.ROW, 1, len(rows))
    builder.table(names, rows)
    yield file_document(builder, data, source.stem, _MEDIA_TYPES[source.suffix], v.SCHEMA + "Dataset")


def _table(data: bytes, source: Source, settings: Settings) -> tuple[list[str], list[list[str]]]:
    """The names of the columns and the cells of each row, read a batch at a time."""
    schema, batches = _opened(data, source.suffix)
    rows: list[list[str]] = []
    length, limit = 0, settings.max_text_length
    for batch in batches:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            rows.append([_cell(value) for value in row])
            length += sum(map(len, rows[-1]))
            if length > limit:
                raise LimitError.of(
                    f"{source.identifier}: its text", length, limit, "characters", "max_text_length"
                )
    return list(schema.names), rows


def _opened(data: bytes, suffix: str) -> tuple[Any, Iterator[Any]]:
    if suffix == ".parquet":
        file = extras.load("pyarrow.parquet", extras.DATA).ParquetFile(io.BytesIO(data), memory_map=False)
        return file.schema_arrow, file.iter_batches(batch_size=_ROWS, use_threads=False)
    ipc = extras.load("pyarrow.ipc", extras.DATA)
    if suffix == ".arrows":
        stream = ipc.open_stream(data)
        return stream.schema, iter(stream)
    file = ipc.open_file(data)
    return file.schema, (file.get_batch(number) for number in range(file.num_record_batches))


def _cell(value: Any) -> str:
    """A value as text: of a list or structure its values on one line, of bytes how many they are."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {text}" for key, inner in value.items() if (text := _cell(inner)))
    if isinstance(value, list | tuple):
        return "; ".join(text for inner in value if (text := _cell(inner)))
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else one_line(str(value))


PARQUET = Reader("Parquet and Arrow", _MEDIA_TYPES, read_parquet, packed=True)
