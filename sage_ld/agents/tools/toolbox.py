"""The toolbox: the tools that a caller may use, as Python callables and as lists for models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final

from sage_ld.agents.tools.approval import ApprovalGate, Approve, Approver, AskingApprover
from sage_ld.agents.tools.backend import Backend, Gone, LocalBackend, Told
from sage_ld.agents.tools.listing import openai_tools, role_named, tools_for
from sage_ld.agents.tools.policy import ToolPolicy
from sage_ld.agents.tools.quoting import NOTICE
from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Result, Schema, Tool, ToolContext, ToolRole, silent, waiting
from sage_ld.foundation.errors import ForbiddenError, InputError, LimitError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.provenance.approvals import NOBODY
from sage_ld.service.api.schemas import checked_value

_SHOWN: Final = 60


class Toolbox:
    """The tools of a graph, for a caller with a role.

    What the policy says to ask a person about runs only if `approve`, a function or an `Approver`, says so;
    without it, such a call is refused. By default these are the calls with effects. `caller` is the name of
    who calls, which that person is shown. `is_trusted` is whether what the caller's program says of its own
    person counts (`ask` of `call`), also where the policy does not say `elicit`: a program that the person
    started, not one that comes over the network.

    >>> import tempfile
    >>> graph = KnowledgeGraph.create(tempfile.mkdtemp(), encoder="jaccard")
    >>> _ = graph.add("The Golden Heron is a prize for films.", identifier="heron")
    >>> with Toolbox(graph) as toolbox:
    ...     answer = toolbox.call("search", {"question": "What is the Golden Heron?"})
    >>> answer["results"][0]["quoted"]["text"]
    'The Golden Heron is a prize for films.'
    >>> graph.close()
    """

    def __init__(
        self,
        graph: KnowledgeGraph | Backend,
        *,
        role: ToolRole | str = ToolRole.WRITE,
        approve: Approve | Approver | None = None,
        policy: ToolPolicy | None = None,
        caller: str = NOBODY,
        is_trusted: bool = True,
    ) -> None:
        self._own: LocalBackend | None = None
        self._backend: Backend
        if isinstance(graph, KnowledgeGraph):
            self._backend = self._own = LocalBackend(graph)
        else:
            self._backend = graph
        self._role = role_named(role)
        approver = AskingApprover(approve) if callable(approve) else approve
        self._gate = ApprovalGate(policy or ToolPolicy(), self._role, approver, caller, is_trusted=is_trusted)

    @property
    def backend(self) -> Backend:
        """The way to the graph."""
        return self._backend

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools for which the caller's role is enough, in the order of the table."""
        return tools_for(self._role)

    def is_free(self, name: str) -> bool:
        """Whether calls of a tool run, and their results go out, without anybody's decision."""
        return self._gate.is_free(TOOLS[name])

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        gone: Gone = waiting,
        progress: Told = silent,
        ask: Approve | None = None,
    ) -> Result:
        """The result of a tool, as `listing.result_schema` describes it.

        `gone` is asked from time to time whether the caller has gone, which ends the work; `progress` is
        told how far it is. `ask` asks the caller's own person, who decides where role and policy allow it; it
        comes before the toolbox's `approve`. Raises InputError for wrong arguments, ForbiddenError for a
        role that is too low and for what was not approved, ApprovalPendingError for what waits, LimitError,
        and what the tool raises.
        """
        tool = self._named(name)
        given = _with_defaults(arguments or {}, tool.arguments(self._backend.graph.settings))
        if (released := self._gate.released(tool, given)) is not None:
            return released
        context = ToolContext(self._backend, gone, progress)
        with self._gate.reviewed_errors(tool):
            tool.ready(context, given)
        self._gate.check_call(tool, given, ask)
        with self._gate.reviewed_errors(tool):
            ran = tool.run(context, given)
        result = self._checked({"notice": NOTICE, **ran})
        self._gate.check_result(tool, given, result, ask)
        return result

    def openai_tools(self) -> list[dict[str, Any]]:
        """The tools as the chat API of OpenAI takes them (`tools`)."""
        return openai_tools(self.tools, self._backend.graph.settings)

    def close(self) -> None:
        """Ends the worker that runs queries."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Toolbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _named(self, name: str) -> Tool:
        tool = TOOLS.get(name)
        if tool is None:
            known = ", ".join(each.name for each in self.tools)
            raise InputError(f"there is no tool {name[:_SHOWN]!r}; call one of {known}")
        if not self._role.includes(tool.role):
            raise ForbiddenError(f"{name} needs the role {tool.role}, and the caller has {self._role}")
        return tool

    def _checked(self, result: Result) -> Result:
        """The result, if a model can be expected to read it. Raises LimitError."""
        most = 2 * self._backend.graph.settings.max_tool_answer
        length = len(json.dumps(result, ensure_ascii=False))
        if length > most:
            raise LimitError.of("the answer", length, most, "characters", "max_tool_answer")
        return result


def _with_defaults(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The arguments, checked, with the defaults of those that are missing. Raises InputError, LimitError."""
    defaults = {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
    checked = checked_value(
        dict(arguments), schema, "the arguments", "the schema of the tool (sage-ld tools)"
    )
    return defaults | checked
