"""A tool: what a language model is told about it, what it may do, and the function behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from sage_ld.agents.tools.backend import Backend, Gone, Told
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot

Schema = dict[str, Any]
Arguments: TypeAlias = Mapping[str, Any]
Result: TypeAlias = dict[str, Any]


class Effect(StrEnum):
    """The effect of a call beside its answer."""

    READS = "reads"
    """Nothing."""
    WRITES = "writes"
    """It changes the graph."""
    COSTS = "costs"
    """It asks a language model, which somebody pays for."""


class ToolRole(StrEnum):
    """The right that a caller needs; each includes those before it, as those of tokens do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def includes(self, other: ToolRole) -> bool:
        """Whether this role includes the rights of the other one."""
        order = list(ToolRole)
        return order.index(self) >= order.index(other)


def silent(step: str, done: int, total: int) -> None:
    """Takes progress and does nothing."""


def waiting() -> bool:
    """Says that the caller still waits."""
    return False


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The context of a tool's call: the graph behind its backend, and whether the caller still waits."""

    backend: Backend
    gone: Gone = waiting
    progress: Told = silent

    @property
    def graph(self) -> KnowledgeGraph:
        """The graph."""
        return self.backend.graph

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.backend.graph.settings

    def revision(self) -> AbstractContextManager[Snapshot]:
        """The newest revision, held for as long as the block lasts. Raises NotFoundError without one."""
        return self.backend.revision()

    def searching(self) -> AbstractContextManager[Check]:
        """A place among the searches that may run at once, and the check that ends the work."""
        return self.backend.searching(self.gone)


def always_ready(context: ToolContext, arguments: Arguments) -> None:
    """Needs nothing that may be missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A row of the table of tools."""

    name: str
    title: str
    """For a person."""
    description: str
    """For a model: what it is good for, what it gives, which tool to prefer for something else."""
    arguments: Callable[[Settings], Schema]
    """The JSON Schema of the arguments: a closed object."""
    result: Schema
    """The JSON Schema of the result, without what `Toolbox` adds to each (`toolbox.result_schema`)."""
    run: Callable[[ToolContext, Arguments], Result]
    """Raises SageError, whose message tells the model what to do instead."""
    role: ToolRole = ToolRole.READ
    effect: Effect = Effect.READS
    ready: Callable[[ToolContext, Arguments], None] = always_ready
    """Raises SageError where the tool needs what is not there, before a person is asked about a call."""
    operation: str = ""
    """The operation of `/openapi.json` that does the same; empty where there is none."""


TEXT: Final[Schema] = {"type": "string"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
FLAG: Final[Schema] = {"type": "boolean"}
NUMBER: Final[Schema] = {"type": "number"}


def record(**properties: Schema) -> Schema:
    """The schema of an object that has all of some properties.

    >>> record(n=COUNT)["required"]
    ['n']
    """
    return {"type": "object", "required": list(properties), "properties": properties}


def listed(item: Schema) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": item}
