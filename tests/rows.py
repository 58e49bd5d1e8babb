"""A test that checks each row of a table, and lists all that fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest


@dataclass
class Rows:
    """The rows that failed, each with its reason: `with rows.row(name): …`, and at the end `rows.check()`."""

    failures: list[str] = field(default_factory=list)

    @contextmanager
    def row(self, name: object) -> Iterator[None]:
        """What is asserted inside is about one row."""
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            self.failures.append(f"{name}: {type(error).__name__}: {error}")

    def check(self) -> None:
        """Fails if a row did."""
        if self.failures:
            pytest.fail("\n\n".join([f"{len(self.failures)} rows fail:", *self.failures]))
