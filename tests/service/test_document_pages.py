"""Documents, passages and entities as pages: all of the text, marked, by names; and all documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pyoxigraph as ox
import pytest
from flask.testing import FlaskClient
from graph.corpus import write, write_files
from service.web import BASE, client_of, path_of

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.service.representations.labels import Names
from sage_ld.service.views.document_outlines import Outline
from sage_ld.service.views.document_page import document_page
from sage_ld.service.views.document_shelf import folders
from sage_ld.service.views.passages import PageBudget, PassageReader

HTML = {"Accept": "text/html"}
HASH = re.compile(r"[0-9a-f]{24}")
VOID_TAGS = {"meta", "link", "input", "br", "path", "circle"}


class Elements(HTMLParser):
    """The elements of a page, each with its tag, its attributes and all text in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str], list[str]]] = []
        self._open: list[tuple[str, list[str]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        words: list[str] = []
        if tag in ("td", "th", "li", "tr", "dd", "dt", "p", "br"):
            self.handle_data(" ")
        self.all.append((tag, {name: value or "" for name, value in attrs}, words))
        if tag not in VOID_TAGS:
            self._open.append((tag, words))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        for _, words in self._open:
            words.append(data)

    def of(self, tag: str, kind: str = "") -> list[tuple[dict[str, str], str]]:
        """The elements with a tag, and of a class."""
        return [
            (attributes, " ".join("".join(words).split()))
            for name, attributes, words in self.all
            if name == tag and (not kind or kind in attributes.get("class", "").split())
        ]

    def texts(self, tag: str, kind: str = "") -> list[str]:
        return [text for _, text in self.of(tag, kind)]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes, _ in self.all if "id" in attributes]


def document(identifier: str) -> str:
    """The path of the page of a document."""
    return path_of(Iris(BASE).document(identifier))


def entity(store: ox.Store, label: str) -> str:
    found = store.quads_for_pattern(None, ox.NamedNode(v.PREF_LABEL), ox.Literal(label))
    return next(each.subject.value for each in found if "/entity/" in each.subject.value)


def page(client: FlaskClient, path: str, **query: str) -> Elements:
    answer = client.get(path, query_string=query or None, headers=HTML)
    assert answer.status_code == 200, answer.text
    return Elements(answer.text)


# --- documents ----------------------------------------------------------------------------------------


def test_a_documents_page_has_its_text_with_headings_and_tables(client: FlaskClient) -> None:
    shown = page(client, document("heron.md"))
    assert shown.texts("h1") == ["The Golden Heron"]
    assert shown.texts("title") == ["The Golden Heron · sage-ld"]
    assert "Winners" in shown.texts("h3")
    [(_, article)] = shown.of("article")
    assert "It was first given in 1931." in article
    [(_, table)] = shown.of("table", "cells")
    assert shown.texts("th") == ["Year", "Film", "Director"]
    assert table.split()[3:9] == ["1986", "Salt", "Over", "Sennet", "Ruth", "Calloway°"]
    assert "schema:" not in article


def test_all_of_a_documents_text_is_on_its_page(client: FlaskClient) -> None:
    for found in client.get("/v1/documents?limit=50").get_json(force=True)["itemListElement"]:
        path = path_of(found["id"])
        text = client.get(path, query_string={"format": "text"})
        assert (text.status_code, text.mimetype) == (200, "text/plain")
        shown = "".join(page(client, path).texts("article"))
        for word in re.findall(r"\w+", text.text):
            assert word in shown


def test_the_contents_lead_to_the_headings(client: FlaskClient) -> None:
    shown = page(client, document("heron.md"))
    links = [
        attributes["href"]
        for attributes, text in shown.of("a")
        if text in ("Winners", "Named here", "Connections") and attributes["href"].startswith("#")
    ]
    assert len(links) == 3
    assert [each for each in links if each.removeprefix("#") not in shown.ids] == []
    assert len(shown.ids) == len(set(shown.ids))


def test_mentions_and_links_are_marked_where_they_stand(client: FlaskClient, store: ox.Store) -> None:
    shown = page(client, document("heron.md"))
    marked = {text: attributes["href"] for attributes, text in shown.of("a", "mark")}
    assert marked["Night Bus to Hask"] == document("films/night-bus.md")
    assert marked["Nils Garrow"] == path_of(entity(store, "Nils Garrow"))
    others = {attributes["href"] for attributes, _ in shown.of("a", "also")}
    assert all(client.get(each, headers=HTML).status_code == 200 for each in others)
    assert "Night Bus to Hask" in [text for _, text in shown.of("a", "link")]


def test_what_links_to_a_document_is_named(client: FlaskClient) -> None:
    shown = page(client, document("films/night-bus.md"))
    [links] = [text for attributes, text in shown.of("section") if attributes["aria-labelledby"] == "links"]
    assert "Winners in The Golden Heron" in links
    assert "Night Bus to Hask" in links
    assert "hyperlink, confidence 1.00" in links


def test_records_are_lists_of_fields(client: FlaskClient) -> None:
    shown = page(client, document("songs.jsonl"))
    assert len(shown.texts("dl", "record")) == 2
    assert {"title", "singer"} <= set(shown.texts("dt"))
    assert {"Ferry Song", "Piet Ansgar"} <= {each.rstrip("°") for each in shown.texts("dd")}


@pytest.fixture(scope="module")
def parted(folder: Path) -> Iterator[FlaskClient]:
    """A client whose pages have one passage each."""
    with client_of(folder, max_shown_passages=1) as opened:
        yield opened


def test_a_long_document_comes_in_parts(parted: FlaskClient) -> None:
    path = document("heron.md")
    first, second = page(parted, path), page(parted, path, part="2")
    assert "1931" in first.texts("article")[0]
    assert "1931" not in second.texts("article")[0]
    assert "Ruth Calloway" in second.texts("article")[0]
    [following] = {attributes["href"] for attributes, _ in first.of("a") if attributes.get("rel") == "next"}
    assert following == "?part=2"
    [before] = {attributes["href"] for attributes, _ in second.of("a") if attributes.get("rel") == "prev"}
    assert before == "?"
    [contents] = {
        attributes["href"]
        for attributes, text in first.of("a")
        if text == "Winners" and "#" in attributes["href"]
    }
    assert contents.startswith("?part=2#section-")
    assert contents.partition("#")[2] in second.ids
    assert second.texts("title") == ["The Golden Heron, part 2 of 2 · sage-ld"]


def test_a_part_has_a_location_and_a_validator_of_its_own(parted: FlaskClient) -> None:
    first = parted.get(document("heron.md"), headers=HTML)
    second = parted.get(document("heron.md") + "?part=2", headers=HTML)
    again = parted.get(second.headers["Content-Location"])
    assert again.data == second.data != first.data
    assert second.headers["ETag"] != first.headers["ETag"]
    turtle = parted.get(document("heron.md") + "?part=2", headers={"Accept": "text/turtle"})
    assert turtle.data == parted.get(document("heron.md"), headers={"Accept": "text/turtle"}).data


@pytest.mark.parametrize(
    ("part", "status"), [("0", 400), ("x", 400), ("", 400), ("-1", 400), ("3", 404), ("9" * 9, 404)]
)
def test_a_part_that_is_not_there_is_told(parted: FlaskClient, part: str, status: int) -> None:
    answer = parted.get(document("heron.md"), query_string={"part": part})
    assert answer.status_code == status
    assert f"part={part}"[:8] in answer.get_json(force=True)["detail"].replace("'", "")


def test_a_passage_leads_to_its_part(parted: FlaskClient, store: ox.Store) -> None:
    table = ox.NamedNode(v.TABLE_CHUNK)
    chunk = next(
        each.subject.value
        for each in store.quads_for_pattern(None, ox.NamedNode(v.TYPE), table)
        if _is_of(store, each.subject, "heron.md")
    )
    crumbs = [
        attributes["href"]
        for attributes, text in page(parted, path_of(chunk)).of("a")
        if text == "The Golden Heron"
    ]
    target = urlsplit(crumbs[0])
    assert (target.path, target.query) == (document("heron.md"), "part=2")
    assert target.fragment in page(parted, target.path, part="2").ids


def _is_of(store: ox.Store, chunk: ox.NamedNode, identifier: str) -> bool:
    whole = ox.NamedNode(Iris(BASE).document(identifier))
    return next(store.quads_for_pattern(chunk, ox.NamedNode(v.IS_PART_OF), whole), None) is not None


def test_what_a_page_shows_is_limited_by_settings(folder: Path) -> None:
    limits = {"max_shown_text": 20, "max_shown_marks": 0, "max_shown_sections": 1, "max_shown_neighbours": 1}
    with client_of(folder, **limits) as small:
        shown = page(small, document("heron.md"))
        [(_, article)] = shown.of("article")
        assert "The Golden Heron is" in article
        assert "1931" not in article
        assert "The text is longer than a page shows" in article
        assert shown.of("a", "mark") == []
        assert "and 1 more sections" in shown.texts("nav")[1]
        assert "1931" in small.get(document("heron.md") + "?format=text").text


def test_a_wide_table_of_empty_cells_is_cut(tmp_path: Path) -> None:
    names = ",".join(f"c{number}" for number in range(200))
    rows = "\n".join(
        "," * (number % 190) + f"v{number}" + "," * (199 - number % 190) for number in range(300)
    )
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([write_files(tmp_path / "corpus", {"wide.csv": f"{names}\n{rows}\n"})])
    graph.close()
    with client_of(tmp_path / "graph", max_shown_text=20_000, max_shown_passages=1_000) as opened:
        shown = page(opened, document("wide.csv"))
        assert 1_000 < len(shown.of("td")) <= 2_000
        assert "The text is longer than a page shows" in shown.texts("article")[0]
        assert "v299" in opened.get(document("wide.csv") + "?format=text").text


def test_only_texts_come_as_plain_text(client: FlaskClient, store: ox.Store) -> None:
    answer = client.get(path_of(entity(store, "Nils Garrow")), query_string={"format": "text"})
    assert answer.status_code == 406
    assert "only documents and chunks" in answer.get_json(force=True)["detail"]
    chunk = next(store.quads_for_pattern(None, ox.NamedNode(v.TYPE), ox.NamedNode(v.TEXT_CHUNK))).subject
    [text] = store.quads_for_pattern(chunk, ox.NamedNode(v.TEXT), None)
    assert client.get(path_of(chunk.value) + "?format=text").text == text.object.value


# --- passages and entities ----------------------------------------------------------------------------


def test_a_passage_stands_between_its_neighbours(client: FlaskClient, store: ox.Store) -> None:
    found = store.quads_for_pattern(None, ox.NamedNode(v.TYPE), ox.NamedNode(v.TABLE_CHUNK))
    chunk = next(each.subject for each in found if _is_of(store, each.subject, "heron.md"))
    shown = page(client, path_of(chunk.value))
    [(before, text)] = [each for each in shown.of("p", "beside")]
    assert text.startswith("↑ The Golden Heron")
    assert "first given in 1931" in text
    assert "Rows of a table, 2 of 2 in its document" in " ".join(shown.texts("p"))
    assert "link 2" in shown.texts("h3")
    assert before


def test_an_entitys_page_says_where_it_is_named_and_beside_whom(client: FlaskClient, store: ox.Store) -> None:
    iri = entity(store, "Nils Garrow")
    shown = page(client, path_of(iri))
    chunks = {
        each.subject for each in store.quads_for_pattern(None, ox.NamedNode(v.MENTIONS), ox.NamedNode(iri))
    }
    assert len(shown.of("blockquote")) == len(chunks)
    assert set(shown.texts("mark")) == {"Nils Garrow"}
    beside = Counter(
        each.object
        for chunk in chunks
        for each in store.quads_for_pattern(chunk, ox.NamedNode(v.MENTIONS), None)
        if each.object != ox.NamedNode(iri)
    )
    [things] = [
        text for attributes, text in shown.of("section") if attributes.get("aria-labelledby") == "beside"
    ]
    names = [
        min(q.object.value for q in store.quads_for_pattern(each, ox.NamedNode(v.PREF_LABEL), None))
        for each in beside
    ]
    assert names
    for name, count in zip(names, beside.values(), strict=True):
        assert (f"{name} {count}" if count > 1 else name) in things


def test_more_passages_than_are_shown_are_counted(folder: Path, store: ox.Store) -> None:
    iri = entity(store, "Nils Garrow")
    with client_of(folder, max_shown_passages=1) as small:
        shown = page(small, path_of(iri))
        assert len(shown.of("blockquote")) == 1
        [(more, _)] = [each for each in shown.of("a") if each[1] == "all as JSON-LD"]
        listed = small.get(more["href"]).get_json(force=True)
        assert listed["numberOfItems"] == int(
            re.search(r"named in (\d+) passages", " ".join(shown.texts("p")))[1]
        )


def test_resources_of_a_user_have_the_page_of_an_entity(client: FlaskClient) -> None:
    shown = page(client, "/describe", iri="http://example.org/mira")
    assert shown.texts("h1") == ["Mira Tolland"]
    assert shown.texts("dl", "record")
    assert any("accordion" in each for each in shown.texts("blockquote"))


def test_every_page_speaks_in_names(client: FlaskClient, store: ox.Store) -> None:
    nodes = {quad.subject for quad in store} | {quad.object for quad in store}
    iris = sorted(n.value for n in nodes if isinstance(n, ox.NamedNode) and n.value.startswith(BASE))
    for iri in iris:
        shown = page(client, path_of(iri))
        assert not HASH.search("".join(shown.texts("h1") + shown.texts("title"))), iri
        assert [text for text in shown.texts("a") if HASH.search(text)] == [], iri
        if "#" not in iri:  # else it is the page of what stands before that sign
            assert "".join(text for text in shown.texts("code")).count(iri) == 1, iri


# --- all documents ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """Documents with dates, languages and folders."""
    place = tmp_path_factory.mktemp("shelf")
    files = {
        "a/one.md": "---\ndate: 2021-05-01\nlang: en\n---\n# One\n\nThe first of them stands in a folder.\n",
        "a/b/two.md": "---\ndate: 2022-05-01\nlang: de\n---\n# Two\n\nDas zweite steht in einem Ordner.\n",
        "a/b/three.txt": "The third of them is plain, and has no date.\n",
        "towns.csv": "Town,River\nSennet,Osme\n",
    }
    graph = KnowledgeGraph.create(place / "graph", encoder="jaccard")
    graph.ingest([write_files(place / "corpus", files)])
    graph.close()
    with client_of(place / "graph") as opened:
        yield opened


def listed(shown: Elements) -> list[str]:
    return shown.texts("span", "path")


def test_documents_are_listed_with_what_tells_them_apart(shelf: FlaskClient) -> None:
    shown = page(shelf, "/documents")
    assert listed(shown) == ["a/b/three.txt", "a/b/two.md", "a/one.md", "towns.csv"]
    assert "4 documents" in shown.texts("span")
    [row] = [text for text in shown.texts("tr") if "a/b/two.md" in text]
    assert row == "Two a/b/two.md Markdown text de 2022"
    assert all(client_path.startswith("/id/document/") for client_path in links_of_rows(shown))


def links_of_rows(shown: Elements) -> list[str]:
    return [attributes["href"] for attributes, text in shown.of("a") if text in ("One", "Two", "towns")]


def test_each_choice_leads_to_as_many_documents_as_it_says(shelf: FlaskClient) -> None:
    start = page(shelf, "/documents")
    choices = Counter(
        (attributes["href"], text)
        for attributes, text in start.of("a")
        if attributes["href"].startswith("/documents?")
    )
    [facets] = [
        each for attributes, each in start.of("nav") if attributes.get("aria-label") == "Choose documents"
    ]
    assert len(choices) >= 10
    for (href, text), _ in choices.items():
        shown = page(shelf, href)
        assert f"{text} {len(listed(shown))}" in facets, href
        same = [attributes["href"] for attributes, each in shown.of("a") if each == "This list as JSON-LD"]
        found = shelf.get(same[0]).get_json(force=True)["itemListElement"]
        assert [each["identifier"] for each in found] == listed(shown), href


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"name": "t"}, ["a/b/three.txt", "a/b/two.md", "towns.csv"]),
        ({"name": "ONE"}, ["a/one.md"]),
        ({"name": "one", "prefix": "a/b/"}, []),
        ({"prefix": "a/b/"}, ["a/b/three.txt", "a/b/two.md"]),
        ({"type": "text/csv"}, ["towns.csv"]),
        ({"since": "2022", "until": "2022"}, ["a/b/two.md"]),
        ({"languages": "de"}, ["a/b/two.md"]),
        ({"kinds": "table"}, ["towns.csv"]),
        (
            {"name": "", "since": "", "languages": ""},
            ["a/b/three.txt", "a/b/two.md", "a/one.md", "towns.csv"],
        ),
    ],
)
def test_documents_are_chosen_by_parameters(
    shelf: FlaskClient, query: dict[str, str], found: list[str]
) -> None:
    assert listed(page(shelf, "/documents", **query)) == found


@pytest.mark.parametrize("query", ["limit=0", "offset=-1", "colour=red", "kinds=song", "since=x"])
def test_parameters_that_mean_nothing_are_refused(shelf: FlaskClient, query: str) -> None:
    assert shelf.get(f"/documents?{query}").status_code == 400


def test_documents_come_page_by_page(shelf: FlaskClient) -> None:
    seen: list[str] = []
    href = "/documents?limit=3"
    while href:
        shown = page(shelf, href)
        seen += listed(shown)
        href = next((a["href"] for a, _ in shown.of("a") if a.get("rel") == "next"), "")
    assert seen == ["a/b/three.txt", "a/b/two.md", "a/one.md", "towns.csv"]
    [before] = [a["href"] for a, _ in shown.of("a") if a.get("rel") == "prev"]
    assert parse_qs(urlsplit(before).query)["offset"] == ["0"]


def test_a_name_chooses_documents_over_http(shelf: FlaskClient) -> None:
    found = shelf.get("/v1/documents?name=tw", headers={"Accept": "application/json"}).get_json(force=True)
    assert [each["identifier"] for each in found["documents"]] == ["a/b/two.md"]


def test_folders_are_a_tree() -> None:
    [a, c] = folders("", ["a/1", "A/b/2", "a/b/c/3", "c/4", "5"])
    assert [(each.name, each.prefix, each.count) for each in (a, c)] == [("a", "a/", 3), ("c", "c/", 1)]
    assert [(each.name, each.prefix, each.count) for each in a.below] == [("b", "A/b/", 2)]
    assert folders("a/b/", ["a/b/c/3"])[0].prefix == "a/b/c/"


def test_an_empty_graph_says_what_to_do(tmp_path: Path) -> None:
    KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard").close()
    with client_of(tmp_path / "graph") as opened:
        for path in ("/documents", "/"):
            answer = opened.get(path, headers=HTML)
            assert answer.status_code == 404
            assert "is an empty graph; add files: sage-ld ingest" in answer.text
            assert Elements(answer.text).texts("h1") in (["Documents"], ["Search"])


# --- what others wrote --------------------------------------------------------------------------------


EVIL = "<img src=x onerror=alert(1)>"


def test_what_others_wrote_is_text_in_every_place(tmp_path: Path) -> None:
    script = "<script>alert(1)</script>"
    files = {
        "evil/<b>.md": f'---\ntitle: "{EVIL} T"\nauthor: "{EVIL} A"\nkeywords: ["{EVIL} K"]\n'
        f'url: "javascript:alert(1)"\n---\n# Mr. {EVIL} Evil\n\nMr. Evil Person {EVIL} met Osmere Town.\n\n'
        f"| {EVIL} C | D |\n|---|---|\n| {EVIL} x | [y](javascript:alert(1)) |\n",
        "evil.jsonl": f'{{"{script}": "Evil Person </dd>{script}", "name": "><svg onload=alert(1)>"}}\n',
        "evil.ttl": "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "<http://example.org/e> rdfs:label "
        f"'{EVIL} Evil Person', 'Evil Person' ; rdfs:seeAlso <javascript:alert(1)> ;\n"
        " <javascript:alert(2)> <data:text/html,x> ; rdfs:isDefinedBy <http://ex℀mple.org/> .\n",
    }
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([write_files(tmp_path / "corpus", files)])
    store = graph.snapshot().store
    nodes = {quad.subject for quad in store} | {quad.object for quad in store}
    iris = sorted(n.value for n in nodes if isinstance(n, ox.NamedNode) and n.value.startswith(BASE))
    graph.close()
    paths = [
        *map(path_of, iris),
        "/documents",
        "/documents?" + urlencode({"name": EVIL, "prefix": EVIL, "keywords": EVIL}),
    ]
    paths += ["/describe?iri=http://example.org/e", "/describe?" + urlencode({"iri": "javascript:alert(1)"})]
    with client_of(tmp_path / "graph") as opened:
        seen = ""
        for path in paths:
            answer = opened.get(path, headers=HTML)
            assert answer.status_code == 200, (path, answer.text)
            shown = Elements(answer.text)
            seen += answer.text
            assert [
                tag for tag, _, _ in shown.all if tag in ("img", "iframe", "object", "b", "base")
            ] == [], path
            scripts = [a for tag, a, _ in shown.all if tag == "script"]
            assert [a for a in scripts if not a.get("src", "").startswith("/static/app/")] == []
            assert not [name for _, a, _ in shown.all for name in a if name.startswith("on")]
            addresses = [a[name] for _, a, _ in shown.all for name in ("href", "action", "src") if name in a]
            assert [
                each for each in addresses if not each.startswith(("/", "?", "#", "http://", "https://"))
            ] == [], path
        assert "&lt;img src=x onerror=alert(1)&gt;" in seen
        assert 'href="http://ex℀mple.org/"' in seen  # the host is none to urlsplit, which raises


class Counting:
    """A store that counts how often it is asked."""

    def __init__(self, store: Store) -> None:
        self.store, self.count = store, 0

    def quads_for_pattern(self, *pattern: Any) -> Iterator[ox.Quad]:
        self.count += 1
        return self.store.quads_for_pattern(*pattern)


def test_links_that_a_page_does_not_show_are_counted_and_not_read(tmp_path: Path) -> None:
    files = {f"{number}.md": f"Text {number} about [it](it.md)." for number in range(40)}
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([write_files(tmp_path / "corpus", {"it.md": "A text.", **files})])
    store, document = Counting(graph.snapshot().store), Iris(BASE).document("it.md")
    asked = []
    for most in (5, 10):
        store.count = 0
        reader = PassageReader(store, Names(store, BASE), PageBudget(1000, 10, 10))  # type: ignore[arg-type]
        page = document_page(document, Outline((), 0, (), 10), 1, reader, most)
        assert (len(page.links), page.more_links) == (most, 40 - most)
        asked.append(store.count)
    graph.close()
    assert asked[0] < asked[1]


def test_a_statement_of_anything_breaks_no_page(tmp_path: Path) -> None:
    """An update may say that a document has parts, places and marks of any kind."""
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([write(tmp_path / "corpus")])
    iris = Iris(BASE)
    whole = iris.document("heron.md")
    named = ox.NamedNode(iris.document_graph(whole))
    odd, loop = ox.NamedNode(f"{BASE}chunk/odd"), ox.NamedNode(f"{BASE}edge/loop")
    node = ox.NamedNode
    said = [
        (odd, v.TYPE, node(v.CHUNK)),
        (odd, v.IS_PART_OF, node(whole)),
        (odd, v.POSITION, ox.Literal("many")),
        (odd, v.BEGIN_INDEX, ox.Literal(-5)),
        (odd, v.TEXT, ox.Literal("Overlapping")),
        (odd, v.TYPE, node(v.TABLE_CHUNK)),
        (odd, v.TYPE, node(v.SECTION)),
        (odd, v.IS_PART_OF, odd),
        (odd, v.COLUMN, ox.Literal("no column")),
        (loop, v.SOURCE, odd),
        (loop, v.TARGET, loop),
        (loop, v.BEGIN_INDEX, ox.Literal(90)),
        (loop, v.END_INDEX, ox.Literal(3)),
        (node(whole), v.ENCODING_FORMAT, ox.Literal('"} x')),
        (node(whole), v.NAME, ox.Literal(" ")),
    ]
    with graph.writer() as writer:
        change = writer.change()
        for subject, predicate, value in said:
            change.add(ox.Quad(subject, node(predicate), value, named))
        writer.publish()
    graph.close()
    with client_of(tmp_path / "graph") as opened:
        for path in (document("heron.md"), path_of(odd.value), path_of(loop.value), "/documents"):
            assert opened.get(path, headers=HTML).status_code == 200, path
        assert opened.get("/documents", query_string={"type": '"} x'}).status_code == 200
