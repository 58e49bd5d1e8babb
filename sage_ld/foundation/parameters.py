"""Parameters: what a field of a record says of itself beside its name, type and default.

Range, help, JSON-LD term, option and who may set it stand at the field; checks, schemas, options,
answers and documentation read them from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import cache
from typing import Any, Final

from sage_ld.foundation.errors import InputError

_KEY: Final = "parameter"
_MOST: Final = 1_000_000
"""The maximum of a whole number unless its field gives another."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """The description of a parameter, which its field has as metadata."""

    help: str = ""
    name: str = ""
    least: float | None = None
    """Its minimum; unless given, 1 for a whole number and 0 for another."""
    most: float | None = None
    """Its maximum; unless given, a million for a whole number and 1 for another."""
    setting: str = ""
    """The setting that limits it."""
    unit: str = ""
    """What that setting counts, where it is not the unit of the parameter itself."""
    told: bool = True
    """Whether an answer says it."""
    term: str = ""
    """The JSON-LD term by which an answer says it; unless given, the name in camel case."""
    http: str = ""
    """Its name in a request, where that is another."""
    choices: tuple[str, ...] = ()
    """The values that it, or each of its list, may have."""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """What its JSON Schema says beside what follows from type, range and help."""
    client: bool = False
    """Whether a client of the service may set it."""
    client_most: float | None = None
    """The maximum for a client, where it is lower."""
    tool: bool = False
    """Whether the tools of agents that put a question take it."""
    rankings: tuple[str, ...] = ()
    """The rankings that read it, and whose answers say it; empty for all."""
    switch: str = ""
    """The parameter without which it is not read, and not said; its own name if 0 or false turns it off."""
    always: bool = False
    """Whether each answer says it, whatever its value and the ranking."""
    option: str | None = None
    """Its option on the command line; empty for its own name, None if it has none. A list whose option has
    its name takes all values at once, with commas; one with a name in the singular may be repeated."""
    metavar: str | None = None
    """What the help of the command line shows in place of its value."""

    def range_of(self, value: float) -> tuple[float, float]:
        """Minimum and maximum of a value of its type."""
        least, most = (1, _MOST) if isinstance(value, int) else (0, 1)
        return least if self.least is None else self.least, most if self.most is None else self.most


def parameter(
    default: Any = MISSING, text: str = "", *, factory: Callable[[], Any] | None = None, **more: Any
) -> Any:
    """A dataclass field with the help `text` and what else `Parameter` has.

    >>> @dataclass
    ... class Walk:
    ...     damping: float = parameter(0.5, "Share of a walk that goes on.", client=True)
    >>> parameters(Walk)["damping"].term, parameters(Walk)["damping"].range_of(0.5)
    ('damping', (0, 1))
    """
    metadata = {_KEY: Parameter(text, **more)}
    if factory is not None:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


def parameters(record: Any) -> Mapping[str, Parameter]:
    """The parameters of a record by the names of their fields; one that no answer says has no term."""
    return _parameters(record)


@cache
def _parameters(record: Any) -> Mapping[str, Parameter]:
    return {each.name: _of(each) for each in fields(record)}


def _of(each: Field[Any]) -> Parameter:
    given: Parameter = each.metadata.get(_KEY, Parameter())
    head, *others = each.name.split("_")
    term = given.term or head + "".join(other.capitalize() for other in others)
    return replace(given, name=each.name, term=term if given.told else "", http=given.http or each.name)


def check_range(given: Parameter, value: Any, place: str) -> None:
    """Raises InputError where a number is outside the range of its parameter, which is at `place`.

    >>> check_range(Parameter(), 2.0, "retrieval.decay")
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: retrieval.decay: 2.0 is outside 0..1; give a number such as 0.5
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    least, most = given.range_of(value)
    if isinstance(value, float) and not least <= value <= most:
        raise InputError(
            f"{place}: {value} is outside {least:g}..{most:g}; give a number such as {(least + most) / 2:g}"
        )
    if value < least:
        raise InputError(f"{place}: {value} is below its minimum {least}; give a larger value")
    if value > most:
        raise InputError(f"{place}: {value} is above its maximum {most:,}; give a smaller value")
