"""The graph page in a browser: walked, filtered, searched, in 3D, saved, and following revisions."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from lxml import etree
from playwright.sync_api import Locator, Page, expect
from service.serving import Server, serving
from waiting import waited_for
from web.accessibility import AXE, serious_faults
from web.browsing import PHONE, Visitor

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole

ROOT = Path(__file__).parents[2]
WREN = "/graph?iri=people/tobias-wren.md"
HOSTILE = '<img src=x onerror="window.trapped=1"><svg onload="window.trapped=1">&"\'</text></svg>'


def numbers(page: Page) -> Locator:
    """What says how many nodes and edges are shown."""
    return page.locator(".graph-tools [role=status]")


def counted(page: Page) -> tuple[int, int]:
    """The numbers of nodes and edges that the page says are shown."""
    text = numbers(page).inner_text()
    found = re.match(r"([\d,]+) nodes, ([\d,]+) edges", text)
    assert found, text
    nodes, edges = (int(each.replace(",", "")) for each in found.groups())
    return nodes, edges


def drawn(page: Page) -> Page:
    """The page, when the graph is there and its layout has settled."""
    expect(page.locator(".graph-legend li").first).to_be_visible()
    expect(page.locator(".graph-picture[data-settled=true]")).to_be_visible()
    return page


def select(page: Page, label: str) -> None:
    """Finds a node by its label, and chooses it."""
    page.get_by_label("Label contains").fill(label)
    page.locator(".graph-found button").first.click()
    expect(page.locator("#details-title")).to_contain_text(label)


def point_at_selected(page: Page, label: str) -> tuple[float, float]:
    """Moves the pointer to the chosen node, in the middle of the picture, once the picture rests."""
    box = page.locator(".graph-picture").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def is_found() -> bool:
        page.mouse.move(x - 60, y - 60)
        page.mouse.move(x, y, steps=5)
        page.wait_for_timeout(100)
        return page.get_by_role("tooltip").filter(has_text=label).count() > 0

    assert waited_for(is_found)
    return x, y


def test_a_neighbourhood_grows_on_a_click_and_collapses(films: Server, visit: Visitor) -> None:
    page = drawn(visit(films).open(WREN))
    expect(page.locator("#details-title")).to_contain_text("Tobias Wren")
    before, shown = counted(page), numbers(page).inner_text()
    select(page, "Isolde Brack")
    page.mouse.click(*point_at_selected(page, "Isolde Brack"))
    expect(page.get_by_role("button", name="Collapse", exact=True)).to_be_visible()
    expect(numbers(page)).not_to_contain_text(shown)
    grown = counted(page)
    assert grown[0] > before[0]
    assert grown[1] > before[1]
    page.get_by_role("button", name="Collapse", exact=True).click()
    expect(numbers(page)).to_contain_text(shown)
    page.get_by_role("button", name="Only around this").click()
    expect(page).to_have_url(re.compile("iri="))


def test_the_legend_filters_nodes_and_edges(films: Server, visit: Visitor) -> None:
    page = drawn(visit(films).open(WREN))
    nodes, edges = counted(page)
    link = page.get_by_role("group", name="Edges").get_by_label("link")
    links = int((link.locator("xpath=..").inner_text()).split()[-1])
    assert links > 0
    link.uncheck()
    assert counted(page) == (nodes, edges - links)
    link.check()
    page.get_by_role("group", name="Nodes").get_by_label("chunk").uncheck()
    assert counted(page)[0] < nodes
    assert counted(page)[1] < edges


def test_an_answer_is_shown_with_its_paths(films: Server, visit: Visitor) -> None:
    visited = visit(films)
    page = drawn(visited.open("/graph?q=Which instrument did the composer of The Ninth Ferry play?"))
    select(page, "Tobias Wren")
    expect(page.locator(".graph-details")).to_contain_text("neighbour")
    expect(page.locator(".graph-text")).to_contain_text("hurdy-gurdy")
    page.get_by_role("button", name="Path to here").click()
    select(page, "The Ninth Ferry")
    page.get_by_role("button", name="Path from here").click()
    hops = page.locator(".graph-path > li")
    expect(hops).to_have_count(2)
    expect(hops.first).to_contain_text("links to")
    expect(hops.first).to_contain_text("weight 1.00")
    expect(hops.first).to_contain_text("The composer was Tobias Wren")  # the text around the link
    page.get_by_role("button", name="Clear path").click()
    expect(hops).to_have_count(0)
    page.get_by_role("link", name="Open page").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("The Ninth Ferry")


def test_a_path_goes_over_what_two_chunks_share(films: Server, visit: Visitor) -> None:
    question = quote("Which instrument did the composer of The Ninth Ferry play?")
    found = films.send("GET", f"/v1/retrieve?q={question}&labels=true", Accept="application/json").json
    shared = {
        each["labels"][iri]
        for each in found["results"]
        for step in each["path"]
        for iri in step.get("entity", [])
    }
    assert "A Quiet Quarry" in shared
    page = drawn(visit(films).open(f"/graph?q={question}"))
    page.get_by_text("List of what is shown").click()
    rows = page.locator(".graph-lists table").first.locator("tbody tr")
    for label in shared:
        expect(rows.filter(has_text=label).filter(has_text="resource")).to_have_count(1)


def test_a_tooltip_says_what_a_node_is(films: Server, visit: Visitor) -> None:
    page = drawn(visit(films).open(WREN))
    select(page, "The Ninth Ferry")
    point_at_selected(page, "The Ninth Ferry")
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text("The Ninth Ferry")
    expect(tip).to_contain_text("edges shown")


def test_the_layout_pauses_and_goes_on(films: Server, visit: Visitor) -> None:
    page = drawn(visit(films).open(WREN))
    page.get_by_role("button", name="Pause layout").click()
    page.get_by_role("button", name="Continue layout").click()
    expect(page.get_by_role("button", name="Pause layout")).to_be_visible()
    drawn(page)


def test_the_picture_is_saved_as_svg_and_png(films: Server, visit: Visitor, tmp_path: Path) -> None:
    page = drawn(visit(films).open(WREN))
    nodes, edges = counted(page)
    with page.expect_download() as svg:
        page.get_by_role("button", name="SVG", exact=True).click()
    svg.value.save_as(tmp_path / "graph.svg")
    tree = etree.parse(tmp_path / "graph.svg")
    space = "{http://www.w3.org/2000/svg}"
    assert len(tree.findall(f".//{space}circle")) == nodes
    assert len(tree.findall(f".//{space}line")) == edges
    for button in ("PNG", "3D"):  # in three dimensions it is what is seen
        if button == "3D":
            page.get_by_role("button", name="3D", exact=True).click()
            expect(page.locator(".graph-picture > canvas[aria-hidden]")).to_be_visible()
        with page.expect_download() as png:
            page.get_by_role("button", name="PNG", exact=True).click()
        png.value.save_as(tmp_path / "graph.png")
        head = (tmp_path / "graph.png").read_bytes()[:24]
        assert head[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", head[16:24]) > (100, 100)


def test_the_list_beside_the_picture_has_the_same(films: Server, visit: Visitor) -> None:
    page = drawn(visit(films).open(WREN))
    nodes, edges = counted(page)
    page.get_by_text("List of what is shown").click()
    tables = page.locator(".graph-lists table")
    expect(tables.nth(0).locator("tbody tr")).to_have_count(min(nodes, 100))
    expect(tables.nth(1).locator("tbody tr")).to_have_count(min(edges, 100))
    page.get_by_role("button", name="Expand Isolde Brack", exact=True).first.press("Enter")
    expect(page.get_by_role("button", name="Collapse Isolde Brack", exact=True)).to_be_visible()
    expect(numbers(page)).not_to_have_text(re.compile(f"^{nodes:,} nodes"))
    assert counted(page)[0] > nodes


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A graph with clusters of documents, some with hostile names; tests may write to it."""
    folder = tmp_path_factory.mktemp("shelf") / "graph"
    graph = KnowledgeGraph.create(folder, encoder="jaccard")
    towns = ["Arvika", "Bellmarsh", "Corvo", "Dunmere", "Elsdorf", "Fenwick"]
    for number, town in enumerate(towns):
        for part in range(4):
            other = towns[number] if part else towns[number - 1]
            graph.add(
                f"The harbour of {town} has a lighthouse. The Guild of {town} pays for it. "
                f"Ships from {other} bring {('salt', 'iron', 'wool', 'tar')[part]} to {town} in spring.",
                identifier=f"{town.lower()}-{part}.txt",
                metadata={"title": f"{town} {part}"},
            )
    graph.add(f"A harbour of Arvika. {HOSTILE}", identifier="hostile.txt", metadata={"title": HOSTILE})
    graph.close()
    with serving(folder, (AccessRole.WRITE,), max_community_parts=12, queue_timeout=120) as server:
        yield server


def test_the_whole_store_opens_by_its_communities(shelf: Server, visit: Visitor) -> None:
    page = drawn(visit(shelf).open("/graph"))
    kinds = page.get_by_role("group", name="Nodes")
    expect(kinds).to_contain_text("community")
    nodes, _ = counted(page)
    page.get_by_text("List of what is shown").click()
    page.locator(".graph-lists").get_by_role("button", name=re.compile("^Expand ")).first.click()
    expect(page.locator(".graph-tools [role=status]")).to_contain_text("new from")
    assert counted(page)[0] > nodes
    while not re.search("chunk|document", kinds.inner_text()):
        nodes, _ = counted(page)
        page.locator(".graph-lists").get_by_role("button", name=re.compile("^Expand ")).last.click()
        page.wait_for_function(
            "before => !document.querySelector('.graph-tools [role=status]').textContent.startsWith(before)",
            arg=f"{nodes} ",
        )
    expect(page.locator("[role=alert]")).to_have_count(0)


def test_a_community_opens_when_it_is_approached(shelf: Server, visit: Visitor) -> None:
    page = drawn(visit(shelf).open("/graph"))
    nodes, _ = counted(page)
    select(page, "Arvika")  # which brings the camera near
    expect(page.locator(".graph-tools [role=status]")).to_contain_text("new from")
    assert counted(page)[0] > nodes


def test_a_new_revision_arrives_while_the_page_is_open(shelf: Server, visit: Visitor) -> None:
    page = drawn(visit(shelf).open("/graph?iri=arvika-0.txt"))
    links = f"""INSERT DATA {{ GRAPH <http://example.org/own> {{
        <{iri_of(shelf, "arvika-0.txt")}> <http://example.org/pilotedBy> <http://example.org/vass> .
        <http://example.org/vass> <http://www.w3.org/2000/01/rdf-schema#label> "Ingmar Vass" }} }}"""
    assert shelf.update(links).status in (200, 204)
    page.get_by_label("Label contains").fill("Ingmar Vass")
    expect(page.locator(".graph-found button")).to_have_count(1)
    expect(page.locator(".graph-tools [role=status]")).to_contain_text(
        re.compile(r"Revision \d+: [1-9]\d* new")
    )


def iri_of(server: Server, document: str) -> str:
    found = server.send("GET", f"/v1/graph?iri={document}&nodes=1")
    return str(found.json["start"])


def test_hostile_names_stay_text(shelf: Server, visit: Visitor, tmp_path: Path) -> None:
    quoted = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
    written = shelf.update(f"""INSERT DATA {{ GRAPH <http://example.org/own> {{
        <{iri_of(shelf, "hostile.txt")}> <http://example.org/related> <javascript:window.trapped=1> .
        <javascript:window.trapped=1> <http://www.w3.org/2000/01/rdf-schema#label> "{quoted}" }} }}""")
    assert written.status in (200, 204), written.content
    page = drawn(visit(shelf).open("/graph?iri=hostile.txt"))
    page.get_by_text("List of what is shown").click()
    for button in ("2D", "3D"):
        if button == "3D":
            page.get_by_role("button", name="3D", exact=True).click()
            expect(page.locator(".graph-picture > canvas[aria-hidden]")).to_be_visible()
        select(page, "onerror")
        point_at_selected(page, "onerror")
        expect(page.get_by_role("tooltip")).to_contain_text("<img src=x")
        page.get_by_label("Label contains").fill("")
    with page.expect_download() as svg:
        page.get_by_role("button", name="SVG", exact=True).click()
    svg.value.save_as(tmp_path / "hostile.svg")
    tags = {etree.QName(each).localname for each in etree.parse(tmp_path / "hostile.svg").iter()}
    assert tags == {"svg", "rect", "line", "circle", "title", "text"}
    for link in page.locator("a").all():
        assert not (link.get_attribute("href") or "").startswith("javascript:")
    assert page.evaluate("window.trapped") is None
    assert page.locator(".graph img, .graph svg").count() == 0


def test_a_phone_shows_the_picture_and_the_legend(films: Server, visit: Visitor) -> None:
    page = drawn(visit(films, viewport=PHONE, has_touch=True).open(WREN))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    box = page.locator(".graph-picture").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) > 300
    page.locator(".graph-legend").scroll_into_view_if_needed()
    page.get_by_role("group", name="Edges").get_by_label("part").uncheck()


@pytest.mark.skipif(not AXE.exists(), reason="`npm ci --ignore-scripts` was not run in web/")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_from_using_it(films: Server, visit: Visitor, scheme: str) -> None:
    page = drawn(visit(films, color_scheme=scheme).open(WREN))
    select(page, "The Ninth Ferry")
    page.get_by_text("List of what is shown").click()
    page.get_by_role("button", name="Path from here").click()
    assert serious_faults(page) == []


def test_an_unknown_resource_is_an_error_that_can_be_read(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/graph?iri=nothing.md")
    expect(page.get_by_role("alert")).to_contain_text("nothing about")
    page.get_by_role("button", name="Whole store").click()
    drawn(page)
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.skipif("SAGE_PICTURES" not in os.environ, reason="SAGE_PICTURES is not set")
def test_its_picture(films: Server, visit: Visitor) -> None:
    page = drawn(visit(films, color_scheme="light").open(WREN))
    page.screenshot(path=ROOT / "docs" / "images" / "graph.png")
