"""What a person does with the pages of documents: read, follow names, choose; on a phone, without scripts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from graph.corpus import write_files
from playwright.sync_api import Page, expect
from service.serving import Server, serving
from web.accessibility import serious_faults
from web.browsing import PHONE, Visitor

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.iris import Iris

PICTURES = Path(__file__).parents[2] / "docs" / "images"
IRIS = Iris()
FERRY, GALA, STUDIOS = (
    f"/id/{IRIS.document(name).removeprefix(IRIS.base)}"
    for name in ("films/the-ninth-ferry.md", "awards/fog-gala.html", "data/studios.json")
)
BRACK = f"/describe?iri={quote('https://archive.osmere.example/person/isolde-brack', safe='')}"
TRAP = "<img src=x onerror='window.trapped=1'><script>window.trapped=1</script>"


def article(page: Page) -> str:
    return page.locator("article").inner_text()


def chunk_of(page: Page) -> str:
    """The path of the first passage of a document that is open."""
    return page.locator("a[aria-label^='Passage']").first.get_attribute("href") or ""


def kinds(visitor_page: Page, films: Server) -> list[str]:
    """One page of each kind, by its path."""
    address = f"http://127.0.0.1:{films.port}"
    visitor_page.goto(address + FERRY)
    passage = chunk_of(visitor_page)
    section = f"/id/{IRIS.section(IRIS.document('films/the-ninth-ferry.md'), 1).removeprefix(IRIS.base)}"
    edge = visitor_page.locator("#links ~ ul a", has_text="edge").first.get_attribute("href") or ""
    entity = visitor_page.locator("#named ~ ul a[href*='/entity/']").first.get_attribute("href") or ""
    graph = f"/id/{IRIS.document_graph(IRIS.document('films/the-ninth-ferry.md')).removeprefix(IRIS.base)}"
    return ["/documents", FERRY, GALA, STUDIOS, BRACK, passage, section, edge, entity, graph]


def test_a_person_walks_from_a_result_to_a_document_an_entity_and_its_turtle(
    films: Server, visit: Visitor
) -> None:
    page = visit(films).open("/?q=Which+instrument+did+the+composer+of+The+Ninth+Ferry+play%3F")
    page.locator("ol.results a", has_text="The Ninth Ferry").first.click()
    expect(page.locator("h1")).to_contain_text("The Ninth Ferry")
    page.locator(".crumbs a", has_text="The Ninth Ferry").first.click()
    expect(page.locator(".passage:target")).to_contain_text("A ferryman sells tickets")
    page.locator("#named ~ ul a", has_text="Tobias Wren").click()
    expect(page.locator("h1")).to_have_text("Tobias Wren")
    expect(page.locator("mark").first).to_contain_text("Tobias Wren")
    page.locator(".mentions a", has_text="Tobias Wren").first.click()
    page.locator(".crumbs a", has_text="Tobias Wren").first.click()
    assert "hurdy-gurdy" in article(page)
    with page.expect_response(lambda response: "format=turtle" in response.url) as turtle:
        page.evaluate(
            "address => void fetch(address)", page.locator("a", has_text="Turtle").get_attribute("href")
        )
    assert turtle.value.headers["content-type"].startswith("text/turtle")
    assert 'schema:name "Tobias Wren"' in turtle.value.text()


def test_documents_are_chosen_by_clicks(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/documents")
    expect(page.locator("main")).to_contain_text("38 documents")
    page.get_by_role("link", name="films", exact=True).click()
    expect(page.locator("table.documents tbody tr")).to_have_count(6)
    page.get_by_label("Name begins with").fill("the")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("table.documents tbody tr")).to_have_count(3)
    page.get_by_role("link", name="The Ninth Ferry").click()
    expect(page.locator("h1")).to_have_text("The Ninth Ferry")
    page.get_by_role("link", name="films", exact=True).click()
    expect(page.locator("table.documents tbody tr")).to_have_count(6)


def test_who_finds_no_document_is_led_to_what_there_is(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/documents")
    page.get_by_label("Name begins with").fill("ferry")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Search all texts for “ferry”").click()
    expect(page.locator(".result").first).to_be_visible()
    page = visit(films).open("/id/document/gone")
    expect(page.get_by_role("navigation").get_by_role("link", name="Graph")).to_be_visible()
    page.get_by_label("Search for it").fill("ferry")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".result").first).to_be_visible()


def test_statements_are_read_in_words(tmp_path: Path, visit: Visitor) -> None:
    rdf = """@prefix s: <https://schema.org/> . @prefix x: <http://example.org/> .
        x:a s:name "Vorley" . x:b s:name "Osmere" ; s:containsPlace x:a ."""
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([write_files(tmp_path / "corpus", {"places.ttl": rdf})])
    graph.close()
    with serving(tmp_path / "graph") as server:
        page = visit(server).open("/documents")
        page.get_by_role("link", name="places").click()
        page.get_by_role("link", name="Passage Vorley").click()
        expect(page.get_by_text("is contains place of")).to_be_visible()
        page.goto(f"http://127.0.0.1:{server.port}/?q=Vorley&k=2")
        expect(page.locator(".path").first).to_contain_text("contains place")


def test_what_is_asked_on_a_document_is_answered_from_it(films: Server, visit: Visitor) -> None:
    page = visit(films).open(GALA)
    page.get_by_label("Ask this document").fill("Who won the prize for costume?")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("ol.results > li").first).to_contain_text("Ada Quince")
    assert page.locator("ol.results h3").all_inner_texts() != []
    for title in page.locator("ol.results .quiet a").all_inner_texts():
        assert title in ("The Fog Gala", "edge")


def test_names_show_a_preview_by_mouse_and_by_keyboard(films: Server, visit: Visitor) -> None:
    page = visit(films).open(FERRY)
    preview = page.get_by_role("tooltip")
    page.locator("a.mark", has_text="Northlight Film Cooperative").hover()
    expect(preview).to_contain_text("Northlight Film Cooperative")
    expect(preview).to_contain_text("named in")
    page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    page.locator(".ask button").focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('a.mark')"):
            break
    expect(preview).to_be_visible()
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "preview"


def test_sections_fold_and_open_for_who_jumps_into_them(films: Server, visit: Visitor) -> None:
    page = visit(films).open(FERRY)
    folded = page.get_by_text("Brack adapted Lucan Amery's novel")
    page.get_by_role("button", name="Production").click()
    expect(folded).to_be_hidden()
    page.get_by_role("button", name="Production").press("Enter")
    expect(folded).to_be_visible()
    page.get_by_role("button", name="Production").click()
    passage = page.locator(".passage").last.get_attribute("id")
    page.evaluate("id => { location.hash = id }", passage)
    expect(folded).to_be_visible()


def test_a_fragment_that_is_badly_encoded_breaks_nothing(films: Server, visit: Visitor) -> None:
    page = visit(films).open(FERRY)
    page.evaluate("location.hash = '#%'")
    expect(page.locator("button.fold").first).to_be_visible()


def test_neighbours_are_filtered_and_an_iri_is_copied(films: Server, visit: Visitor) -> None:
    opened = visit(films, permissions=["clipboard-read", "clipboard-write"])
    page = opened.open(GALA)
    page.goto(f"http://127.0.0.1:{films.port}{chunk_of(page)}")
    before = page.locator(".neighbours li:visible").count()
    page.get_by_label("Filter Neighbours").fill("isolde")
    shown = page.locator(".neighbours li:visible")
    assert 0 < shown.count() < before
    expect(page.locator(".filtered [role=status]")).to_contain_text(f"{shown.count()} of {before}")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith(f"{IRIS.base}chunk/")


def test_pages_fit_a_phone(films: Server, visit: Visitor) -> None:
    opened = visit(films, viewport=PHONE)
    for path in kinds(opened.page, films):
        page = opened.open(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page = opened.open(GALA)
    assert page.locator("table.cells tr").count() == 7


def test_pages_are_complete_without_scripts(films: Server, visit: Visitor) -> None:
    opened = visit(films, java_script_enabled=False)
    page = opened.open("/documents")
    page.get_by_role("link", name="films", exact=True).click()
    page.get_by_role("link", name="The Ninth Ferry").click()
    assert "The composer was Tobias Wren" in article(page)
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    page.locator("#connections ~ details summary").first.click()
    expect(page.locator("#connections ~ details .neighbours").first).to_be_visible()
    page.locator("a.mark", has_text="Northlight Film Cooperative").click()
    expect(page.locator("h1")).to_have_text("Northlight Film Cooperative")
    expect(page.locator("mark").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_can_read_each_kind_of_page(films: Server, visit: Visitor, scheme: str) -> None:
    opened = visit(films, color_scheme=scheme)
    for path in kinds(opened.page, films):
        assert serious_faults(opened.open(path)) == [], path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A graph in which every name is markup that would set a trap."""
    place = tmp_path_factory.mktemp("hostile")
    files = {
        "evil/<img src=x>.md": f'---\ntitle: "{TRAP} Title"\nauthor: "{TRAP} Author"\n'
        f'keywords: ["{TRAP} key"]\nurl: "javascript:window.trapped=1"\n---\n# {TRAP} Heading\n\n'
        f"Evil Person `{TRAP}` met Osmere Town and [a link](javascript:window.trapped=1).\n\n"
        f"| `{TRAP}` Column | Other |\n|---|---|\n| `{TRAP}` cell | [go](javascript:window.trapped=1) |\n",
        "evil.csv": f'"{TRAP}",Name\n"{TRAP} x",Evil Person\n',
        "evil.ttl": "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        f'<http://example.org/e> rdfs:label "Evil Person" ; rdfs:comment "{TRAP}" ;\n'
        "  rdfs:seeAlso <javascript:window.trapped=1> .\n"
        f'<javascript:window.trapped=1> rdfs:label "{TRAP} Label", "Osmere Town" .\n',
    }
    graph = KnowledgeGraph.create(place / "graph", encoder="jaccard")
    graph.ingest([write_files(place / "corpus", files)])
    graph.close()
    with serving(place / "graph") as server:
        yield server


def test_hostile_names_run_no_script(hostile: Server, visit: Visitor) -> None:
    opened = visit(hostile)
    waiting, seen = ["/documents", f"/documents?name={quote(TRAP)}"], set[str]()
    while waiting and len(seen) < 60:
        path = waiting.pop(0)
        seen.add(path)
        page = opened.open(path)
        for mark in page.locator("a.mark, .things a").all()[:3]:
            if mark.is_visible():
                mark.hover()
                page.wait_for_timeout(350)
        assert page.evaluate("window.trapped") is None, path
        assert page.locator("main img").count() == 0
        links = page.eval_on_selector_all("a[href]", "all => all.map(each => each.getAttribute('href'))")
        assert [each for each in links if each.lower().startswith(("javascript:", "data:"))] == []
        inner = [each.partition("#")[0] for each in links if each.startswith(("/id/", "/describe"))]
        waiting += [each for each in dict.fromkeys(inner) if each not in seen and each not in waiting]
    assert len(seen) > 20


@pytest.mark.skipif("SAGE_PICTURES" not in os.environ, reason="pictures are made where SAGE_PICTURES is set")
@pytest.mark.parametrize(("path", "name"), [("/documents", "documents"), (FERRY, "document")])
def test_pictures_for_the_documentation(films: Server, visit: Visitor, path: str, name: str) -> None:
    page = visit(films, viewport={"width": 1280, "height": 900}, color_scheme="light").open(path)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=PICTURES / f"{name}.png")
