"""JSON Schemas of the requests and answers about documents."""

from __future__ import annotations

from typing import Annotated, Any, Final, NotRequired, TypedDict

from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.records import Count, Iri, Time, either, one_of, said
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes.adding import Outcome
from sage_ld.service.api import schemas
from sage_ld.service.api.answers import CursorJson, ProblemJson
from sage_ld.service.api.edges import CuratedEdgeJson, metadata_schema
from sage_ld.service.api.schemas import SETTING, Schema, closed

_NAME_LENGTH: Final = 2000
_MEDIA_TYPE_LENGTH: Final = 200


def write_parameters(settings: Settings, *, duplicates: Duplicates) -> Schema:
    """The parameters in the URL of a request that adds documents; `duplicates` is the default of that one."""
    return closed(
        [],
        {
            "replace": _said(
                {"type": "boolean", "default": False},
                "Whether it may take the place of a document that came from a file: an ingest of that file "
                "is refused from then on.",
            ),
            "duplicates": _said(
                {"type": "string", "enum": [str(each) for each in Duplicates], "default": str(duplicates)},
                "What happens to a new document with the content and metadata of another one: skip answers "
                "with the one that is there, keep stores both.",
            ),
            "name": _said(
                {"type": "string", "minLength": 1, "maxLength": _NAME_LENGTH},
                "The title of the one document; in JSON it is a member.",
            ),
        },
    )


def text_schema(settings: Settings) -> Schema:
    """A document as JSON: its text, and what is said of it."""
    return closed(
        ["text"],
        {
            "text": _said(
                {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": settings.max_text_length,
                    SETTING: "max_text_length",
                },
                "The text, or a file of a textual format.",
            ),
            "identifier": _said(
                {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": settings.max_identifier_length,
                    SETTING: "max_identifier_length",
                },
                "Its identifier; without one it follows from the content. Of a PUT, the URL has it.",
            ),
            "name": _said({"type": "string", "minLength": 1, "maxLength": _NAME_LENGTH}, "The title."),
            "mediaType": _said(
                {"type": "string", "maxLength": _MEDIA_TYPE_LENGTH, "default": "text/plain"},
                "The format of the text, such as text/markdown; /v1/ingest/supported-types lists them.",
            ),
            "metadata": metadata_schema(settings),
        },
    )


def texts_schema(settings: Settings) -> Schema:
    """Several documents as JSON."""
    most = settings.max_batch_documents
    documents = {
        "type": "array",
        "items": text_schema(settings),
        "minItems": 1,
        "maxItems": most,
        SETTING: "max_batch_documents",
    }
    return closed(["documents"], {"documents": _said(documents, "The documents.")})


def patch_schema(settings: Settings) -> Schema:
    """A JSON merge patch of a document."""
    metadata = _said(
        metadata_schema(settings), "Keys with new values, or null for a key that is to be removed."
    )
    return closed(["metadata"], {"metadata": metadata})


def jobs_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of the list of jobs."""
    limit = schemas.limit_schema(settings, "How many jobs.")
    return closed([], {"limit": limit, "cursor": schemas.cursor_schema("job")})


PATCH_PARAMETERS: Final = closed(
    [],
    {
        "replace": {
            "type": "boolean",
            "default": False,
            "description": "Whether a document that came from a file becomes a program's: an ingest of that "
            "file is refused from then on. Without it, the change stays when the file is read again.",
        }
    },
)
"""The parameters in the URL of a request that changes metadata."""

# --- answers ------------------------------------------------------------------------------------------


class StoredDocumentJson(TypedDict):
    """The fate of a document that was sent."""

    id: Iri
    identifier: str
    status: Annotated[
        str,
        one_of(Outcome),
        said("Of a duplicate, id and identifier are those of the document that is there."),
    ]
    source: Annotated[str, said("The first 200 characters of the identifier or file name.")]


class FailedSourceJson(TypedDict):
    """A text or file that was not stored."""

    source: str
    detail: str


class LeftOutJson(TypedDict):
    """A file inside another one that gave no document."""

    identifier: str
    detail: str


LostEdges = Annotated[
    list[CuratedEdgeJson],
    said(
        "The users' edges that were removed with their ends, at most as many as the setting "
        "max_report_entries says; missing where there are none."
    ),
]


class PassedOverJson(TypedDict):
    """The parts of one kind that the file of a document has and its text has not."""

    identifier: str
    kind: Annotated[str, said("A noun, such as chart or hidden text.")]
    count: Count
    places: Annotated[list[str], said("The first places, such as page 3, at most twenty.")]


class StoredJson(TypedDict):
    """The report of what was stored."""

    documents: list[StoredDocumentJson]
    failed: Annotated[
        list[FailedSourceJson], said("The texts and files that were not stored, each with the reason.")
    ]
    leftOut: Annotated[list[LeftOutJson], said("Files inside others that gave no document.")]
    warnings: list[str]
    passedOver: NotRequired[
        Annotated[
            list[PassedOverJson],
            said("What the files of the stored documents have and their text has not; missing if nothing."),
        ]
    ]
    chunks: Annotated[Count, said("Chunks of the documents that were stored.")]
    revision: Annotated[Count, said("The revision that shows the change.")]
    removedEdges: NotRequired[LostEdges]


class ChangedDocumentJson(TypedDict):
    """The report of a change of one document."""

    chunks: NotRequired[Count]
    revision: Count
    removedEdges: NotRequired[LostEdges]


class FileJson(TypedDict):
    """A file of an ingest."""

    root: str
    path: str


class DescribedDocumentJson(TypedDict):
    """A document, with its metadata."""

    id: Iri
    identifier: str
    name: NotRequired[str]
    url: NotRequired[str]
    mediaType: str
    language: NotRequired[str]
    contentHash: Annotated[
        str,
        said(
            "SHA-256 over what the document was made of: its content, and the metadata sent or read with it. "
            "PATCH does not change it; the ETag does change."
        ),
    ]
    metadata: Annotated[dict[str, Any], said("Values by key; of several values, a list.")]
    patched: NotRequired[
        Annotated[
            list[str],
            said("The keys of metadata that PATCH has set or removed; missing if there are none."),
        ]
    ]
    chunks: Annotated[Count, said("The number of its chunks; /v1/chunks?documents= lists them.")]
    file: NotRequired[
        Annotated[FileJson, said("The file that it came from; missing where a program added the document.")]
    ]


class OmittedJson(TypedDict, total=False):
    """The lengths by which the lists of a report were cut."""

    documents: Count
    failed: Count
    leftOut: Count
    warnings: Count
    passedOver: Count


class StoredByJobJson(StoredJson):
    """The report of what a job stored."""

    omitted: NotRequired[
        Annotated[
            OmittedJson,
            said("How many entries a list lacks, where it had more than the setting max_report_entries."),
        ]
    ]


class RelinkedJson(TypedDict):
    """The report of a relink."""

    edges: Annotated[dict[str, Count], said("Edges by their kind.")]
    warnings: Annotated[list[str], said("What was not derived as the recipe asks.")]
    revision: Count


class FindingJson(TypedDict):
    """A fault of the graph."""

    check: str
    where: str
    meaning: str
    remedy: str


class CheckedJson(TypedDict):
    """The report of a check of the graph."""

    clean: Annotated[bool, said("Whether no fault was found.")]
    revision: Count
    findings: list[FindingJson]
    more: Annotated[Count, said("Further faults of the same kinds.")]
    repaired: list[FindingJson]


class ProgressJson(TypedDict):
    """The progress of a job."""

    step: str
    done: Count
    total: Count


class JobJson(TypedDict):
    """A job."""

    id: str
    state: Annotated[str, one_of(["queued", "running", "done", "failed", "cancelled", "interrupted"])]
    created: Time
    ended: NotRequired[Time]
    progress: NotRequired[
        Annotated[
            ProgressJson,
            said("The step (reading, encoding), the part of it that is done, and the whole."),
        ]
    ]
    report: NotRequired[
        Annotated[
            Any,
            either(StoredByJobJson, RelinkedJson, CheckedJson),
            said("What was done, as a request that waits gets it; long lists are cut."),
        ]
    ]
    problem: NotRequired[Annotated[ProblemJson, said("The reason why it failed.")]]


class SupportedTypeJson(TypedDict):
    """A media type that is read."""

    mediaType: str
    suffixes: list[str]
    reader: Annotated[str, said("The name of the format.")]


class SupportedTypesJson(TypedDict):
    """The media types that are read."""

    types: list[SupportedTypeJson]
    maxBytes: NotRequired[Annotated[Count, said("Largest file, the setting max_file_bytes.")]]


class JobsJson(CursorJson):
    """A page of the list of jobs."""

    jobs: list[JobJson]


def _said(schema: Schema, description: str) -> dict[str, Any]:
    return {**schema, "description": description}
