"""The steps of a reasoning: what was thought, done and found, in the order in which it happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sage_ld.agents.reasoning.graph_nodes import ReasoningNode
from sage_ld.agents.tables.formats import answer_json
from sage_ld.agents.tables.workers import CodeLanguage, TableAnswer


class StepKind(StrEnum):
    """The kind of a step."""

    ANALYSIS = "analysis"
    CANDIDATES = "candidates"
    SCORES = "scores"
    TRAVERSE = "traverse"
    CODE = "code"
    CODE_ERROR = "code-error"
    SUFFICIENT = "sufficient"
    FALLBACK = "fallback"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningStep:
    """One step; fields that do not concern its kind are empty."""

    kind: StepKind
    thought: str = ""
    """What the model said of it, or why the step was taken without it."""
    query_type: str = ""
    """Of the analysis: ANALYTICAL or RELATIONAL."""
    target_types: tuple[str, ...] = ()
    key_entities: tuple[str, ...] = ()
    nodes: tuple[ReasoningNode, ...] = ()
    """The nodes that are kept, best first; of `traverse`, those that were walked on from."""
    tables: tuple[str, ...] = ()
    """Of the candidates: the tables that prompts describe."""
    code: str = ""
    """Of `code` and `code-error`: what was run."""
    language: CodeLanguage = "sql"
    """The language of the code."""
    error: str = ""
    result: TableAnswer | None = None
    """Of `code`: the rows."""

    def as_json(self) -> dict[str, Any]:
        """The step without its empty fields."""
        step: dict[str, Any] = {
            "kind": str(self.kind),
            "thought": self.thought,
            "queryType": self.query_type,
            "targetTypes": list(self.target_types),
            "keyEntities": list(self.key_entities),
            "nodes": [node.as_json() for node in self.nodes],
            "tables": list(self.tables),
            self.language: self.code,
            "error": self.error,
            "result": None if self.result is None else answer_json(self.result),
        }
        return {name: value for name, value in step.items() if value}
