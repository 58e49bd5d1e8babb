"""The SPARQL tokenizer, with which the service and retrieval read the texts of clients.

They follow SPARQL 1.2 (https://www.w3.org/TR/sparql12-query/#sparqlGrammar); anything that is not a token
passes as a sign, for a parser to refuse.

The work is linear in the text, whatever it is: a quantifier gives nothing back, and what was scanned in vain
is a token too. So a string without an end is one token up to where the end was sought (`unclosed`), and
letters that would be a prefix but have no colon after them (`run`) are taken apart by a second pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

_BASE: Final = (
    r"A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_VARIABLE: Final = rf"{_BASE}_0-9\u00B7\u0300-\u036F\u203F-\u2040"
_NAME: Final = rf"{_VARIABLE}\-"
_ESCAPE: Final = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_PREFIX: Final = rf"[{_BASE}](?:[{_NAME}]++|\.++(?=[{_NAME}]))*+"
_LOCAL: Final = rf"(?:[{_BASE}_:0-9]|{_ESCAPE})(?:[{_NAME}:]++|{_ESCAPE}|\.++(?=[{_NAME}:]|{_ESCAPE}))*+"
_LONG: Final = r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+', r"'''(?:[^'\\]|\\.|'{1,2}(?!'))*+"
_SHORT: Final = r'"(?:[^"\\\r\n]|\\.)*+', r"'(?:[^'\\\r\n]|\\.)*+"
_COMMON: Final = r"""
  | (?P<number>   [0-9]++(?:\.[0-9]*+[eE][+-]?[0-9]++ | \.[0-9]++ | [eE][+-]?[0-9]++)?+
                | \.[0-9]++(?:[eE][+-]?[0-9]++)?+ )
  | (?P<sign>     <<\( | \)>> | << | >> | \{\| | \|\} | && | \|\| | \^\^ | != | <= | >= | . )
"""
_TOKEN: Final = rf"""
    (?P<space>    (?:[ \t\r\n]++|\#[^\r\n]*+)++ )
  | (?P<variable> [?$][{_BASE}_0-9][{_VARIABLE}]*+ )
  | (?P<word>     [A-Za-z_][A-Za-z0-9_]*+(?![{_NAME}.:]) )
  | (?P<name>     (?:{_PREFIX})?+:(?:{_LOCAL})?+ )
  | (?P<run>      {_PREFIX} )
  | (?P<iri>      <(?:[^\x00-\x20<>"{{}}|^`\\]++|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*+> )
  | (?P<string>   {_LONG[0]}\"\"\" | {_LONG[1]}''' | (?!\"\"\"|'''){_SHORT[0]}" | (?!'''){_SHORT[1]}' )
  | (?P<unclosed> {_LONG[0]} | {_LONG[1]} | {_SHORT[0]} | {_SHORT[1]} )
  | (?P<blank>    _:[{_BASE}_0-9](?:[{_NAME}]++|\.++(?=[{_NAME}]))*+ )
  | (?P<language> @[A-Za-z]++(?:-[A-Za-z0-9]++)*+(?:--[A-Za-z]++)?+ )
  {_COMMON}
    """
_IN_RUN: Final = rf"(?P<word>[A-Za-z_][A-Za-z0-9_]*+){_COMMON}"


DECLARATIONS: Final = {"PREFIX": 3, "BASE": 2, "VERSION": 2}
"""How many tokens each declaration has."""


OPENS: Final = frozenset("{([")
CLOSES: Final = frozenset("})]")


class Token(NamedTuple):
    """One token: `kind` is a group of the pattern above, `begin` where it stands in the text."""

    kind: str
    text: str
    begin: int

    @property
    def keyword(self) -> str:
        """The word in capitals; empty if the token is not a word."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def end(self) -> int:
        """The offset of its end in the text."""
        return self.begin + len(self.text)


def tokens(text: str) -> Iterator[Token]:
    """The tokens of `text`, without white space and comments.

    >>> [token.text for token in tokens("ASK { ?s a <x> } # all")]
    ['ASK', '{', '?s', 'a', '<x>', '}']
    """
    token, in_run = _pattern(_TOKEN), _pattern(_IN_RUN)
    for match in token.finditer(text):
        kind = match.lastgroup
        if kind == "run":
            for part in in_run.finditer(text, match.start(), match.end()):
                yield Token(part.lastgroup or "", part.group(), part.start())
        elif kind != "space":
            yield Token(kind or "", match.group(), match.start())


def prologue_length(token_list: Sequence[Token]) -> int:
    """The number of tokens that the declarations before a query have."""
    position = 0
    while position < len(token_list) and (length := DECLARATIONS.get(token_list[position].keyword)):
        position += length
    return position


def closing_bracket(token_list: Sequence[Token], opening: int) -> int | None:
    """The position of what closes a bracket."""
    depth = 0
    for position in range(opening, len(token_list)):
        if token_list[position].kind == "sign":
            depth += (token_list[position].text in OPENS) - (token_list[position].text in CLOSES)
        if depth == 0:
            return position
    return None


def outer_tokens(token_list: Sequence[Token]) -> Iterator[Token]:
    """The tokens outside of all brackets, with these."""
    position = 0
    while position < len(token_list):
        yield token_list[position]
        if (end := closing_bracket(token_list, position)) is None:
            return
        if end > position:
            yield token_list[end]
        position = end + 1


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """A pattern, compiled when it is first used: that takes 50 ms, and few commands read a query."""
    return re.compile(text, re.VERBOSE | re.DOTALL)
