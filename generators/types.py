"""Types of the API's answers in TypeScript, for the pages, from the records that the answers are made by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from generators.parts import ROOT
from sage_ld.agents.http.answer_schemas import CitedAnswerJson, SentenceJson
from sage_ld.agents.http.approval_schemas import ApprovalsJson
from sage_ld.agents.http.graph_question_schemas import GraphAnswerJson
from sage_ld.agents.http.reasoning_schemas import ReasonedAnswerJson, ReasoningStepJson
from sage_ld.foundation.question import Filter
from sage_ld.foundation.records import record_parts
from sage_ld.lab.http.evaluation_schemas import EvaluationJson
from sage_ld.lab.http.overview_schemas import CommunityJson
from sage_ld.retrieval.answers.records import ExplanationJson, PlainAnswerJson, PlainRankingJson
from sage_ld.service.api.administration import (
    CreatedTokenJson,
    SettingsJson,
    SnapshotsJson,
    StateJson,
    TokensJson,
)
from sage_ld.service.api.answers import PlainDocumentsJson
from sage_ld.service.api.documents import (
    CheckedJson,
    DescribedDocumentJson,
    JobJson,
    RelinkedJson,
    StoredByJobJson,
)
from sage_ld.service.api.edges import CuratedEdgesJson, RelationTypesJson
from sage_ld.service.api.facets import FacetsJson
from sage_ld.service.api.kept_retrievals import AnalyticsJson
from sage_ld.service.api.neighbourhoods import NeighbourhoodJson

FILE: Final = ROOT / "web" / "src" / "api.ts"
READ: Final = (
    *(PlainAnswerJson, PlainRankingJson, ExplanationJson, FacetsJson, NeighbourhoodJson, CommunityJson),
    *(CitedAnswerJson, SentenceJson, GraphAnswerJson, ReasonedAnswerJson, ReasoningStepJson, ApprovalsJson),
    *(PlainDocumentsJson, DescribedDocumentJson, JobJson, StoredByJobJson, RelinkedJson, CheckedJson),
    *(CuratedEdgesJson, RelationTypesJson, AnalyticsJson, EvaluationJson),
    *(TokensJson, CreatedTokenJson, SettingsJson, StateJson, SnapshotsJson),
)
"""The answers that the pages read."""
_HEAD: Final = (
    "// Written by `make generate` from the records of the API's answers; change those.\n"
    "\n"
    "/** A JSON object of which the API says no more. */\n"
    "export type Json = Record<string, unknown>;\n"
)
_PLAIN: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_SUFFIX: Final = "Json"
_MOST_MEMBERS: Final = 20
"""Of an object without a name of its own that is written out."""


def files() -> dict[Path, str]:
    """The text of the file of types."""
    parts = record_parts(READ)
    named = {name: part for name, part in parts.items() if name.endswith(_SUFFIX)}
    interfaces = [_interface(_name(name), part) for name, part in sorted(named.items())]
    return {FILE: "\n".join([_HEAD, _filters(), *interfaces])}


def _filters() -> str:
    names = ", ".join(json.dumps(each) for each in (*(each.name for each in fields(Filter)), "metadata"))
    return f"/** The parameters of a filter. */\nexport const FILTERS: readonly string[] = [{names}];\n"


def _name(record: str) -> str:
    return record.strip("_").removesuffix(_SUFFIX)


def _interface(name: str, schema: Mapping[str, Any]) -> str:
    lines = [f"export interface {name} {{"]
    if said := schema.get("description"):
        lines.insert(0, f"/** {said} */")
    for member, each in schema["properties"].items():
        if said := each.get("description"):
            lines.append(f"  /** {said} */")
        lines.append(f"  {_member(member, schema)};")
    return "\n".join([*lines, "}", ""])


def _member(name: str, schema: Mapping[str, Any]) -> str:
    """A member of an object with its type, marked where it may be missing."""
    key = name if name.isidentifier() else json.dumps(name)
    mark = "" if name in schema.get("required", ()) else "?"
    return f"{key}{mark}: {_type(schema['properties'][name])}"


def _type(schema: Mapping[str, Any]) -> str:
    """A schema as a type of TypeScript."""
    if (reference := schema.get("$ref")) is not None:
        return _name(reference)
    if (choices := schema.get("anyOf")) is not None:
        return " | ".join(dict.fromkeys(map(_type, choices)))
    if (values := schema.get("enum")) is not None:
        return " | ".join(json.dumps(each, ensure_ascii=False) for each in values)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_PLAIN[each] for each in kind)
    if kind == "array":
        item = _type(schema.get("items", {}))
        return f"({item})[]" if " | " in item else f"{item}[]"
    if kind == "object":
        return _object(schema)
    return _PLAIN.get(str(kind), "unknown")


def _object(schema: Mapping[str, Any]) -> str:
    if isinstance(more := schema.get("additionalProperties"), dict):
        return f"Record<string, {_type(more)}>"
    properties = schema.get("properties", {})
    if not 0 < len(properties) <= _MOST_MEMBERS:
        return "Json"
    return "{ " + "; ".join(_member(name, schema) for name in properties) + " }"
