"""The HTTP API described in OpenAPI 3.1, made from the schemas by which requests are checked.

One module for each group of routes; `parts` is what they share.
"""

from __future__ import annotations

from typing import Final

import sage_ld
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import (
    administration,
    documents,
    edges,
    facets,
    kept_retrievals,
    neighbourhoods,
    question_analysis,
    schemas,
    snapshots,
)
from sage_ld.service.extensions import installed
from sage_ld.service.http.problems import MEDIA_TYPE
from sage_ld.service.openapi.asking import kept_paths, retrieval_paths
from sage_ld.service.openapi.contents import data_set_paths, graph_paths
from sage_ld.service.openapi.operating import administered_paths, operated_paths
from sage_ld.service.openapi.parts import SECURED, Described, answer_of, media
from sage_ld.service.openapi.querying import sparql_paths
from sage_ld.service.openapi.writing import document_paths, edge_paths

_ABOUT: Final = (
    "Questions to answers that say why each result is there, over a knowledge graph in RDF. Answers are "
    "JSON-LD, or flat JSON for clients that take application/json. Errors are problem documents (RFC 9457). "
    "Updates (/update) and the graph store (/data) follow W3C protocols and are not described here; a GET of "
    "/sparql without parameters describes the endpoint."
)

_ERRORS: Final = {
    "400": "What was sent cannot be read, or does not fit the description.",
    "401": "A token is needed, or the one sent is wrong.",
    "403": "The token's role, or a setting, does not allow it.",
    "404": "It does not exist.",
    "406": "No format that the client takes is offered.",
    "409": "The state of the graph, or of the request before it, does not allow it.",
    "412": "If-Match or If-None-Match does not hold: the document is another by now.",
    "413": "What was asked for is over a limit.",
    "414": "The URL is too long: send the parameters by POST where there is one, or fewer of them.",
    "415": "The body is in a format that is not read here.",
    "421": "The request is for a host that is not this service.",
    "422": "The answer has more rows or bytes, or needs more memory, than the settings allow, or the change "
    "would break the shapes.",
    "431": "The headers are more, or larger, than the settings allow.",
    "500": "An error in the service.",
    "503": "The service is busy, or its graph is still empty; Retry-After says when to try again.",
    "504": "Stopped at the time limit.",
    "507": "The disk is full, or cannot be written.",
}


def document(settings: Settings) -> Described:
    """The whole description. Its limits are those of `settings`."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sage-ld",
            "version": sage_ld.__version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": settings.path_prefix or "/"}],
        "security": [{}, *SECURED],
        "tags": [
            {"name": "retrieval", "description": "Questions and answers."},
            {
                "name": "provenance",
                "description": "Kept retrievals: questions, results, and whether these helped.",
            },
            {"name": "tools", "description": "Tools of language models, and the person who approves calls."},
            {"name": "graph", "description": "The content of the graph."},
            {"name": "documents", "description": "Documents that clients add, change and remove."},
            {"name": "edges", "description": "Typed edges that clients state."},
            {"name": "SPARQL", "description": "The SPARQL 1.1 Protocol."},
            {"name": "data set", "description": "The graph as a whole, and its descriptions."},
            {"name": "administration", "description": "Snapshots, tokens, settings, relinking and checking."},
            {"name": "operation", "description": "Operations for the operators of the service."},
        ],
        "paths": _joined(
            retrieval_paths(settings),
            administered_paths(),
            kept_paths(settings),
            graph_paths(settings),
            document_paths(settings),
            edge_paths(settings),
            sparql_paths(settings),
            data_set_paths(settings),
            operated_paths(),
            *(each.paths(settings) for each in installed()),
        ),
        "components": {
            "schemas": _components(),
            "responses": {code: _problem(text) for code, text in _ERRORS.items()},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Made by sage-ld token create. Reading needs none by default.",
                },
                "password": {
                    "type": "http",
                    "scheme": "basic",
                    "description": "The same token as the password of any user.",
                },
            },
        },
    }


def _joined(*parts: Described) -> Described:
    """The paths of several parts, of which two may describe methods of one path."""
    paths: Described = {}
    for part in parts:
        for path, methods in part.items():
            paths[path] = {**paths.get(path, {}), **methods}
    return paths


_COMPONENTS: Final = {
    "Answer": schemas.ANSWER,
    "Answers": schemas.ANSWERS,
    "PlainAnswer": schemas.PLAIN_ANSWER,
    "PlainAnswers": schemas.PLAIN_ANSWERS,
    "Framed": schemas.FRAMED,
    "Result": schemas.RESULT,
    "Summary": schemas.SUMMARY,
    "KeptRetrieval": kept_retrievals.KEPT_RETRIEVAL,
    "KeptRetrievals": kept_retrievals.KEPT_RETRIEVALS,
    "Feedback": kept_retrievals.FEEDBACK,
    "Analytics": kept_retrievals.ANALYTICS,
    "Removed": kept_retrievals.REMOVED,
    "Snapshot": snapshots.SNAPSHOT,
    "Snapshots": snapshots.SNAPSHOTS,
    "Restored": snapshots.RESTORED,
    "Tokens": administration.TOKENS,
    "CreatedToken": administration.CREATED_TOKEN,
    "Settings": administration.SETTINGS,
    "State": administration.STATE,
    "Role": administration.ROLE,
    "Chunk": schemas.CHUNK,
    "Neighbours": schemas.NEIGHBOURS,
    "Chunks": schemas.CHUNKS,
    "Documents": schemas.DOCUMENTS,
    "Entities": schemas.ENTITIES,
    "PlainKeptRetrieval": kept_retrievals.PLAIN_KEPT_RETRIEVAL,
    "PlainKeptRetrievals": kept_retrievals.PLAIN_KEPT_RETRIEVALS,
    "PlainFeedback": kept_retrievals.PLAIN_FEEDBACK,
    "PlainChunk": schemas.PLAIN_CHUNK,
    "PlainNeighbours": schemas.PLAIN_NEIGHBOURS,
    "PlainChunks": schemas.PLAIN_CHUNKS,
    "PlainDocuments": schemas.PLAIN_DOCUMENTS,
    "PlainEntities": schemas.PLAIN_ENTITIES,
    "Facets": facets.FACETS,
    "Neighbourhood": neighbourhoods.NEIGHBOURHOOD,
    "Stats": schemas.STATS,
    "Stored": documents.STORED,
    "ChangedDocument": documents.CHANGED,
    "Job": documents.JOB,
    "Jobs": documents.JOBS,
    "DescribedDocument": documents.DOCUMENT,
    "SupportedTypes": documents.SUPPORTED_TYPES,
    "CuratedEdge": edges.EDGE,
    "CuratedEdges": edges.EDGES,
    "RelationTypes": edges.RELATION_TYPES,
    "AddedEdges": edges.ADDED,
    "ChangedEdge": edges.CHANGED,
    "Explanation": schemas.EXPLANATION,
    "Outline": schemas.OUTLINE,
    "QuestionAnalysis": question_analysis.ANALYSIS,
    "Problem": schemas.PROBLEM,
}


def _components() -> Described:
    """The schemas of answers, those of the extensions included."""
    return {**_COMPONENTS, **{name: each for one in installed() for name, each in one.components.items()}}


def _problem(text: str) -> Described:
    return answer_of(text, {MEDIA_TYPE: media("Problem")})
