"""A kept retrieval: the question, how it was answered, and which chunks were the answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from sage_ld.foundation.model import Answer, Filter
from sage_ld.foundation.recipes import named_model

_LEFT_OUT: Final = "left_out"
"""The parameter that has the digests of those that were too long to be kept, by name."""
_MOST_BYTES: Final = 16 * 2**10
"""Most bytes of the kept parameters of one retrieval."""
_SHORT: Final = 512
"""Bytes of a parameter that is kept also where all are too long together."""
_OWN_COLUMNS: Final = ("question", "revision", "results", "identifier")
"""Fields of an answer that are not among its kept parameters."""


@dataclass(frozen=True, slots=True)
class KeptResult:
    """One result of a kept retrieval."""

    rank: int
    """Counted from 1."""
    score: float
    role: str
    """`seed` or `neighbour`."""
    chunk: str
    """The IRI of the chunk."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one client on one result: whether it helped."""

    number: int
    """Counted from 1 among the judgements of its retrieval."""
    rank: int
    chunk: str
    """The IRI of the chunk."""
    helped: bool
    comment: str
    """Empty where there is none."""
    time: float
    """The time at which it was given or last changed, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class KeptRetrieval:
    """A retrieval as the log has it."""

    iri: str
    number: int
    """Its place in the log: a later retrieval has a higher number."""
    time: float
    """The time of the answer, in seconds since 1970."""
    seconds: float
    """The duration of the answer."""
    question: str
    revision: int
    """The revision of the graph that was asked."""
    parameters: Mapping[str, Any]
    """The other fields of the `Answer`, by name; `left_out` has the digests of those that were too long."""
    results: tuple[KeptResult, ...] = ()
    judgements: tuple[Judgement, ...] = ()

    @property
    def identifier(self) -> str:
        """The part of its IRI after `retrieval/`."""
        return self.iri.rsplit("/", 1)[-1]

    def answer(self) -> Answer:
        """The answer without its results: the question, and everything that shaped the ranking.

        What another version of sage-ld kept and this one does not know is left out.
        """
        known = {each.name for each in fields(Answer)}
        values: dict[str, Any] = {
            name: _tuple(value) for name, value in self.parameters.items() if name in known
        }
        names = {each.name for each in fields(Filter)}
        only = {name: each for name, each in self.parameters.get("filter", {}).items() if name in names}
        values["filter"] = Filter(**only)
        return replace(_EMPTY, **values, question=self.question, revision=self.revision, identifier=self.iri)


_EMPTY: Final = Answer("", "sage", "own", 0, 0, (), 0, ())


def parameters_of(answer: Answer) -> str:
    """The fields of an answer that shaped its ranking, as JSON: not its question and its results.

    Where they are longer than 16 KiB together, a long one is left out: `left_out` names it, with the SHA-256
    of its JSON.

    >>> parameters_of(Answer("Who?", "sage", "default", 5, 5, ("link",), 3, ()))[:33]
    '{"mode":"sage","recipe":"default"'
    """
    values = {
        each.name: getattr(answer, each.name) for each in fields(answer) if each.name not in _OWN_COLUMNS
    }
    only = {each.name: getattr(answer.filter, each.name) for each in fields(answer.filter)}
    values["filter"] = {name: value for name, value in only.items() if value}
    values["parameters"] = dict(answer.parameters)
    if "model" in answer.parameters:
        values["parameters"]["model"] = named_model(str(answer.parameters["model"]))
    texts = {name: _json(value) for name, value in values.items()}
    if sum(map(_bytes, texts.values())) > _MOST_BYTES:
        long = {name: text for name, text in texts.items() if _bytes(text) > _SHORT}
        values = {name: value for name, value in values.items() if name not in long}
        values[_LEFT_OUT] = {name: _digest(text) for name, text in long.items()}
    return _json(values)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
