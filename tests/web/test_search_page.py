"""The search page in a browser: what a person does there, with and without a script, and hostile names."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect
from service.serving import Server, serving
from web.accessibility import serious_faults
from web.browsing import PHONE, Visitor

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole

QUESTION = "Which instrument did the composer of The Ninth Ferry play?"
ASKED = "/?" + urlencode({"q": QUESTION})
PICTURES = Path(__file__).parents[2] / "docs" / "images"
TRAP = '<img src=x onerror="window.trapped=1"><script>window.trapped=1</script>'


def results(page: Page) -> list[str]:
    """The chunks in the answer, once it is whole."""
    expect(page.get_by_role("heading", name=re.compile(r"^\d+ results?$"))).to_be_visible()
    expect(page.locator("section[aria-busy=true]")).to_have_count(0)
    return [
        str(each) for each in page.locator("ol.results h3 a").evaluate_all("all => all.map(a => a.pathname)")
    ]


def chosen(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def found_by_api(server: Server, body: dict[str, Any]) -> Any:
    sent = {"Accept": "application/json", "Content_Type": "application/json"}
    return server.send("POST", "/v1/retrieve", json.dumps(body), **sent).json  # type: ignore[arg-type]


def slide(page: Page, label: str, value: int) -> None:
    """Moves a slider with the keys, as a person without a mouse does."""
    slider = page.get_by_label(label, exact=True)
    slider.focus()
    while (now := int(slider.input_value())) != value:
        slider.press("ArrowRight" if now < value else "ArrowLeft")


def test_a_question_is_answered_as_the_service_answers_it(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/")
    with page.expect_request("**/v1/retrieve/stream"):
        page.get_by_label("Question").fill(QUESTION)
        page.get_by_role("button", name="Search").click()
    shown = results(page)
    wanted = found_by_api(films, {"q": QUESTION})["results"]
    assert [each.split("/")[-1] for each in shown] == [each["chunk"].split("/")[-1] for each in wanted]
    assert chosen(page) == {"q": [QUESTION]}
    marks = page.locator("#result-1 mark").all_inner_texts()
    first = wanted[0]
    spans = found_by_api(films, {"q": QUESTION, "highlight": True})["results"][0]["matches"]
    said = [first["name"][each["begin"] : each["end"]] for each in spans["name"]]
    assert marks == said + [first["text"][each["begin"] : each["end"]] for each in spans["text"]]
    bars = page.locator("#result-1 dl.parts dt").count()
    assert bars == len(first["parts"])


def test_the_path_of_a_result_is_a_picture_whose_parts_lead_on(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    results(page)
    card = page.locator(".result", has=page.get_by_role("link", name="Tobias Wren", exact=True)).first
    picture = card.get_by_role("group", name="Path to this result")
    expect(picture).to_contain_text("links to")
    picture.get_by_role("link", name="The Ninth Ferry").click()
    assert urlsplit(page.url).fragment == "result-1"
    picture.get_by_title("The edge, of the channel link").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "/id/link/" in page.url
    page.go_back()
    expect(page.locator("#result-1")).to_be_visible()


def test_a_result_leads_to_its_page_with_a_way_back(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED + "&k=3")
    before = results(page)
    page.get_by_role("link", name="Tobias Wren", exact=True).first.click()
    back = page.get_by_role("link", name="Back to the results")
    expect(back).to_be_visible()
    back.click()
    assert results(page) == before
    assert chosen(page) == {"q": [QUESTION], "k": ["3"]}


def test_the_way_back_leads_to_this_search_page_alone(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/docs#back=" + quote("?q=a", safe=""))
    back = page.get_by_role("link", name="Back to the results")
    expect(back).to_have_attribute("href", "/?q=a")
    for wrong in ("javascript:alert(1)", "//example.org/", "https://example.org", "%E0%A4%A"):
        page.evaluate("hash => { location.hash = hash; }", "back=" + quote(wrong, safe="%"))
        expect(back).to_be_hidden()


def test_a_slider_shows_its_effect_beside_the_default(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    usual = results(page)
    slide(page, "Results", 6)
    effect = page.get_by_text("Beside the default answer")
    expect(effect).to_contain_text("4 fell out")
    changed = results(page)
    assert len(changed) == 6
    assert chosen(page)["k"] == ["6"]
    page.get_by_text("What fell out", exact=True).click()
    dropped = page.locator(".effect li").count()
    assert dropped == len(set(usual) - set(changed))
    page.get_by_role("button", name="Back to the default").click()
    expect(effect).to_be_hidden()
    assert results(page) == usual
    page.go_back()
    expect(effect).to_be_visible()
    assert results(page) == changed


def test_a_weight_and_a_channel_are_parameters_of_the_question(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    results(page)
    page.get_by_label("link", exact=True).uncheck()
    expect(page.locator(".effect")).to_be_visible()
    page.get_by_text("Weights", exact=True).click()
    page.get_by_label("bm25 weight").fill("1")
    page.wait_for_url("**weights*")
    asked = chosen(page)
    assert asked["weights[bm25_weight]"] == ["1"]
    assert "link" not in asked["channels"][0].split(",")
    wanted = found_by_api(
        films, {"q": QUESTION, "channels": asked["channels"][0].split(","), "weights": {"bm25_weight": 1}}
    )
    expect(page.locator(".result h3 a").first).to_have_text(wanted["results"][0]["name"])
    shared = page.url
    assert results(visit(films).open(shared.partition(str(films.port))[2])) == results(page)


def test_facets_narrow_the_answer_by_what_they_count(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    results(page)
    group = page.get_by_role("group", name="Kind of chunk")
    table = group.locator("label", has_text="table")
    count = int(table.locator(".number").inner_text())
    table.click()
    expect(page.get_by_text(f"{count} chunks may be in the answer")).to_be_visible()
    assert chosen(page)["kinds"] == ["table"]
    expect(page.locator(".result .source").first).to_contain_text("table")
    assert all("table" in each for each in page.locator(".result .source").all_inner_texts())
    expect(page.get_by_role("group", name="Format").get_by_label("CSV table")).to_be_visible()
    page.get_by_role("group", name="Format").get_by_role("checkbox").first.check()
    page.wait_for_url("**where=*")
    page.get_by_role("button", name="No filter").click()
    page.wait_for_function("() => !location.search.includes('kinds')")
    assert chosen(page) == {"q": [QUESTION]}


def test_the_context_opens_in_place(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    results(page)
    card = page.locator("#result-1")
    card.get_by_role("button", name="Context").click()
    context = card.get_by_role("group", name="Context")
    expect(context.locator(".text")).to_have_count(1)
    with page.expect_request(lambda sent: '"window":3' in (sent.post_data or "")):
        card.get_by_role("button", name="More of it").click()
    card.get_by_role("button", name="Close the context").click()
    expect(context).to_be_hidden()


def test_it_says_why_a_passage_is_not_there_and_what_would_be_enough(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    usual = results(page)
    page.get_by_label("A passage, a document or the IRI of a chunk").fill("films/night-bus-to-hask.md")
    page.get_by_role("button", name="Find it").click()
    candidates = page.locator(".candidates").get_by_role("button")
    expect(candidates.first).to_be_visible()
    explanation = page.locator(".explanation")
    for number in range(candidates.count()):
        page.locator(".candidates").get_by_role("button").nth(number).click()
        expect(explanation.locator("h3").first).to_be_visible()
        if "ranked too low" in explanation.inner_text():
            break
        page.get_by_role("button", name="Find it").click()
        expect(candidates.first).to_be_visible()
    name = explanation.locator("h3 a").inner_text()
    expect(explanation).to_contain_text("chunks that were ranked")
    explanation.get_by_role("button", name="Try it").click()
    page.wait_for_url("**k=*")
    expect(explanation).to_contain_text("a result")
    assert len(results(page)) > len(usual)
    assert page.locator(".result h3", has_text=name).count() >= 1


def test_it_is_copied_as_a_command_a_query_and_linked_data(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED + "&k=5&from_graph=3&channels=link&weights[bm25_weight]=0.3")
    shown = [each.split("/")[-1] for each in results(page)]
    taken = page.locator(".taken pre")
    page.get_by_role("button", name="SPARQL").click()
    expect(taken).to_contain_text("sage:retrieve")
    found = films.query(taken.inner_text())
    assert [row["chunk"].split("/")[-1] for row in found.rows] == shown
    page.get_by_role("button", name="curl").click()
    expect(taken).to_contain_text("curl -G")
    assert "--data-urlencode 'weights[bm25_weight]=0.3'" in taken.inner_text()
    page.get_by_role("button", name="JSON-LD").click()
    expect(taken).to_contain_text("wasGeneratedBy")
    assert json.loads(taken.inner_text())["numberOfItems"] == len(shown)
    page.get_by_role("button", name="link", exact=True).click()
    expect(taken).to_have_text(page.url)


def test_a_passage_that_is_missing_is_found_by_its_words(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    results(page)
    field = page.get_by_label("A passage, a document or the IRI of a chunk")
    field.fill("hurdy-gurdy organs of three parishes")
    page.get_by_role("button", name="Find it").click()
    page.locator(".candidates").get_by_role("button", name="Tobias Wren").first.click()
    expect(page.locator(".explanation h3").first).to_contain_text("Tobias Wren")
    field.fill("zqxv")
    page.get_by_role("button", name="Find it").click()
    expect(page.get_by_text("Try fewer words")).to_be_visible()


def test_the_query_that_asks_the_same_opens_in_the_editor(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    results(page)
    page.get_by_role("button", name="SPARQL").click()
    page.get_by_role("link", name="Open in the editor").click()
    expect(page.locator(".cm-content")).to_contain_text("sage:retrieve")


def test_an_answer_is_drawn_as_a_graph(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED)
    results(page)
    page.get_by_role("link", name="Draw").click()
    page.wait_for_url("**/graph?*")
    expect(page.get_by_label("Question")).to_have_value(QUESTION)


def test_the_commands_quote_what_a_shell_and_sparql_would_read(films: Server, visit: Visitor) -> None:
    hard = 'it\'s "$HOME" \\ `x` a boat'
    page = visit(films).open("/?" + urlencode({"q": hard}))
    results(page)
    page.get_by_role("button", name="SPARQL").click()
    taken = page.locator(".taken pre")
    expect(taken).to_contain_text("sage:retrieve")
    assert films.query(taken.inner_text()).status == 200
    page.get_by_role("button", name="curl").click()
    expect(taken).to_contain_text("'q=it'\\''s \"$HOME\" \\ `x` a boat'")


def test_it_works_by_keyboard_alone(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/")
    expect(page.get_by_text("Ask this graph a question")).to_be_visible()
    expect(page.get_by_role("link", name="documents", exact=False).last).to_have_attribute(
        "href", "/documents"
    )
    page.locator("#q").focus()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    results(page)
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#result-2 h3 a')"):
            break
    assert page.evaluate("document.activeElement.matches('#result-2 h3 a')")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Back to the results")).to_be_visible()


def test_it_fits_a_phone(films: Server, visit: Visitor) -> None:
    page = visit(films, viewport=PHONE).open(ASKED)
    results(page)
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]
    page.get_by_text("How to search").click()
    expect(page.get_by_label("Results", exact=True)).to_be_visible()
    assert serious_faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(films: Server, visit: Visitor, scheme: str) -> None:
    page = visit(films, color_scheme=scheme).open(ASKED)
    results(page)
    slide(page, "Results", 7)
    expect(page.locator(".effect")).to_be_visible()
    page.locator("#result-1").get_by_role("button", name="Why here?").click()
    expect(page.locator(".explanation h3").first).to_be_visible()
    page.get_by_role("button", name="curl").click()
    expect(page.locator(".taken")).to_be_visible()
    assert serious_faults(page) == []


def test_it_works_without_a_script(films: Server, visit: Visitor) -> None:
    page = visit(films, java_script_enabled=False).open("/?weights[bm25_weight]=0.4")
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_label("Results").fill("7")
    page.get_by_role("button", name="Search").click()
    assert len(results(page)) == 7
    assert chosen(page)["weights[bm25_weight]"] == ["0.4"]
    expect(page.get_by_text("Reached from").first).to_be_visible()
    page.get_by_role("link", name="JSON-LD").click()
    assert json.loads(page.locator("body").inner_text())["numberOfItems"] == 7


def test_an_error_is_told(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/?" + urlencode({"q": QUESTION, "where": "nonsense"}))
    expect(page.get_by_role("alert").first).to_contain_text("where")
    page.get_by_label("Question").fill("Who?")
    expect(page.get_by_label("Question")).to_have_value("Who?")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A graph with markup in every name, that keeps its retrievals."""
    folder = tmp_path_factory.mktemp("hostile") / "graph"
    graph = KnowledgeGraph.create(folder, encoder="jaccard")
    name = f"{TRAP} Ferry"
    text = f"# {name}\n\nThe ferry of {TRAP} Osmere\N{SHIP} sails. [{TRAP}](javascript:window.trapped=1)\n"
    graph.add(text, identifier="a&\"'<b>.md", metadata={"team": TRAP, "language": "en"})
    graph.add(f"# Osmere\n\n{name} comes to Osmere.\n", identifier="b.md", metadata={"team": TRAP})
    graph.add(
        '<javascript:window.trapped=1> <http://schema.org/name> "ferry <b>" .\n'
        '<http://e.org/x> a <javascript:alert(1)> ; <https://schema.org/name> "ferry x" .\n',
        identifier="c.ttl",
    )
    graph.close()
    with serving(folder, (AccessRole.READ,), keep_retrievals="on") as server:
        yield server


def test_no_name_becomes_a_script(hostile: Server, visit: Visitor) -> None:
    page = visit(hostile).open("/?" + urlencode({"q": f"ferry {TRAP}"}))
    results(page)
    expect(page.locator(".facet").first).to_be_visible()
    for button in ("Context", "Why here?"):
        page.locator("#result-1").get_by_role("button", name=button).click()
    expect(page.locator(".explanation h3").first).to_be_visible()
    page.get_by_role("button", name="curl").click()
    expect(page.locator(".taken")).to_contain_text(TRAP)
    page.get_by_role("group", name="team").get_by_role("checkbox").first.check()
    page.wait_for_url("**metadata*")
    assert len(results(page)) >= 2
    hrefs = page.locator("main a").evaluate_all("all => all.map(a => a.protocol)")
    assert set(hrefs) == {"http:"}
    assert page.locator("main img, main script").count() == 0
    assert page.evaluate("window.trapped") is None


def test_a_result_has_a_page_where_no_address_can_hold_its_iri(tmp_path: Path, visit: Visitor) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard", base_iri="http://example.org/kg#")
    graph.add("The ferry to Osmere sails.", identifier="a.md", metadata={"title": "The ferry"})
    graph.close()
    with serving(tmp_path / "graph") as server:
        page = visit(server).open("/?q=ferry")
        results(page)
        page.locator("h3").get_by_role("link", name="The ferry", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("The ferry")


def test_marks_stand_where_the_words_are_beyond_the_basic_plane(hostile: Server, visit: Visitor) -> None:
    page = visit(hostile).open("/?" + urlencode({"q": "sails"}))
    results(page)
    expect(page.locator("mark").first).to_have_text("sails")


def test_feedback_needs_a_token_and_is_kept(hostile: Server, visit: Visitor) -> None:
    page = visit(hostile).open("/?" + urlencode({"q": "ferry"}))
    results(page)
    expect(page.locator("#result-1").get_by_text("Sign in")).to_be_visible()
    token = hostile.tokens["read"]
    page.evaluate("token => sessionStorage.setItem('sage-ld token', token)", token)
    page.reload()
    results(page)
    page.locator("#result-1").get_by_role("button", name="Helped").click()
    expect(page.locator("#result-1")).to_contain_text("Noted.")


@pytest.mark.skipif("SAGE_PICTURES" not in os.environ, reason="set SAGE_PICTURES to take pictures for docs/")
def test_picture(films: Server, visit: Visitor) -> None:
    page = visit(films).open(ASKED + "&k=3")
    results(page)
    expect(page.locator(".facet").first).to_be_visible()
    expect(page.locator(".effect")).to_be_visible()
    page.screenshot(path=PICTURES / "search.png")


def test_who_signs_in_to_judge_a_result_finds_the_way_back(hostile: Server, visit: Visitor) -> None:
    page = visit(hostile).open("/?" + urlencode({"q": "ferry"}))
    results(page)
    page.get_by_role("link", name="Sign in").first.click()
    page.get_by_label("Token", exact=True).fill(hostile.tokens["read"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Back to the results").click()
    expect(page.get_by_role("button", name="Helped").first).to_be_visible()
