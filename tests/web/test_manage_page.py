"""The page /manage in a browser: sign in, add, change, delete, relate, look after the graph."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from service.serving import Server, serving
from web.accessibility import serious_faults
from web.browsing import PHONE, Visitor, sign_in

from sage_ld.service.access.tokens import AccessRole

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "manage.png"
HOSTILE = '<img src=x onerror="window.trapped=1">.md'


@pytest.fixture
def own(films_graph: Path, tmp_path: Path) -> Iterator[Server]:
    """A service of a copy of the films, which a test may change."""
    folder = tmp_path / "graph"
    shutil.copytree(films_graph, folder, ignore=shutil.ignore_patterns("tokens.*"))
    roles = (AccessRole.READ, AccessRole.WRITE, AccessRole.ADMIN)
    with serving(
        folder, roles, snapshot_dir=tmp_path / "saved", keep_retrievals="on", max_sync_bytes=100_000
    ) as server:
        yield server


def open_panel(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Management").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=name, level=2)).to_be_visible()


def test_a_wrong_token_is_refused_and_a_role_sees_what_it_may_do(films: Server, visit: Visitor) -> None:
    page = visit(films).open("/manage")
    page.get_by_label("Token", exact=True).fill("sage_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("does not know the token")
    sign_in(page, films, "read")
    panels = page.get_by_role("navigation", name="Management")
    expect(panels.get_by_role("link")).to_have_text(["Evaluation"])
    expect(page.get_by_text("needs a token of the role write")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token", exact=True)).to_be_visible()
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]


def test_a_token_is_kept_while_the_service_does_not_answer(films: Server, visit: Visitor) -> None:
    page = sign_in(visit(films).open("/manage"), films, "read")
    page.route("**/v1/role", lambda route: route.abort())
    page.reload()
    expect(page.get_by_label("Token", exact=True)).to_be_visible()
    page.unroute("**/v1/role")
    page.reload()
    expect(page.get_by_text("Signed in with the role read")).to_be_visible()


def test_a_file_is_uploaded_found_changed_and_deleted(own: Server, visit: Visitor, tmp_path: Path) -> None:
    page = sign_in(visit(own).open("/manage"), own, "write")
    note = tmp_path / HOSTILE.replace("/", "")
    note.write_text("# Zanzibar drum\n\nThe zanzibar drum was played by Orlo Quist in 1931.")
    page.get_by_label("Files", exact=True).set_input_files(note)
    expect(page.get_by_role("list", name="Sent").get_by_text("added")).to_be_visible()
    page.get_by_role("list", name="Sent").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Zanzibar drum", level=1)).to_be_visible()
    page.goto(f"http://127.0.0.1:{own.port}/?q=zanzibar+drum")
    expect(page.get_by_role("link", name="Zanzibar drum").first).to_be_visible()
    page.goto(f"http://127.0.0.1:{own.port}/manage#documents")
    page.get_by_label("Identifiers that begin with").fill("<img")
    expect(page.get_by_text("1 documents")).to_be_visible()
    page.get_by_role("button", name="Change").click()
    page.get_by_label("New key").fill("team")
    page.get_by_label("Its value").fill("red")
    page.get_by_role("button", name="Save the metadata").click()
    expect(page.get_by_text("The metadata is saved.")).to_be_visible()
    expect(page.get_by_label("team", exact=True)).to_have_value("red")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("0 documents")).to_be_visible()
    assert page.evaluate("window.trapped") is None


def test_metadata_keep_their_kinds_and_are_removed(own: Server, visit: Visitor) -> None:
    body = {
        "text": "A note.",
        "identifier": "note",
        "metadata": {"year": 1931, "box": "17", "shelves": ["a", "b"]},
    }
    sent = own.send("POST", "/v1/documents", json.dumps(body), token="write", Content_Type="application/json")
    assert sent.status < 300
    page = sign_in(visit(own).open("/manage#documents"), own, "write")
    page.get_by_label("Identifiers that begin with").fill("note")
    expect(page.get_by_text("1 documents")).to_be_visible()
    page.get_by_role("button", name="Change").click()
    page.get_by_label("year", exact=True).fill("1932")
    page.get_by_label("box", exact=True).fill("18")
    page.get_by_role("button", name="Remove shelves").click()
    page.get_by_role("button", name="Save the metadata").click()
    expect(page.get_by_text("The metadata is saved.")).to_be_visible()
    found = own.send("GET", "/v1/documents/note", token="read").json["metadata"]
    assert (found["year"], found["box"], "shelves" in found) == (1932, "18", False)


def test_a_large_upload_becomes_a_job_that_is_followed(own: Server, visit: Visitor, tmp_path: Path) -> None:
    page = sign_in(visit(own).open("/manage"), own, "write")
    big = tmp_path / "big.txt"
    # more than max_sync_bytes is set to
    big.write_text("".join(f"Line {number} of a long list.\n\n" for number in range(9_000)))
    page.get_by_label("Files", exact=True).set_input_files(big)
    sent = page.get_by_role("list", name="Sent")
    expect(sent.get_by_text("done").or_(sent.get_by_role("alert"))).to_be_visible()
    open_panel(page, "Jobs")
    expect(page.get_by_role("button", name="Forget")).to_be_visible()


def test_texts_are_added_and_related(own: Server, visit: Visitor) -> None:
    page = sign_in(visit(own).open("/manage"), own, "write")
    page.get_by_text("Add a text").click()
    page.get_by_label("Text", exact=True).fill("A note on the Regent.")
    page.get_by_label("Identifier").fill("notes/regent")
    page.get_by_label("Metadata").fill("no json")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("alert")).to_contain_text("not a JSON object")
    page.get_by_label("Metadata").fill('{"year": 1931}')
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("list", name="Sent").get_by_text("added")).to_be_visible()
    open_panel(page, "Relations")
    page.get_by_label("From").fill("notes/regent")
    page.get_by_label("Relation", exact=True).fill("related_to")
    page.get_by_label("To", exact=True).fill("people/tobias-wren.md")
    page.get_by_role("button", name="Relate").click()
    expect(page.get_by_text("1 relations are stated.")).to_be_visible()
    expect(page.get_by_role("link", name="Tobias Wren")).to_be_visible()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("0 relations are stated.")).to_be_visible()


def test_the_graph_is_looked_after(own: Server, visit: Visitor) -> None:
    page = sign_in(visit(own).open("/manage"), own, "admin")
    open_panel(page, "Operation")
    expect(page.get_by_text("jaccard")).to_be_visible()
    page.get_by_role("button", name="Check the graph").click()
    expect(page.get_by_text("Nothing is wrong")).to_be_visible()
    page.get_by_role("button", name="Relink").click()
    expect(page.get_by_text("DocumentDocument")).to_be_visible()
    page.get_by_role("button", name="Take a snapshot").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    with tarfile.open(download.value.path()) as packed:
        assert f"{Path(packed.getnames()[0]).parts[0]}/sage-ld.toml" in packed.getnames()
    page.get_by_role("button", name="Go back to it").click()
    page.get_by_role("button", name="Replace what is there").click()
    expect(page.get_by_text("It is revision")).to_be_visible()


def test_tokens_settings_and_questions(own: Server, visit: Visitor) -> None:
    own.send("GET", "/v1/retrieve?q=Who+is+Tobias+Wren")
    page = sign_in(visit(own).open("/manage"), own, "admin")
    open_panel(page, "Tokens")
    page.get_by_label("Name", exact=True).fill(
        'alice <img src=x onerror="window.trapped=1">'.replace('"', "'")
    )
    page.get_by_role("button", name="Create").click()
    made = page.locator(".made code").inner_text()
    assert own.send("GET", "/v1/role", token=made).json == {"role": "read"}
    page.get_by_role("button", name="Revoke the token of alice").click()
    expect(page.get_by_role("button", name="Revoke the token of alice")).to_have_count(0)
    assert own.send("GET", "/v1/role", token=made).status == 401
    open_panel(page, "Settings")
    page.get_by_label("Words").fill("snapshot_dir")
    expect(page.get_by_text("1 of")).to_be_visible()
    open_panel(page, "Questions asked")
    expect(page.get_by_role("link", name="Who is Tobias Wren").first).to_be_visible()
    expect(page.get_by_role("link", name="Tobias Wren", exact=True).first).to_be_visible()
    assert page.evaluate("window.trapped") is None


def test_questions_of_ones_own_are_measured_with_curves(own: Server, visit: Visitor, tmp_path: Path) -> None:
    questions = tmp_path / "queries.jsonl"
    questions.write_text(json.dumps({"_id": "1", "text": "Who is Tobias Wren?"}) + "\n")
    judgements = tmp_path / "qrels.tsv"
    judgements.write_text("query-id\tcorpus-id\tscore\n1\tpeople/tobias-wren.md\t1\n1\t__proto__\t1\n")
    page = sign_in(visit(own).open("/manage#evaluation"), own, "read")
    page.get_by_label("Questions and judgements").set_input_files([questions, judgements])
    page.get_by_role("button", name="Measure 1 questions").click()
    expect(page.get_by_role("img", name="recall by number of results")).to_be_visible()
    expect(page.get_by_text("1 judged documents are not in the graph")).to_be_visible()
    expect(page.get_by_role("row", name="2 0.500")).to_be_visible()


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}, {"color_scheme": "dark"}])
def test_nobody_is_kept_out(films: Server, visit: Visitor, options: dict[str, object]) -> None:
    page = visit(films, **options).open("/manage")
    assert serious_faults(page) == []
    sign_in(page, films, "admin")
    names = page.get_by_role("navigation", name="Management").get_by_role("link").all_inner_texts()
    assert len(names) > 8
    for name in names:
        open_panel(page, name)
        assert serious_faults(page) == [], name
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_without_javascript_it_says_what_works(films: Server, visit: Visitor) -> None:
    page = visit(films, java_script_enabled=False).open("/manage")
    assert "It needs JavaScript" in page.locator("noscript").inner_text()


@pytest.mark.skipif("SAGE_PICTURES" not in os.environ, reason="SAGE_PICTURES is not set")
def test_its_picture(films: Server, visit: Visitor) -> None:
    page = sign_in(visit(films).open("/manage#operation"), films, "admin")
    expect(page.get_by_text("Base IRI")).to_be_visible()
    PICTURE.parent.mkdir(exist_ok=True)
    page.screenshot(path=PICTURE)
