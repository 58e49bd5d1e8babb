"""RDF of others as pyoxigraph may parse it.

Its parser recurses where RDF nests, and a few thousand levels end the process; it lets entities expand
without end, reads contexts inside terms again, and refuses some of what the standards allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pyoxigraph import Literal, Quad, RdfFormat, parse

from sage_ld.build.readers.contexts import ContextLoader
from sage_ld.build.readers.data.json_values import parse_json
from sage_ld.build.readers.json_ld import check_scoped_contexts, with_contexts
from sage_ld.build.readers.xml_events import check_xml
from sage_ld.foundation.errors import LimitError

_NO_LANGUAGE: Final = "x-none"
"""In place of an empty tag, which says that a literal has no language (RDF/XML, §2.7)."""
_TAG: Final = re.compile(rb"<[^<>!?]*>")
_EMPTY_LANGUAGE: Final = re.compile(rb"""(\sxml:lang\s*=\s*)(?:""|'')""")
_OPENING: Final = b"<<("
_TOKEN: Final = re.compile(
    rb'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'
    rb"|'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?"
    rb'|"(?:[^"\\\n]|\\.)*+"?'
    rb"|'(?:[^'\\\n]|\\.)*+'?"
    rb"|\\.|#[^\r\n]*|<<\(|\)>>|<[^<>\s]*",
    re.DOTALL,
)
"""Tokens that may hold the signs of a triple term without being one, and these signs."""


def rdf_quads(
    content: bytes, form: RdfFormat, base: str, loader: ContextLoader, *, is_dataset: bool = False
) -> Iterator[Quad]:
    """The quads of RDF, whose blank nodes get new names; only a dataset may have named graphs.

    Raises as `checked_text`, and SyntaxError.
    """
    text = checked_text(content, form, base, loader)
    for quad in parse(
        text, form, base_iri=base, without_named_graphs=not is_dataset, rename_blank_nodes=True
    ):
        yield Quad(quad.subject, quad.predicate, plain(quad.object), quad.graph_name)


def checked_text(
    content: bytes, form: RdfFormat, base: str, loader: ContextLoader, original: bytes | None = None
) -> bytes:
    """The text that pyoxigraph may parse; `plain` has to be applied to the objects that it gives.

    `original` is XML as it was coded. Raises InputError, LimitError for what nests deeper than
    `max_json_depth`, and MissingContextError where a context is to be fetched.
    """
    name, settings = loader.name, loader.settings
    if form == RdfFormat.JSON_LD:
        parse_json(content.decode("utf-8-sig", "replace"), name, settings)
        check_scoped_contexts(content, name, settings.max_json_values)
        return with_contexts(content, base, loader)
    if form == RdfFormat.RDF_XML:
        check_xml(original or content, name, settings)
        return _with_languages(content)
    if _is_deeper_than(content, limit := settings.max_json_depth):
        raise LimitError(
            f"{name}: triple terms nested deeper than {limit:,} levels; "
            "flatten them or raise the setting max_json_depth"
        )
    return content


def _is_deeper_than(content: bytes, limit: int) -> bool:
    if content.count(_OPENING) <= limit:
        return False
    depth = 0
    for token in _TOKEN.finditer(content):
        depth += {_OPENING: 1, b")>>": -1}.get(token[0], 0)
        if depth > limit:
            return True
    return False


def _with_languages(data: bytes) -> bytes:
    if _EMPTY_LANGUAGE.search(data) is None:
        return data
    return _TAG.sub(lambda tag: _EMPTY_LANGUAGE.sub(rb'\1"%s"' % _NO_LANGUAGE.encode(), tag[0]), data)


def plain(term: Any) -> Any:
    """A term without the language that stands in place of none."""
    if isinstance(term, Literal) and term.language == _NO_LANGUAGE:
        return Literal(term.value)
    return term
