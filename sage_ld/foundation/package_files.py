"""The version of the package and the files that travel with it: ontology, JSON-LD context, shapes.

In a checkout they lie at the root of the repository, where readers look for them; a wheel carries them in
`sage_ld/data` (pyproject.toml, force-include).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from sage_ld.foundation.errors import InputError, NotFoundError

ONTOLOGY: Final = "ontology/sage.ttl"
CONTEXT: Final = "ontology/context.jsonld"
METADATA: Final = "ontology/metadata.ttl"
RELATIONS: Final = "ontology/relations.ttl"
CONTEXTS: Final = "ontology/contexts"
"""The folder of the JSON-LD contexts of others; `docs/contexts.md` says where each is from."""
SHAPES: Final = "shapes/sage.ttl"

_PACKAGE = Path(__file__).resolve().parents[1]
_ROOTS = (_PACKAGE / "data", _PACKAGE.parent)


def path(name: str) -> Path:
    """The path of the file `name`; `name` is its path in the repository.

    Raises NotFoundError if the installation lacks it.

    >>> path(SHAPES).name
    'sage.ttl'
    """
    for root in _ROOTS:
        if (root / name).is_file():
            return root / name
    raise NotFoundError(f"{name}: missing from this installation of sage-ld; reinstall it")


@cache
def version() -> str:
    """The version of sage-ld that is installed."""
    from importlib.metadata import version as installed

    return installed("sage-ld")


@cache
def read_text(name: str) -> str:
    """The text of the file `name`.

    >>> read_text(ONTOLOGY).startswith("@prefix sage:")
    True
    """
    return path(name).read_text(encoding="utf-8")


def check_digest(file: Path, expected: str, package: str) -> None:
    """Raises InputError where the file of a package has another SHA-256."""
    import hashlib

    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != expected:
        raise InputError(f"{file} has the SHA-256 {digest}, not {expected}; install {package} again")
