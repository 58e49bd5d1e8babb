"""Readers take any file: documents whose offsets are right, or an error that says why, in bounded time."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from build.readers.reading import check
from fuzz.corpus import seeds
from fuzz.growth import assert_linear, repeated
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.build.readers import READERS, Reader, Source, read_file
from sage_ld.build.readers.companions import CSVW_METADATA
from sage_ld.build.readers.data.delimited import DELIMITED
from sage_ld.build.readers.rdf import RDF
from sage_ld.build.readers.wire import decode, encode
from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

SEED_FOLDERS = {
    "Markdown": "markdown",
    "HTML": "html",
    "plain text": "plain",
    "reStructuredText": "rst",
    "LaTeX": "tex",
    "Jupyter notebook": "notebook",
    "source code": "code",
    "Parquet and Arrow": "parquet",
    "YAML": "yaml",
    "TOML": "toml",
    "CSV and TSV": "csv",
    "JSON": "json",
    "JSON Lines": "jsonl",
    "XML": "xml",
    "PDF": "pdf",
    "picture": "picture",
    "RDF": "rdf",
    "archive": "archive",
    "Word documents": "docx",
    "Excel workbooks": "xlsx",
    "PowerPoint presentations": "pptx",
    "OpenDocument texts": "odt",
    "OpenDocument spreadsheets": "ods",
    "OpenDocument presentations": "odp",
    "e-books": "epub",
    "mail": "mail",
    "mailboxes": "mbox",
    "Outlook mail": "msg",
    "texts and slides from before 2007": "legacy",
    "Excel workbooks from before 2007": "xls",
    "Rich Text Format": "rtf",
    "calendars": "calendar",
    CSVW_METADATA: "csvw",
    "R2RML": "r2rml",
}
"""The folder below `seeds/` that each reader's targets begin with."""
SEEDED = [each for each in READERS if each.name in SEED_FOLDERS]
MOST_SECONDS = 2.0, 0.001
"""Of the processor's time: for any file, and for each byte of it. It is a hundred times what most take."""
METADATA = Reader(CSVW_METADATA, {".json": "application/csvm+json"}, DELIMITED.read)
"""The reader of a table, for the metadata that is read with it."""
MAPPING = Reader("R2RML", {".ttl": "text/turtle"}, RDF.read)
"""The reader of RDF, for mappings of a table beside them."""
NOT_LINEAR = ("Markdown", "PDF", "reStructuredText", "LaTeX", "TOML", "Jupyter notebook", "archive")
LINEAR = [each for each in SEEDED if each.name not in NOT_LINEAR]
"""Without those on libraries in Python that have shapes of quadratic time, which reader_timeout bounds."""


def test_every_reader_has_seeds() -> None:
    missing = [reader.name for reader in READERS if reader not in SEEDED]
    assert missing == [], "add small files to tests/fuzz/seeds/FORMAT/, and the folder to SEED_FOLDERS"
    assert [name for name, folder in SEED_FOLDERS.items() if not seeds(folder)] == []


def each_of(readers: Sequence[Reader]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("reader", readers, ids=lambda each: SEED_FOLDERS[each.name])


def pieces(reader: Reader) -> list[bytes]:
    """What the reader's seeds are made of: words, runs of blanks, single signs."""
    found = {piece for seed in seeds(SEED_FOLDERS[reader.name]) for piece in re.findall(rb"\w+|\s+|.", seed)}
    return sorted(found)


def fragments(reader: Reader) -> st.SearchStrategy[bytes]:
    return st.one_of(st.sampled_from(pieces(reader)), st.binary(max_size=4))


@st.composite
def contents(draw: st.DrawFn, reader: Reader) -> bytes:
    """A seed in which parts were replaced, taken out or repeated, or one put together from pieces."""
    if draw(st.booleans()):
        return b"".join(draw(st.lists(fragments(reader), max_size=40)))
    content = draw(st.sampled_from(seeds(SEED_FOLDERS[reader.name])))
    for _ in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, len(content)))
        end = draw(st.integers(begin, min(begin + 40, len(content))))
        middle = draw(st.one_of(fragments(reader), st.just(content[begin:end] * 3)))
        content = content[:begin] + middle + content[end:]
    return content


def documents(folder: Path, name: str, content: bytes) -> tuple[Document, ...]:
    """What a file gives; none where it is refused."""
    (folder / name).write_bytes(content)
    with suppress(
        InputError, UnavailableError
    ):  # LibreOffice takes seconds for a file, and has its own tests
        return read_file(Source(folder / name, name), Settings(libreoffice="none"))
    return ()


@each_of(SEEDED)
@given(data=st.data())
def test_a_file_gives_documents_or_an_error_of_ours(
    reader: Reader, data: st.DataObject, tmp_path: Path
) -> None:
    name = "file" + data.draw(st.sampled_from(sorted(reader.media_types)))
    content = data.draw(contents(reader))
    begin = time.thread_time()
    found = documents(tmp_path, name, content)
    assert time.thread_time() - begin < MOST_SECONDS[0] + MOST_SECONDS[1] * len(content)
    for document in found:
        check(document)
        assert decode(encode(document)) == document


@given(content=contents(METADATA))
def test_a_table_with_any_metadata_gives_a_document_or_an_error_of_ours(
    content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "file.csv-metadata.json").write_bytes(content)
    begin = time.thread_time()
    found = documents(tmp_path, "file.csv", b"id,dob,tags\n1.000,3.5.1968,a;b\nx,-,\n")
    assert time.thread_time() - begin < MOST_SECONDS[0]
    for document in found:
        check(document)
        assert decode(encode(document)) == document


@given(content=contents(MAPPING))
def test_any_mapping_gives_a_document_or_an_error_of_ours(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(b"id,dob,tags\n1.000,3.5.1968,a;b\nx,-,\n")
    begin = time.thread_time()
    found = documents(tmp_path, "file.r2rml.ttl", content)
    assert time.thread_time() - begin < MOST_SECONDS[0]
    for document in found:
        check(document)
        assert decode(encode(document)) == document


@each_of(LINEAR)
@given(data=st.data())
def test_a_repeated_fragment_takes_linear_time(reader: Reader, data: st.DataObject, tmp_path: Path) -> None:
    name = "file" + data.draw(st.sampled_from(sorted(reader.media_types)))
    content = data.draw(st.sampled_from(seeds(SEED_FOLDERS[reader.name])))
    place = data.draw(st.integers(0, len(content)))
    fragment = b"".join(data.draw(st.lists(fragments(reader), min_size=1, max_size=5))) or b" "
    before, after = content[:place], content[place:]

    def run(size: int) -> None:
        documents(tmp_path, name, before + repeated(fragment, size) + after)

    assert_linear(run, 2**14)
