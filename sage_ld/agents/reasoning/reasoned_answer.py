"""The answer of a reasoning, with the chunks that it rests on and the steps to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sage_ld.agents.reasoning.reasoning_steps import ReasoningStep
from sage_ld.agents.tables import TableAnswer
from sage_ld.foundation.language_model import Usage


@dataclass(frozen=True, slots=True)
class ReasonedAnswer:
    """The answer to a question, with what it rests on and how it came about."""

    question: str
    text: str
    """Of the model; where it gave none, a line that says so, and rows or some passages that were found."""
    citations: tuple[str, ...]
    """The IRIs of the chunks that it rests on."""
    result: TableAnswer | None
    """The result of the statement that it was computed by, if it was."""
    steps: tuple[ReasoningStep, ...]
    revision: int
    used: Usage
    """What was asked of the model."""
    by_model: bool
    """Whether the model wrote the text."""

    def as_json(self) -> dict[str, Any]:
        """The answer as `/v1/reason` returns it."""
        return {
            "question": self.question,
            "revision": self.revision,
            "answer": self.text,
            "byModel": self.by_model,
            "citations": list(self.citations),
            "steps": [step.as_json() for step in self.steps],
            "calls": self.used.calls,
            "tokens": self.used.tokens,
        }
