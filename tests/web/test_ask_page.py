"""The page for questions in a browser: answers in three ways, and calls that wait for a person."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from foundation.language_model.scripted_server import Script, scripted_server
from playwright.sync_api import Page, expect
from service.serving import Server, serving
from service.web import small_graph
from web.accessibility import serious_faults
from web.browsing import PHONE, Visitor, sign_in

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "ask.png"
QUESTION = "Which instrument did the composer of The Ninth Ferry play?"
TRAP = "<img src=x onerror='window.trapped = true'>"
SQL = "SELECT sum(people) AS people, list(_chunk) AS _chunk FROM towns"
SCRIPT: Script = [
    {"query_type": "ANALYTICAL", "target_types": [], "key_entities": ["towns"]},
    {"scores": []},
    {"thought": f"a sum {TRAP}", "action": "CODE", "code": SQL, "selected_indices": []},
    {"answer": f"15,400 {TRAP}", "citations": [0]},
]


def asked(page: Page, question: str, way: str) -> None:
    page.get_by_label("Question").fill(question)
    page.get_by_label(way).check()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("Done.")).to_be_visible()


def test_an_answer_cites_passages_that_open(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/ask")
    asked(page, QUESTION, "in sentences")
    expect(page.locator(".said")).to_contain_text("he was handed a hurdy-gurdy")
    page.get_by_role("link", name="Citation 1").first.click()
    assert page.url.endswith("#citation-1")
    passage = page.get_by_role("list", name="Citations").get_by_role("link").first
    name = passage.text_content() or "?"
    passage.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    page.go_back()


def test_a_question_is_shared_by_its_address(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/ask?q=What+are+the+admissions+of+The+Ninth+Ferry%3F&way=query")
    expect(page.get_by_role("region", name="Rows")).to_contain_text("511700")
    page.get_by_label("Question").press("End")
    page.get_by_label("Question").press("Enter")
    assert "way=query" in page.url


def test_a_query_says_how_sure_it_is_and_what_words_were_taken_for(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/ask")
    asked(page, "What are the admissions of The Ninth Ferry?", "by a query")
    expect(page.get_by_role("region", name="Rows").locator("tbody")).to_have_text("511700")
    expect(page.locator("meter")).to_have_attribute("value", "0.9")
    expect(page.locator("dl.facts dt")).to_have_text(["admissions", "The Ninth Ferry"])
    expect(page.get_by_text('FROM "data_admissions"')).to_be_visible()
    asked(page, "Why is the ferryman so late and so sad?", "by a query")
    expect(page.get_by_text("No query fits this question.")).to_be_visible()
    assert page.locator("ol.citations li").count() > 0


def test_without_a_model_the_page_says_what_works(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/ask")
    page.get_by_label("by reasoning").check()
    expect(page.get_by_text("This service has no language model")).to_be_visible()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()


@pytest.fixture
def towns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A service with a language model that follows the script."""
    folder = small_graph(tmp_path)
    roles = (AccessRole.READ, AccessRole.WRITE)
    with scripted_server(*SCRIPT) as model:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        settings = {"language_model": "m", "language_base_url": model.url, "language_cache_bytes": "0"}
        for name, value in settings.items():
            monkeypatch.setenv(f"SAGE_LD_{name.upper()}", value)
        with serving(folder, roles) as server:
            yield server


def test_reasoning_shows_its_steps_to_who_has_a_token(towns: Server, visit: Visitor) -> None:
    page = visit(towns).open("/ask")
    page.get_by_label("by reasoning").check()
    expect(page.get_by_text("it needs a token")).to_be_visible()
    sign_in(page, towns, "read")
    asked(page, "How many people live in the towns?", "by reasoning")
    expect(page.locator(".said")).to_have_text(f"15,400 {TRAP}")
    steps = page.get_by_role("list", name="Steps")
    expect(steps.get_by_role("heading")).to_have_text(
        ["Read the question", "Found candidates", "Scored them", "Computed"]
    )
    expect(steps).to_contain_text(SQL)
    expect(steps).to_contain_text(f"a sum {TRAP}")
    expect(steps.get_by_role("region", name="Rows of the statement")).to_contain_text("15400")
    assert page.get_by_role("link", name="passage 1").count() == 1
    assert page.evaluate("window.trapped") is None
    assert serious_faults(page) == []


def test_a_person_decides_about_calls_that_wait(towns: Server, visit: Visitor) -> None:
    log = KnowledgeGraph.open(towns.folder).approvals
    first = log.hold("agent", "delete_document", {"document": TRAP}, "write")
    second = log.hold("agent", "ingest_text", {"text": "x"}, "write")
    page = visit(towns).open("/ask")
    page.get_by_text("Sign in").first.click()
    sign_in(page, towns, "write")
    call = page.get_by_role("region", name="A call of delete_document")
    expect(call.get_by_label("Arguments")).to_contain_text(TRAP)
    assert serious_faults(page) == []
    call.get_by_label("Reason").fill("it is needed")
    call.get_by_role("button", name="Refuse").click()
    expect(page.get_by_text("Refused: delete_document.")).to_be_visible()
    page.get_by_role("region", name="A call of ingest_text").get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    assert (log.get(first.identifier).approved, log.get(first.identifier).reason) == (False, "it is needed")
    assert log.get(second.identifier).approved
    assert page.evaluate("window.trapped") is None


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"viewport": PHONE}])
def test_it_is_accessible(films: Server, visit: Visitor, options: dict[str, object]) -> None:
    page = visit(films, **options).open("/ask")
    assert serious_faults(page) == []
    for way, question in (("in sentences", QUESTION), ("by a query", "Who directed The Ninth Ferry?")):
        asked(page, question, way)
        assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.skipif("SAGE_PICTURES" not in os.environ, reason="SAGE_PICTURES is not set")
def test_a_picture_for_the_documentation(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/ask")
    asked(page, QUESTION, "in sentences")
    page.screenshot(path=PICTURE)
