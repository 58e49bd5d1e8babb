"""Retrieval requests: the schemas that are published and checked, and the arguments that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import ForbiddenError, LimitError
from sage_ld.foundation.model import ChunkKind, Result
from sage_ld.foundation.parameters import Parameter, parameters
from sage_ld.foundation.question import Answer, AnswerView, Filter
from sage_ld.foundation.recipes import (
    LEAST_MEMBER,
    MOST_MEMBER,
    PRESETS,
    Centrality,
    Fusion,
    Ranking,
    Retrieval,
    adjusted,
    load_recipe,
)
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.exports.framing import FRAMES
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.answers.explanation import ChunkExplanation
from sage_ld.retrieval.answers.outline import OutlineNode
from sage_ld.retrieval.filtering.conditions import EXAMPLE
from sage_ld.retrieval.filtering.key_conditions import EXAMPLE as KEY_EXAMPLE
from sage_ld.retrieval.rankings.table import client_rankings
from sage_ld.service.api import paging, schemas
from sage_ld.service.api.violations import SETTING

Schema = dict[str, Any]

OWN: Final = "own"
"""The recipe that the graph was made with; no other is read from a file for a client."""
_CHANGES: Final = {name: each for name, each in parameters(Retrieval).items() if each.client}
"""The parameters that a client may change: numbers with a fraction in `weights`, others by their names."""
_LONGEST_IRI: Final = 2_000
_DATE: Final = len("2026-11-21")
_FILTER: Final = (*(each.name for each in fields(Filter)), "metadata")
_BY_PLACE: Final = ("q", "k", "neighbours", "mode", "window", "view")
"""Parameters that a search inside SPARQL has by their place, and what its rows have no place for."""
_USUAL: Final = Retrieval()
_WEIGHTS: Final = {name: each for name, each in _CHANGES.items() if isinstance(getattr(_USUAL, name), float)}
_OF_SECTIONS: Final = frozenset(name for name, each in _WEIGHTS.items() if each.switch == "section_weight")
"""Numbers that a client may change only where it may choose the ranking `sections`: like it, they read the
keywords of all chunks into memory."""


def schema(settings: Settings) -> Schema:
    """The parameters of `/v1/retrieve`, by GET and by POST."""
    properties = {**_budget(settings), **_method(settings), **_filter(settings), **_SHAPE}
    return schemas.closed(["q"], properties)


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
    method, budget = _method(settings), _budget(settings)
    document = {
        "type": "string",
        "minLength": 1,
        "maxLength": settings.max_identifier_length,
        SETTING: "max_identifier_length",
        "description": "The document, by identifier or IRI.",
        "examples": ["films/night-bus.md"],
    }
    properties = {
        "question": budget["q"],
        "document": document,
        "question_language": method["question_language"],
        "recipe": method["recipe"],
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
        "limit": paging.limit_schema(settings, "How many items."),
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
        **paging.cursor_schema("item"),
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
    limit = paging.limit_schema(settings, "How many neighbours.", name="max_shown_neighbours", default=20)
    return schemas.closed([], {"limit": limit, "channels": CHANNEL_LIST})


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


CHANNEL_LIST: Final[Schema] = {
    "type": "array",
    "items": {"type": "string", "enum": list(CHANNEL_NAMES)},
    "uniqueItems": True,
    "minItems": 1,
    "maxItems": len(CHANNEL_NAMES),
    "description": "The channels to follow; the recipe's by default. In a URL, with commas.",
}
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


def _budget(settings: Settings) -> Schema:
    """The question, and how much of the answer is wanted."""
    most = settings.max_results
    return {
        "q": {
            "type": "string",
            "pattern": r"\S",
            "maxLength": settings.max_question_length,
            SETTING: "max_question_length",
            "description": "The question; a long one is sent by POST.",
            "examples": ["Who composed the film that won the Golden Heron in 1987?"],
        },
        "k": {
            "type": "integer",
            "minimum": 1,
            "maximum": most,
            SETTING: "max_results",
            "default": 5,
            "description": f"The number of seeds; offset + k + neighbours is at most {most} (max_results).",
        },
        "neighbours": {
            "type": "integer",
            "minimum": 0,
            "maximum": most,
            SETTING: "max_results",
            "default": 5,
            "description": "The number of neighbours beside the seeds.",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "maximum": most,
            SETTING: "max_results",
            "default": 0,
            "description": "The number of results to skip, for one page after another.",
        },
        "window": {
            "type": "integer",
            "minimum": 0,
            "maximum": settings.max_window,
            SETTING: "max_window",
            "default": 0,
            "description": "The number of chunks before and after each result to return with it; they do not "
            "become "
            "results. Not together with frame.",
        },
        "view": {
            "type": "string",
            "enum": [str(view) for view in AnswerView],
            "default": "text",
            "description": "summary: results show the abstracts of their section and document, too, if the "
            "graph has some.",
        },
    }


def _method(settings: Settings) -> Schema:
    """The parameters of the method by which it is answered."""
    rankings = client_rankings(settings)
    numbers = {
        name: number
        for name, number in _WEIGHTS.items()
        if name not in _OF_SECTIONS or Ranking.SECTIONS in rankings
    }
    weights = {name: _weight(each) for name, each in numbers.items()}
    method: Schema = {
        "mode": {
            "type": "string",
            "enum": [str(mode) for mode in Mode],
            "default": "sage",
            "description": "sage expands over the graph; the others give the first k + neighbours of one "
            "ranking.",
        },
        "question_language": {
            "type": "string",
            "minLength": 2,
            "maxLength": 35,
            "description": "The language that the question is in, such as de; it is detected unless given. "
            "To restrict the results, give languages.",
            "examples": ["de"],
        },
        "channels": CHANNEL_LIST,
        **schemas.relation_parameters(settings),
        "hops": {
            "type": "integer",
            "minimum": 1,
            "maximum": settings.max_hops,
            SETTING: "max_hops",
            "description": "How many edges may lie between a seed and a result; as many as the recipe says "
            "unless given.",
        },
        "recipe": {
            "type": "string",
            "enum": [OWN, *PRESETS],
            "default": OWN,
            "description": "The recipe whose parameters hold where none are given: those that the graph "
            "was made with, or a preset's.",
        },
        "weights": {
            **schemas.closed([], weights),
            "minProperties": 1,
            "description": "Numbers in place of the recipe's. In a URL, weights[bm25_weight]=0.3.",
            "examples": [{"bm25_weight": 0.3}],
        },
        "fusion": {
            "type": "string",
            "enum": [str(each) for each in Fusion],
            "description": "The fusion of BM25 and dense scores; the recipe's by default.",
        },
        "ranking": {
            "type": "string",
            "enum": [str(each) for each in rankings],
            "description": "The ranking of seeds and neighbours: by a learned model, at a share of the "
            "seed's score, by a walk, by the formulas of SageDB, by the sections of chunks, by abstracts, "
            "by what the question names, or several of these fused; the recipe's way unless given.",
        },
        **(_ensemble(rankings) if Ranking.ENSEMBLE in rankings else {}),
        "deduplicate": {
            "type": "boolean",
            "description": "Whether results that nearly repeat an earlier one are replaced by the next ones; "
            "as the recipe says unless given.",
        },
        "decompose": {
            "type": "boolean",
            "description": "Whether a question that compares two things, or asks twice, is asked part by "
            "part; as the recipe says unless given.",
        },
        "centrality": {
            "type": "string",
            "enum": [str(each) for each in Centrality],
            "description": "What measures the importance of a chunk, where ranking is SageDB's; the recipe's "
            "unless given.",
        },
    }
    return method


def _weight(given: Parameter) -> Schema:
    least, most = given.range_of(0.0)
    highest = most if given.client_most is None else given.client_most
    return {"type": "number", "minimum": least, "maximum": highest, "description": _told(given)}


def _told(given: Parameter) -> str:
    """The help of a parameter, with the rankings that read it."""
    return given.help + (f" For {', '.join(given.rankings)}." if given.rankings else "")


def _ensemble(rankings: Sequence[Ranking]) -> Schema:
    """The parameters of the ranking `ensemble`, whose members are among those that clients may choose."""
    members = [str(each) for each in rankings if each is not Ranking.ENSEMBLE]
    weight = {"type": "number", "minimum": LEAST_MEMBER, "maximum": MOST_MEMBER}
    return {
        "members": {
            **schemas.closed([], dict.fromkeys(members, weight)),
            "minProperties": 1,
            "description": "The rankings that are fused, where ranking is ensemble, and the weight of each; "
            "the recipe's unless given. In a URL, members[learned]=1.",
        },
        "member_fusion": {
            "type": "string",
            "enum": [str(each) for each in Fusion],
            "description": "The fusion of these rankings: by reciprocal ranks, or by the weighted mean of "
            "their "
            "scores; the recipe's way unless given.",
        },
    }


def _filter(settings: Settings) -> Schema:
    """The fields of a filter on results. Lists are of alternatives, except for `where`."""
    text: Schema = {
        "type": "string",
        "minLength": 1,
        "maxLength": settings.max_filter_length,
        SETTING: "max_filter_length",
    }

    def values(description: str, item: Schema = text, **more: Any) -> Schema:
        several: Schema = {"type": "array", "items": item, "minItems": 1}
        limit = {"maxItems": settings.max_filter_values, SETTING: "max_filter_values"}
        return {**several, **limit, "description": description, **more}

    date: Schema = {"type": "string", "maxLength": _DATE, "pattern": r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"}
    return {
        "documents": values("Only chunks of these documents, by identifier or IRI."),
        "kinds": values(
            "Only chunks of these kinds. In a URL, with commas.",
            {"type": "string", "enum": [str(kind) for kind in ChunkKind]},
        ),
        "languages": values(
            "Only chunks in these languages (RFC 4647: en is en-GB too).",
            {**text, "pattern": r"^(\*|[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*)$"},
        ),
        "keywords": values("Only chunks that have one of these keywords, themselves or by their document."),
        "since": {**date, "description": "Only chunks dated in this year, month or day, or later."},
        "until": {**date, "description": "Only chunks dated in this year, month or day, or earlier."},
        "where": values(
            "Only chunks that meet all of these: a SPARQL property path from the chunk, without *, + and ?, "
            "then =, !=, <, <=, > or >= where it is a comparison, then a string, a number or an IRI. The "
            "prefixes of the JSON-LD context are known. Or a key of metadata, an operator and a value.",
            {**text, "pattern": r"\S", "examples": [EXAMPLE, KEY_EXAMPLE]},
        ),
        "metadata": _metadata(text, settings),
    }  # fmt: skip


def _metadata(text: Schema, settings: Settings) -> Schema:
    """The values of keys of metadata."""
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
    questions: tuple[str, ...]
    """One, except where several were sent together."""
    how: Mapping[str, Any]
    """The other arguments of `Retriever.retrieve`."""

    @classmethod
    def of(cls, graph: KnowledgeGraph, parameters: Mapping[str, Any]) -> RetrievalRequest:
        """From parameters that the schema allows. Raises InputError."""
        given = search_of(parameters)
        recipe = given.pop("recipe", OWN)
        changes: dict[str, Any] = {name: given.pop(name) for name in _CHANGES if name in given}
        changes |= given.pop("weights", {})
        how = {name: value for name, value in given.items() if name not in _FILTER}
        base = graph.recipe.retrieval if recipe == OWN else load_recipe(recipe).retrieval
        questions = tuple(how.pop("questions", ())) or (how.pop("q"),)
        retriever = Retriever(graph, adjusted(base, changes))
        return cls(retriever, recipe, questions, {**how, "only": filter_of(given)})

    def answer(self, snapshot: Snapshot, check: Check = unchecked) -> Answer:
        """The answer from one revision. Raises InputError, LimitError, NotFoundError; what `check` raises."""
        return self._named(self.retriever.retrieve(self.questions[0], **self.how, at=snapshot, check=check))

    def answers(self, snapshot: Snapshot, check: Check, missing: Sequence[str]) -> tuple[Answer, ...]:
        """The answers to those of the questions that are missing, in their order. Raises as `answer` does."""
        self._check_results()
        found = self.retriever.retrieve_many(missing, **self.how, at=snapshot, check=check)
        return tuple(map(self._named, found))

    def _check_results(self) -> None:
        """Raises LimitError if all questions together ask for more results than one question may."""
        defaults = {"k": 5, "neighbours": 5, "offset": 0}
        each = sum(self.how.get(name, default) for name, default in defaults.items())
        total, most = len(self.questions) * each, self.retriever.graph.settings.max_results
        if total > most:
            asked = "questions x (offset + k + neighbours)"
            raise LimitError.of(asked, total, most, "results", "max_results")

    def _named(self, found: Answer) -> Answer:
        return found if self.recipe == OWN else replace(found, recipe=self.recipe)

    def explanation(self, chunk: str, snapshot: Snapshot, check: Check = unchecked) -> ChunkExplanation:
        """The reasons why a chunk is, or is not, in the answer. Raises as `answer`, and NotFoundError."""
        return self.retriever.explain(self.questions[0], chunk, **self.how, at=snapshot, check=check)

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
        language = self.how.get("question_language")
        found = self.retriever.outline(
            document, self.questions[0], question_language=language, at=snapshot, check=check
        )
        length, limit = sum(len(each.iri) + len(each.name) for each in found), settings.max_sent_text
        if length > limit:
            raise LimitError.of(
                "the names and IRIs of the outline", length, limit, "characters", "max_sent_text"
            )
        return found

    def seeds(self, snapshot: Snapshot, check: Check = unchecked) -> tuple[Result, ...]:
        """The seeds, with which the answer begins before the graph is asked. Raises as `answer` does."""
        return self.retriever.seeds(self.questions[0], **self.how, at=snapshot, check=check)
