"""SAGE: seeds by fused text scores, their neighbours over the graph, and one answer from both.

Paper: arXiv:2602.16964, section 2.2. `docs/ranking.md` gives the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date
from functools import partial
from typing import TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.encoders import Encoder
from sage_ld.build.languages import checked_tag, indexed_language
from sage_ld.build.languages.detection import detected_question_language
from sage_ld.foundation import arguments
from sage_ld.foundation.cache_files import cache_folder
from sage_ld.foundation.channels import RELATION
from sage_ld.foundation.deadline import Check, in_thread, unchecked
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Answer, AnswerView, Filter, FloatArray, Mode, Result
from sage_ld.foundation.recipes import Retrieval, checked_channels, checked_retrieval
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store import reading
from sage_ld.retrieval.answers.explanation import (
    ChunkExplanation,
    Ranker,
    ResultBudget,
    chunk_iri,
    expands,
    standing,
)
from sage_ld.retrieval.answers.highlights import highlights
from sage_ld.retrieval.answers.outline import OutlineNode, outline
from sage_ld.retrieval.channels.expansion import placed
from sage_ld.retrieval.channels.relations import (
    NO_RELATIONS,
    FollowedRelations,
    followed_relations,
    named_relations,
)
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.chunks.chunk_views import chunk_views, with_abstracts
from sage_ld.retrieval.chunks.context_windows import context_windows
from sage_ld.retrieval.chunks.duplicates import distinct_ranked
from sage_ld.retrieval.filtering import filters
from sage_ld.retrieval.inquiry import Inquiry
from sage_ld.retrieval.questions import decomposition
from sage_ld.retrieval.questions.question_analysis import QuestionAnalysis, analyse
from sage_ld.retrieval.rankings.flat import flat
from sage_ld.retrieval.rankings.ranked import Ranked
from sage_ld.retrieval.rankings.table import RANKINGS

Only: TypeAlias = Callable[[Snapshot], NDArray[np.bool_]]
"""A restriction: from a revision to (n,), which of its chunks may be seeds and results at all."""


class RetrievalOptions(TypedDict, total=False):
    """The arguments of `Retriever.retrieve` that are given by name, for those that pass them on."""

    mode: Mode | str
    channels: Sequence[str] | None
    offset: int
    only: Filter | Only | None
    relations: Sequence[str] | None
    as_of: str | date | None
    question_language: str | None
    window: int
    view: AnswerView | str
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
        self.parameters = graph.recipe.retrieval if parameters is None else checked_retrieval(parameters)
        self._encoded: dict[tuple[str, str], FloatArray] = {}
        """The vectors of the questions that were encoded last, by encoder and text."""

    def retrieve(
        self,
        question: str,
        k: int = 5,
        neighbours: int = 5,
        *,
        mode: Mode | str = Mode.SAGE,
        channels: Sequence[str] | None = None,
        offset: int = 0,
        only: Filter | Only | None = None,
        relations: Sequence[str] | None = None,
        as_of: str | date | None = None,
        question_language: str | None = None,
        window: int = 0,
        view: AnswerView | str = AnswerView.TEXT,
        at: Snapshot | None = None,
        check: Check = unchecked,
    ) -> Answer:
        """The `k` best seeds and the `neighbours` best of what the graph joins to them.

        A learned ranking lets both compete for the `k + neighbours` places; with `neighbours` 0 nothing is
        expanded. Every other mode than `sage` returns the first `k + neighbours` of one flat ranking.
        `offset` leaves out as many results, for one page after another; `only` restricts seeds and results
        alike.
        The channel `relation` follows all types unless `relations` names some, and edges that are
        valid on the day `as_of`, such as `2024-05-17`, or whenever without it.
        `question_language` is the tag of the language that the question is in, which is detected unless
        given. With each result come the `window` chunks before it in its document and as many after it, which
        do not become results. With the `view` `summary`, they show the abstracts of their sections and
        documents. `at` is the revision that is asked, the newest unless given. `check` is called
        between the steps of the work, and ends it by raising an error: `sage_ld.foundation.deadline.deadline`
        makes one.

        Raises InputError for an empty question, an unknown mode or channel, type of relation or day, a budget
        below its minimum, an invalid language tag, or a value of the wrong type; LimitError for budgets above
        the setting max_results and a window above max_window; NotFoundError if the graph is empty.
        """
        chosen = self._channels(channels)
        k, neighbours, offset = self._check(question, k, neighbours, offset)
        window, chosen_view = self._window(window), _view(view)
        snapshot = self.graph.snapshot() if at is None else at
        language = self._language(snapshot, question, question_language)
        allowed = self._allowed(snapshot, only, check)
        types, day = named_relations(relations), arguments.day(as_of, "as_of") or ""
        ranked = self.rank(
            snapshot,
            question,
            k,
            neighbours,
            Mode.named(mode),
            chosen,
            offset=offset,
            allowed=allowed,
            relations=followed_relations(snapshot, types, day),
            question_language=language,
            check=check,
        )
        shown = chunk_views(snapshot.store, [each.iri for each in ranked], check)
        if chosen_view is AnswerView.SUMMARY:
            shown = with_abstracts(snapshot.store, shown, self.graph.settings.max_abstract_length)
        check()
        steps = placed(snapshot.store, [step for each in ranked for step in each.path])
        around = context_windows(snapshot.store, list(shown), window, check) if window else {}
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
            for rank, each in enumerate((each for each in ranked if each.iri in shown), offset + 1)
        )
        return Answer(
            question,
            Mode.named(mode),
            self.graph.configuration.recipe,
            k,
            neighbours,
            chosen,
            snapshot.number,
            results,
            offset,
            only if isinstance(only, Filter) else Filter(),
            _plain(self.parameters),
            language if question_language or len(snapshot.lexical.language_counts) > 1 else "",
            window,
            relations=types or (),
            as_of=day,
            view=chosen_view,
        )

    def retrieve_many(
        self, questions: Sequence[str], k: int = 5, neighbours: int = 5, **options: Unpack[RetrievalOptions]
    ) -> tuple[Answer, ...]:
        """The answers to several questions, in their order, all from one revision; they are encoded together.

        Each is the answer that `retrieve` returns with the same arguments. All of them are checked before the
        first is answered. Raises what `retrieve` raises; an error of one question names its place, from 0.
        """
        texts = arguments.texts(questions, "questions")
        for number, text in enumerate(texts):
            try:
                self._check(text, k, neighbours, options.get("offset", 0))
            except InputError as error:
                raise type(error)(f"questions/{number}: {error}") from None
        at = options.get("at")
        snapshot = self.graph.snapshot() if at is None else at
        options.get("check", unchecked)()
        self._vectors(texts, self.graph.encoder_of(snapshot))
        options["at"] = snapshot
        return tuple(self.retrieve(text, k, neighbours, **options) for text in texts)

    async def aretrieve(
        self, question: str, k: int = 5, neighbours: int = 5, **options: Unpack[RetrievalOptions]
    ) -> Answer:
        """The answer of `retrieve`, from a thread: the event loop goes on meanwhile.

        Where the task is cancelled, the work ends at its next step.
        """

        def work(check: Check) -> Answer:
            options["check"] = check
            return self.retrieve(question, k, neighbours, **options)

        return await in_thread(work, options.get("check", unchecked))

    async def aretrieve_many(
        self, questions: Sequence[str], k: int = 5, neighbours: int = 5, **options: Unpack[RetrievalOptions]
    ) -> tuple[Answer, ...]:
        """The answers of `retrieve_many`, from a thread, as `aretrieve` does."""

        def work(check: Check) -> tuple[Answer, ...]:
            options["check"] = check
            return self.retrieve_many(questions, k, neighbours, **options)

        return await in_thread(work, options.get("check", unchecked))

    def explain(
        self,
        question: str,
        chunk: str,
        k: int = 5,
        neighbours: int = 5,
        **options: Unpack[RetrievalOptions],
    ) -> ChunkExplanation:
        """The reasons why a chunk is, or is not, in the answer of `retrieve` to the same arguments.

        `chunk` is its IRI, or the part of it after `chunk/`. For a chunk that is not ranked, each change that
        may help is tried, which takes as long as some ten answers. Raises what `retrieve` raises, and
        NotFoundError for a chunk that is not in the graph.
        """
        mode, only = Mode.named(options.get("mode", Mode.SAGE)), options.get("only")
        chosen = self._channels(options.get("channels"))
        k, neighbours, offset = self._check(question, k, neighbours, options.get("offset", 0))
        at, check = options.get("at"), options.get("check", unchecked)
        snapshot = self.graph.snapshot() if at is None else at
        iri = chunk_iri(snapshot, arguments.text(chunk, "chunk"))
        language = self._language(snapshot, question, options.get("question_language"))
        allowed = self._allowed(snapshot, only, check)
        if self.parameters.decompose and len(decomposition.parts(question, language)) > 1:
            raise InputError("a question that is asked in parts cannot be explained; leave decompose out")
        day = arguments.day(options.get("as_of"), "as_of") or ""
        relations = followed_relations(snapshot, named_relations(options.get("relations")), day)
        inquiry = self.inquiry(snapshot, question, allowed, chosen, check, language, relations)
        budget = ResultBudget(k, neighbours, offset, self.graph.settings.max_results)
        rank, unmet = self._ranker(mode, budget), self._unmet(snapshot, only, allowed, iri, check)
        found = standing(inquiry, rank, mode, budget, iri, unmet)
        steps = placed(snapshot.store, found.path)
        found = replace(found, path=tuple(steps[step] for step in found.path))
        view = chunk_views(snapshot.store, [iri], check)[iri]
        shown = highlights(snapshot, question, [view], language, check)[iri]
        ranking = str(self.parameters.ranking)
        return ChunkExplanation(question, snapshot.number, mode, ranking, budget, found, view, shown)

    def analyse(
        self,
        question: str,
        *,
        question_language: str | None = None,
        at: Snapshot | None = None,
        check: Check = unchecked,
    ) -> QuestionAnalysis:
        """The difficulty of a question, by the part of the graph that it touches over the recipe's channels.

        The arguments are those of `retrieve`. Raises InputError for an empty question, LimitError for a long
        one, NotFoundError if the graph is empty.
        """
        self._check(question, 1, 0, 0)
        snapshot = self.graph.snapshot() if at is None else at
        return analyse(self.inquiry(snapshot, question, check=check, question_language=question_language))

    def outline(
        self,
        document: str,
        question: str,
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
        self._check(question, 1, 0, 0)
        snapshot = self.graph.snapshot() if at is None else at
        inquiry = self.inquiry(snapshot, question, check=check, question_language=question_language)
        return outline(inquiry, arguments.text(document, "document"))

    def seeds(
        self,
        question: str,
        k: int = 5,
        neighbours: int = 5,
        *,
        mode: Mode | str = Mode.SAGE,
        channels: Sequence[str] | None = None,
        offset: int = 0,
        only: Filter | Only | None = None,
        relations: Sequence[str] | None = None,
        as_of: str | date | None = None,
        question_language: str | None = None,
        window: int = 0,
        view: AnswerView | str = AnswerView.TEXT,
        at: Snapshot | None = None,
        check: Check = unchecked,
    ) -> tuple[Result, ...]:
        """The seeds that `retrieve` expands with the same arguments, at the scores of their texts.

        Lets a caller show something before the graph has been asked. Empty where nothing is expanded or
        the answer is not the first page. A learned ranking may leave some of them out in the end. Raises what
        `retrieve` raises.
        """
        self._channels(channels)
        self._check(question, k, neighbours, offset)
        self._window(window)
        _view(view)
        if isinstance(only, Filter):
            filters.checked_filter(only, self.graph.settings)
        if Mode.named(mode) is not Mode.SAGE or not neighbours or offset:
            return ()
        answer = self.retrieve(
            question,
            k,
            0,
            mode=Mode.HYBRID,
            only=only,
            relations=relations,
            as_of=as_of,
            question_language=question_language,
            window=window,
            view=view,
            at=at,
            check=check,
        )
        return answer.results

    def rank(
        self,
        snapshot: Snapshot,
        text: str,
        k: int,
        neighbours: int,
        mode: Mode,
        channels: Sequence[str],
        *,
        offset: int = 0,
        allowed: NDArray[np.bool_] | None = None,
        relations: FollowedRelations | None = None,
        question_language: str | None = None,
        check: Check = unchecked,
    ) -> list[Ranked]:
        """The ranking that `retrieve` shows, without what is read of the chunks."""
        iris = snapshot.vectors.iris
        if allowed is not None and not allowed.any():
            return []
        count, given = offset + k + neighbours, self.parameters
        check()
        expanded = mode is Mode.SAGE and neighbours > 0 and bool(iris)

        def ask(question: str, most: int) -> list[Ranked]:
            inquiry = self.inquiry(snapshot, question, allowed, channels, check, question_language, relations)
            if expanded:
                return RANKINGS[given.ranking].rank(inquiry, k, most - k)
            scores = inquiry.scores()
            ranked_by = scores.hybrid if mode is Mode.SAGE else getattr(scores, str(mode))
            return flat(scores, ranked_by, iris, most)

        first = partial(ask, text)
        if given.decompose:
            first = partial(self._decomposed, ask, text, self._language(snapshot, text, question_language))
        if given.deduplicate and iris:
            similarity, threshold = self.graph.encoder_of(snapshot).similarity, given.duplicate_threshold
            return distinct_ranked(first, snapshot, similarity, threshold, count, check)[offset:]
        return first(count)[offset:]

    def _decomposed(
        self, ask: Callable[[str, int], list[Ranked]], text: str, language: str, most: int
    ) -> list[Ranked]:
        """The first `most` of a question's parts, fused; those of the whole, where it has no parts."""
        questions = decomposition.parts(text, language)
        if len(questions) == 1:
            return ask(text, most)
        rankings = [ask(question, max(most, decomposition.DEPTH)) for question in questions]
        return decomposition.fused(rankings, self.parameters.rrf_constant)[:most]

    def inquiry(
        self,
        snapshot: Snapshot,
        text: str,
        allowed: NDArray[np.bool_] | None = None,
        channels: Sequence[str] | None = None,
        check: Check = unchecked,
        question_language: str | None = None,
        relations: FollowedRelations | None = None,
    ) -> Inquiry:
        """The question as rankings take it; over the recipe's channels and all relations unless given."""
        language = self._language(snapshot, text, question_language)
        followed = self.parameters.channels if channels is None else channels
        encoder = self.graph.encoder_of(snapshot)
        vector = self._vectors([text], encoder)[encoder.name, text]
        return Inquiry(
            snapshot,
            text,
            vector,
            encoder.similarity,
            followed,
            self.parameters,
            allowed,
            language,
            check,
            _followed(snapshot, followed, relations),
        )

    def _language(self, snapshot: Snapshot, text: str, given: str | None) -> str:
        """The language of a question: the one that is given, or else the one that is detected."""
        if given is not None:
            name = "question_language"
            return indexed_language(checked_tag(arguments.text(given, name), name))
        settings, languages = self.graph.settings, snapshot.lexical.language_counts
        certainty, folder = settings.min_question_certainty, cache_folder(settings)
        return detected_question_language(text, languages, certainty, folder)

    def _vectors(self, texts: Sequence[str], encoder: Encoder) -> dict[tuple[str, str], FloatArray]:
        """The questions' vectors; the last ones are cached for a caller that asks for seeds, then for all."""
        kept, keys = self._encoded, [(encoder.name, text) for text in dict.fromkeys(texts)]
        if not all(key in kept for key in keys):
            vectors = encoder.encode_queries([text for _, text in keys])
            kept = self._encoded = dict(zip(keys, vectors, strict=True))
        return kept

    def chunk_table(self, snapshot: Snapshot) -> ChunkTable:
        """The table of a revision's chunks, read once for each revision."""
        return ChunkTable.of(snapshot)

    def identifiers(self, snapshot: Snapshot) -> list[str]:
        """The identifiers of the documents of a revision, by their numbers in the table of chunks."""
        known = {each.iri: each.identifier for each in reading.documents(snapshot.store)}
        return [known.get(iri, iri) for iri in ChunkTable.of(snapshot).iris]

    def _allowed(
        self, snapshot: Snapshot, only: Filter | Only | None, check: Check
    ) -> NDArray[np.bool_] | None:
        if isinstance(only, Filter):
            return filters.allowed(snapshot, only, self.graph.settings, check) if only else None
        if only is not None and not callable(only):
            raise InputError(
                f"only: {type(only).__name__} is not a Filter; give one such as Filter(kinds=['table'])"
            )
        return None if only is None else only(snapshot)

    def _ranker(self, mode: Mode, budget: ResultBudget) -> Ranker:
        """The function that ranks a question by an inquiry's parameters, as deep as a client may ask."""
        expanded = expands(mode, budget)
        k = budget.k if expanded else budget.most
        neighbours = max(budget.most - k, 1) if expanded else 0

        def rank(inquiry: Inquiry) -> list[Ranked]:
            other = Retriever(self.graph, inquiry.parameters)
            other._encoded = self._encoded
            return other.rank(
                inquiry.snapshot,
                inquiry.text,
                k,
                neighbours,
                mode,
                inquiry.channels,
                allowed=inquiry.allowed,
                relations=inquiry.relations,
                question_language=inquiry.language,
                check=inquiry.check,
            )

        return rank

    def _unmet(
        self,
        snapshot: Snapshot,
        only: Filter | Only | None,
        allowed: NDArray[np.bool_] | None,
        iri: str,
        check: Check,
    ) -> list[str]:
        """The conditions that keep a chunk out of the answer."""
        row = int(snapshot.vectors.rows([iri])[0])
        if allowed is None or allowed[row]:
            return []
        if isinstance(only, Filter):
            return filters.unmet(snapshot, only, row, self.graph.settings, check)
        return ["only"]

    def _channels(self, channels: Sequence[str] | None) -> tuple[str, ...]:
        return checked_channels(
            self.parameters.channels if channels is None else arguments.texts(channels, "channels")
        )

    def _window(self, window: int) -> int:
        """The window as an `int`, where it is within its limit."""
        window = arguments.whole_number(window, "window")
        if window < 0:
            raise InputError(f"window is {window}; give how many chunks around each result, 0 for none")
        if window > (limit := self.graph.settings.max_window):
            raise LimitError.of("window", window, limit, "chunks before and after a result", "max_window")
        return window

    def _check(self, question: str, k: int, neighbours: int, offset: int) -> tuple[int, int, int]:
        """The three budgets as `int`, where they and the question are within their limits."""
        settings = self.graph.settings
        k, neighbours, offset = (
            arguments.whole_number(value, name)
            for name, value in (("k", k), ("neighbours", neighbours), ("offset", offset))
        )
        if not arguments.text(question, "question").strip():
            raise InputError("the question is empty; ask something")
        if len(question) > (limit := settings.max_question_length):
            raise LimitError.of("question", len(question), limit, "characters", "max_question_length")
        if k < 1 or neighbours < 0 or offset < 0:
            raise InputError(
                f"k is {k}, neighbours is {neighbours}, offset is {offset}; k must be at least 1, "
                "neighbours and offset at least 0"
            )
        if offset + k + neighbours > (limit := settings.max_results):
            asked = "offset + k + neighbours" if offset else "k + neighbours"
            raise LimitError.of(asked, offset + k + neighbours, limit, "results", "max_results")
        return k, neighbours, offset


def _followed(
    snapshot: Snapshot, channels: Sequence[str], relations: FollowedRelations | None
) -> FollowedRelations:
    """The relations that the channel `relation` follows, if it is one of the channels."""
    if RELATION not in channels:
        return NO_RELATIONS
    return followed_relations(snapshot) if relations is None else relations


def _view(name: AnswerView | str) -> AnswerView:
    """The view of that name. Raises InputError."""
    if name not in list(AnswerView):
        raise InputError(f"view: {str(name)[:40]!r} is not a view; choose from {', '.join(AnswerView)}")
    return AnswerView(name)


def _plain(parameters: Retrieval) -> dict[str, float | int | str | Mapping[str, float]]:
    """The parameters without the channels, which an answer has apart."""
    said = {each.name: getattr(parameters, each.name) for each in fields(parameters)}
    return {name: value for name, value in said.items() if name != "channels"}
