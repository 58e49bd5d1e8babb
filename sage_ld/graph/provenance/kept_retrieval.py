"""A kept retrieval: the question, how it was answered, and which chunks were the answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import Answer, Filter, Question
from sage_ld.foundation.recipes import named_model

_LEFT_OUT: Final = "left_out"
"""The parameter that has the digests of those that were too long to be kept, by name."""
_MOST_BYTES: Final = 16 * 2**10
"""Most bytes of the kept parameters of one retrieval."""
_SHORT: Final = 512
"""Bytes of a parameter that is kept also where all are too long together."""
_NAMES: Final = {"k": "seeds", "only": "filter"}
"""Fields of a question that are kept by another name."""
_ASKED: Final = {_NAMES.get(name, name): name for name in parameters(Question) if name != "text"}
"""The name that a field of a question is kept by -> its own."""


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
    """The fields of the question and `recipe` and `parameters` of the answer, by name; `left_out` has the
    digests of those that were too long."""
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
        names = {each.name for each in fields(Filter)}
        only = {name: each for name, each in self.parameters.get("filter", {}).items() if name in names}
        given = {_ASKED[name]: value for name, value in self.parameters.items() if name in _ASKED and value}
        asked = Question(self.question, **{**given, "only": Filter(**only)})
        recipe, parameters = self.parameters.get("recipe", "own"), self.parameters.get("parameters", {})
        return Answer(asked, recipe, self.revision, (), parameters, self.iri)


def parameters_of(answer: Answer) -> str:
    """The parameters that shaped the ranking of an answer, as JSON, without question and results.

    Where they are longer than 16 KiB together, a long one is left out: `left_out` names it, with the SHA-256
    of its JSON.

    >>> parameters_of(Answer(Question.of("Who?", channels=["link"]), "default", 3, ()))[:33]
    '{"recipe":"default","seeds":5,"ne'
    """
    values: dict[str, Any] = {"recipe": answer.recipe}
    values |= {kept: getattr(answer.asked, name) for kept, name in _ASKED.items()}
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
