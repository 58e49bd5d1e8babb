"""Reasoning with code (SAGE-CODE) over one graph: a question in, the steps and the answer out."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from textwrap import shorten
from typing import Any, Final

from sage_ld.agents.reasoning import prompts
from sage_ld.agents.reasoning.graph_nodes import NodeFinder, ReasoningNode, marked
from sage_ld.agents.reasoning.parameters import ReasoningParameters
from sage_ld.agents.reasoning.reasoned_answer import ReasonedAnswer
from sage_ld.agents.reasoning.reasoning_steps import ReasoningStep, StepKind
from sage_ld.agents.reasoning.table_context import TableContext, table_context
from sage_ld.agents.tables import CodeLanguage, TableAnswer, TableWorkers
from sage_ld.foundation import arguments
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.language_model import (
    BudgetError,
    CallBudget,
    LanguageModel,
    MalformedAnswerError,
    Message,
    ModelTask,
    Schema,
)
from sage_ld.foundation.processes.task import Gone
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store.documents import CHUNK_CLASS

_FENCE: Final = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_CHUNKS: Final = frozenset(map(str, CHUNK_CLASS))
"""The kinds of nodes that an answer may cite."""
_NO_ANSWER: Final = "The model gave no answer."
_PASSAGES: Final = 3
"""Passages that are shown where the model gives no answer."""
_EXCERPT: Final = 200
"""Characters of each of them."""
_CITED: Final = 20
"""Most chunks that are cited for the result of a statement."""


class _SpentError(Exception):
    """All calls but the one for the answer are used, or the time is over."""


@dataclass(slots=True)
class ReasoningRun:
    """One question on its way to its answer."""

    graph: KnowledgeGraph
    snapshot: Snapshot
    question: str
    parameters: ReasoningParameters
    task: ModelTask
    workers: TableWorkers
    language: CodeLanguage
    searching: Callable[[], AbstractContextManager[Check]]
    gone: Gone | None
    client: Hashable | None
    taken: list[ReasoningStep] = field(default_factory=list)
    query_type: str = "RELATIONAL"
    beam: list[ReasoningNode] = field(default_factory=list)
    tables: TableContext = field(default_factory=lambda: TableContext((), "", frozenset()))
    errors: list[str] = field(default_factory=list)
    """Of all statements, in their order."""
    result: TableAnswer | None = None
    begin: float = field(default_factory=time.monotonic)

    def steps(self) -> Iterator[ReasoningStep]:
        """The steps, until the answer can be given or the budget is spent."""
        analysis = ReasoningStep(kind=StepKind.ANALYSIS)
        finder: NodeFinder | None = None
        try:
            analysis = self._analysed()
            yield analysis
            finder, candidates = self._candidates(analysis)
            yield self._step(StepKind.CANDIDATES, nodes=tuple(candidates), tables=self.tables.names)
            yield from self._scored(candidates)
            for _ in range(self.parameters.n_hops):
                is_done = yield from self._hop(finder)
                if is_done:
                    return
        except (BudgetError, _SpentError) as error:
            yield self._step(StepKind.BUDGET, error=str(error))
            if finder is None:  # nothing was read yet
                _, self.beam = self._candidates(analysis)

    def _step(self, kind: StepKind, **more: Any) -> ReasoningStep:
        return ReasoningStep(kind=kind, **more)

    def _ask(self, messages: Sequence[Message], schema: Schema) -> dict[str, Any]:
        """The model's answer by a schema; a call is left for the answer to the question."""
        most = self.parameters.max_llm_calls
        if self.task.used.calls >= most - 1:
            raise _SpentError(f"{most - 1} of {most} calls are used; the last one is for the answer")
        return self._in_time(messages, schema)

    def _in_time(self, messages: Sequence[Message], schema: Schema) -> dict[str, Any]:
        """The model's answer. Raises _SpentError where the time is over before it is there."""
        try:
            return self.task.ask_json(messages, schema)
        except MalformedAnswerError:
            raise
        except UnavailableError:
            if (most := self.parameters.max_seconds) > time.monotonic() - self.begin:
                raise
            raise _SpentError(f"the {most:g} s for the question are over") from None

    def _analysed(self) -> ReasoningStep:
        try:
            answer = self._ask(prompts.analysis(self.question), prompts.ANALYSIS)
        except MalformedAnswerError as error:
            return self._step(StepKind.ANALYSIS, query_type=self.query_type, error=str(error))
        self.query_type = answer["query_type"]
        return self._step(
            StepKind.ANALYSIS,
            query_type=self.query_type,
            target_types=tuple(answer["target_types"]),
            key_entities=tuple(answer["key_entities"]),
        )

    def _candidates(self, analysis: ReasoningStep) -> tuple[NodeFinder, list[ReasoningNode]]:
        """The first candidates, and the tables that go with them."""
        parameters = self.parameters
        with self.searching() as check:
            finder = NodeFinder(self.graph, self.snapshot, self.question, parameters)
            nodes = finder.initial(analysis.target_types, analysis.key_entities, check)
            most = self.graph.settings.max_table_cells
            chunks = [each.iri for each in nodes if each.kind in _CHUNKS]
            self.tables = table_context(
                self.snapshot, self.question, chunks, parameters.max_tables, most, check, self.language
            )
        return finder, marked(nodes, self.tables.values)

    def _scored(self, candidates: Sequence[ReasoningNode]) -> Iterator[ReasoningStep]:
        """Has the model score candidates, batch by batch, and keeps the best beside those of the beam.

        What it leaves out comes after what it scores, by words; without its answer, all stay by words.
        """
        size = self.parameters.selection_batch_size
        scored = list(candidates)
        self._keep(scored)
        errors = []
        for start in range(0, len(scored), size):
            batch = scored[start : start + size]
            try:
                answer = self._ask(
                    prompts.scoring(self.question, batch, self.tables.description, self.language),
                    prompts.SCORES,
                )
            except MalformedAnswerError as error:
                errors.append(str(error))
                continue
            given = {each["index"]: min(max(float(each["score"]), 0.0), 10.0) for each in answer["scores"]}
            scored[start : start + size] = [
                replace(each, score=given.get(at, each.score / 10)) for at, each in enumerate(batch)
            ]
            self._keep(scored)
        yield self._step(StepKind.SCORES, nodes=tuple(self.beam), error="; ".join(errors))

    def _keep(self, nodes: Sequence[ReasoningNode]) -> None:
        """Puts nodes into the beam, in the place of what it had of them, and keeps its width."""
        best = {each.iri: each for each in [*self.beam, *nodes]}
        ordered = sorted(best.values(), key=lambda each: (-each.score, each.iri))
        self.beam = ordered[: self.parameters.beam_width]

    def _hop(self, finder: NodeFinder) -> Generator[ReasoningStep, None, bool]:
        """One step of the model's choice; its value says whether the answer can be given."""
        shown = self.beam[: self.parameters.top_k]
        tables = self.tables.description
        messages = prompts.decision(self.question, self.query_type, shown, tables, self.errors, self.language)
        try:
            answer = self._ask(messages, prompts.DECISION)
        except MalformedAnswerError as error:
            yield self._step(StepKind.FALLBACK, thought="walk on from the best nodes", error=str(error))
            yield from self._walked(finder, shown)
            return False
        thought = answer["thought"]
        if answer["action"] == "SUFFICIENT":
            yield self._step(StepKind.SUFFICIENT, thought=thought)
            return True
        if answer["action"] == "CODE":
            yield from self._computed(thought, answer["code"])
            if self.result is not None:
                return True
            yield self._step(StepKind.FALLBACK, thought="no code worked; walk on from the best nodes")
            yield from self._walked(finder, shown)
            return False
        chosen = [shown[at] for at in dict.fromkeys(answer["selected_indices"]) if 0 <= at < len(shown)]
        yield from self._walked(finder, chosen or shown, thought)
        return False

    def _walked(
        self, finder: NodeFinder, nodes: Sequence[ReasoningNode], thought: str = ""
    ) -> Iterator[ReasoningStep]:
        """Walks on from nodes, and has what is beyond them scored."""
        with self.searching() as check:
            reached = marked(finder.beyond(nodes, check), self.tables.values)
        yield self._step(StepKind.TRAVERSE, thought=thought, nodes=tuple(nodes))
        if reached:
            yield from self._scored(reached)

    def _computed(self, thought: str, code: str) -> Iterator[ReasoningStep]:
        """Runs a statement or program, and has it repaired where it fails, as often as it may."""
        for attempt in range(self.parameters.max_code_retries + 1):
            code = bare(code)
            step = partial(self._step, thought=thought, code=code, language=self.language)
            try:
                self.result = self._run(code)
            except (InputError, LimitError) as error:
                self.errors.append(str(error))
                yield step(StepKind.CODE_ERROR, error=str(error))
            except UnavailableError as error:  # a library is not installed, or all workers are at work
                yield step(StepKind.CODE_ERROR, error=str(error))
                return
            else:
                yield step(StepKind.CODE, result=self.result)
                return
            if attempt < self.parameters.max_code_retries:
                tables = self.tables.description
                messages = prompts.repair(self.question, code, self.errors, tables, self.language)
                try:
                    answer = self._ask(messages, prompts.REPAIR)
                except MalformedAnswerError as error:
                    self.errors.append(str(error))
                    continue
                thought, code = answer["thought"], answer["code"]

    def _run(self, code: str) -> TableAnswer:
        """The rows of a statement or program. Raises InputError where it is empty or has none."""
        what = "statement" if self.language == "sql" else "program"
        if not code:
            raise InputError(f"the action was CODE, and there was no {what}")
        answer = self.workers.run(
            self.snapshot,
            code,
            language=self.language,
            reading=self.searching,
            gone=self.gone,
            client=self.client,
        )
        if not answer.rows:
            raise InputError(
                f"the {what} gave no rows; check its conditions against the examples of the columns"
            )
        return answer

    def answer(self) -> ReasonedAnswer:
        """The answer from what was found, by the model's last call; without it, what was found."""
        sources = [each for each in self.beam if each.kind in _CHUNKS][: self.parameters.top_k]
        try:
            answer = self._in_time(prompts.answer(self.question, sources, self.result), prompts.ANSWER)
        except (BudgetError, MalformedAnswerError, _SpentError) as error:
            kind = StepKind.FALLBACK if isinstance(error, MalformedAnswerError) else StepKind.BUDGET
            self.taken.append(self._step(kind, thought="answer with what was found", error=str(error)))
            sources = sources[:_PASSAGES]
            cited = range(1) if self.result is not None else range(1, len(sources) + 1)
            return self._answered(self._found(sources), cited, sources, by_model=False)
        return self._answered(answer["answer"], answer["citations"], sources, by_model=True)

    def _answered(
        self, text: str, cited: Sequence[int], sources: Sequence[ReasoningNode], *, by_model: bool
    ) -> ReasonedAnswer:
        citations: dict[str, None] = {}
        for number in cited:
            if number == 0 and self.result is not None:
                citations.update(dict.fromkeys(behind(self.result)))
            elif 0 < number <= len(sources):
                citations[sources[number - 1].iri] = None
        return ReasonedAnswer(
            self.question,
            text,
            tuple(citations),
            self.result,
            tuple(self.taken),
            self.snapshot.number,
            self.task.used,
            by_model,
        )

    def _found(self, sources: Sequence[ReasoningNode]) -> str:
        """The findings, in place of an answer of the model's."""
        if self.result is not None:
            names = [name for name, _ in self.result.columns]
            rows = [zip(names, row, strict=True) for row in self.result.rows]
            lines = ["; ".join(f"{name}: {value}" for name, value in row) for row in rows]
            return "\n".join([f"{_NO_ANSWER} The last statement found:", *lines])
        if not sources:
            return f"{_NO_ANSWER} No passage was found."
        shown = (f"{each.label}: {shorten(each.text, _EXCERPT, placeholder=' […]')}" for each in sources)
        return "\n".join([f"{_NO_ANSWER} Passages that may have it:", *shown])


def behind(result: TableAnswer) -> tuple[str, ...]:
    """The chunks behind the result of a statement: those of its rows, or else those of its tables."""
    of_rows = tuple(dict.fromkeys(chunk for each in result.chunks for chunk in each))
    return (of_rows or tuple(chunk for table in result.tables for chunk in table.chunks))[:_CITED]


def bare(code: str) -> str:
    """The statement or program in what a model wrote: without a code fence, or a semicolon at its end.

    >>> bare("```sql" + chr(10) + "SELECT 1;" + chr(10) + "```")
    'SELECT 1'
    """
    match = _FENCE.match(code)
    return (match[1] if match else code).strip().rstrip(";").rstrip()


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
