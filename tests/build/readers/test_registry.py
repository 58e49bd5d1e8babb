"""The table of readers: each suffix has one reader."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sage_ld.build.readers import registry
from sage_ld.build.readers.plain import PLAIN
from sage_ld.build.readers.registry import (
    ENTRY_POINTS,
    READERS,
    SUFFIXES,
    added_readers,
    by_suffix,
    reader_for,
)
from sage_ld.build.readers.source import Source
from sage_ld.foundation.errors import UnavailableError


def test_every_suffix_of_the_table_has_its_reader() -> None:
    found = [(suffix, reader_for(Source(Path(f"a{suffix}"), f"a{suffix}"))) for suffix in SUFFIXES]
    assert found == [(suffix, reader) for reader in READERS for suffix in reader.media_types]


def test_two_readers_of_one_suffix_are_refused() -> None:
    second = replace(READERS[0], name="other Markdown")
    with pytest.raises(ValueError, match=r"Markdown and other Markdown both read \.md"):
        by_suffix([*READERS, second])


def test_the_page_of_formats_has_every_suffix_and_the_entry_point() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reading.md").read_text("utf-8")
    assert f'[project.entry-points."{ENTRY_POINTS}"]' in page
    table = page.partition("\n## Formats\n")[2].partition("\n## ")[0]
    assert [suffix for suffix in SUFFIXES if f"`{suffix}`" not in table] == []


def test_another_package_adds_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    group = [EntryPoint("other", "sage_ld.build.readers.plain:PLAIN", ENTRY_POINTS)]
    monkeypatch.setattr(registry, "entry_points", lambda **_: group)
    assert added_readers() == (PLAIN,)


@pytest.mark.parametrize("value", ["no_such_package:READER", "sage_ld.build.readers.plain:MEDIA_TYPE"])
def test_an_entry_point_that_gives_no_reader_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda **_: [EntryPoint("other", value, ENTRY_POINTS)])
    with pytest.raises(UnavailableError, match=f"entry point other .{value}. .* uninstall its package"):
        added_readers()
