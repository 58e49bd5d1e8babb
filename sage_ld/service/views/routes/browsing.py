"""The page of all documents at `/documents`: by folder, kind, format, date and language."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, render_template, url_for

from sage_ld.foundation.errors import NotFoundError
from sage_ld.graph import Snapshot
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.retrieval.filtering import filters
from sage_ld.service.api import browsing, retrieval
from sage_ld.service.context import service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.request_values import Parameters, url_parameters
from sage_ld.service.http.responses import HTML
from sage_ld.service.representations.labels import Names
from sage_ld.service.representations.lists import begins_with
from sage_ld.service.requests import current_check, held
from sage_ld.service.route import Surface
from sage_ld.service.views.document_shelf import Shelf, all_counted, path_of, select
from sage_ld.service.views.media_names import media_name
from sage_ld.service.views.preparation import preparation

_MEDIA_TYPE: Final = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)

surface = Surface("browsing", query=None)


@surface.get("/documents", offers=(HTML,))
def documents(_choice: Choice) -> Response:
    """The documents that the parameters choose, with links that choose fewer of them."""
    schema = browsing.schema(service().settings)
    filled = Parameters(tuple(each for each in url_parameters().pairs if each[1]))  # a form sends empty ones
    given = request_values.typed(filled, schema)
    defaults = {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
    try:
        with held() as snapshot:
            preparation().begin(snapshot.number)
            etag = responses.tag(service(), snapshot, "html", responses.digest(given))
            return responses.conditional(etag, lambda: _page(snapshot, given, defaults | given))
    except NotFoundError as error:  # the graph is empty
        return responses.html(render_template("documents.html", problem=str(error)), 404)


def _page(snapshot: Snapshot, given: dict[str, Any], asked: dict[str, Any]) -> Response:
    settings = service().settings
    shelf = Shelf.of(snapshot, settings)
    keep = _keep(snapshot, asked)
    if keep is None and not asked["prefix"]:
        found = all_counted(snapshot, shelf)
    else:
        found = select(shelf, asked["prefix"], keep)
    begin = asked["offset"]
    return responses.html(
        render_template(
            "documents.html",
            found=found,
            shown=found.documents[begin : begin + asked["limit"]],
            shelf=shelf,
            asked=asked,
            path=path_of(asked["prefix"]),
            names=Names(snapshot.store, snapshot.configuration.base_iri),
            media_name=media_name,
            most=settings.max_page_items,
            link=lambda **changed: _link(given, changed),
            without=lambda *names: _link(given, dict.fromkeys(names)),
            as_json=_as_json(given),
            chosen={name: given[name] for name in _CHOICES if name in given},
        )
    )


_CHOICES: Final = ("name", "kinds", "type", "languages", "since", "until", "keywords", "where", "metadata")


def _keep(snapshot: Snapshot, asked: dict[str, Any]) -> Callable[[StoredDocument], bool] | None:
    """The test that a document has to pass, if there is one. Raises as `filters.allowed` does."""
    tests: list[Callable[[StoredDocument], bool]] = []
    if only := retrieval.filter_of(asked):
        names = filters.documents(snapshot, only, service().settings, current_check())
        tests.append(lambda document: document.iri in names)
    if (media_type := asked.get("type")) is not None:
        tests.append(lambda document: document.media_type == media_type)
    if name := asked.get("name", "").strip():
        tests.append(begins_with(name))
    return (lambda document: all(test(document) for test in tests)) if tests else None


def _link(given: dict[str, Any], changed: dict[str, Any]) -> str:
    """The address of this page with other parameters; one that is None is left out, and so is the offset."""
    kept = {name: value for name, value in (given | {"offset": None} | changed).items() if value is not None}
    return url_for("browsing.documents") + ("?" + urlencode(_pairs(kept)) if kept else "")


def _as_json(given: dict[str, Any]) -> str | None:
    """The address of the same list at `/v1/documents`; None for a format that its filter cannot name."""
    kept = {name: value for name, value in given.items() if name != "type"}
    if (media_type := given.get("type")) is not None:
        if not _MEDIA_TYPE.fullmatch(media_type):
            return None
        condition = f'schema:isPartOf/schema:encodingFormat "{media_type}"'
        kept["where"] = [*given.get("where", []), condition]
    return url_for("api.documents") + ("?" + urlencode(_pairs(kept)) if kept else "")


def _pairs(parameters: dict[str, Any]) -> list[tuple[str, Any]]:
    """Parameters as a URL has them: a choice of names with commas, other lists one by one."""
    found: list[tuple[str, Any]] = []
    for name, value in parameters.items():
        if isinstance(value, dict):
            found += [
                (f"{name}[{key}]", each)
                for key, values in value.items()
                for each in (values if isinstance(values, list) else [values])
            ]
        elif isinstance(value, list) and name != "kinds":
            found += [(name, each) for each in value]
        else:
            found.append((name, ",".join(value) if isinstance(value, list) else value))
    return found
