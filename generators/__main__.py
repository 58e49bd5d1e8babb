"""Writes every generated file that differs: `python -m generators`."""

from __future__ import annotations

import sys
from importlib import import_module

MODULES = ("terms", "styles", "types")
"""In order: what is imported for one may have been written by one before it."""


def main() -> None:
    """Writes the files, and names those that have changed."""
    for name in MODULES:
        for path, text in import_module(f"generators.{name}").files().items():
            if path.read_text("utf-8") != text:
                path.write_text(text, "utf-8")
                sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
