"""Retrieval requests: the schemas that are published and checked, and the arguments that they become."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import ForbiddenError, LimitError
from sage_ld.foundation.model import Result
from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import RENAMED, Answer, Filter, Question, with_new_names
from sage_ld.foundation.recipes import (
    LEAST_MEMBER,
    MOST_MEMBER,
    PRESETS,
    Ranking,
    Retrieval,
    adjusted,
    load_recipe,
)
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.exports.jsonld import FRAMES
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.explanation import ChunkExplanation
from sage_ld.retrieval.answers.outline import OutlineNode
from sage_ld.retrieval.filtering.conditions import EXAMPLE
from sage_ld.retrieval.filtering.key_conditions import EXAMPLE as KEY_EXAMPLE
from sage_ld.retrieval.rankings.table import client_rankings
from sage_ld.service.api import schemas
from sage_ld.service.api.schemas import DEPRECATED_AT, SETTING, field_schemas

Schema = dict[str, Any]

OWN: Final = "own"
"""The recipe that the graph was made with; no other is read from a file for a client."""
_CHANGES: Final = {name: each for name, each in parameters(Retrieval).items() if each.client}
"""The parameters that a client may change: numbers with a fraction in `weights`, others by their names."""
_OPTIONS: Final = tuple(parameters(Question))
_LONGEST_IRI: Final = 2_000
_FILTER: Final = (*(each.name for each in fields(Filter)), "metadata")
_BY_PLACE: Final = ("q", "k", "from_graph", "neighbours", "mode", "window", "view")
"""Parameters that a search inside SPARQL has by their place, and what its rows have no place for."""
_USUAL: Final = Retrieval()
_WEIGHTS: Final = frozenset(name for name in _CHANGES if isinstance(getattr(_USUAL, name), float))
_OF_SECTIONS: Final = frozenset(name for name in _WEIGHTS if _CHANGES[name].switch == "section_weight")
"""Numbers that a client may change only where it may choose the ranking `sections`: like it, they read the
keywords of all chunks into memory."""


def schema(settings: Settings) -> Schema:
    """The parameters of `/v1/retrieve`, by GET and by POST."""
    return schemas.closed(["q"], {**_properties(settings), **_SHAPE})


def post_schema(settings: Settings) -> Schema:
    """The parameters of `/v1/retrieve` by POST, which takes several questions, too."""
    properties = schema(settings)["properties"]
    questions = {
        "type": "array",
        "items": {name: each for name, each in properties["q"].items() if name != "examples"},
        "minItems": 1,
        "maxItems": settings.max_batch_questions,
        SETTING: "max_batch_questions",
        "description": "Several questions in place of q, encoded together; the other parameters hold for "
        f"each of them. Their results are at most {settings.max_results} together (max_results).",
        "examples": [["Who composed Night Bus to Hask?", "Who won the Golden Heron in 1987?"]],
    }
    closed = schemas.closed([], {**properties, "questions": questions})
    one = {"type": "object", "maxProperties": closed["maxProperties"]}
    return {**closed, "oneOf": [{**one, "required": ["q"]}, {**one, "required": ["questions"]}]}


def explain_schema(settings: Settings) -> Schema:
    """The parameters of `/v1/explain`: those of a question, and the chunk."""
    properties = {name: each for name, each in schema(settings)["properties"].items() if name not in _SHAPE}
    question = properties.pop("q")
    chunk = {
        "type": "string",
        "minLength": 1,
        "maxLength": _LONGEST_IRI,
        "description": "The chunk: its IRI, or the part of it after chunk/.",
        "examples": ["4bf275641a242d9675f3c389"],
    }
    return schemas.closed(["question", "chunk"], {"question": question, "chunk": chunk, **properties})


def outline_schema(settings: Settings) -> Schema:
    """The parameters of `/v1/outline`: a question, and the document."""
    asked = _properties(settings)
    document = {
        "type": "string",
        "minLength": 1,
        "maxLength": settings.max_identifier_length,
        SETTING: "max_identifier_length",
        "description": "The document, by identifier or IRI.",
        "examples": ["films/night-bus.md"],
    }
    properties = {
        "question": asked["q"],
        "document": document,
        "question_language": asked["question_language"],
        "recipe": asked["recipe"],
    }
    return schemas.closed(["question", "document"], properties)


def stream_schema(settings: Settings) -> Schema:
    """The parameters of `/v1/retrieve/stream`."""
    return schemas.closed(["q"], {**_searched(settings), **_STREAM_SHAPE})


def sparql_schema(settings: Settings) -> Schema:
    """The parameters of a search inside SPARQL that are given by name, as in a URL."""
    properties = _searched(settings)
    return schemas.closed([], {name: each for name, each in properties.items() if name not in _BY_PLACE})


def _searched(settings: Settings) -> Schema:
    """The parameters that decide what an answer says."""
    properties = schema(settings)["properties"]
    return {name: each for name, each in properties.items() if name not in _SHAPE}


def page_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of a list."""
    properties: Schema = {
        "limit": schemas.limit_schema(settings, "How many items."),
        "offset": {
            "type": "integer",
            "minimum": 0,
            "maximum": 2**31 - 1,
            "default": 0,
            "description": "The number of items to skip.",
        },
        "prefix": {
            "type": "string",
            "maxLength": 200,
            "default": "",
            "description": "Only items whose identifier or label begins so; capitals make no difference. Of "
            "a chunk, its document's identifier.",
        },
    }
    return schemas.closed([], properties)


def list_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of a filtered list."""
    return schemas.closed([], {**page_schema(settings)["properties"], **_filter(settings)})


def cursor_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of a filtered list, which has cursors."""
    cursor = {
        **schemas.cursor_schema("item"),
        "maxLength": 6 * settings.max_identifier_length,
        SETTING: "max_identifier_length",
    }
    return schemas.closed([], {**list_schema(settings)["properties"], "cursor": cursor})


def document_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of the list of documents."""
    name = {
        "type": "string",
        "maxLength": 200,
        "default": "",
        "description": "Only documents whose title, or whose identifier behind its last slash, begins so; "
        "capitals make no difference.",
    }
    return schemas.closed([], {**cursor_schema(settings)["properties"], "name": name})


def neighbour_schema(settings: Settings) -> Schema:
    """The parameters that choose neighbours of a chunk."""
    limit = schemas.limit_schema(settings, "How many neighbours.", name="max_shown_neighbours", default=20)
    return schemas.closed([], {"limit": limit, **field_schemas(Question, settings, ["channels"])})


def search_of(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a request that decide what its answer says, without those of its form."""
    return {
        name: value for name, value in parameters.items() if name not in _SHAPE and name not in _STREAM_SHAPE
    }


def filter_of(parameters: Mapping[str, Any]) -> Filter:
    """The filter among the parameters of a request."""
    given: dict[str, Any] = {}
    for name in _FILTER:
        if name in parameters:
            value = parameters[name]
            given[name] = tuple(value) if isinstance(value, list) else value
    return Filter(**given)


_FRAME: Final[Schema] = {
    "type": "string",
    "enum": list(FRAMES),
    "description": "Answer in another shape, by JSON-LD framing: chunks, documents with their chunks, "
    "entities with the chunks that mention them, or the steps of all paths.",
}
_CONTEXT: Final[Schema] = {
    "type": "string",
    "enum": ["address", "value"],
    "default": "address",
    "description": "The form of a JSON-LD answer's context: by the address of /context.jsonld, or inside it.",
}
_HIGHLIGHT: Final[Schema] = {
    "type": "boolean",
    "default": False,
    "description": "Whether results say which words match the question (matches), with their offsets; for "
    "answers in application/json.",
}
_LABELS: Final[Schema] = {
    "type": "boolean",
    "default": False,
    "description": "Whether results say the names of the nodes that their paths lead over (labels); for "
    "answers in application/json.",
}
_SHAPE: Final = {"frame": _FRAME, "context": _CONTEXT, "highlight": _HIGHLIGHT, "labels": _LABELS}
"""The parameters that change the form of an answer, and not what it says."""
_STREAM_SHAPE: Final[Schema] = {
    "form": {
        "type": "string",
        "enum": ["jsonld", "json"],
        "default": "jsonld",
        "description": "The form of the events: JSON-LD, or flat JSON.",
    },
    **{
        name: {
            **_SHAPE[name],
            "description": str(_SHAPE[name]["description"]).split("; ")[0] + "; for form json.",
        }
        for name in ("highlight", "labels")
    },
}


def _properties(settings: Settings) -> Schema:
    """The parameters of a question: how much is wanted, how it is answered, and of which chunks."""
    rankings, left_out = client_rankings(settings), set[str]()
    if Ranking.SECTIONS not in rankings:
        left_out |= _OF_SECTIONS
    if Ranking.ENSEMBLE not in rankings:
        left_out |= {"members", "member_fusion"}
    may_be_changed = _CHANGES.keys() - left_out
    weights = field_schemas(
        Retrieval, settings, _WEIGHTS & may_be_changed, " As the recipe says unless given."
    )
    changes = field_schemas(
        Retrieval, settings, may_be_changed - _WEIGHTS, " As the recipe says unless given."
    )
    changes["ranking"]["enum"] = [str(each) for each in rankings]
    if "members" in changes:
        changes["members"] |= _members(rankings)
    return {
        **field_schemas(Question, settings, parameters(Question).keys() - {"only"}),
        "neighbours": {
            "type": "integer",
            "minimum": 0,
            "maximum": settings.max_results,
            SETTING: "max_results",
            "deprecated": True,
            DEPRECATED_AT: 1_795_910_400,
            "description": f"Results that the graph adds to k others. {RENAMED[0].upper()}{RENAMED[1:]}.",
        },
        "recipe": {
            "type": "string",
            "enum": [OWN, *PRESETS],
            "default": OWN,
            "description": "Whose parameters of retrieval hold where none are given: those that the graph "
            "was made with, or a preset's.",
        },
        **changes,
        "weights": {
            **schemas.closed([], weights),
            "minProperties": 1,
            "description": "Numbers in place of the recipe's. In a URL, weights[bm25_weight]=0.3.",
            "examples": [{"bm25_weight": 0.3}],
        },
        **_filter(settings),
    }


def _filter(settings: Settings) -> Schema:
    """The fields of a filter on results. Lists are of alternatives, except for `where`."""
    only = field_schemas(Filter, settings)
    only["where"]["items"]["examples"] = [EXAMPLE, KEY_EXAMPLE]
    return {**only, "metadata": _metadata(settings)}


def _members(rankings: Sequence[Ranking]) -> Schema:
    """The members of the ranking `ensemble`: rankings that clients may choose, with weights."""
    members = [str(each) for each in rankings if each is not Ranking.ENSEMBLE]
    weight = {"type": "number", "minimum": LEAST_MEMBER, "maximum": MOST_MEMBER}
    return {**schemas.closed([], dict.fromkeys(members, weight)), "minProperties": 1}


def _metadata(settings: Settings) -> Schema:
    """The values of keys of metadata."""
    text: Schema = {
        "type": "string",
        "minLength": 1,
        "maxLength": settings.max_filter_length,
        SETTING: "max_filter_length",
    }
    most: Schema = {SETTING: "max_filter_values"}
    scalars = ["string", "number", "boolean"]
    value = {
        **text,
        "type": [*scalars, "array"],
        "items": {**text, "type": scalars},
        "minItems": 1,
        "maxItems": settings.max_filter_values,
    }
    return {
        "type": "object",
        "minProperties": 1,
        "maxProperties": settings.max_filter_values,
        **most,
        "additionalProperties": value,
        "description": "Only chunks of documents with this metadata: keys, each with its value, or a list of "
        "which it has one. In a URL, metadata[team]=red.",
        "examples": [{"team": "red", "year": 2024}],
    }


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """A question with its parameters, ready to be put to a revision of the graph."""

    retriever: Retriever
    recipe: str
    """The preset whose parameters hold; `OWN` for the graph's."""
    asked: tuple[Question, ...]
    """One, except where several were sent together."""

    @classmethod
    def of(cls, graph: KnowledgeGraph, sent: Mapping[str, Any]) -> RetrievalRequest:
        """From parameters that the schema allows. Raises InputError."""
        given = search_of(sent)
        recipe = given.get("recipe", OWN)
        changes = {name: given[name] for name in _CHANGES if name in given} | given.get("weights", {})
        base = graph.recipe.retrieval if recipe == OWN else load_recipe(recipe).retrieval
        how = with_new_names({name: given[name] for name in (*_OPTIONS, "neighbours") if name in given})
        texts, only = given.get("questions") or [given["q"]], filter_of(given)
        asked = tuple(Question(text, **how, only=only) for text in texts)
        return cls(Retriever(graph, adjusted(base, changes)), recipe, asked)

    @property
    def question(self) -> Question:
        """The question, or the first of several."""
        return self.asked[0]

    def answer(self, snapshot: Snapshot, check: Check = unchecked) -> Answer:
        """The answer from one revision. Raises InputError, LimitError, NotFoundError; what `check` raises."""
        return self._named(self.retriever.retrieve(self.question, at=snapshot, check=check))

    def answers(self, snapshot: Snapshot, check: Check, missing: Collection[str]) -> tuple[Answer, ...]:
        """The answers to those of the questions that are missing, in their order. Raises as `answer` does."""
        self._check_results()
        asked = {each.text: each for each in self.asked if each.text in missing}
        found = self.retriever.retrieve_many(list(asked.values()), at=snapshot, check=check)
        return tuple(map(self._named, found))

    def _check_results(self) -> None:
        """Raises LimitError if all questions together ask for more results than one question may."""
        total, most = len(self.asked) * self.question.end, self.retriever.graph.settings.max_results
        if total > most:
            asked = "questions x (offset + k)"
            raise LimitError.of(asked, total, most, "results", "max_results")

    def _named(self, found: Answer) -> Answer:
        return found if self.recipe == OWN else replace(found, recipe=self.recipe)

    def explanation(self, chunk: str, snapshot: Snapshot, check: Check = unchecked) -> ChunkExplanation:
        """The reasons why a chunk is, or is not, in the answer. Raises as `answer`, and NotFoundError."""
        return self.retriever.explain(self.question, chunk, at=snapshot, check=check)

    def outline(self, document: str, snapshot: Snapshot, check: Check = unchecked) -> tuple[OutlineNode, ...]:
        """The sections of a document with their scores. Raises as `answer` does; NotFoundError for it.

        LimitError, if their names are too long. ForbiddenError unless clients may choose the ranking
        `sections`, whose trees it needs.
        """
        settings = self.retriever.graph.settings
        if Ranking.SECTIONS not in client_rankings(settings):
            raise ForbiddenError(
                "an outline reads the keywords of all chunks into memory; it is allowed if the setting "
                "client_rankings names sections"
            )
        found = self.retriever.outline(document, self.question, at=snapshot, check=check)
        length, limit = sum(len(each.iri) + len(each.name) for each in found), settings.max_sent_text
        if length > limit:
            raise LimitError.of(
                "the names and IRIs of the outline", length, limit, "characters", "max_sent_text"
            )
        return found

    def seeds(self, snapshot: Snapshot, check: Check = unchecked) -> tuple[Result, ...]:
        """The seeds, with which the answer begins before the graph is asked. Raises as `answer` does."""
        return self.retriever.seeds(self.question, at=snapshot, check=check)


def analysis_schema(settings: Settings) -> Schema:
    """The parameters of an analysis."""
    given = schema(settings)["properties"]
    return schemas.closed(
        ["question"], {"question": given["q"], "question_language": given["question_language"]}
    )
