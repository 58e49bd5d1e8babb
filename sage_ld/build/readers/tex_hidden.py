r"""The text of a LaTeX file that is not set: comments in environments, and branches of false conditions.

LaTeX skips such text without reading it, so it need not be correct LaTeX. It is found before the file is
parsed, and blanked, so that every other character keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_COMMENTS: Final = "comment|filecontents\\*?"
_VERBATIM: Final = r"verbatim\*?|Verbatim|lstlisting|minted|alltt"
_TOKEN: Final = re.compile(
    rf"\\begin\s*\{{(?P<comment>{_COMMENTS})\}}.*?(?:\\end\s*\{{(?P=comment)\}}[ \t]*\n?|\Z)"
    rf"|\\begin\s*\{{(?P<verbatim>{_VERBATIM})\}}.*?(?:\\end\s*\{{(?P=verbatim)\}}|\Z)"
    r"|\\verb\*?(?P<sign>[^A-Za-z\s*])[^\n]{0,1000}?(?P=sign)"
    r"|\\newif\s*\\if[A-Za-z@]+"
    r"|\\(?P<macro>[A-Za-z@]+|.)|%[^\n]*",
    re.DOTALL,
)
_DECLARED: Final = re.compile(r"\\newif\s*\\(if[A-Za-z@]+)")
_CONDITIONS: Final = frozenset(
    {"if", "ifx", "ifcat", "ifnum", "ifdim", "ifodd", "ifvmode", "ifhmode", "ifmmode", "ifinner", "ifvoid"}
    | {"ifhbox", "ifvbox", "ifeof", "iftrue", "iffalse", "ifcase", "ifdefined", "ifcsname", "iffontchar"}
    | {"ifpdf", "ifxetex", "ifluatex", "ifPDFTeX", "ifXeTeX", "ifLuaTeX"}
)
"""The macros that begin a condition, which `\\fi` ends; others, such as `\\iff`, do not."""
_ARGUMENTS: Final = re.compile(r"\s*(?:0(?![0-9])|01|10)")
r"""What follows `\if` where it is meant to be false."""


class _Condition(NamedTuple):
    """A condition that is open."""

    value: bool | None
    """None where it is not known: both of its branches are read."""
    begin: int
    """The place where the branch begins."""
    in_else: bool = False
    """Whether the branch is the second one, which is set where the condition is false."""


def without_hidden(text: str) -> tuple[str, int]:
    r"""The text with blanks in place of what is not set, and the number of these parts.

    >>> without_hidden(r"a\iffalse b\else c\fi d")
    ('a\\iffalse  \\else c\\fi d', 1)
    """
    parts: list[str] = []
    at = count = 0
    for begin, end in sorted(_hidden(text)):
        if end > at:  # else inside the one before
            begin = max(begin, at)
            parts += [text[at:begin], " " * (end - begin)]
            count += bool(text[begin:end].strip())
            at = end
    return "".join([*parts, text[at:]]), count


def _hidden(text: str) -> Iterator[tuple[int, int]]:
    """The places of what is not set, which may lie in each other."""
    conditions = _CONDITIONS.union(_DECLARED.findall(text))
    opened: list[_Condition] = []
    for token in _TOKEN.finditer(text):
        macro = token["macro"]
        if token["comment"]:
            yield token.span()
        elif macro in conditions:
            opened.append(_opened(macro, text, token.end()))
        elif macro in ("else", "fi") and opened:
            condition = opened.pop()
            if _is_false(condition):
                yield condition.begin, token.start()
            if macro == "else":
                opened.append(_Condition(condition.value, token.end(), in_else=True))
    yield from ((each.begin, len(text)) for each in opened if _is_false(each))


def _opened(macro: str, text: str, at: int) -> _Condition:
    """The condition that a macro begins."""
    if macro == "if" and _ARGUMENTS.match(text, at):
        return _Condition(False, at)
    return _Condition({"iftrue": True, "iffalse": False}.get(macro), at)


def _is_false(condition: _Condition) -> bool:
    """Whether the branch of a condition that has been reached is not set."""
    return condition.value is not None and condition.value is condition.in_else
