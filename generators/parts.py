"""Parts of files that are generated, between two lines that say so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def replaced(path: Path, parts: Mapping[str, str]) -> str:
    """The text of a file with other generated parts, by name. Raises ValueError where one has no place."""
    text = path.read_text("utf-8")
    for name, part in parts.items():
        pattern = rf"([^\n]*<generated {name}>[^\n]*\n).*?([^\n]*</generated>)"
        found = re.search(pattern, text, re.DOTALL)
        if found is None:
            raise ValueError(f"{path}: no lines <generated {name}> and </generated>; write them")
        text = text[: found.end(1)] + part + text[found.start(2) :]
    return text
