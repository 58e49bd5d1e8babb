"""A condition on chunks, written as SPARQL writes it: a property path from the chunk, and a value.

    condition = path [ operator ] value
    path      = step *( "/" step ) | element 1*( "|" element )
    step      = element | "(" element *( "|" element ) ")"
    element   = [ "^" ] ( IRI | prefixed name | "a" )
    operator  = "=" | "!=" | "<" | "<=" | ">" | ">="
    value     = IRI | prefixed name | string [ language tag | "^^" datatype ] | number | "true" | "false"

Without an operator the path must end in exactly that term, as in a triple pattern. There is no `*`, `+`, `?`
or `!`: a path of this grammar has a known length. It is walked from the value to the chunks, a step at a
time, each node once; how many statements each step follows is counted before they are followed, and counting
stops at the limit. To count a step is to walk to it, so all steps before it are charged again. So a condition
costs no more than its limits allow, whatever the graph holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.tokenizer import Token, tokens

EXAMPLE: Final = 'schema:isPartOf/schema:name "Prime Suspect"'
OPERATORS: Final = ("=", "!=", "<", "<=", ">", ">=")
Value: TypeAlias = NamedNode | Literal

_STRING: Final = NamedNode(v.XSD + "string")
_PREFIXES: Final = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in v.PREFIXES.items())
_SHOWN: Final = 60  # characters of a client's text that a message quotes
_END: Final = Token("end", "", 0)
_VALUES: Final = (
    ("iri",),
    ("name",),
    ("string",),
    ("string", "language"),
    ("string", "^^", "iri"),
    ("string", "^^", "name"),
    ("number",),
    ("+", "number"),
    ("-", "number"),
    ("true",),
    ("false",),
)


@dataclass(frozen=True, slots=True)
class Element:
    """One property of a step, followed forward or backward."""

    iri: str
    inverse: bool = False

    def __str__(self) -> str:
        return f"{'^' * self.inverse}{NamedNode(self.iri)}"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that chunks must meet: its text as given, and what was parsed from it."""

    text: str
    steps: tuple[tuple[Element, ...], ...]
    """From the chunk on; the elements of a step are alternatives."""
    operator: str
    """One of OPERATORS; empty for exactly that term."""
    value: Value


@dataclass(slots=True)
class Budget:
    """The number of statements that the conditions of a question may still follow."""

    most: int
    left: int

    def spend(self, count: int, condition: str) -> None:
        """Takes `count` off what is left. Raises LimitError if that is less."""
        if count > self.left:
            spent = self.most - self.left + count
            raise LimitError.of(
                f"the filter {condition[:_SHOWN]!r} at least", spent, self.most, "statements to follow",
                "max_filter_statements",
            )  # fmt: skip
        self.left -= count


# --- reading -----------------------------------------------------------------------------------------


def read(text: str) -> Condition:
    """The condition that `text` says. Raises InputError, which names the place and the remedy.

    >>> condition = read('schema:isPartOf/schema:name "Prime Suspect"')
    >>> [str(element) for step in condition.steps for element in step]
    ['<https://schema.org/isPartOf>', '<https://schema.org/name>']
    >>> condition.value.value
    'Prime Suspect'
    """
    return _Reader(text).condition()


class _Reader:
    """Reads one condition from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found = list(tokens(text))
        self.position = 0

    def condition(self) -> Condition:
        steps = self._path()
        operator = self._take().text if self._next().text in OPERATORS else ""
        return Condition(self.text, steps, operator, self._value(self.found[self.position :]))

    def _path(self) -> tuple[tuple[Element, ...], ...]:
        steps = [self._step()]
        if self._next().text == "|" and len(steps[0]) == 1:
            steps = [self._alternatives(steps[0][0])]
        elif self._next().text == "/":
            while self._next().text == "/":
                self._take()
                steps.append(self._step())
        if self._next().text in ("|", "/"):
            raise self._wrong("put alternatives in brackets, as in (schema:name|schema:about)/…")
        if self._next().text in ("*", "+", "?"):
            raise self._wrong("a path has a fixed length here: write the steps out, without *, + and ?")
        return tuple(steps)

    def _step(self) -> tuple[Element, ...]:
        if self._next().text != "(":
            return (self._element(),)
        self._take()
        elements = self._alternatives(self._element())
        if self._take().text != ")":
            self.position -= 1
            raise self._wrong("a bracket holds properties with | between them, and nothing else")
        return elements

    def _alternatives(self, first: Element) -> tuple[Element, ...]:
        elements = [first]
        while self._next().text == "|":
            self._take()
            elements.append(self._element())
        return tuple(elements)

    def _element(self) -> Element:
        inverse = self._next().text == "^"
        if inverse:
            self._take()
        token = self._next()
        if token.kind not in ("iri", "name") and token.text != "a":
            raise self._wrong("expected a property: an IRI in <>, a prefixed name, or a; or a key and =")
        self._take()
        return Element(v.TYPE if token.text == "a" else self._term(token.text).value, inverse)

    def _value(self, rest: Sequence[Token]) -> Value:
        kinds = tuple(token.text if token.kind in ("sign", "word") else token.kind for token in rest)
        if kinds not in _VALUES:
            raise self._wrong("expected one value after the path: a string in quotes, a number or an IRI")
        return self._term("".join(token.text for token in rest))

    def _term(self, text: str) -> Value:
        """The term that Turtle reads in `text`, which is one term by its tokens."""
        try:
            (quad,) = parse(f"{_PREFIXES}<x:s> <x:p> {text} .", RdfFormat.TURTLE)
        except (SyntaxError, ValueError) as error:
            reason = str(error).partition(": ")[2].rpartition(" (line")[0]
            raise InputError(
                f"where: {text[:_SHOWN]!r} is not a term ({reason}); the prefixes are "
                f"{', '.join(v.PREFIXES)}; write other IRIs out as <IRI>"
            ) from None
        assert isinstance(quad.object, NamedNode | Literal)  # by its tokens
        return quad.object

    def _next(self) -> Token:
        return self.found[self.position] if self.position < len(self.found) else _END

    def _take(self) -> Token:
        token = self._next()
        self.position += 1
        return token

    def _wrong(self, remedy: str) -> InputError:
        token = self._next()
        place = f"at {token.text[:_SHOWN]!r}" if token.kind != "end" else "at its end"
        return InputError(f"where: {self.text[:_SHOWN]!r}, {place}: {remedy}; an example: {EXAMPLE}")


# --- finding -----------------------------------------------------------------------------------------


def matching(store: Store, condition: Condition, budget: Budget) -> Iterator[str]:
    """The IRIs of the chunks that meet the condition, each once.

    Raises LimitError if more statements would have to be followed than the budget has.
    """
    nodes, walked = _ends(store, condition, budget)
    for number, step in enumerate(reversed(condition.steps), 1):
        pattern = f"{nodes} ?n{number} {_path(step)} ?n{number - 1} ."
        walked += _count(store, pattern, budget.left)
        budget.spend(walked, condition.text)
        nodes = f"{{ SELECT DISTINCT ?n{number} WHERE {{ {pattern} }} }}"
    last = f"?n{len(condition.steps)}"
    text = f"SELECT ({last} AS ?chunk) WHERE {{ {nodes} {last} a {NamedNode(v.CHUNK)} . }}"
    return (row["chunk"].value for row in select(store, text))


def _ends(store: Store, condition: Condition, budget: Budget) -> tuple[str, int]:
    """The pattern of ?n0, where paths that meet the condition end, and how many statements it follows."""
    if not condition.operator or (condition.operator == "=" and _is_compared_as_term(condition.value)):
        return f"VALUES ?n0 {{ {condition.value} }}", 0
    pattern = f"?any {_path(condition.steps[-1])} ?n0 ."
    walked = _count(store, pattern, budget.left)
    budget.spend(walked, condition.text)
    test = f"FILTER(?n0 {condition.operator} {condition.value})"
    return f"{{ SELECT DISTINCT ?n0 WHERE {{ {pattern} {test} }} }}", walked


def _is_compared_as_term(value: Value) -> bool:
    """Whether what equals the value in SPARQL is the value itself: numbers and dates have other spellings."""
    return isinstance(value, NamedNode) or value.language is not None or value.datatype == _STRING


def _path(step: tuple[Element, ...]) -> str:
    return f"({'|'.join(map(str, step))})"


def _count(store: Store, pattern: str, left: int) -> int:
    """The number of solutions of the pattern; no more than one beyond `left` are counted."""
    inner = f"SELECT * WHERE {{ {pattern} }} LIMIT {left + 1}"
    (row,) = select(store, f"SELECT (COUNT(*) AS ?count) WHERE {{ {{ {inner} }} }}")
    return int(row["count"].value)
