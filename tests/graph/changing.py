"""Random changes of the files in a folder."""

from __future__ import annotations

import random
from pathlib import Path


def change(folder: Path, chance: random.Random, name: str) -> None:
    """Makes, changes, renames, swaps or deletes a file; `name` is used for what is new."""
    files = sorted(each for each in folder.rglob("*") if each.is_file())
    one, other = chance.choice(files), chance.choice(files)
    match chance.choice(["new", "changed", "renamed", "swapped", "gone"]):
        case "changed" if one.suffix == ".md":
            one.write_text(one.read_text() + f"\nA word about {name}.\n")
        case "renamed":
            one.rename(one.with_name(f"{name}{one.suffix}"))
        case "swapped" if one.suffix == other.suffix:
            ours, theirs = one.read_bytes(), other.read_bytes()
            one.write_bytes(theirs)
            other.write_bytes(ours)
        case "gone" if len(files) > 3:
            one.unlink()
        case _:
            (folder / f"{name}.md").write_text(f"# Page {name}\n\nThe page {name} of Mira Tolland.\n")
