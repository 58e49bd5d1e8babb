"""Commands of a person in the loop: approvals (list, give, refuse), and call, which asks on the terminal."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.agents.tools.approval import ApprovalDecision, ApprovalRequest
    from sage_ld.agents.tools.policy import ToolPolicy
    from sage_ld.foundation.settings import Settings
    from sage_ld.graph.provenance import KeptApproval

approvals = typer.Typer(help="Decide about calls of tools that wait for a person.", no_args_is_help=True)
app.add_typer(approvals, name="approvals")


Identifier = Annotated[str, typer.Argument(help="Identifier of the approval, as approvals list shows it.")]
POLICY = Annotated[
    str, typer.Option(help="File of the policy; else the setting tool_policy, or the default.")
]
_ECHOED: Final = 60
"""Characters of a wrong argument that an error shows."""
_EXAMPLE: Final = '\'{"question": "Who won?"}\''
_FIRST: Final = 200
"""Characters of a held result in a list; `show` has it whole."""


@approvals.command(name="list")
def list_approvals(
    graph: GRAPH,
    limit: Annotated[int, typer.Option(help="Maximum number of entries.", min=1)] = 50,
    every: Annotated[bool, typer.Option("--all", help="Include decided ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the calls and results that wait for a person, the last one first.

    Example: sage-ld approvals list films
    """
    from sage_ld.agents.http.approval_schemas import approval_json
    from sage_ld.agents.tools.shown_values import shown_values
    from sage_ld.graph import KnowledgeGraph

    knowledge = KnowledgeGraph.open(graph)
    shown = [approval_json(each) for each in knowledge.approvals.newest(limit, waiting=not every)]
    if as_json:
        print_json(shown)
        return
    for each in shown:
        typer.echo(f"{each['approval']}  {each['created']}  {each['state']}  {each['tool']}")
        decider = f", decided by {each['decider']}" if "decider" in each else ""
        typer.echo(f"  asked by {harmless(each['caller'] + decider)}")
        typer.echo(indent(shown_values(each["arguments"]), "  "))
        if "result" in each:
            typer.echo(indent("result: " + shown_values(each["result"], _FIRST), "  "))
    typer.echo(f"{len(shown)} approvals")


@approvals.command()
def show(graph: GRAPH, identifier: Identifier) -> None:
    """Print one approval in full, as JSON: the arguments of its call, and the result if that waits.

    Example: sage-ld approvals show films 0d1f…
    """
    from sage_ld.agents.http.approval_schemas import approval_json
    from sage_ld.graph import KnowledgeGraph

    print_json(approval_json(KnowledgeGraph.open(graph).approvals.get(identifier)))


@approvals.command()
def give(graph: GRAPH, identifier: Identifier) -> None:
    """Let a call run, or its result go out; the caller makes it again.

    Example: sage-ld approvals give films 0d1f…
    """
    done = _decide(graph, identifier, True)
    typer.echo(f"{done.tool}: approved")


@approvals.command()
def refuse(
    graph: GRAPH,
    identifier: Identifier,
    reason: Annotated[str, typer.Option(help="The reason, which the caller reads.")] = "",
) -> None:
    """Refuse a call, or hold its result back.

    Example: sage-ld approvals refuse films 0d1f… --reason "the document is still needed"
    """
    done = _decide(graph, identifier, False, reason)
    typer.echo(f"{done.tool}: refused")


@app.command()
def call(
    graph: GRAPH,
    tool: Annotated[str, typer.Argument(help="The tool's name, as sage-ld tools lists it.")],
    arguments: Annotated[str, typer.Argument(help="Arguments of the tool, as a JSON object.")] = "{}",
    role: Annotated[str, typer.Option(help="Role of the caller: read, write or admin.")] = "write",
    policy: POLICY = "",
) -> None:
    """Call a tool as a language model would, and answer on the terminal where it needs an approval.

    Example: sage-ld call films search '{"question": "Who won the Golden Heron?"}'
    """
    from sage_ld.agents import Toolbox
    from sage_ld.foundation.errors import InputError
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.service.api.json_text import read_json

    try:
        given = read_json(arguments, f"the argument {arguments[:_ECHOED]!r}")
    except InputError as error:
        raise InputError(f"{error}, such as {_EXAMPLE}") from None
    if not isinstance(given, dict):
        raise InputError(
            f"the argument {arguments[:_ECHOED]!r} is not a JSON object; give one, such as {_EXAMPLE}"
        )
    knowledge = KnowledgeGraph.open(graph)
    rules = policy_of(policy, knowledge.settings)
    with Toolbox(knowledge, role=role, approve=_ask, policy=rules) as toolbox:
        print_json(toolbox.call(tool, given))


def _decide(graph: Path, identifier: str, approved: bool, reason: str = "") -> KeptApproval:
    from sage_ld.graph import KnowledgeGraph

    return KnowledgeGraph.open(graph).approvals.decide(identifier, approved, by=_person(), reason=reason)


def policy_of(option: str, settings: Settings) -> ToolPolicy | None:
    """The policy that an option names, or the setting; None for the default."""
    from sage_ld.agents.tools.policy import load_policy

    path = option or settings.tool_policy
    return load_policy(path) if path else None


def _ask(request: ApprovalRequest) -> ApprovalDecision:
    """The decision of the person at the terminal; where nobody is there, it is refused."""
    from sage_ld.agents.tools.approval import ApprovalDecision
    from sage_ld.agents.tools.shown_values import shown_values

    shown = request.arguments if request.result is None else request.result
    typer.echo(shown_values(shown), err=True)
    try:
        approved = typer.confirm(request.question, err=True)
    except typer.Abort:
        return ApprovalDecision(False, "nobody answered on the terminal")
    return ApprovalDecision(approved, "" if approved else "the user said no")


def _person() -> str:
    """The name of the person who decides on this machine, for the log."""
    return f"terminal of user {os.getuid() if hasattr(os, 'getuid') else os.environ.get('USERNAME', '')}"
