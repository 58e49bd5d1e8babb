"""The table of readers: each suffix has one reader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sage_ld.readers.registry import READERS, SUFFIXES, by_suffix, reader_for
from sage_ld.readers.source import Source


def test_every_suffix_of_the_table_has_its_reader() -> None:
    found = [(suffix, reader_for(Source(Path(f"a{suffix}"), f"a{suffix}"))) for suffix in SUFFIXES]
    assert found == [(suffix, reader) for reader in READERS for suffix in reader.media_types]


def test_two_readers_of_one_suffix_are_refused() -> None:
    second = replace(READERS[0], name="other Markdown")
    with pytest.raises(ValueError, match=r"Markdown and other Markdown both read \.md"):
        by_suffix([*READERS, second])


def test_the_page_of_formats_has_every_suffix() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reading.md").read_text("utf-8")
    table = page.partition("\n## Formats\n")[2].partition("\n## ")[0]
    assert [suffix for suffix in SUFFIXES if f"`{suffix}`" not in table] == []
