"""The JSON that the Reconciliation Service API 0.2 has services send, as JSON Schemas.

https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/ publishes schemas in its
appendix. No package on PyPI or npm ships them, so these are written from the text: each names the section
that says what an object has, and refuses members that no section names.
"""

from __future__ import annotations

from typing import Any

from jsonschema_rs import Draft202012Validator

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1}


def made_of(required: Schema, optional: Schema | None = None) -> Schema:
    """An object with these members, and no others."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {})},
        "additionalProperties": False,
    }


def listed(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def template(place: str) -> Schema:
    """A text in which an identifier is put (2.1, 5.1, 6.1)."""
    return {"type": "string", "pattern": f"^[^{{}}]*{place}[^{{}}]*$"}


TYPE = made_of({"id": TEXT, "name": TEXT}, {"description": TEXT})
"""2.2; `broader` is not used here."""
PROPERTY = made_of({"id": TEXT, "name": TEXT})
"""2.3"""
VIEW = template(r"\{\{id\}\}")
SUGGEST = made_of(
    {"service_url": TEXT, "service_path": TEXT},
    {"flyout_service_url": TEXT, "flyout_service_path": template(r"\$\{id\}")},
)
"""6.1"""
SETTING = made_of(
    {"name": TEXT, "label": TEXT, "type": {"enum": ["number", "text", "checkbox", "select"]}},
    {"default": {}, "help_text": TEXT},
)
"""7.1; one that is a `select` has choices, too."""
EXTEND = made_of(
    {},
    {
        "propose_properties": made_of({"service_url": TEXT, "service_path": TEXT}),
        "property_settings": listed(SETTING),
    },
)
"""7.1"""
PREVIEW = made_of({"url": VIEW, "width": {"type": "integer"}, "height": {"type": "integer"}})
"""5.1: all mandatory."""
MANIFEST = made_of(
    {
        "versions": {**listed(TEXT), "contains": {"const": "0.2"}},
        "name": TEXT,
        "identifierSpace": {**TEXT, "format": "uri"},
        "schemaSpace": {**TEXT, "format": "uri"},
    },
    {
        "defaultTypes": {**listed(TYPE), "uniqueItems": True},
        "documentation": {**TEXT, "format": "uri"},
        "logo": {**TEXT, "format": "uri"},
        "serviceVersion": TEXT,
        "view": made_of({"url": VIEW}),
        "feature_view": made_of({"url": VIEW}),
        "preview": PREVIEW,
        "suggest": made_of({}, dict.fromkeys(("entity", "property", "type"), SUGGEST)),
        "extend": EXTEND,
        "batchSize": {"type": "integer", "minimum": 1},
        "authentication": {"type": "object", "required": ["type"]},
    },
)
"""3.1"""
FEATURE = made_of({"id": TEXT, "value": {"type": ["boolean", "number"]}})
"""4.2"""
CANDIDATE = made_of(
    {"id": TEXT, "name": TEXT, "score": {"type": "number"}},
    {"description": TEXT, "type": listed(TYPE), "features": listed(FEATURE), "match": {"type": "boolean"}},
)
"""4.2"""
RESULTS: Schema = {"type": "object", "additionalProperties": made_of({"result": listed(CANDIDATE)})}
"""4.2: by the identifiers of the batch, each result under the member `result`."""


def suggestions(more: Schema) -> Schema:
    """6.3"""
    return made_of({"result": listed(made_of({"id": TEXT, "name": TEXT}, {"description": TEXT, **more}))})


SUGGESTIONS = {
    "entity": suggestions({"notable": listed({"anyOf": [TEXT, TYPE]})}),
    "type": suggestions({}),
    "property": suggestions({}),
}
FLYOUT = made_of({"id": TEXT, "html": TEXT})
"""6.5"""
PROPOSAL = made_of({"properties": listed(PROPERTY)}, {"type": TEXT, "limit": {"type": "integer"}})
"""7.2; the type is one that was asked for."""
_DAY = r"-?[0-9]{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]"
DATE = rf"^{_DAY}T{_CLOCK}:[0-5][0-9](\.[0-9]+)?(Z|[+-]{_CLOCK})?$"
CELL: Schema = {
    "oneOf": [
        made_of({}),
        made_of({"id": TEXT, "name": TEXT}, {"description": TEXT}),
        made_of({"str": {"type": "string"}}),
        made_of({"int": {"type": "integer"}}),
        made_of({"float": {"type": "number"}}),
        made_of({"date": {"type": "string", "pattern": DATE}}),
    ]
}
"""7.4, and the appendix, which alone says how the kinds of values (2.4) are written."""
ROWS: Schema = {
    "type": "object",
    "additionalProperties": {"type": "object", "additionalProperties": listed(CELL)},
}
EXTENSION = made_of(
    {"meta": listed(made_of({"id": TEXT, "name": TEXT}, {"type": TYPE, "service": TEXT})), "rows": ROWS}
)
"""7.4"""


def check(value: Any, schema: Schema) -> Any:
    """`value`, which fails where it does not fit."""
    Draft202012Validator(schema, validate_formats=True).validate(value)
    return value
