"""Imports that happen late, or may fail: names of a package, and modules of rooms that were left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def lazy_names(package: dict[str, object], homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package (PEP 562) whose `globals()` are `package`.

    `homes` has the module of each name, below the package.
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package['__name__']}.{homes[name]}"), name)
        package[name] = value  # the next use finds it without asking here
        return value

    return get


def is_installed(room: str) -> bool:
    """Whether a package of sage-ld is there; nothing of it is imported.

    >>> is_installed("sage_ld.foundation"), is_installed("sage_ld.attic")
    (True, False)
    """
    return find_spec(room) is not None


def optional_module(name: str) -> ModuleType | None:
    """The module `name` of sage-ld, or None where it, or the room that holds it, was left out.

    A module that is there and cannot be imported raises, as it would anywhere else.

    >>> optional_module("sage_ld.foundation.errors").__name__
    'sage_ld.foundation.errors'
    >>> optional_module("sage_ld.attic.rankings") is None
    True
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise
