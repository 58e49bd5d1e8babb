"""The paths of a graph's revisions in its directory, and the number of the newest."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sage_ld.foundation.errors import InputError

CURRENT: Final = "current"
"""The file with the number of the newest revision."""
REVISIONS: Final = "revisions"
"""The folder of all revisions."""
_BEYOND: Final = 10**12
"""More revisions than a graph can have."""


def current_number(graph: Path) -> int:
    """The number of the newest complete revision of the graph in a directory; 0 before the first.

    Raises InputError if the file that says it is damaged.
    """
    file = graph / CURRENT
    try:
        number = int(file.read_text(encoding="utf-8"))
        if not 0 <= number < _BEYOND:
            raise ValueError
        return number
    except FileNotFoundError:
        return 0
    except ValueError:
        raise InputError(
            f"{file} is damaged; write the number of the newest folder in {graph / REVISIONS} into it, "
            "or restore a backup"
        ) from None


def revision_folder(graph: Path, number: int) -> Path:
    """The folder of a revision.

    >>> revision_folder(Path("KG"), 42).as_posix()
    'KG/revisions/000042'
    """
    return graph / REVISIONS / f"{number:06d}"
