"""A kept retrieval: the question, how it was answered, and which chunks were the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from sage_ld.model import Answer, Filter
from sage_ld.recipes import named_model

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
    """What one client said of one result: whether it helped."""

    number: int
    """Counted from 1 among the judgements of its retrieval."""
    rank: int
    chunk: str
    """The IRI of the chunk."""
    helped: bool
    comment: str
    """Empty where there is none."""
    time: float
    """When it was given or last changed, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class KeptRetrieval:
    """A retrieval as the log has it."""

    iri: str
    number: int
    """Its place in the log: a later retrieval has a higher number."""
    time: float
    """When it was answered, in seconds since 1970."""
    seconds: float
    """How long the answer took."""
    question: str
    revision: int
    """The revision of the graph that was asked."""
    parameters: Mapping[str, Any]
    """The other fields of the `Answer`, by name."""
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
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=str)


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
