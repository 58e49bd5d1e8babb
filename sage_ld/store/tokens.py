"""SPARQL's tokens: what service and retrieval read of the texts that clients write.

They follow SPARQL 1.2 (https://www.w3.org/TR/sparql12-query/#sparqlGrammar); what is no token passes as a
sign, for a parser to refuse.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    (?P<space>  [ \t\r\n]++ | \#[^\r\n]*+ )
  | (?P<iri>    <(?:[^\x00-\x20<>"{}|^`\\] | \\u[0-9A-Fa-f]{4} | \\U[0-9A-Fa-f]{8})*+> )
  | (?P<string> \"\"\"(?:[^"\\] | \\. | \"{1,2}(?!\"))*+\"\"\" | '''(?:[^'\\] | \\. | '{1,2}(?!'))*+'''
              | "(?:[^"\\\r\n] | \\.)*+" | '(?:[^'\\\r\n] | \\.)*+' )
  | (?P<variable> [?$]\w++ )
  | (?P<blank>  _:[\w\-.]*+ )
  | (?P<name>   (?:[^\W\d_](?:[\w\-] | \.(?=[\w\-.:]))*)?:(?:[\w:%\-] | \\. | \.(?=[\w:%\-.\\]))*+ )
  | (?P<language> @[A-Za-z]++(?:-[A-Za-z0-9]++)*+ )
  | (?P<number> (?:\d++(?:\.\d++)? | \.\d++)(?:[eE][+-]?\d++)? )
  | (?P<word>   [^\W\d]\w*+ )
  | (?P<sign>   <<\( | \)>> | << | >> | \{\| | \|\} | && | \|\| | \^\^ | != | <= | >= | . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One token: `kind` is a group of the pattern above, `begin` where it stands in the text."""

    kind: str
    text: str
    begin: int

    @property
    def keyword(self) -> str:
        """The word in capitals; empty where the token is none."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.begin + len(self.text)


def tokens(text: str) -> list[Token]:
    """The tokens of `text`, without white space and comments.

    >>> [token.text for token in tokens("ASK { ?s a <x> } # all")]
    ['ASK', '{', '?s', 'a', '<x>', '}']
    """
    found = (Token(match.lastgroup or "", match.group(), match.start()) for match in _TOKEN.finditer(text))
    return [token for token in found if token.kind != "space"]
