"""Seeds of the fuzz targets: files that a parser has met before, in `seeds/TARGET/`."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).with_name("seeds")


def seeds(target: str) -> list[bytes]:
    """The content of each of a target's files, sorted by name."""
    return [path.read_bytes() for path in sorted((_FOLDER / target).iterdir())]
