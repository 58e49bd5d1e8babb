"""Calls to other servers, SERVICE and LOAD, found by the parser that would carry them out.

Oxigraph reads a text without tokens: `trueSERVICE <u> {}` is a call for it, and so is `SERVICE` in
`FILTER(1<'>')SERVICE <u> {'…`, where `<'>` is an IRI by the grammar. No reading of ours is sure to be the
parser's. So a text is parsed with another word in the place of each `service` and `load`. In strings,
comments, IRIs and names that changes nothing; a keyword is one no more.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Final

from pyoxigraph import NamedNode, Store, Variable

from sage_ld.foundation.errors import InputError

IN_QUERIES: Final = re.compile("service", re.IGNORECASE | re.ASCII)
IN_UPDATES: Final = re.compile("service|load", re.IGNORECASE | re.ASCII)
_LETTERS: Final = "bcdfghjklmnpqrtvwxz"  # no keyword is made of them alone
_LENGTH: Final = 7  # as `service`: longer than 8 letters is no language tag

Parse = Callable[[str], None]
"""Parses a text and does nothing else; raises SyntaxError if it does not parse."""


def refuse_calls(text: str, keywords: re.Pattern[str], parse: Parse) -> None:
    """Raises InputError if `text` calls another server, SyntaxError if it does not parse.

    A text in which none of `keywords` occurs is not parsed.
    """
    if keywords.search(text) is None:
        return
    try:
        parse(disguised(text, keywords))
    except SyntaxError:
        parse(text)
        raise InputError(
            "SERVICE or LOAD: this service calls no other server; leave it out, or list endpoints for "
            "SERVICE in queries in the setting service_endpoints"
        ) from None


def disguised(text: str, keywords: re.Pattern[str]) -> str:
    """`text` with another word in the place of each of `keywords`, one that it does not have.

    >>> disguised("ASK { ?s ?service 'SERVICE' }", IN_QUERIES).lower().count("service")
    0
    """
    word = unused_word(text)

    def replacement(match: re.Match[str]) -> str:
        pairs = zip(word, match[0].ljust(_LENGTH), strict=True)
        return "".join(new.upper() if old.isupper() else new for new, old in pairs)

    return keywords.sub(replacement, text)


def unused_word(text: str) -> str:
    """A word that does not occur in `text`, in small or capital letters."""
    lowered = text.lower()
    while (word := "".join(random.choices(_LETTERS, k=_LENGTH))) in lowered:
        pass
    return word


def parse_query(text: str, base: str | None) -> None:
    """Parses a query. Raises SyntaxError.

    pyoxigraph has no parser of queries alone: a value for a variable that the query does not have ends it
    before anything is evaluated.
    """
    try:
        Store().query(
            text, base_iri=base, substitutions={Variable(unused_word(text)): NamedNode("urn:sage-ld:none")}
        )
    except RuntimeError:
        return
