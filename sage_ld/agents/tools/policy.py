"""The policy of tools: which calls run, which wait for a person, and whose results a person sees first."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sage_ld.agents.tools.listing import role_named
from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Effect, Tool, ToolRole
from sage_ld.foundation.errors import InputError

_SHOWN: Final = 60


class Handling(StrEnum):
    """The handling of a call, or of its result."""

    ALLOW = "allow"
    """It goes on."""
    ASK = "ask"
    """It waits until a person has said yes."""
    DENY = "deny"
    """It is refused."""


@dataclass(frozen=True, slots=True)
class ToolRule:
    """The policy's rule for one tool."""

    before: Handling = Handling.ALLOW
    """Before it runs."""
    review: Handling = Handling.ALLOW
    """Before its result goes out."""
    decider: ToolRole = ToolRole.WRITE
    """The role that a person needs to decide: of a token, or of the caller who asks its own person."""
    elicit: bool = False
    """Whether a service believes what a caller's program says that the caller's own person decided."""


def _by_effect() -> dict[Effect, ToolRule]:
    return {
        Effect.READS: ToolRule(),
        Effect.WRITES: ToolRule(before=Handling.ASK),
        Effect.COSTS: ToolRule(before=Handling.ASK),
    }


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """Rules by effect, and those of single tools, which come first.

    >>> ToolPolicy().rule(TOOLS["delete_document"]).before, ToolPolicy().rule(TOOLS["search"]).before
    (<Handling.ASK: 'ask'>, <Handling.ALLOW: 'allow'>)
    """

    effects: Mapping[Effect, ToolRule] = field(default_factory=_by_effect)
    tools: Mapping[str, ToolRule] = field(default_factory=dict)

    def rule(self, tool: Tool) -> ToolRule:
        """The rule of a tool."""
        return self.tools.get(tool.name, self.effects[tool.effect])

    @property
    def elicits(self) -> bool:
        """Whether a service believes any caller's program what a person decided."""
        return any(rule.elicit for rule in (*self.effects.values(), *self.tools.values()))


def load_policy(path: str | Path) -> ToolPolicy:
    """The policy in a TOML file, with a table `[effects.EFFECT]` or `[tools.NAME]` for each rule.

    What a table does not say is as in the rule of the tool's effect, or in the default. Raises InputError.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        table = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the policy cannot be read ({error}); give a file of TOML") from None
    try:
        return read_policy(table)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_policy(table: Mapping[str, Any]) -> ToolPolicy:
    """The policy that a table of TOML says. Raises InputError.

    >>> policy = read_policy({"tools": {"delete_document": {"before": "deny"}}})
    >>> policy.rule(TOOLS["delete_document"]).before
    <Handling.DENY: 'deny'>
    """
    _check_names(table, ("effects", "tools"), "table")
    effects, tools = _table(table, "effects"), _table(table, "tools")
    _check_names(effects, tuple(Effect), "effect")
    _check_names(tools, tuple(TOOLS), "tool")
    by_effect = {
        effect: _rule(effects.get(effect, {}), rule, f"effects.{effect}", writes=effect is Effect.WRITES)
        for effect, rule in _by_effect().items()
    }
    by_name = {
        name: _rule(
            stated,
            by_effect[TOOLS[name].effect],
            f"tools.{name}",
            writes=TOOLS[name].effect is Effect.WRITES,
        )
        for name, stated in tools.items()
    }
    return ToolPolicy(by_effect, by_name)


def _rule(table: object, default: ToolRule, place: str, *, writes: bool) -> ToolRule:
    if not isinstance(table, Mapping):
        raise InputError(f"{place} is not a table; write [{place}]")
    _check_names(table, tuple(each.name for each in fields(ToolRule)), f"key of [{place}]")
    given: dict[str, Any] = {
        name: _handling(table[name], place) for name in ("before", "review") if name in table
    }
    if writes and given.get("review") is Handling.ASK:
        raise InputError(
            f"{place}: a change cannot be held back once it is made; set before to ask, not review"
        )
    if "decider" in table:
        given["decider"] = role_named(table["decider"])
    if "elicit" in table:
        given["elicit"] = _flag(table["elicit"], f"elicit of [{place}]")
    return replace(default, **given)


def _handling(value: object, place: str) -> Handling:
    if not isinstance(value, str) or value not in tuple(Handling):
        raise InputError(f"{place}: {str(value)[:_SHOWN]!r}; choose from {', '.join(Handling)}")
    return Handling(value)


def _flag(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{place}: {str(value)[:_SHOWN]!r}; give true or false, without quotes")
    return value


def _table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = table.get(name, {})
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is not a table; write [{name}.NAME]")
    return value


def _check_names(given: Mapping[str, Any], known: tuple[str, ...], kind: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise InputError(f"unknown {kind} {name[:_SHOWN]!r}; {advice}")
