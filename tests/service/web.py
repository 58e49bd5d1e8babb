"""A small graph behind the application, asked through Flask's client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from graph.corpus import built, write
from jsonschema_rs import Draft202012Validator
from werkzeug.test import TestResponse

from sage_ld.foundation.settings import Settings
from sage_ld.service import context
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.app import create_app
from sage_ld.service.openapi import document

BASE = "http://localhost:8000/id/"
Headers = dict[AccessRole, dict[str, str]]
"""What a client of each role sends."""


class Client(FlaskClient):
    """A client that takes each answer whole and closes it, as a server does."""

    def open(self, *args: Any, buffered: bool = True, **more: Any) -> TestResponse:
        return super().open(*args, buffered=buffered, **more)


def small_graph(folder: Path) -> Path:
    """The corpus of the tests of graphs, ingested."""
    graph = built(folder / "graph", write(folder / "corpus"))
    graph.close()
    return folder / "graph"


@contextmanager
def client_of(graph: Path, **changed: Any) -> Iterator[FlaskClient]:
    """A client of the graph in a folder, served with the settings given."""
    app = create_app(graph, replace(Settings(), sparql_workers=1, **changed))
    try:
        app.test_client_class = Client
        yield app.test_client()
    finally:
        with app.app_context():
            context.service().close()


def fits(value: object, name: str) -> None:
    """Fails where `value` is not as the published description says of `name`."""
    described = document(Settings())
    schema = {"$ref": f"#/components/schemas/{name}", "components": described["components"]}
    Draft202012Validator(schema).validate(value)


def path_of(iri: str) -> str:
    """Where the page of a resource is."""
    assert iri.startswith(BASE)
    return "/id/" + iri.removeprefix(BASE)
