"""The text of RDF files as pyoxigraph takes it: what the standards allow and its parsers refuse."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from pyoxigraph import Literal

from sage_ld.foundation import package_files
from sage_ld.foundation.errors import InputError, LimitError

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


def check_scoped_contexts(data: bytes, name: str, limit: int) -> None:
    """Raises LimitError where contexts inside terms (JSON-LD 1.1, §4.1.8) make a parser read too many terms.

    Such a context is read again wherever its term is used: the terms that it has, times these places.
    """
    if data.count(b'"@context"') < 2:
        return
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return  # whose parser says where it is wrong
    sizes, uses = Counter[str](), Counter[str]()
    for key, item, in_context in _members(value):
        if in_context and isinstance(item, dict) and "@context" in item:
            sizes[key] += _entries(item["@context"])
        elif not in_context:
            uses.update([key, *(_types(item) if key == "@type" else ())])
    if (read := sum(size * uses[term] for term, size in sizes.items())) > limit:
        what = f"{name}: terms of contexts inside terms, each time that they are read"
        raise LimitError.of(what, read, limit, "terms", "max_json_values", remedy="put them into one context")


def _members(value: Any) -> Iterator[tuple[str, Any, bool]]:
    """The members of all objects in a value of JSON, and whether each stands in a context."""
    waiting: list[tuple[Any, bool]] = [(value, False)]
    while waiting:
        each, in_context = waiting.pop()
        if isinstance(each, list):
            waiting += [(item, in_context) for item in each]
        elif isinstance(each, dict):
            for key, item in each.items():
                yield key, item, in_context
                waiting.append((item, in_context or key == "@context"))


def _entries(context: Any) -> int:
    """The number of terms of a context, and of those inside it."""
    count, waiting = 0, [context]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            count += len(each)
            waiting += each.values()
    return count


def _types(value: Any) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


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
