"""The SPARQL page in a browser: writing, running and cancelling queries, and looking at answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect
from service.serving import Server, serving
from web.accessibility import serious_faults
from web.browsing import PHONE, Visitor

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "sparql.png"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
TRAP = "window.trapped = true"
HOSTILE = (
    f"</script><script>{TRAP}</script>",
    f'<img src=x onerror="{TRAP}">',
    f"<svg onload='{TRAP}'><script>{TRAP}</script></svg>",
)


def opened(page: Page) -> Page:
    page.locator(".cm-content").wait_for()
    return page


def write(page: Page, query: str) -> None:
    """Replaces the query, as a person who pastes does."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(query)


def run(page: Page, query: str) -> None:
    write(page, query)
    page.get_by_role("button", name="Run").click()
    page.locator(".answer strong, .answer [role=alert]").wait_for()


def show(page: Page, view: str) -> None:
    page.get_by_role("group", name="Show as").get_by_role("button", name=view).click()


def examples(page: Page) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(page.locator("#page-data").text_content() or "")["examples"]
    return found


def test_variables_may_have_the_names_of_what_objects_have(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, "SELECT ?x ?toString ?__proto__ { VALUES (?x ?__proto__) { (1 2) (3 UNDEF) } }")
    expect(page.locator(".answer strong")).to_have_text("2 rows")
    rows = page.get_by_role("region", name="Rows").locator("tbody tr")
    assert [row.locator("td").all_inner_texts()[1:] for row in rows.all()] == [
        ["1 xsd:integer", "", "2 xsd:integer"],
        ["3 xsd:integer", "", ""],
    ]
    for view in ("Graph", "Chart", "Text", "Table"):
        show(page, view)
    expect(rows).to_have_count(2)


def test_an_answer_that_would_stop_the_page_is_refused(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    tens = [f"BIND(CONCAT({', '.join([f'?x{power}'] * 10)}) AS ?x{power + 1})" for power in range(6)]
    long = f"BIND('0123456789' AS ?x0) {' '.join(tens)}"
    run(page, f"SELECT ?x6 (?x6 AS ?a) (?x6 AS ?b) (?x6 AS ?c) {{ {long} }}")
    expect(page.get_by_role("alert")).to_contain_text("more than 32 MB")
    run(page, f"SELECT ?x6 {{ {long} }}")
    expect(page.locator(".answer strong")).to_have_text("1 row")


def test_a_query_is_run_by_the_button_and_by_the_keyboard(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, "SELECT ?x { VALUES ?x { 1 2 } }")
    expect(page.locator(".answer strong")).to_have_text("2 rows")
    write(page, "ASK {}")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".answer strong")).to_have_text("Yes")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"
    page.keyboard.press("Shift+Tab")
    page.keyboard.type(" # end")
    expect(page.locator(".cm-content")).to_contain_text("# end")


def test_every_example_runs(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    choice = page.get_by_label("Example")
    shown = set()
    for number, example in enumerate(examples(page)):
        choice.select_option(index=number)
        page.get_by_role("button", name="Run").click()
        page.locator(".answer strong").wait_for()
        assert page.locator(".answer [role=alert]").count() == 0, example["title"]
        view = page.get_by_role("group", name="Show as").locator("[aria-pressed=true]")
        expect(view).to_have_text(example["view"].capitalize())
        shown.add(example["view"])
        page.evaluate("document.querySelector('.answer strong').remove()")
        page.reload()
        opened(page)
    assert shown == {"table", "graph", "chart"}
    channels = [each for each in examples(page) if "channel" in each["group"]]
    assert {each["title"].partition(":")[0] for each in channels} > {"link", "entity", "similarity"}


def test_rows_are_sorted_paged_and_linked(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, "SELECT ?n { ?s ?p ?o . BIND(STRLEN(STR(?o)) AS ?n) } LIMIT 250")
    rows = page.get_by_role("region", name="Rows").locator("tbody tr")
    assert rows.count() == 100
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Next").click()
    assert rows.count() == 50
    page.get_by_role("button", name="n", exact=True).click()
    numbers = [int(each.split()[0]) for each in rows.locator("td:nth-child(2)").all_text_contents()]
    assert len(numbers) == 100
    assert numbers == sorted(numbers)
    assert page.locator("th[aria-sort=ascending]").count() == 1
    run(
        page,
        "SELECT ?d { ?d a <https://w3id.org/sage-ld#Document> ; <https://schema.org/name> 'Tobias Wren' }",
    )
    link = rows.get_by_role("link")
    assert (link.text_content() or "").startswith("document/")
    link.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Tobias Wren")


def test_literals_have_their_language_or_datatype(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, "SELECT ?x { VALUES ?x { 'fähre'@de 'plain' 2.5 } }")
    assert page.locator("td .kind").all_text_contents() == [" @de", " xsd:decimal"]


def test_a_long_query_is_cancelled(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    write(page, ENDLESS)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".answer")).to_contain_text("Running")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".answer")).to_contain_text("Cancelled after")
    run(page, "ASK {}")
    expect(page.locator(".answer strong")).to_have_text("Yes")


def test_a_query_ends_at_the_time_that_a_person_allows(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    page.get_by_label("Time limit").fill("0.5")
    run(page, ENDLESS)
    expect(page.get_by_role("alert")).to_contain_text("0.5")


def test_an_error_is_marked_at_its_place(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, "SELECT * {\n  ?s ?p '😀' .\n  ?s foo:bar ?o .\n}")
    expect(page.get_by_role("alert")).to_contain_text("does not parse")
    expect(page.locator(".error")).to_have_text("foo:bar")
    page.get_by_role("button", name="Go to line 3").click()
    page.keyboard.type("!")
    expect(page.locator(".cm-line").nth(2)).to_have_text("  ?s !foo:bar ?o .")
    expect(page.locator(".error")).to_have_count(0)


def test_a_prefix_that_is_missing_is_declared_on_a_click(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, 'SELECT (COUNT(*) AS ?n) { ?s schema:name ?o . FILTER(?o != "foaf:x") ?s a <urn:no:x> }')
    expect(page.get_by_role("alert")).to_contain_text("a prefix at 1:")
    page.get_by_role("button", name="Declare schema: and run").click()
    expect(page.get_by_text("1 row")).to_be_visible()
    expect(page.locator(".cm-content")).to_contain_text("PREFIX schema: <https://schema.org/>")


def test_names_of_the_graph_complete_a_query(films: Server, visit: Visitor) -> None:
    page = visit(films).page
    with page.expect_response(lambda answer: "/.well-known/void" in answer.url):
        page.goto(f"http://127.0.0.1:{films.port}/sparql")
    opened(page)
    page.wait_for_load_state("networkidle")
    write(page, "SELECT * {\n ?doc a Docum")
    page.keyboard.type("e")
    option = page.locator(".cm-tooltip-autocomplete [aria-selected]")
    expect(option).to_contain_text("sage:Document")
    expect(option).to_contain_text("document · 38")
    page.wait_for_timeout(100)  # CodeMirror takes no choice in the first instants after a list opens
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_contain_text("PREFIX sage: <https://w3id.org/sage-ld#>")
    expect(page.locator(".cm-content")).to_contain_text("?doc a sage:Document")
    page.keyboard.type(" . ?d")
    expect(option).to_have_text("?doc")


def test_brackets_are_matched(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    write(page, "ASK { }")
    expect(page.locator(".cm-matchingBracket")).to_have_count(2)


def test_an_answer_is_a_graph(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    name = "<https://schema.org/name>"
    run(
        page,
        f"CONSTRUCT {{ <x:a> <x:knows> <x:b> . <x:b> <x:knows> _:c . <x:a> {name} 'Ada' ; <x:age> 36 }} {{}}",
    )
    show(page, "Graph")
    drawing = page.get_by_role("group", name="The answer as a graph")
    assert drawing.locator("circle").count() == 3
    assert drawing.locator("rect.literal").count() == 1
    assert drawing.locator(".edge").count() == 3
    expect(drawing.get_by_role("link", name="Ada")).to_have_attribute("href", "/describe?iri=x%3Aa")
    run(page, "SELECT ?a ?b { VALUES (?a ?b) { (<x:1> <x:2>) (<x:2> <x:3>) } }")
    assert drawing.locator("circle").count() == 3
    many = "SELECT ?a ?b { ?x ?p ?y BIND(IRI(CONCAT('x:', STRUUID())) AS ?a) BIND(<x:hub> AS ?b) } LIMIT 400"
    run(page, many)
    assert drawing.locator("circle").count() == 250
    expect(page.locator(".answer")).to_contain_text("the first of 401 nodes")


def test_an_answer_is_a_chart(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, "SELECT ?name ?n ?m { VALUES (?name ?n ?m) { ('a' 1 10) ('b' 3 5) ('c' 2 7) } }")
    show(page, "Chart")
    bars = page.get_by_role("img", name="n by name, as bars").locator("rect")
    widths = [float(each.get_attribute("width") or 0) for each in bars.all()]
    assert len(widths) == 3
    assert widths[0] * 3 == pytest.approx(widths[1])
    page.get_by_label("Chart").select_option("line")
    page.get_by_label("Numbers").select_option("m")
    line = page.get_by_role("img", name="m by n, as a line")
    assert line.locator("circle").count() == 3
    assert len((line.locator("polyline").get_attribute("points") or "").split()) == 3
    page.get_by_label("Chart").select_option("points")
    assert page.get_by_role("img", name="m by n, as points").locator("circle").count() == 3


MAP = """PREFIX geo: <http://www.opengis.net/ont/geosparql#>
SELECT ?name ?where { VALUES (?name ?where) {
  ('Wide' "POLYGON((5 45,10 45,10 48,5 48,5 45),(6 46,7 46,7 47,6 47,6 46))"^^geo:wktLiteral)
  ('Collected' "GEOMETRYCOLLECTION(LINESTRING(8 45.5,9.5 46),POINT(9 47))"^^geo:wktLiteral)
  ('Bern' "<http://www.opengis.net/def/crs/OGC/1.3/CRS84>\\n POINT Z (7.45 46.95 540)"^^geo:wktLiteral)
  ('Bern, latitude first' "<http://www.opengis.net/def/crs/EPSG/0/4326> Point(46.95 7.45)"^^geo:wktLiteral)
  ('Geneva' '{"type": "Point", "coordinates": [6.14, 46.2]}'^^geo:geoJSONLiteral)
  ('Two' "MULTIPOLYGON(((8 47,8.5 47,8.5 47.5,8 47)),((9 45.2,9.4 45.2,9.4 45.5,9 45.2)))"^^geo:wktLiteral)
  ('Swiss' "<http://www.opengis.net/def/crs/EPSG/0/2056> POINT(2600000 1200000)"^^geo:wktLiteral)
  ('Metres' "POINT(2600000 1200000)"^^geo:wktLiteral)
  ('Empty' "POINT EMPTY"^^geo:wktLiteral)
  ('No number' "POINT(x y)"^^geo:wktLiteral)
  ('No member' '{"type": "GeometryCollection", "geometries": [{"type": "Point"}]}'^^geo:geoJSONLiteral)
  ('Deep' "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("^^geo:wktLiteral)
  ('Nowhere' UNDEF) } }"""


def shapes(page: Page) -> Locator:
    return page.get_by_role("listbox", name="The rows on a map").get_by_role("option")


def test_geometries_are_a_map(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, "SELECT ?x { VALUES ?x { 1 } }")
    expect(page.get_by_role("group", name="Show as").get_by_role("button", name="Map")).to_have_count(0)
    run(page, MAP)
    show(page, "Map")
    expect(shapes(page)).to_have_count(6)
    expect(page.locator(".answer")).to_contain_text("6 of 12 geometries. 6 could not be drawn")
    expect(page.locator(".answer")).to_contain_text("(http://www.opengis.net/def/crs/EPSG/0/2056).")
    paths = {each.get_attribute("aria-label"): each.locator("path") for each in shapes(page).all()}
    dots = [paths[f"name: {name}"].nth(2).get_attribute("d") for name in ("Bern", "Bern, latitude first")]
    assert dots[0]
    assert dots[0] == dots[1]
    assert (paths["name: Wide"].nth(0).get_attribute("d") or "").count("M") == 2  # the hole
    assert (paths["name: Two"].nth(0).get_attribute("d") or "").count("M") == 2
    assert all(paths["name: Collected"].nth(kind).get_attribute("d") for kind in (1, 2))
    assert page.locator(".graticule text").first.text_content() == "4° E"


def test_a_shape_marks_its_row(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql#view=map"))
    run(page, MAP)
    marked = page.locator("tr[aria-current]")
    expect(marked).to_have_count(0)
    shapes(page).get_by_text("name: Two").locator("..").locator(".areas").click(position={"x": 40, "y": 50})
    expect(marked).to_contain_text("Two")
    page.keyboard.press("Home")
    expect(marked).to_contain_text("Wide")
    page.keyboard.press("ArrowRight")
    expect(marked).to_contain_text("Two")  # from the largest to the smallest
    assert serious_faults(page) == []
    for _ in range(12):
        page.get_by_role("button", name="Closer").click()
    page.locator("[role=option][tabindex='0']").focus()
    page.keyboard.press("End")
    expect(marked).to_contain_text("Geneva")
    expect(shapes(page).last.locator(".dots")).to_be_in_viewport()
    page.get_by_role("button", name="name", exact=True).click()
    expect(marked).to_contain_text("Geneva")


def test_a_large_answer_is_drawn_in_part(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    digits = " ".join(f"VALUES ?{name} {{ 0 1 2 3 4 5 6 7 8 9 }}" for name in "abcd")
    run(page, f"SELECT (?a * 10 + ?b AS ?lat) (?c * 10 + ?d AS ?long) {{ {digits} }}")
    show(page, "Map")
    expect(page.locator(".answer")).to_contain_text(
        "The first 2,000 of 10,000 geometries; the table has all."
    )
    expect(shapes(page)).to_have_count(2000)
    shapes(page).last.focus()
    expect(page.get_by_role("navigation", name="Pages of rows")).to_contain_text("of 10,000")
    expect(page.locator("tr[aria-current]")).to_have_count(1)


def test_answers_are_files(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))

    def file(name: str) -> str:
        with page.expect_download() as found:
            page.get_by_role("group", name="Download").get_by_role("button", name=name).click()
        return found.value.path().read_text()

    run(page, "SELECT ?x { VALUES ?x { 1 2 } }")
    assert file("CSV").split() == ["x", "1", "2"]
    assert json.loads(file("JSON"))["head"]["vars"] == ["x"]
    run(page, "CONSTRUCT { <x:a> <x:p> 'a \"b\"' } {}")
    assert "<x:a> <x:p>" in file("Turtle")
    assert file("CSV").split() == ["subject,predicate,object", 'x:a,x:p,"a', '""b"""']


def test_a_query_is_shared_by_its_address(films: Server, visit: Visitor) -> None:
    query = "SELECT ?x { VALUES ?x { 1 } } # über"
    page = opened(visit(films).open(f"/sparql#query={quote(query)}&timeout=3&view=text"))
    expect(page.locator(".cm-content")).to_have_text(query)
    expect(page.get_by_label("Time limit")).to_have_value("3")
    assert page.locator(".answer").inner_text() == ""  # it waits for the person
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".raw")).to_contain_text('"bindings"')
    write(page, "ASK {}")
    page.get_by_role("button", name="Copy address").click()
    assert "query=ASK+%7B%7D" in page.url


def test_queries_are_kept_only_if_a_person_says_so(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    run(page, "ASK { <x:first> ?p ?o }")
    assert page.evaluate("Object.keys(localStorage)") == []
    page.get_by_text("Earlier queries").click()
    page.get_by_label("Remember them in this browser").check()
    page.reload()
    opened(page)
    page.get_by_text("Earlier queries (1)").click()
    page.get_by_role("button", name="ASK { <x:first> ?p ?o }").click()
    expect(page.locator(".cm-content")).to_have_text("ASK { <x:first> ?p ?o }")
    page.get_by_label("Remember them in this browser").uncheck()
    page.reload()
    opened(page)
    expect(page.get_by_text("Earlier queries (0)")).to_be_visible()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service whose graph has markup and scripts in names, classes and labels."""
    folder = tmp_path_factory.mktemp("hostile") / "graph"
    graph = KnowledgeGraph.create(folder, encoder="jaccard")
    for number, text in enumerate(HOSTILE):
        graph.add(f"{text} in a text", identifier=f"d{number}", metadata={"title": text})
    graph.close()
    with serving(folder, (AccessRole.WRITE,)) as server:
        label, said = "<http://www.w3.org/2000/01/rdf-schema#label>", json.dumps(HOSTILE[2])
        made = f"<javascript:{quote(TRAP)}> {label} {said} ; a <javascript:alert(1)> ; "
        made += f"<x:p> <javascript:alert(2)> . <javascript:alert(1)> {label} {said} ."
        answer = server.update(f"INSERT DATA {{ GRAPH <x:hostile> {{ {made} }} }}")
        assert answer.status == 200, answer.content
        yield server


def test_what_a_graph_says_stays_text(hostile: Server, visit: Visitor) -> None:
    page = opened(visit(hostile).open("/sparql"))
    run(page, "SELECT ?s ?p ?o { GRAPH <x:hostile> { ?s ?p ?o } }")
    expect(page.locator(".answer strong")).to_have_text("4 rows")
    expect(page.get_by_role("region", name="Rows")).to_contain_text(HOSTILE[2])
    for view in ("Table", "Graph", "Chart", "Text"):
        show(page, view)
        hrefs = page.locator("a").evaluate_all("all => all.map(each => each.href.baseVal ?? each.href)")
        assert [each for each in hrefs if each.startswith("javascript:")] == [], view
    run(page, "SELECT ?name { ?d <https://schema.org/name> ?name }")
    show(page, "Table")
    for text in HOSTILE:
        expect(page.get_by_role("region", name="Rows")).to_contain_text(text)
    run(page, "CONSTRUCT { ?s ?p ?o } { GRAPH <x:hostile> { ?s ?p ?o } }")
    show(page, "Graph")
    page.locator(".result-graph a").first.click()
    page.wait_for_url("**/describe?iri=javascript*")
    assert page.evaluate("window.trapped") is None


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"viewport": PHONE}])
def test_it_is_accessible(films: Server, visit: Visitor, options: dict[str, object]) -> None:
    page = opened(visit(films, **options).open("/sparql"))
    assert serious_faults(page) == []
    for number in (0, 1, 2):
        page.get_by_label("Example").select_option(index=number)
        page.get_by_role("button", name="Run").click()
        page.locator(".answer strong").wait_for()
        assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    run(page, "SELECT")
    assert serious_faults(page) == []


def test_without_a_script_a_form_asks(films: Server, visit: Visitor) -> None:
    page = visit(films, java_script_enabled=False).open("/sparql")
    assert page.get_by_label("Query").input_value().startswith("PREFIX sage:")
    assert "The editor needs a script." in page.content()


@pytest.mark.skipif("SAGE_PICTURES" not in os.environ, reason="SAGE_PICTURES is not set")
def test_a_picture_for_the_documentation(films: Server, visit: Visitor) -> None:
    page = opened(visit(films).open("/sparql"))
    page.get_by_label("Example").select_option(index=2)
    page.get_by_role("button", name="Run").click()
    page.locator(".result-graph").wait_for()
    page.screenshot(path=PICTURE)
