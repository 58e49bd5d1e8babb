"""A question as it is put to a graph, and the answer to it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Final, TypeAlias, TypedDict, Unpack

from sage_ld.foundation import arguments
from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import ChunkKind, Result
from sage_ld.foundation.parameters import parameter
from sage_ld.foundation.recipes import checked_channels
from sage_ld.foundation.settings import Settings

_DATE: Final = {"maxLength": len("2026-11-21"), "pattern": r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"}


class Mode(StrEnum):
    """The way of answering a question.

    >>> Mode("sage")
    <Mode.SAGE: 'sage'>
    """

    SAGE = "sage"
    HYBRID = "hybrid"
    DENSE = "dense"
    BM25 = "bm25"

    @classmethod
    def named(cls, name: str) -> Mode:
        """The mode called `name`. Raises InputError if there is none of that name."""
        try:
            return cls(name)
        except ValueError:
            raise InputError(f"unknown mode {str(name)[:40]!r}; choose from {', '.join(cls)}") from None


class AnswerView(StrEnum):
    """The parts of a document that the results of an answer show."""

    TEXT = "text"
    """The text of each chunk."""
    SUMMARY = "summary"
    """The abstracts of its section and document, too, if the graph has some."""

    @classmethod
    def named(cls, name: str) -> AnswerView:
        """The view called `name`. Raises InputError if there is none of that name."""
        if name not in list(cls):
            raise InputError(f"view: {str(name)[:40]!r} is not a view; choose from {', '.join(cls)}")
        return cls(name)


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter: only chunks that meet every given field may be in an answer.

    Raises InputError for a field of the wrong type, such as a string in place of a list of strings.

    >>> bool(Filter()), bool(Filter(kinds=("table",)))
    (False, True)
    """

    documents: tuple[str, ...] = parameter(
        (), "Only chunks of these documents, by identifier or IRI.", term="onlyDocument", option="--document"
    )
    kinds: tuple[str, ...] = parameter(
        (), "Only chunks of these kinds.", choices=tuple(ChunkKind), term="onlyKind", option="--kind"
    )
    languages: tuple[str, ...] = parameter(
        (),
        "Only chunks in these languages (RFC 4647: en is en-GB too).",
        term="onlyLanguage",
        option="--language",
        schema={"pattern": r"^(\*|[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*)$"},
    )
    keywords: tuple[str, ...] = parameter(
        (),
        "Only chunks that have one of these keywords, themselves or by their document.",
        term="onlyKeyword",
        option="--keyword",
    )
    since: str = parameter(
        "",
        "Only chunks dated in this year, month or day, or later.",
        term="onlySince",
        option="",
        schema=_DATE,
    )
    until: str = parameter(
        "",
        "Only chunks dated in this year, month or day, or earlier.",
        term="onlyUntil",
        option="",
        schema=_DATE,
    )
    where: tuple[str, ...] = parameter(
        (),
        "Only chunks that meet all of these conditions: a key of metadata, or a SPARQL property path from "
        "the chunk, an operator and a value, as in team=red or year>=2020.",
        term="onlyWhere",
        option="",
        schema={"pattern": r"\S"},
    )
    """Conditions in the grammar of `retrieval.filtering.conditions`, or on a key of metadata in that of
    `sage_ld.retrieval.filtering.key_conditions`."""
    metadata: InitVar[Mapping[str, object] | None] = None
    """Keys of metadata with the value that they have, or a list of which they have one: added to `where`."""

    def __post_init__(self, metadata: Mapping[str, object] | None) -> None:
        given = arguments.texts(self.where, "where")
        object.__setattr__(self, "where", (*given, *_conditions(metadata or {})))
        for name in ("documents", "kinds", "languages", "keywords", "where"):
            object.__setattr__(self, name, arguments.texts(getattr(self, name), name))
        for name in ("since", "until"):
            arguments.text(getattr(self, name), name)

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)


def _conditions(metadata: Mapping[str, object]) -> Iterator[str]:
    """The conditions on metadata that a mapping states."""
    for key, value in arguments.mapping(metadata, "metadata").items():
        values = value if isinstance(value, list | tuple) else [value]
        if not values or not all(isinstance(each, str | int | float) for each in values):
            raise InputError(
                f"metadata: the value of {key[:40]!r} is not a text, a number or a boolean, or a list of them"
            )
        yield f"{_quoted(key)} = {' | '.join(map(_quoted, values))}"


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


Restriction: TypeAlias = Callable[[Any], Any]
"""A function of a revision: the array (n,) of which of its chunks may be seeds and results at all."""


class QuestionOptions(TypedDict, total=False):
    """The fields of a `Question` that are given by name, for the functions that pass them on."""

    mode: Mode | str
    channels: Sequence[str] | None
    offset: int
    only: Filter | Restriction | None
    relations: Sequence[str] | None
    as_of: str | date | None
    question_language: str | None
    window: int
    view: AnswerView | str
    neighbours: int
    """The name of an earlier release (`RENAMED`)."""


RENAMED: Final = (
    "neighbours is the name of an earlier release, and k beside it counts the other results; give k, the "
    "number of all results, and from_graph, how many of them the graph may add"
)
_SEEDS: Final = 5
"""The results beside the neighbours, where a request in the earlier form does not say them."""


def with_new_names(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a question, with those of an earlier release, where `k` did not count the neighbours.

    >>> with_new_names({"k": 2, "neighbours": 3})
    {'k': 5, 'from_graph': 3}
    """
    named = dict(given)
    if (neighbours := named.pop("neighbours", None)) is None:
        return named
    seeds = arguments.whole_number(named.get("k", _SEEDS), "k")
    neighbours = arguments.whole_number(neighbours, "neighbours")
    return {**named, "k": seeds + neighbours, "from_graph": neighbours}


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a graph, with the size and the form of the answer.

    What `QuestionOptions` allows is brought to one form, so that equal questions are equal. Raises InputError
    for an empty question, an unknown mode, channel or day, a budget below its minimum, or a value of the
    wrong type.

    >>> Question.of("Who composed it?", mode="bm25", as_of=date(2024, 5, 17)).as_of
    '2024-05-17'
    """

    text: str = parameter(
        text="The question, in words.",
        http="q",
        term="query",
        always=True,
        setting="max_question_length",
        unit="characters",
        schema={"pattern": r"\S", "examples": ["Who composed the film that won the Golden Heron in 1987?"]},
    )
    k: int = parameter(
        10,
        "Number of results.",
        least=1,
        setting="max_results",
        term="resultBudget",
        always=True,
        option="-k",
    )
    from_graph: int | None = parameter(
        None,
        "Number of them that the graph may add; by default half, and at least one. 0 leaves the graph out.",
        least=0,
        setting="max_results",
        term="neighbourBudget",
        always=True,
        option="",
    )
    mode: Mode = parameter(
        Mode.SAGE,
        "sage follows the graph from the seeds; the others give the first k of one ranking.",
        always=True,
        option="",
    )
    channels: tuple[str, ...] | None = parameter(
        None,
        "Channels to follow; by default the recipe's.",
        choices=CHANNEL_NAMES,
        schema={"uniqueItems": True},
        term="channel",
        always=True,
        option="",
    )
    offset: int = parameter(
        0,
        "Number of results to skip, for the next page.",
        least=0,
        setting="max_results",
        always=True,
        option="",
    )
    only: Filter | Restriction = parameter(
        text="What seeds and results are restricted to.", factory=Filter, told=False
    )
    relations: tuple[str, ...] | None = parameter(
        None,
        "Types of relation to follow, such as part_of; by default all.",
        term="onlyRelation",
        option="--relation",
    )
    as_of: str | None = parameter(
        None,
        "Follow only relations valid on this day, such as 2026-11-23.",
        option="",
        metavar="DAY",
        schema={
            "maxLength": len("2026-11-23"),
            "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            "examples": ["2026-11-23"],
        },
    )
    question_language: str | None = parameter(
        None,
        "The language that the question is in, such as de; by default it is detected.",
        option="",
        schema={"minLength": 2, "maxLength": 35, "examples": ["de"]},
    )
    window: int = parameter(
        0,
        "Number of chunks before and after each result to give with it; they do not become results.",
        least=0,
        setting="max_window",
        unit="chunks before and after a result",
        term="contextWindow",
        option="",
    )
    view: AnswerView = parameter(
        AnswerView.TEXT,
        "summary shows the abstracts of section and document, too, if the graph has some.",
        option="",
    )

    @classmethod
    def of(
        cls, text: str, k: int = 10, from_graph: int | None = None, **options: Unpack[QuestionOptions]
    ) -> Question:
        """The question with fields by name, as a program or a person gives them."""
        if "neighbours" in options:
            warnings.warn(RENAMED, DeprecationWarning, stacklevel=3)
        return cls(text, **with_new_names({"k": k, "from_graph": from_graph, **options}))

    def __post_init__(self) -> None:
        if not arguments.text(self.text, "question").strip():
            raise InputError("the question is empty; ask something")
        plain: dict[str, object] = {
            **{name: arguments.whole_number(getattr(self, name), name) for name in _NUMBERS},
            "mode": Mode.named(self.mode),
            "view": AnswerView.named(self.view),
            "as_of": arguments.day(self.as_of, "as_of"),
            "only": Filter() if self.only is None else self.only,
        }
        if self.from_graph is None:
            plain["from_graph"] = max(self.k // 2, 1)
        else:
            plain["from_graph"] = arguments.whole_number(self.from_graph, "from_graph")
        if self.channels is not None:
            plain["channels"] = checked_channels(arguments.texts(self.channels, "channels"))
        if self.relations is not None:
            plain["relations"] = arguments.texts(self.relations, "relations")
        if self.question_language is not None:
            arguments.text(self.question_language, "question_language")
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        self._check()

    def _check(self) -> None:
        if self.k < 1 or self.offset < 0:
            raise InputError(
                f"k is {self.k}, offset is {self.offset}; k must be at least 1, offset at least 0"
            )
        if self.from_graph is None or not 0 <= self.from_graph <= self.k:
            raise InputError(
                f"from_graph is {self.from_graph} of {self.k} results (k); give how many of them the graph "
                "may add, or leave it out"
            )
        if self.window < 0:
            raise InputError(f"window is {self.window}; give how many chunks around each result, 0 for none")
        if self.relations == ():
            raise InputError("relations is empty; name types of relation, or leave it out to follow all")
        if not isinstance(self.only, Filter) and not callable(self.only):
            raise InputError(
                f"only: {type(self.only).__name__} is not a Filter; give one such as Filter(kinds=['table'])"
            )

    @property
    def end(self) -> int:
        """The last rank that is asked for."""
        return self.offset + self.k

    @property
    def seeds(self) -> int:
        """The number of results that are found by their own text; at least one."""
        return max(self.k - (self.from_graph or 0), 1)

    @property
    def expands(self) -> bool:
        """Whether the graph is followed at all."""
        return self.mode is Mode.SAGE and self.from_graph != 0

    def within(self, settings: Settings) -> Question:
        """The question, if it is within the limits of a graph. Raises LimitError."""
        asked = "offset + k" if self.offset else "k"
        for name, value, unit, setting in (
            ("question", len(self.text), "characters", "max_question_length"),
            (asked, self.end, "results", "max_results"),
            ("window", self.window, "chunks before and after a result", "max_window"),
        ):
            if value > (limit := getattr(settings, setting)):
                raise LimitError.of(name, value, limit, unit, setting)
        return self


_NUMBERS: Final = ("k", "offset", "window")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question from one revision of a graph."""

    asked: Question
    """The question as it was taken: with the channels that were followed, and with its language where the
    graph has several."""
    recipe: str
    revision: int
    results: tuple[Result, ...]
    parameters: Mapping[str, float | int | str | Mapping[str, float]] = field(default_factory=dict)
    """The rest of how it was answered, by the names of `recipes.Retrieval`: `bm25_weight` …"""
    identifier: str = ""
    """The IRI under which the retrieval is kept; empty if it is not kept."""

    @property
    def question(self) -> str:
        """The text of the question."""
        return self.asked.text

    @property
    def mode(self) -> Mode:
        """The way in which it was answered."""
        return self.asked.mode

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels that were followed."""
        return self.asked.channels or ()

    @property
    def filter(self) -> Filter:
        """The filter of seeds and results; an empty one if a function restricted them."""
        return self.asked.only if isinstance(self.asked.only, Filter) else Filter()

    @property
    def question_language(self) -> str:
        """The language in which the question was taken; empty where the graph has one, and none was given."""
        return self.asked.question_language or ""

    @property
    def matched(self) -> bool:
        """Whether a result has something of the question: a word, or a share of its direction.

        False where each result has the score 0 by its text, and is there to fill the budget only.
        """
        names = (self.mode,) if self.mode in (Mode.BM25, Mode.DENSE) else (Mode.BM25, Mode.DENSE)
        return any(result.parts.get(str(name)) for result in self.results for name in names)
