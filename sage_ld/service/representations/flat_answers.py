"""Answers in flat JSON as a client asks for them: with the words that match, and the names on paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sage_ld.foundation.deadline import Check
from sage_ld.foundation.model import PathStep, Result
from sage_ld.foundation.question import Answer
from sage_ld.graph import Snapshot
from sage_ld.retrieval.answers.highlights import highlights
from sage_ld.retrieval.answers.plain import plain_answer, plain_results
from sage_ld.retrieval.answers.records import PlainAnswerJson, PlainResultJson
from sage_ld.service.representations.labels import Names


@dataclass(frozen=True, slots=True)
class FlatForm:
    """The optional parts of flat JSON beside the answer."""

    highlight: bool = False
    """The words that match."""
    labels: bool = False
    """The names of the nodes on paths."""

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> FlatForm:
        """The form that a request asks for."""
        return cls(bool(parameters.get("highlight")), bool(parameters.get("labels")))

    def answer(self, snapshot: Snapshot, found: Answer, check: Check) -> PlainAnswerJson:
        """A whole answer."""
        said = plain_answer(found)
        if self != FlatForm():
            said["results"] = self.results(
                snapshot, found.results, found.question, found.question_language, check
            )
        return said

    def results(
        self, snapshot: Snapshot, results: Sequence[Result], question: str, language: str | None, check: Check
    ) -> list[PlainResultJson]:
        """Results of a question in a language, None if that is to be detected."""
        views = [result.view for result in results]
        matches = highlights(snapshot, question, views, language or "", check) if self.highlight else None
        said = plain_results(results, matches)
        if self.labels:
            names = Names(snapshot.store, snapshot.configuration.base_iri)
            for each, result in zip(said, results, strict=True):
                check()
                each["labels"] = {iri: names.label(iri) for iri in _nodes(result.path)}
        return said


def _nodes(path: Sequence[PathStep]) -> list[str]:
    """The chunks and resources that a path leads over, in its order."""
    return list(dict.fromkeys(iri for step in path for iri in (step.seed, *step.via, step.chunk)))
