"""Reasoning with code (SAGE-CODE) over one graph: a question in, the steps and the answer out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from sage_ld.agents.reasoning.parameters import ReasoningParameters
from sage_ld.agents.reasoning.reasoned_answer import ReasonedAnswer
from sage_ld.agents.reasoning.reasoning_run import ReasoningRun
from sage_ld.agents.reasoning.reasoning_steps import ReasoningStep
from sage_ld.agents.tables import CodeLanguage, TableWorkers
from sage_ld.foundation import arguments
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.language_model import CallBudget, LanguageModel
from sage_ld.foundation.processes.task import Gone
from sage_ld.graph import KnowledgeGraph, Snapshot

_TOKENS: Final = 10**9
"""Tokens for one question: as many as the setting language_tokens allows."""


class Reasoner:
    """Answers questions by reasoning with code, over one graph, with one language model."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        model: LanguageModel,
        workers: TableWorkers,
        parameters: ReasoningParameters | None = None,
        code: str | None = None,
    ) -> None:
        """Prepares it; `code` is what the model computes with, `sql` or `python`.

        Without it, the setting reasoning_code says so. Raises InputError for anything else.
        """
        self._language = _language(graph.settings.reasoning_code if code is None else code)
        self.graph = graph
        self._model, self._workers = model, workers
        self._parameters = parameters or ReasoningParameters()

    def reason(
        self, question: str, *, at: Snapshot | None = None, check: Check = unchecked
    ) -> ReasonedAnswer:
        """The answer to a question; raises what `steps` raises."""
        *_, answer = self.steps(question, at=at, check=check)
        assert isinstance(answer, ReasonedAnswer)  # the last one is
        return answer

    def steps(
        self,
        question: str,
        *,
        at: Snapshot | None = None,
        check: Check = unchecked,
        searching: Callable[[], AbstractContextManager[Check]] = lambda: nullcontext(unchecked),
        gone: Gone | None = None,
        client: Hashable | None = None,
    ) -> Iterator[ReasoningStep | ReasonedAnswer]:
        """The steps to the answer as they happen, and last of all the answer.

        `at` is the revision that is asked, the newest unless given. `check` ends the work by raising; what
        reads the graph runs inside of `searching`, which gives a check of its own. `gone` and `client` are
        those of a statement's worker. Raises InputError for an empty question, NotFoundError for an empty
        graph, UnavailableError where the model does not answer.
        """
        text = arguments.text(question, "question")
        snapshot = self.graph.snapshot() if at is None else at
        budget = CallBudget(self._parameters.max_llm_calls, _TOKENS, self._parameters.max_seconds)
        with self._model.task("reasoning with code", budget, check) as task:
            run = ReasoningRun(
                self.graph,
                snapshot,
                text,
                self._parameters,
                task,
                self._workers,
                self._language,
                searching,
                gone,
                client,
            )
            for step in run.steps():
                run.taken.append(step)
                yield step
            yield run.answer()


def _language(code: str) -> CodeLanguage:
    """The language of a name. Raises InputError for an unknown name."""
    if code == "sql":
        return "sql"
    if code == "python":
        return "python"
    raise InputError(f"code: {code!r} is not a language that reasoning computes with; give sql or python")
