"""Names of a package that are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


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
