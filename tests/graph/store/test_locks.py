"""Locks on open files: who holds one, and until when."""

from __future__ import annotations

import os
from pathlib import Path

from sage_ld.graph.store.locks import try_lock_exclusive, unlocking


def test_a_lock_that_was_given_back_is_not_kept_by_a_copy_of_the_file(tmp_path: Path) -> None:
    """A process that is being started holds such copies until it runs its own program."""
    file = tmp_path / "lock"
    with file.open("a+") as handle:
        assert try_lock_exclusive(handle)
        with unlocking(handle):
            copy = os.dup(handle.fileno())
    try:
        with file.open("a+") as other:
            assert try_lock_exclusive(other)
    finally:
        os.close(copy)
