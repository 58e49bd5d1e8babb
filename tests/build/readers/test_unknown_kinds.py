"""Files of kinds that no reader knows: text is read as plain text, anything else is skipped, or named."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from sage_ld.build.readers import read_paths
from sage_ld.foundation.settings import Settings

TEXTS = {
    "build.log": b"12:00 started\n\n12:01 failed: no space left\n",
    "README": "Größe: 3 µm".encode(),
    "main.py": b"def ferry():\n    return 9\n",
    "notes.org": "Ferry notes".encode("utf-16"),
    "old.log.gz": gzip.compress(b"rotated"),
    "long.log": b"x" * 65_533 + "\u20ac".encode() * 30,
}
OTHERS = {
    "picture.heic": b"\x89PNG\r\n\x1a\n\0\0",
    "letter.pages": b"PK\x03\x04\x14\0",
    "program": b"\x7fELF\x02\x01\x01\0",
    "old.dat": "Größe".encode("latin-1"),
    "__init__.py": b"",
    "blank.cfg": b"\n \n",
    "broken.log.gz": b"rotated",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in (TEXTS | OTHERS).items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_text_is_read_and_the_rest_is_skipped(folder: Path) -> None:
    found = {each.identifier: each for each in read_paths([folder], Settings())}
    assert {name for name, each in found.items() if each.documents} == set(TEXTS)
    assert {name for name, each in found.items() if each.skipped} == set(OTHERS)
    assert not [each.error for each in found.values() if each.error]
    assert found["letter.pages"].skipped == "unknown kind .pages"
    assert found["program"].skipped == "unknown kind (no suffix)"
    [log] = found["build.log"].documents
    assert (log.title, log.media_type) == ("build", "text/plain")
    assert "no space left" in log.text
    assert found["notes.org"].documents[0].text == "Ferry notes"
    assert found["old.log.gz"].documents[0].text == "rotated"
    assert found["long.log"].documents[0].text.endswith("\u20ac")


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_what_is_no_text_is_an_error_where_it_was_asked_for(folder: Path, name: str) -> None:
    [found] = read_paths([folder / name], Settings())
    assert re.match(rf"{re.escape(name)}: (unknown kind |the file is empty)", str(found.error))
    assert found.skipped is None


def test_text_that_ends_as_something_else_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "core.log").write_bytes(b"text\n" * 20_000 + b"\xff")
    [found] = read_paths([tmp_path], Settings())
    assert "core.log: byte 0xff at offset 100000 is not UTF-8" in str(found.error)
