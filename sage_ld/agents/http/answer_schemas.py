"""JSON Schemas of the requests and answers of `/v1/answer`."""

from __future__ import annotations

from typing import Annotated, Any, Final, NotRequired, TypedDict

from msgspec import Meta

from sage_ld.foundation.records import Count, Iri, Positive, one_of, record_schema, said
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.answers import RETRIEVAL, AddressedContext, ChunkJson, Types
from sage_ld.service.api.schemas import SETTING

Schema = dict[str, Any]

_FORM: Final = ("frame", "highlight", "window", "view", "offset")
"""Parameters of a retrieval that an answer in sentences has no use for."""
_OWN: Final = ("sentences", "context", "method")


def schema(settings: Settings) -> Schema:
    """The parameters of an answer by GET."""
    given = retrieval.schema(settings)["properties"]
    sentences = {
        "type": "integer",
        "minimum": 1,
        "maximum": settings.max_answer_sentences,
        SETTING: "max_answer_sentences",
        "default": min(3, settings.max_answer_sentences),
        "description": "Maximum number of sentences in the answer.",
    }
    properties = {name: each for name, each in given.items() if name not in _FORM}
    return schemas.closed(["q"], {**properties, "sentences": sentences})


def post_schema(settings: Settings) -> Schema:
    """The parameters of an answer by POST, by which a language model may be asked, too."""
    method = {
        "type": "string",
        "enum": ["extraction", "model"],
        "default": "extraction",
        "description": "extraction quotes the documents; model has the language model of the service write "
        "the answer, for clients with a token of any role, and quotes where that fails.",
    }
    return schemas.closed(["q"], {**schema(settings)["properties"], "method": method})


def retrieval_of(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters by which chunks are retrieved for an answer."""
    return {name: value for name, value in parameters.items() if name not in _OWN}


class QuotationJson(TypedDict):
    """A quotation from a document."""

    type: Types
    text: Annotated[str, said("The text of the document from beginIndex to endIndex.")]
    beginIndex: Count
    endIndex: Count
    isPartOf: Annotated[list[ChunkJson], Meta(min_length=1)]


class ModelCallJson(TypedDict):
    """A call of a language model."""

    type: Types
    task: str
    languageModel: str


class SentenceJson(TypedDict):
    """A sentence of an answer, with what it cites."""

    type: Types
    position: Positive
    text: str
    citation: Annotated[list[QuotationJson], Meta(min_length=1)]


Method = Annotated[
    str,
    one_of(["extraction", "model"]),
    said("Whether the sentences are quoted from the documents, or written by a language model."),
]
WholeText = Annotated[str, said("The sentences as one text.")]
InGraph = Annotated[bool, said("Whether the graph answers the question.")]
_BY_MODEL: Final[Schema] = {"anyOf": [RETRIEVAL, record_schema(ModelCallJson)]}


class CitedAnswerJson(AddressedContext):
    """An answer in sentences, each with what it cites."""

    type: Types
    text: WholeText
    isInGraph: InGraph
    answerMethod: Method
    comment: NotRequired[
        Annotated[str, said("The reason if the answer was not made by the requested method.")]
    ]
    hasPart: list[SentenceJson]
    wasGeneratedBy: Annotated[
        Any,
        Meta(extra_json_schema={"anyOf": [RETRIEVAL, {"type": "array", "items": _BY_MODEL, "minItems": 2}]}),
    ]


class CitationJson(TypedDict):
    """A quote, and the chunk that it stands in."""

    chunk: Annotated[Iri, said("The IRI of the chunk.")]
    document: Annotated[str, said("The identifier of the document.")]
    title: str
    place: Annotated[str | None, said("The place of the chunk in its file.")]
    begin: Annotated[Count, said("Where the quote begins in the document's text, in code points.")]
    end: Count
    quote: str


class CellJson(TypedDict):
    """A cell of a table's row, or a field of a record."""

    column: str
    value: str


class PlainSentenceJson(TypedDict):
    """A sentence of an answer in flat JSON."""

    text: str
    cells: Annotated[
        list[CellJson],
        said("The columns of a table's row, or the fields of a record, that the quote spans."),
    ]
    citations: Annotated[list[CitationJson], Meta(min_length=1)]


class PlainCitedAnswerJson(TypedDict):
    """An answer in sentences in flat JSON."""

    question: str
    answer: WholeText
    inGraph: InGraph
    method: Method
    note: Annotated[str, said("The reason if the answer was not made by the requested method.")]
    model: NotRequired[Annotated[str, said("The language model that wrote the sentences.")]]
    revision: Count
    sentences: list[PlainSentenceJson]
    retrieval: NotRequired[Annotated[Iri, said("The IRI of the kept retrieval.")]]
