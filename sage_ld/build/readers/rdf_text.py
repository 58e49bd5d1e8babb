"""The text of RDF/XML as pyoxigraph takes it: what the standard allows and its parser refuses."""

from __future__ import annotations

import re
from typing import Any, Final

from pyoxigraph import Literal

_NO_LANGUAGE: Final = "x-none"
"""In place of an empty tag, which says that a literal has no language (RDF/XML, §2.7)."""
_TAG: Final = re.compile(rb"<[^<>!?]*>")
_EMPTY_LANGUAGE: Final = re.compile(rb"""(\sxml:lang\s*=\s*)(?:""|'')""")


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
