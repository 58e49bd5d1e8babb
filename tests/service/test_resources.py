"""Every IRI answers, in the format asked for, as the graph has it."""

from __future__ import annotations

import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pyoxigraph as ox
import pytest
from flask.testing import FlaskClient
from graph.corpus import built, write
from pyld import jsonld
from service.web import BASE, client_of, path_of

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token

FORMATS = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/ld+json": ox.RdfFormat.JSON_LD,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
}


@pytest.fixture(scope="module")
def chunk(store: ox.Store) -> str:
    """The chunk of the prize's table, which has neighbours over every channel."""
    winners = ox.Literal("Winners")
    chunks = {quad.subject for quad in store.quads_for_pattern(None, ox.NamedNode(v.NAME), winners)}
    table = ox.NamedNode(v.TABLE_CHUNK)
    return next(each.value for each in chunks if ox.Quad(each, ox.NamedNode(v.TYPE), table) in union(store))


def union(store: ox.Store) -> set[ox.Quad]:
    return {ox.Quad(*quad.triple) for quad in store}


def number(triple: ox.Triple) -> tuple[object, object, object]:
    term = triple.object
    if isinstance(term, ox.Literal) and term.datatype.value in (v.XSD + "double", v.XSD + "integer"):
        return triple.subject, triple.predicate, float(term.value)
    return triple.subject, triple.predicate, term


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def links(self) -> list[str]:
        return [attributes["href"] or "" for tag, attributes in self.tags if tag == "a"]


def test_every_resource_under_the_base_answers_as_a_page_and_as_rdf(
    client: FlaskClient, store: ox.Store
) -> None:
    nodes = {quad.subject for quad in store} | {quad.object for quad in store}
    iris = sorted(n.value for n in nodes if isinstance(n, ox.NamedNode) and n.value.startswith(BASE))
    assert len(iris) > 80
    for iri in iris:
        assert client.get(path_of(iri), headers={"Accept": "text/html"}).status_code == 200
        rdf = client.get(path_of(iri), headers={"Accept": "text/turtle"}, follow_redirects=True)
        assert rdf.status_code == 200  # of a graph, at /data


@pytest.mark.parametrize("media_type", FORMATS)
def test_the_description_says_what_the_graph_says(
    client: FlaskClient, store: ox.Store, chunk: str, media_type: str
) -> None:
    answer = client.get(path_of(chunk), headers={"Accept": media_type})
    assert answer.mimetype == media_type
    said = {number(quad.triple) for quad in ox.parse(answer.data, FORMATS[media_type])}
    known = {number(quad.triple) for quad in store if not isinstance(quad.object, ox.Triple)}
    own = {triple for triple in known if triple[0] == ox.NamedNode(chunk)}
    assert own <= said <= known
    assert any(predicate == ox.NamedNode(v.WEIGHT) for _, predicate, _ in said)


def test_all_formats_say_the_same_and_no_format_loads_a_context(client: FlaskClient, chunk: str) -> None:
    turtle, expanded = (client.get(path_of(chunk), query_string={"format": f}) for f in ("turtle", "jsonld"))

    def refuse(url: str, options: object) -> None:
        raise AssertionError(url)

    nquads = jsonld.to_rdf(expanded.json, {"format": "application/n-quads", "documentLoader": refuse})
    first = {number(quad.triple) for quad in ox.parse(turtle.data, ox.RdfFormat.TURTLE)}
    assert first == {number(quad.triple) for quad in ox.parse(nquads.encode(), ox.RdfFormat.N_QUADS)}


def test_triple_terms_come_only_for_who_asks_for_them(client: FlaskClient, chunk: str) -> None:
    turtle = {"Accept": "text/turtle;version=1.2"}
    new, old = client.get(path_of(chunk), headers=turtle), client.get(path_of(chunk) + "?format=turtle")
    assert b"reifies" in new.data
    assert "version=1.2" in new.headers["Content-Type"]
    assert b"reifies" not in old.data


@pytest.mark.parametrize(
    "accept", ["text/turtle;version=1.2", "text/turtle", "application/ld+json", "text/html"]
)
def test_the_location_of_the_content_gives_the_same_bytes(
    client: FlaskClient, chunk: str, accept: str
) -> None:
    answer = client.get(path_of(chunk), headers={"Accept": accept})
    again = client.get(answer.headers["Content-Location"], headers={"Accept": "image/png"})
    assert (again.data, again.headers["Content-Type"]) == (answer.data, answer.headers["Content-Type"])
    assert again.headers["ETag"] == answer.headers["ETag"]


def test_validators_and_links(client: FlaskClient, chunk: str) -> None:
    answer = client.get(path_of(chunk), headers={"Accept": "text/turtle"})
    tag = answer.headers["ETag"]
    assert "Accept" in answer.headers["Vary"]
    assert answer.headers["Content-Location"] == path_of(chunk) + "?format=turtle"
    links = answer.headers.getlist("Link")
    assert len(links) == 6
    assert any('rel="alternate describedby"; type="application/ld+json"' in link for link in links)
    again = client.get(path_of(chunk), headers={"Accept": "text/turtle", "If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    assert "Content-Security-Policy" not in again.headers  # a browser would take it for that of the page
    other = client.get(path_of(chunk), headers={"Accept": "text/html", "If-None-Match": tag})
    assert other.status_code == 200
    assert other.headers["ETag"] != tag
    head = client.head(path_of(chunk), headers={"Accept": "text/turtle"})
    assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", tag)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/id/chunk/000000000000000000000000", {}, 404),
        ("/id/chunk/<x> y", {"Accept": "text/turtle"}, 404),
        ("/describe?iri=http://example.org/nothing", {}, 404),
        ("/describe", {}, 400),
        ("/describe?iri=no-iri", {}, 400),
        ("/describe?iri=http://%5Bx", {}, 400),
        ("/describe?iri=http://a/%25zz", {}, 400),
        ("/describe?iri=http://x:y:z/", {}, 400),
        ("/id/%25zz", {}, 404),
        ("/id/%ff", {}, 404),
        ("/id/a%EF%BF%BEb", {}, 404),
        ("/ontology", {"Accept": "image/png"}, 406),
        ("/shapes?format=html", {}, 400),
        ("/shapes?version=3", {}, 400),
    ],
)
def test_what_is_not_there_is_told(
    client: FlaskClient, path: str, headers: dict[str, str], status: int
) -> None:
    answer = client.get(path, headers=headers)
    assert answer.status_code == status
    assert answer.mimetype == "application/problem+json"
    assert answer.get_json(force=True)["status"] == status
    assert "Accept" in answer.vary


def test_what_is_no_iri_is_named_with_the_reason(client: FlaskClient) -> None:
    detail = client.get("/describe", query_string={"iri": "http://[x"}).get_json(force=True)["detail"]
    assert "'http://[x'" in detail
    assert "'['" in detail


def test_a_page_shows_text_neighbours_and_weights_without_script(client: FlaskClient, chunk: str) -> None:
    answer = client.get(path_of(chunk))
    page = Page(answer.text)
    tags = [tag for tag, _ in page.tags]
    assert [each for tag, each in page.tags if tag == "script" and not is_own_script(each)] == []
    assert not {name for _, attributes in page.tags for name in attributes if name.startswith("on")}
    assert "Night Bus to Hask" in page.text
    assert "Neighbours" in page.text
    assert "link: links to, row 2" in page.text
    assert tags.count("h1") == tags.count("main") == 1
    assert ("html", {"lang": "en", "data-root": ""}) in page.tags
    sheets = [
        attributes["href"]
        for tag, attributes in page.tags
        if tag == "link" and attributes["rel"] == "stylesheet"
    ]
    assert [client.get(each or "").status_code for each in sheets] == [200, 200]
    assert "style-src 'self'" in answer.headers["Content-Security-Policy"]
    for link in page.links:
        if link.startswith("/"):
            assert client.get(link).status_code == 200, link


def is_own_script(attributes: dict[str, str | None]) -> bool:
    """Whether a script is a file of ours, or data."""
    source = attributes.get("src") or ""
    return source.startswith("/static/app/") or attributes.get("type") == "application/json"


def test_what_others_wrote_is_text_and_no_markup(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    evil = '<script>alert(1)</script> & "quotes"'
    (corpus / "evil.txt").write_text(evil)
    (corpus / "evil.ttl").write_text(
        "<http://example.org/evil> <http://www.w3.org/2000/01/rdf-schema#label> 'Evil' ; "
        "<http://www.w3.org/2000/01/rdf-schema#seeAlso> <javascript:alert(1)> ."
    )
    graph = built(tmp_path / "graph", corpus)
    text = ox.Literal(evil)
    chunk = next(quad.subject.value for quad in graph.snapshot().store.quads_for_pattern(None, None, text))
    graph.close()
    with client_of(tmp_path / "graph") as client:
        pages = [
            client.get(path_of(chunk)),
            client.get("/", query_string={"q": f'alert" autofocus onfocus="x {evil}'}),
            client.get("/describe", query_string={"iri": "http://example.org/evil"}),
        ]
        for answer in pages:
            page = Page(answer.text)
            assert answer.status_code == 200
            assert [each for tag, each in page.tags if tag == "script" and not is_own_script(each)] == []
            assert not [name for _, each in page.tags for name in each if name.startswith("on")]
            assert not [link for link in page.links if link.startswith("javascript")]


def test_a_page_has_no_control_characters(tmp_path: Path) -> None:
    thing = ox.NamedNode(f"{BASE}thing")
    with KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard").writer() as writer:
        label = ox.Literal("be\x01fore\ufffe\x85 after")
        writer.change().add(ox.Quad(thing, ox.NamedNode(v.NAME), label, ox.NamedNode(f"{BASE}graph")))
        writer.publish()
    with client_of(tmp_path / "graph") as client:
        text = client.get("/id/thing").text
        assert "be\ufffdfore\ufffd" in text
        assert not {"\x01", "\ufffe", "\x85"} & set(text)
        assert "be\x01fore" in client.get("/id/thing?format=jsonld").get_json(force=True)["@graph"][0]["name"]


def test_a_named_graph_leads_to_the_graph_store(client: FlaskClient, store: ox.Store) -> None:
    for name in store.named_graphs():
        answer = client.get(path_of(name.value), headers={"Accept": "text/turtle"})
        assert answer.status_code == 303
        assert client.get(answer.headers["Location"], headers={"Accept": "text/turtle"}).status_code == 200
        assert "This is a named graph" in client.get(path_of(name.value)).text


@pytest.mark.parametrize(
    ("query", "content_type"),
    [
        ("?format=jsonld", "application/ld+json"),
        ("?format=ntriples&version=1.2", "application/n-triples; version=1.2"),
        ("?version=1.2", "text/turtle; charset=utf-8; version=1.2"),
    ],
)
def test_how_a_named_graph_is_to_be_shown_goes_along_to_the_graph_store(
    client: FlaskClient, store: ox.Store, query: str, content_type: str
) -> None:
    name = min(graph.value for graph in store.named_graphs())
    moved = client.get(path_of(name) + query, headers={"Accept": "text/turtle"})
    assert moved.status_code == 303
    answer = client.get(moved.headers["Location"], headers={"Accept": "text/turtle"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, content_type)


def test_more_statements_than_are_shown_are_counted(folder: Path, store: ox.Store) -> None:
    entity = next(
        q.subject.value
        for q in store.quads_for_pattern(None, None, ox.Literal("Nils Garrow"))
        if "/entity/" in str(q.subject)
    )
    with client_of(folder, max_incoming=2) as client:
        assert "more statements refer to this resource" in client.get(path_of(entity) + "?format=turtle").text


@pytest.mark.parametrize("path", ["/ontology", "/shapes", "/.well-known/void"])
@pytest.mark.parametrize("media_type", FORMATS)
def test_what_describes_the_graph_comes_in_every_format(
    client: FlaskClient, path: str, media_type: str
) -> None:
    answer = client.get(path, headers={"Accept": media_type})
    assert answer.mimetype == media_type
    assert list(ox.parse(answer.data, FORMATS[media_type]))
    again = client.get(path, headers={"Accept": media_type, "If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


def test_void_counts_the_graph_and_names_an_export_for_each_format(
    client: FlaskClient, store: ox.Store
) -> None:
    found = ox.Store()
    found.bulk_load(client.get("/.well-known/void").data, ox.RdfFormat.TURTLE)
    dataset = ox.NamedNode("http://localhost:8000/.well-known/void")
    urls = [q.object.value for q in found.quads_for_pattern(None, ox.NamedNode(v.DCAT + "downloadURL"), None)]
    assert len(urls) == 6
    for url in urls:
        assert client.get(url.removeprefix("http://localhost:8000")).status_code == 200
    endpoint = found.quads_for_pattern(dataset, ox.NamedNode(v.VOID + "sparqlEndpoint"), None)
    assert [quad.object.value for quad in endpoint] == ["http://localhost:8000/sparql"]


@pytest.mark.parametrize("below", ["/films", ""], ids=["kept by the proxy", "taken away by it"])
def test_a_service_below_a_path_keeps_to_it(tmp_path: Path, below: str) -> None:
    host = "http://localhost:8000"
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard", base_iri=f"{host}/films/id/")
    graph.ingest([write(tmp_path / "corpus")])
    graph.close()
    with client_of(tmp_path / "graph", path_prefix="/films") as opened:
        found = opened.get(f"{below}/v1/retrieve?q=heron&k=1").get_json(force=True)["itemListElement"][0]
        iri = found["item"]["id"]
        assert iri.startswith(f"{host}/films/id/")
        page = opened.get(below + iri.removeprefix(f"{host}/films"), headers={"Accept": "text/html"})
        assert page.status_code == 200
        links = [link for link in Links.of(page.text) if link.startswith("/")]
        assert len(links) > 5
        assert [link for link in links if not link.startswith("/films/")] == []
        for link in links:
            assert opened.get(link).status_code == 200, link
        described = opened.get(f"{below}/.well-known/void?format=ntriples").text
        assert f"<{host}/films/sparql>" in described
        asked = opened.get(f"{below}/sparql?query=ASK%7B%3Fs%20%3Fp%20%3Fo%7D")
        assert asked.get_json(force=True)["boolean"] is True


class Links(HTMLParser):
    """Where the links of a page lead."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    @classmethod
    def of(cls, page: str) -> list[str]:
        parser = cls()
        parser.feed(page)
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("href", "action") and value]


def test_the_context_is_the_published_one(client: FlaskClient) -> None:
    answer = client.get("/context.jsonld", headers={"Accept": "application/ld+json"})
    assert answer.mimetype == "application/ld+json"
    assert answer.get_json(force=True)["@context"]["Chunk"] == {"@id": "sage:Chunk"}


def test_the_ontology_page_has_a_place_for_each_term(client: FlaskClient) -> None:
    page = Page(client.get("/ontology").text)
    places = {attributes.get("id") for _, attributes in page.tags}
    assert {"Chunk", "similarTo", "weight"} <= places


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/id/nowhere", 404),
        ("GET", "/nowhere<script>", 404),
        ("GET", "/v1/chunks?limit=x<b>", 400),
        ("GET", "/v1/retrieve?q=", 400),
        ("GET", "/v1/stats", 406),
        ("GET", "/sparql?query=<b>", 400),
        ("PUT", "/sparql", 405),
        ("DELETE", "/ontology", 405),
        ("POST", "/update", 403),
        ("GET", "/export?format=pdf", 400),
    ],
)
def test_what_goes_wrong_is_a_page_for_a_browser(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    accept = "text/html" if status == 406 else BROWSER
    plain = client.open(path, method=method, headers={"Accept": "*/*"})
    page = client.open(path, method=method, headers={"Accept": accept})
    assert (page.status_code, page.mimetype) == (status, "text/html")
    assert (page.headers["Vary"], plain.headers["Vary"]) == ("Accept", "Accept")
    assert "style-src 'self'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers.get("Allow") == plain.headers.get("Allow")
    assert "<script" not in page.text
    assert "<b>" not in page.text
    if status != 406:
        problem = plain.get_json(force=True)
        assert problem["detail"] in unescape(page.text)
        assert problem["title"] in page.text


@pytest.mark.parametrize("accept", ["", "*/*", "application/json", "text/turtle", "text/html;version=9"])
def test_what_goes_wrong_is_json_for_programs(client: FlaskClient, accept: str) -> None:
    answer = client.get("/v1/chunks?limit=x", headers={"Accept": accept})
    assert answer.mimetype == "application/problem+json"


def test_a_page_of_a_problem_is_styled_below_the_path_of_the_service(folder: Path) -> None:
    with client_of(folder, path_prefix="/films") as client:
        page = client.get("/films/nowhere", headers={"Accept": BROWSER}).text
        [style] = re.findall(r'<link rel="stylesheet" href="([^"]+)">', page)
        assert client.get(style).status_code == 200
        assert style.startswith("/films/")
        for link in re.findall(r'<a href="([^"]+)">', page):
            assert client.get(link).status_code == 200


def test_an_unknown_resource_leads_to_the_search_below_the_path_of_the_service(folder: Path) -> None:
    with client_of(folder, path_prefix="/films") as client:
        for path in ("/films/describe?iri=x:unknown", "/films/id/unknown", "/id/unknown"):
            answer = client.get(path)
            assert answer.status_code == 404
            detail = answer.get_json(force=True)["detail"]
            hint = re.search(r"the graph says nothing about <.*>; search for it at (\S+)$", detail)
            assert hint, detail
            assert client.get(hint[1]).status_code == 200
            assert hint[1] == "/films/"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [("<x:s> <http://example.org/1> 1", "no name for the property"), ("<x:s> <x:p> '\\u0001'", "U+0001")],
)
def test_what_rdf_xml_cannot_hold_is_told(folder: Path, tmp_path: Path, statement: str, reason: str) -> None:
    copy = shutil.copytree(folder, tmp_path / "graph")
    token = create_token(copy, "writer", AccessRole.WRITE, "2026-11-21")
    with client_of(copy) as client:
        sent = {"Authorization": f"Bearer {token}"}
        update = f"INSERT DATA {{ {statement} }}"
        assert client.post("/update", data={"update": update}, headers=sent).status_code == 200
        answer = client.get("/describe?iri=x:s&format=rdfxml")
        assert answer.status_code == 406
        assert reason in answer.get_json(force=True)["detail"]
        assert client.get("/describe?iri=x:s&format=turtle").status_code == 200
