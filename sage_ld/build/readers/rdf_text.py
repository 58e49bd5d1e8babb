"""The text of RDF files as pyoxigraph takes it: what the standards allow and its parsers refuse."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from pyoxigraph import Literal

from sage_ld.foundation import package_files
from sage_ld.foundation.errors import InputError

_SCHEMA_ORG: Final = re.compile(
    r"https?://(?:www\.)?schema\.org(?:/|/docs/jsonldcontext\.jsonld?)?", re.ASCII
)
"""The addresses of the context of schema.org, which comes with this package."""
_NO_LANGUAGE: Final = "x-none"
"""In place of an empty tag, which says that a literal has no language (RDF/XML, §2.7)."""
_TAG: Final = re.compile(rb"<[^<>!?]*>")
_EMPTY_LANGUAGE: Final = re.compile(rb"""(\sxml:lang\s*=\s*)(?:""|'')""")
_NAMED_CONTEXT: Final = re.compile(rb'"@context"\s*:\s*[\["]')


def with_languages(data: bytes) -> bytes:
    """RDF/XML without empty tags of languages; `plain` takes them from literals again."""
    if _EMPTY_LANGUAGE.search(data) is None:
        return data
    return _TAG.sub(lambda tag: _EMPTY_LANGUAGE.sub(rb'\1"%s"' % _NO_LANGUAGE.encode(), tag[0]), data)


def plain(term: Any) -> Any:
    """A term without the language that `with_languages` has put in place of none."""
    if isinstance(term, Literal) and term.language == _NO_LANGUAGE:
        return Literal(term.value)
    return term


def with_contexts(data: bytes, name: str) -> bytes:
    """JSON-LD with the context of schema.org in place of its address. Raises InputError for another one.

    `name` is that of the file, for the error.
    """
    if _NAMED_CONTEXT.search(data) is None:
        return data
    try:
        value = json.loads(data)
    except ValueError:
        return data  # whose parser says where it is wrong
    return json.dumps(with_known_contexts(value, name), ensure_ascii=False).encode()


def with_known_contexts(value: Any, name: str) -> Any:
    """The same for a value of JSON."""
    if isinstance(value, list):
        return [with_known_contexts(each, name) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _context(each, name) if key == "@context" else with_known_contexts(each, name)
        for key, each in value.items()
    }


def _context(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_context(each, name) for each in value]
    if isinstance(value, str):
        if not _SCHEMA_ORG.fullmatch(value):
            raise InputError(f"{name}: its context {value[:80]} is unknown, and none is fetched; inline it")
        return _schema_org()
    return (
        {key: each for key, each in value.items() if key != "@import"} if isinstance(value, dict) else value
    )


@cache
def _schema_org() -> Any:
    return json.loads(package_files.read_text(package_files.SCHEMA_ORG))["@context"]
