"""SAGE: seeds by fused text scores, their neighbours over the graph, and one answer from both.

Paper: arXiv:2602.16964, section 2.2. `docs/ranking.md` gives the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final, Unpack

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.encoders import Encoder
from sage_ld.build.languages import checked_tag, indexed_language
from sage_ld.build.languages.analysis import detected_question_language
from sage_ld.foundation import arguments
from sage_ld.foundation.caches import cache_folder
from sage_ld.foundation.channels import RELATION
from sage_ld.foundation.deadline import Check, in_thread, unchecked
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import FloatArray, Result
from sage_ld.foundation.question import Answer, AnswerView, Filter, Mode, Question, QuestionOptions
from sage_ld.foundation.recipes import Retrieval, checked_retrieval
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store import reading
from sage_ld.retrieval.answers.explanation import ChunkExplanation, chunk_iri, standing
from sage_ld.retrieval.answers.highlights import highlights
from sage_ld.retrieval.answers.outline import OutlineNode, outline
from sage_ld.retrieval.channels.expansion import placed
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations, followed_relations
from sage_ld.retrieval.chunks.chunk_table import ChunkTable, chunk_views, with_abstracts
from sage_ld.retrieval.chunks.context_windows import context_windows
from sage_ld.retrieval.filtering import filters
from sage_ld.retrieval.questions import decomposition
from sage_ld.retrieval.questions.question_analysis import QuestionAnalysis, analyse
from sage_ld.retrieval.rankings.method import Inquiry
from sage_ld.retrieval.rankings.reranker import Reranker
from sage_ld.retrieval.rankings.table import ranked

LEAST_WORDS: Final = 0.25
"""The least share of its weight that BM25 keeps, however few chunks are in the language of the question:
names are the same in several languages."""


class RetrievalOptions(QuestionOptions, total=False):
    """The arguments of `Retriever.retrieve` that are given by name, for those that pass them on."""

    at: Snapshot | None
    check: Check


class Retriever:
    """Answers questions from the newest revision of a graph; each question sees one revision.

    `parameters` replace those of the graph's recipe. Raises InputError for one that is out of its range.
    """

    def __init__(self, graph: KnowledgeGraph, parameters: Retrieval | None = None) -> None:
        if not isinstance(graph, KnowledgeGraph):
            raise InputError(
                f"graph: a value of type {type(graph).__name__}; give a KnowledgeGraph, such as "
                "KnowledgeGraph.open(path)"
            )
        self.graph = graph
        own = graph.recipe.retrieval
        self.parameters = own if parameters is None or parameters is own else checked_retrieval(parameters)
        self._reranker = Reranker.of(graph.settings)
        self._encoded: dict[tuple[str, str], FloatArray] = {}
        """The vectors of the questions that were encoded last, by encoder and text."""

    def retrieve(
        self,
        question: str | Question,
        k: int = 10,
        from_graph: int | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> Answer:
        """The `k` best results, of which the graph may add `from_graph`: by default half of them.

        The question is a text with the fields of `Question` by name, or a whole `Question`. A learned ranking
        lets seeds and what the graph joins to them compete for the `k` places; with `from_graph` 0 nothing is
        expanded. Every other mode than `sage` returns the first `k` of one flat ranking. The
        channel `relation` follows all types unless `relations` names some, and edges that are valid on the
        day `as_of`, or whenever without it. `at` is the revision that is asked, the newest unless given.
        `check` is called between the steps of the work, and ends it by raising an error:
        `sage_ld.foundation.deadline.deadline` makes one.

        Raises what `Question` raises; InputError for a type of relation that is not in the graph, and for
        an invalid language tag; LimitError for budgets above the setting max_results and a window above
        max_window; NotFoundError if the graph is empty.
        """
        asked = self._asked(question, k, from_graph, options)
        return self._answer(self._inquiry(asked, options))

    def retrieve_many(
        self,
        questions: Sequence[str | Question],
        k: int = 10,
        from_graph: int | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> tuple[Answer, ...]:
        """The answers to several questions, in their order, all from one revision; they are encoded together.

        Each is the answer that `retrieve` returns with the same arguments. All of them are checked before the
        first is answered. Raises what `retrieve` raises; an error of one question names its place, from 0.
        """
        asked = []
        if isinstance(questions, str) or not all(isinstance(each, Question) for each in questions):
            questions = arguments.texts(questions, "questions")
        for number, each in enumerate(questions):
            try:
                asked.append(self._asked(each, k, from_graph, options))
            except InputError as error:
                raise type(error)(f"questions/{number}: {error}") from None
        snapshot, check = self._revision(options), options.get("check", unchecked)
        check()
        encoded = [each.text for each in asked if each.mode is not Mode.BM25]
        self._vectors(encoded, self.graph.encoder_of(snapshot))
        return tuple(self.retrieve(each, at=snapshot, check=check) for each in asked)

    async def aretrieve(
        self,
        question: str | Question,
        k: int = 10,
        from_graph: int | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> Answer:
        """The answer of `retrieve`, from a thread: the event loop goes on meanwhile.

        Where the task is cancelled, the work ends at its next step.
        """

        def work(check: Check) -> Answer:
            options["check"] = check
            return self.retrieve(question, k, from_graph, **options)

        return await in_thread(work, options.get("check", unchecked))

    async def aretrieve_many(
        self,
        questions: Sequence[str | Question],
        k: int = 10,
        from_graph: int | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> tuple[Answer, ...]:
        """The answers of `retrieve_many`, from a thread, as `aretrieve` does."""

        def work(check: Check) -> tuple[Answer, ...]:
            options["check"] = check
            return self.retrieve_many(questions, k, from_graph, **options)

        return await in_thread(work, options.get("check", unchecked))

    def seeds(
        self,
        question: str | Question,
        k: int = 10,
        from_graph: int | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> tuple[Result, ...]:
        """The seeds that `retrieve` expands with the same arguments, at the scores of their texts.

        Lets a caller show something before the graph has been asked. Empty where nothing is expanded or
        the answer is not the first page. A learned ranking may leave some of them out in the end. Raises what
        `retrieve` raises.
        """
        asked = self._asked(question, k, from_graph, options)
        if isinstance(asked.only, Filter):
            filters.checked_filter(asked.only, self.graph.settings)
        if not asked.expands or asked.offset:
            return ()
        flat = replace(asked, mode=Mode.HYBRID, k=asked.seeds, from_graph=0)
        return self._answer(replace(self._inquiry(flat, options), reranker=None)).results

    def explain(
        self,
        question: str | Question,
        chunk: str,
        k: int = 10,
        from_graph: int | None = None,
        **options: Unpack[RetrievalOptions],
    ) -> ChunkExplanation:
        """The reasons why a chunk is, or is not, in the answer of `retrieve` to the same arguments.

        `chunk` is its IRI, or the part of it after `chunk/`. For a chunk that is not ranked, each change that
        may help is tried, which takes as long as some ten answers. Raises what `retrieve` raises, and
        NotFoundError for a chunk that is not in the graph.
        """
        asked = self._asked(question, k, from_graph, options)
        snapshot = options["at"] = self._revision(options)
        iri = chunk_iri(snapshot, arguments.text(chunk, "chunk"))
        inquiry = self._inquiry(asked, options)
        if self.parameters.decompose and len(decomposition.parts(asked.text, inquiry.language)) > 1:
            raise InputError("a question that is asked in parts cannot be explained; leave decompose out")
        most = self.graph.settings.max_results
        found = standing(inquiry, most, iri, self._unmet(inquiry, iri))
        steps = placed(snapshot.store, found.path)
        found = replace(found, path=tuple(steps[step] for step in found.path))
        view = chunk_views(snapshot.store, [iri], inquiry.check)[iri]
        shown = highlights(snapshot, asked.text, [view], inquiry.language, inquiry.check)[iri]
        ranking = str(self.parameters.ranking)
        return ChunkExplanation(asked, snapshot.number, ranking, most, found, view, shown)

    def analyse(
        self,
        question: str | Question,
        *,
        question_language: str | None = None,
        at: Snapshot | None = None,
        check: Check = unchecked,
    ) -> QuestionAnalysis:
        """The difficulty of a question, by the part of the graph that it touches over the recipe's channels.

        The arguments are those of `retrieve`. Raises InputError for an empty question, LimitError for a long
        one, NotFoundError if the graph is empty.
        """
        asked = self._asked(question, 1, 0, _language_option(question_language))
        return analyse(self._inquiry(asked, {"at": at, "check": check}))

    def outline(
        self,
        document: str,
        question: str | Question,
        *,
        question_language: str | None = None,
        at: Snapshot | None = None,
        check: Check = unchecked,
    ) -> tuple[OutlineNode, ...]:
        """A document, by identifier or IRI, and its sections in order, each with its score for a question.

        The scores are those of the ranking `sections` and of the parameter `section_weight`. The other
        arguments are those of `retrieve`. Raises InputError for an empty question, NotFoundError for a
        document that is not in the graph or has no chunk.
        """
        asked = self._asked(question, 1, 0, _language_option(question_language))
        return outline(self._inquiry(asked, {"at": at, "check": check}), arguments.text(document, "document"))

    def inquiry(self, snapshot: Snapshot, question: str | Question, check: Check = unchecked) -> Inquiry:
        """The question as rankings take it, put to a revision."""
        asked = question if isinstance(question, Question) else Question(question)
        channels = self.parameters.channels if asked.channels is None else asked.channels
        encoder = self.graph.encoder_of(snapshot)
        language = self._language(snapshot, asked)
        return Inquiry(
            snapshot,
            asked,
            lambda text: self._vectors([text], encoder)[encoder.name, text],
            encoder.similarity,
            channels,
            _weighted(self.parameters, snapshot.lexical.language_counts, language, encoder),
            self._allowed(snapshot, asked.only, check),
            language,
            check,
            _followed(snapshot, asked, channels),
            self._reranker,
        )

    def chunk_table(self, snapshot: Snapshot) -> ChunkTable:
        """The table of a revision's chunks, read once for each revision."""
        return ChunkTable.of(snapshot)

    def identifiers(self, snapshot: Snapshot) -> list[str]:
        """The identifiers of the documents of a revision, by their numbers in the table of chunks."""
        known = {each.iri: each.identifier for each in reading.documents(snapshot.store)}
        return [known.get(iri, iri) for iri in ChunkTable.of(snapshot).iris]

    def _asked(
        self, question: str | Question, k: int, from_graph: int | None, options: RetrievalOptions
    ) -> Question:
        """The question with its fields, within the limits of the graph."""
        here = ("at", "check")
        given: dict[str, Any] = {name: value for name, value in options.items() if name not in here}
        if isinstance(question, Question):
            asked = replace(question, **given) if given else question
        else:
            asked = Question.of(question, k, from_graph, **given)
        return asked.within(self.graph.settings)

    def _revision(self, options: RetrievalOptions) -> Snapshot:
        at = options.get("at")
        return self.graph.snapshot() if at is None else at

    def _inquiry(self, asked: Question, options: RetrievalOptions) -> Inquiry:
        return self.inquiry(self._revision(options), asked, options.get("check", unchecked))

    def _answer(self, inquiry: Inquiry) -> Answer:
        """The ranking with what results show."""
        snapshot, asked, check = inquiry.snapshot, inquiry.asked, inquiry.check
        found = ranked(inquiry)
        shown = chunk_views(snapshot.store, [each.iri for each in found], check)
        if asked.view is AnswerView.SUMMARY:
            shown = with_abstracts(snapshot.store, shown, self.graph.settings.max_abstract_length)
        check()
        steps = placed(snapshot.store, [step for each in found for step in each.path])
        around = context_windows(snapshot.store, list(shown), asked.window, check) if asked.window else {}
        results = tuple(
            Result(
                rank,
                each.role,
                each.score,
                each.parts,
                tuple(steps[step] for step in each.path),
                shown[each.iri],
                *around.get(each.iri, ()),
            )
            for rank, each in enumerate((each for each in found if each.iri in shown), asked.offset + 1)
        )
        several = len(snapshot.lexical.language_counts) > 1
        taken = replace(
            asked,
            channels=tuple(inquiry.channels),
            question_language=inquiry.language if asked.question_language or several else None,
            only=asked.only if isinstance(asked.only, Filter) else Filter(),
        )
        recipe = self.graph.configuration.recipe
        return Answer(taken, recipe, snapshot.number, results, _plain(self.parameters))

    def _language(self, snapshot: Snapshot, asked: Question) -> str:
        """The language of a question: the one that is given, or else the one that is detected."""
        if asked.question_language is not None:
            return indexed_language(checked_tag(asked.question_language, "question_language"))
        settings, languages = self.graph.settings, snapshot.lexical.language_counts
        certainty, folder = settings.min_question_certainty, cache_folder(settings)
        return detected_question_language(asked.text, languages, certainty, folder)

    def _vectors(self, texts: Sequence[str], encoder: Encoder) -> dict[tuple[str, str], FloatArray]:
        """The questions' vectors; the last ones are cached for a caller that asks for seeds, then for all."""
        kept, keys = self._encoded, [(encoder.name, text) for text in dict.fromkeys(texts)]
        if not all(key in kept for key in keys):
            vectors = encoder.encode_queries([text for _, text in keys])
            kept = self._encoded = dict(zip(keys, vectors, strict=True))
        return kept

    def _allowed(self, snapshot: Snapshot, only: object, check: Check) -> NDArray[np.bool_] | None:
        if isinstance(only, Filter):
            return filters.allowed(snapshot, only, self.graph.settings, check) if only else None
        assert callable(only)
        restricted: NDArray[np.bool_] = only(snapshot)
        return restricted

    def _unmet(self, inquiry: Inquiry, iri: str) -> list[str]:
        """The conditions that keep a chunk out of the answer."""
        only, row = inquiry.asked.only, int(inquiry.snapshot.vectors.rows([iri])[0])
        if inquiry.allowed is None or inquiry.allowed[row]:
            return []
        if isinstance(only, Filter):
            return filters.unmet(inquiry.snapshot, only, row, self.graph.settings, inquiry.check)
        return ["only"]


def _language_option(tag: str | None) -> RetrievalOptions:
    return {} if tag is None else {"question_language": tag}


def _followed(snapshot: Snapshot, asked: Question, channels: Sequence[str]) -> FollowedRelations:
    """The relations that the channel `relation` follows, if it is one of the channels."""
    types = followed_relations(snapshot, asked.relations, asked.as_of or "")
    return types if RELATION in channels else NO_RELATIONS


def _weighted(given: Retrieval, counts: Mapping[str, int], language: str, encoder: Encoder) -> Retrieval:
    """The parameters with a share of BM25 that falls with the share of chunks in other languages.

    Words find chunks of their own language alone, and so would keep those that answer in another one, which
    the encoder finds, from the first places.
    """
    if len(counts) == 1 or not encoder.crosses_languages:
        return given
    share = max(LEAST_WORDS, counts.get(language, 0) / sum(counts.values()))
    return replace(given, bm25_weight=share * given.bm25_weight)


def _plain(parameters: Retrieval) -> dict[str, float | int | str | Mapping[str, float]]:
    """The parameters without the channels, which an answer has apart."""
    said = {each.name: getattr(parameters, each.name) for each in fields(parameters)}
    return {name: value for name, value in said.items() if name != "channels"}
