"""`/v1/facets`: its counts are those of the filters that it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.web import fits

from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.service.app import create_app
from sage_ld.service.context import detach

DOCUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a.md": (
        "# Ferry\n\nThe ferry was late again.",
        {"team": "red", "language": "en-GB", "date": "2019-04-01"},
    ),
    "b.md": ("# Boot\n\nDas Boot war wieder zu spät.", {"team": ["red", "blue"], "language": "de"}),
    "c.md": ("# Fog\n\nThe fog stayed all day.", {"team": 'bl"ue|', "language": "en", "date": "2019-12-31"}),
    "d.csv": ("name,year\nHask,1987\nOsmere,1991\n", {"team": "blue"}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("facets") / "graph"
    graph = KnowledgeGraph.create(path, encoder="jaccard")
    for name, (text, metadata) in DOCUMENTS.items():
        graph.add(text, identifier=name, metadata=metadata)
    graph.close()
    return path


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    app = create_app(folder)
    yield app.test_client()
    detach(app)


def facets(client: FlaskClient, **parameters: Any) -> dict[str, Any]:
    answer = client.get("/v1/facets", query_string=parameters)
    assert answer.status_code == 200, answer.text
    fits(answer.get_json(), "Facets")
    return dict(answer.get_json())


def values(found: dict[str, Any], name: str) -> dict[str, int]:
    return {
        each["value"]: each["chunks"]
        for facet in found["facets"]
        if facet["name"] == name
        for each in facet["values"]
    }


def sent(parameters: dict[str, Any]) -> dict[str, Any]:
    """A filter as a URL has it."""
    flat = {name: value for name, value in parameters.items() if name != "metadata"}
    return flat | {f"metadata[{key}]": value for key, value in parameters.get("metadata", {}).items()}


@pytest.mark.parametrize(
    "given", [{}, {"kinds": "text"}, {"metadata[team]": "red"}, {"since": "2019"}], ids=str
)
def test_each_count_is_that_of_its_filter(client: FlaskClient, given: dict[str, Any]) -> None:
    found = facets(client, **given)
    names = {facet["name"] for facet in found["facets"]}
    assert {"kind", "format", "language", "team"} <= names
    assert found["complete"]
    assert (
        found["chunks"] == client.get("/v1/chunks", query_string=given).get_json(force=True)["numberOfItems"]
    )
    for facet in found["facets"]:
        for each in facet["values"]:
            own = sent(each["filter"])
            others = {name: value for name, value in given.items() if name not in own}
            if facet["name"] == "year":
                others.pop("since", None)
            listed = client.get("/v1/chunks", query_string=others | own).get_json(force=True)
            assert listed["numberOfItems"] == each["chunks"], (facet["name"], each)


def test_a_facet_is_counted_without_what_the_filter_says_of_it(client: FlaskClient) -> None:
    everything, red = facets(client), facets(client, **{"metadata[team]": "red"})
    assert values(red, "team") == values(everything, "team") == {"red": 2, "blue": 2, 'bl"ue|': 1}
    assert values(everything, "language")["en"] == 2
    assert values(everything, "year") == {"2019": 2}
    assert values(red, "language") == {"en": 1, "en-GB": 1, "de": 1}


def test_a_limit_leaves_the_rest_counted(client: FlaskClient) -> None:
    found = facets(client, limit=1)
    team = next(each for each in found["facets"] if each["name"] == "team")
    assert (len(team["values"]), team["more"]) == (1, 2)


def test_a_graph_beyond_the_limit_says_that_it_is_counted_in_part(folder: Path) -> None:
    app = create_app(folder, Settings(max_facet_statements=3))
    try:
        assert not facets(app.test_client())["complete"]
    finally:
        detach(app)


@pytest.mark.parametrize(
    ("parameters", "status"),
    [({"limit": "0"}, 400), ({"q": "x"}, 400), ({"where": "nonsense"}, 400), ({"metadata[nokey]": "1"}, 400)],
    ids=str,
)
def test_what_is_no_filter_is_refused(client: FlaskClient, parameters: dict[str, str], status: int) -> None:
    assert client.get("/v1/facets", query_string=parameters).status_code == status


def test_the_same_revision_gives_the_same_answer(client: FlaskClient) -> None:
    tag = client.get("/v1/facets").headers["ETag"]
    assert client.get("/v1/facets", headers={"If-None-Match": tag}).status_code == 304
