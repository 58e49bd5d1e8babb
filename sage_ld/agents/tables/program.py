"""Running a Python program: its variables, what it prints, its result, and its errors in one line each.

Nothing here keeps a program from anything: that is up to the process that it runs in.
"""

from __future__ import annotations

import ast
import io
from contextlib import redirect_stderr, redirect_stdout
from types import TracebackType
from typing import Any, Final

from sage_ld.foundation.errors import InputError, ResultLimitError, SageError
from sage_ld.foundation.processes.failures import one_line

_FILE: Final = "<code>"
_MESSAGE: Final = 600  # characters of an error
_PRINTED: Final = 16_000  # characters of what a program prints that are kept
_NOTHING: Final = object()
_UNREACHABLE: Final = " (nothing outside of the tables can be reached; they are there as DataFrames)"


class _Printed(io.TextIOBase):
    """The first characters of a program's output."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = _PRINTED

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if self._left > 0:
            self._parts.append(text[: self._left])
            self._left -= len(text)
        return len(text)

    def text(self) -> str:
        return "".join(self._parts) + ("…" if self._left < 0 else "")


def run(code: str, variables: dict[str, Any]) -> tuple[Any, str]:
    r"""The result of a program and what it printed.

    The result is the value of its variable `result`; without one, that of its last line, if it is an
    expression, or else the lines that it printed. Raises InputError and ResultLimitError, for its own errors,
    too.

    >>> run("x = 2\nx + n", {"n": 3})
    (5, '')
    >>> run("x = 0\n1 / x", {})
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: the program, line 2: ZeroDivisionError: division by zero
    """
    printed = _Printed()
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            value = _executed(code, variables)
    except BaseException as error:  # a program may raise anything
        raise told(error) from None
    if value is None or value is _NOTHING:
        if not printed.text():
            raise InputError("the program set no `result`; set it to a DataFrame, a Series or a value")
        value = printed.text().splitlines()
    return value, printed.text()


def _executed(code: str, variables: dict[str, Any]) -> Any:
    tree = ast.parse(code, _FILE)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, _FILE, "exec"), variables)
    value = _NOTHING
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), _FILE, "eval"), variables)
    return variables.get("result", value)


def told(error: BaseException) -> SageError:
    """An error of a program, with the line that it comes from."""
    if isinstance(error, SageError):
        return error
    number = error.lineno if isinstance(error, SyntaxError) else _line(error.__traceback__)
    where = "the program" if number is None else f"the program, line {number}"
    if isinstance(error, MemoryError):
        return ResultLimitError(
            f"{where}: it needs more memory than the setting table_worker_memory gives it; simplify it"
        )
    hint = _UNREACHABLE if isinstance(error, PermissionError) else ""
    return InputError(f"{where}: {type(error).__name__}: {_message(error)}{hint}")


def _message(error: BaseException) -> str:
    try:
        text = one_line(str(error.msg if isinstance(error, SyntaxError) else error))
    except BaseException:  # its __str__ may be the program's
        return "an error without a message"
    return text if len(text) <= _MESSAGE else text[:_MESSAGE] + "…"


def _line(trace: TracebackType | None) -> int | None:
    """The line of the program that an error comes from."""
    number = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            number = trace.tb_lineno
        trace = trace.tb_next
    return number
