"""Generated files are as `make generate` writes them."""

from __future__ import annotations

from importlib import import_module

import pytest

from generators.__main__ import MODULES
from generators.parts import ROOT, replaced


def test_every_generated_file_is_as_it_would_be_written() -> None:
    stale = [
        str(path.relative_to(ROOT))
        for name in MODULES
        for path, text in import_module(f"generators.{name}").files().items()
        if path.read_text("utf-8") != text
    ]
    assert stale == [], "run make generate"


def test_a_part_without_a_place_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no lines <generated nothing>"):
        replaced(ROOT / "Makefile", {"nothing": ""})
