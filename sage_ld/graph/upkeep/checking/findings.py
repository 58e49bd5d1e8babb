"""The findings of a check of a graph: a fault each, with its meaning and its cure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Cure(StrEnum):
    """The repair of a fault; the order of the members is the order of the repairs."""

    CURRENT = "current"
    """The file `current` is written again."""
    CLEAN = "clean"
    """Leftovers are removed, and small files that follow from others are written again."""
    REPUBLISH = "republish"
    """A revision is published from `live/`, the writer's own copy."""
    REINDEX = "reindex"
    """Indexes are rebuilt from the store."""
    RELINK = "relink"
    """All that follows from several documents is derived again."""
    NONE = "none"
    """Nothing here can: what is wrong is not derived."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a graph."""

    check: str
    """The subject of the check, such as `current`, `digests`, `indexes` or `shapes`."""
    where: str
    """The file, the resource or the named graph."""
    meaning: str
    """The fault, and its consequence."""
    remedy: str
    """The effect of a repair, or the remedy for a person."""
    cure: Cure = Cure.NONE
    part: str = ""
    """The index to rebuild."""
    removable: bool = False
    """Whether a repair removes the file before it does what `cure` says."""
    conclusive: bool = False
    """Whether nothing else of the graph can be checked."""

    def __str__(self) -> str:
        who = "a repair" if self.cure is not Cure.NONE else "you can"
        return f"{self.check}: {self.where}: {self.meaning}; {who}: {self.remedy}"


@dataclass(frozen=True, slots=True)
class Health:
    """The result of a check."""

    findings: tuple[Finding, ...]
    """The first faults of each check."""
    more: int = 0
    """The number of further faults of the same kinds."""
    repaired: tuple[Finding, ...] = ()
    """The faults that the repair has removed."""
    revision: int = 0
    """The revision that was checked; 0 where none can be read."""

    @property
    def clean(self) -> bool:
        """Whether no fault was found."""
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        """The same, as JSON has it."""
        return {
            "clean": self.clean,
            "revision": self.revision,
            "findings": [_described(each) for each in self.findings],
            "more": self.more,
            "repaired": [_described(each) for each in self.repaired],
        }


def _described(finding: Finding) -> dict[str, object]:
    node = asdict(finding)
    for name in ("part", "cure", "removable", "conclusive"):
        del node[name]
    return {**node, "repairable": finding.cure is not Cure.NONE}
