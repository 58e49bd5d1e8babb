"""`/v1/documents`: documents that clients add, read, change and take out."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from service.web import client_of, fits
from werkzeug.test import TestResponse

from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.locks import try_lock_exclusive
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.idempotency import FOLDER, prune
from sage_ld.service.routes import documents as documents_route
from sage_ld.service.sparql.writes import write

TEXT = "The Golden Heron is a prize for films. Mira Tolland wrote its hymn."


class Author:
    """A client that may write."""

    def __init__(self, client: FlaskClient, token: str) -> None:
        self.client, self.token = client, token

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> TestResponse:
        sent = {"Authorization": f"Bearer {self.token}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.open(path, method=method, data=body, headers=sent)

    def json(self, method: str, path: str, said: object, **headers: str) -> TestResponse:
        headers = {"Content_Type": "application/json", **headers}
        return self.send(method, path, json.dumps(said), **headers)

    def get(self, identifier: str) -> TestResponse:
        return self.client.get("/v1/documents/" + quote(identifier, safe=""))


@pytest.fixture(scope="module")
def author(folder: Path) -> Iterator[Author]:
    token = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    with client_of(folder, max_batch_documents=3) as client:
        yield Author(client, token)


def statuses(answer: TestResponse) -> list[tuple[str, str]]:
    return [(each["identifier"], each["status"]) for each in answer.get_json(force=True)["documents"]]


NAMES = [
    "notes/a b",
    "caf\u00e9%2F1",
    "http://example.org//x?y#z",
    "/abs",
    "a;b=c",
    "..",
    "x/../y",
    "%41",
    "a/",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_put_read_and_deleted_under_any_identifier(author: Author, name: str) -> None:
    path = "/v1/documents/" + quote(name, safe="").replace("..", "%2E%2E")
    made = author.json("PUT", path, {"text": f"{TEXT} {name}", "name": "Heron", "metadata": {"year": 1931}})
    assert (made.status_code, statuses(made)) == (201, [(name, "added")])
    fits(made.get_json(force=True), "Stored")
    read = author.client.get(made.headers["Location"])
    document = read.get_json(force=True)
    fits(document, "DescribedDocument")
    assert (document["identifier"], document["name"], document["metadata"]) == (name, "Heron", {"year": 1931})
    assert read.headers["ETag"] == made.headers["ETag"]
    assert author.client.get(path, headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    assert author.send("DELETE", path).status_code == 204
    assert author.client.get(path).status_code == 404


def test_a_document_is_found_as_soon_as_it_is_put(author: Author) -> None:
    author.send(
        "PUT", "/v1/documents/zither.md", "# Zither\n\nA zither hummed.", Content_Type="text/markdown"
    )
    found = author.client.get("/v1/retrieve?q=zither&k=1&from_graph=0").get_json(force=True)
    assert found["itemListElement"][0]["item"]["isPartOf"][0]["identifier"] == "zither.md"
    assert author.get("zither.md").get_json(force=True)["name"] == "Zither"
    again = author.send(
        "PUT", "/v1/documents/zither.md", "# Zither\n\nA zither hummed.", Content_Type="text/markdown"
    )
    assert (again.status_code, statuses(again)) == (200, [("zither.md", "unchanged")])
    named = author.send("PUT", "/v1/documents/zither.md?name=Z", "A zither.", Content_Type="text/plain")
    assert (named.status_code, statuses(named)) == (200, [("zither.md", "replaced")])


def test_the_text_of_a_document_is_sent_as_text(author: Author, folder: Path) -> None:
    path, plain = "/v1/documents/whole%2Ftext", {"Accept": "text/plain"}
    author.json("PUT", path, {"text": f"{TEXT}\n\nCaf\u00e9.", "metadata": {"for": "whole"}})
    sent = author.client.get(path, headers=plain)
    assert (sent.status_code, sent.content_type) == (200, "text/plain; charset=utf-8")
    assert sent.get_data(as_text=True) == f"{TEXT}\n\nCaf\u00e9."
    tag = sent.headers["ETag"]
    assert author.client.get(path, headers={**plain, "If-None-Match": tag}).status_code == 304
    assert author.client.get(path, headers={"If-None-Match": tag}).status_code == 200
    assert author.client.get(path).is_json
    assert author.client.get("/v1/documents/none", headers=plain).status_code == 404
    assert author.json("PUT", path, {"text": TEXT + " two"}, If_Match=tag).status_code == 200
    assert author.client.get(path, headers={**plain, "If-None-Match": tag}).status_code == 200
    with client_of(folder, max_sent_text=10) as client:
        refused = client.get(path, headers=plain)
        assert (refused.status_code, "max_sent_text" in refused.get_data(as_text=True)) == (413, True)


def test_what_is_passed_over_is_reported_with_its_places(author: Author) -> None:
    text = "# Fares\n\nThe ferry costs ~~14~~ 9 crowns."
    made = author.send("PUT", "/v1/documents/fares.md", text, Content_Type="text/markdown")
    report = made.get_json(force=True)
    fits(report, "Stored")
    part = {"identifier": "fares.md", "kind": "struck-out text", "count": 1, "places": ["Fares"]}
    assert report["passedOver"] == [part]


def test_metadata_is_patched(author: Author) -> None:
    author.json("PUT", "/v1/documents/patched", {"text": TEXT + " patched", "metadata": {"team": "red"}})
    patch = {"metadata": {"team": None, "author": ["Ann", "Bo"], "made": {"year": 1931}}}
    answer = author.json("PATCH", "/v1/documents/patched", patch, Content_Type="application/merge-patch+json")
    assert answer.status_code == 200
    read = author.get("patched")
    assert read.headers["ETag"] == answer.headers["ETag"]
    assert read.get_json(force=True)["metadata"] == {"author": ["Ann", "Bo"], "made.year": 1931}
    same = author.json("PATCH", "/v1/documents/patched", {"metadata": {"author": ["Ann", "Bo"]}})
    assert same.get_json(force=True) == answer.get_json(force=True)
    wrong = author.json("PATCH", "/v1/documents/patched", {"metadata": {"title": "New"}})
    assert wrong.status_code == 400
    assert author.json("PATCH", "/v1/documents/none", patch).status_code == 404
    assert author.send("PATCH", "/v1/documents/patched", "x", Content_Type="text/plain").status_code == 415


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_two_writers_do_not_overwrite_each_other_unseen(author: Author, method: str) -> None:
    path = f"/v1/documents/raced-{method}"
    said = {"PATCH": {"metadata": {"n": 2}}, "PUT": {"text": TEXT + " two"}, "DELETE": None}[method]
    first = author.json("PUT", path, {"text": TEXT, "metadata": {"n": 1, "for": method}})
    tag = first.headers["ETag"]
    assert author.json(method, path, said, If_Match='"other"').status_code == 412
    assert author.json(method, path, said, If_Match="").status_code == 400
    assert author.json(method, path, said, If_None_Match="*").status_code == 412
    author.json("PATCH", path, {"metadata": {"n": 3}}, If_Match=tag)
    assert author.json(method, path, said, If_Match=tag).status_code == 412
    newest = author.client.get(path)
    assert newest.get_json(force=True)["metadata"] == {"n": 3, "for": method}
    assert author.json(method, path, said, If_Match=newest.headers["ETag"]).status_code in (200, 204)


def test_a_document_is_made_only_once_if_none_is_to_be_replaced(author: Author) -> None:
    path, said = "/v1/documents/once", {"text": TEXT + " once"}
    assert author.json("PUT", path, said, If_Match="*").status_code == 412
    assert author.json("PUT", path, said, If_None_Match="*").status_code == 201
    assert author.json("PUT", path, said, If_None_Match="*").status_code == 412


def test_texts_are_posted_one_by_one_and_in_batches(author: Author) -> None:
    one = author.json("POST", "/v1/documents", {"text": "A lone otter."})
    assert one.status_code == 201
    [(name, _)] = statuses(one)
    same = author.json("POST", "/v1/documents", {"text": "A lone otter."})
    assert (same.status_code, statuses(same)) == (200, [(name, "unchanged")])
    other = author.json("POST", "/v1/documents", {"text": "A lone otter.", "identifier": "otter"})
    assert (other.status_code, statuses(other)) == (200, [(name, "duplicate")])
    several = author.json(
        "POST",
        "/v1/documents",
        [
            {"text": "Two otters.", "identifier": "two"},
            {"text": "{", "identifier": "bad", "mediaType": "application/json"},
            {"text": "Two otters.", "identifier": "three"},
        ],
    )
    assert (several.status_code, statuses(several)) == (200, [("two", "added"), ("two", "duplicate")])
    assert [each["source"] for each in several.get_json(force=True)["failed"]] == ["bad"]
    fits(several.get_json(force=True), "Stored")


def test_files_are_posted_in_a_form(author: Author) -> None:
    form = {
        "files": [
            (io.BytesIO(b"# Lirr\n\nLirr is a river."), "rivers/lirr.md", "text/markdown"),
            (io.BytesIO(b"Town,River\nNew Hask,Lirr\n"), "new-towns.csv", "application/vnd.ms-excel"),
        ],
        "metadata": '{"team": "blue"}',
    }
    answer = author.send("POST", "/v1/documents", form)
    assert (answer.status_code, statuses(answer)) == (
        200,
        [("rivers/lirr.md", "added"), ("new-towns.csv", "added")],
    )
    assert author.get("new-towns.csv").get_json(force=True)["metadata"]["team"] == "blue"
    form = {
        "file": (io.BytesIO(b"# Osme\n\nOsme is a river."), "x.md"),
        "identifier": "osme",
        "name": "The Osme",
    }
    answer = author.send("POST", "/v1/documents", form)
    assert (answer.status_code, statuses(answer)) == (201, [("osme", "added")])
    assert author.get("osme").get_json(force=True)["name"] == "The Osme"


def test_the_metadata_of_a_form_is_sent_on_once(author: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[dict[str, Any]] = []

    def recording(job: dict[str, Any], body: IO[bytes]) -> dict[str, Any]:
        jobs.append(job)
        return write(job, body)

    monkeypatch.setattr(documents_route, "write", recording)
    text = "A fact. " * 200
    files = [(io.BytesIO(b"A river, number %d." % number), f"river-{number}.md") for number in range(3)]
    form = {"files": files, "metadata": json.dumps({"remark": text})}
    assert author.send("POST", "/v1/documents", form).status_code == 200
    assert len(json.dumps(jobs)) < 2 * len(text)
    assert author.get("river-2.md").get_json(force=True)["metadata"] == {"remark": text.strip()}


def test_several_are_answered_with_200_whatever_became_of_them(author: Author) -> None:
    def sent(*texts: str) -> tuple[int, int, int, bool]:
        said = [{"text": text, "mediaType": "application/json"} for text in texts]
        answer = author.json("POST", "/v1/documents", {"documents": said})
        done = answer.get_json(force=True)
        headers = {"Location", "ETag"} & {name for name, _ in answer.headers}
        return answer.status_code, len(done["documents"]), len(done["failed"]), bool(headers)

    assert sent('{"name": "Elk"}', '{"name": "Eel"}') == (200, 2, 0, False)
    assert sent('{"name": "Emu"}', "{") == (200, 1, 1, False)
    assert sent("[", "{") == (200, 0, 2, False)
    assert author.json("POST", "/v1/documents", {"documents": [{"text": "An ibis."}]}).status_code == 201


def test_a_duplicate_is_answered_with_the_one_that_is_there(author: Author) -> None:
    author.json("PUT", "/v1/documents/first", {"text": "A heron stood."})
    answer = author.json("POST", "/v1/documents", {"text": "A heron stood.", "identifier": "second"})
    assert (answer.status_code, statuses(answer)) == (200, [("first", "duplicate")])
    assert answer.headers["Content-Location"] == "/v1/documents/first"
    both = author.json(
        "POST", "/v1/documents?duplicates=keep", {"text": "A heron stood.", "identifier": "second"}
    )
    assert (both.status_code, statuses(both)) == (201, [("second", "added")])


def test_a_document_of_a_file_is_replaced_only_on_request(author: Author) -> None:
    path, said = "/v1/documents/towns.csv", {"text": "No towns."}
    assert author.json("PUT", path, said).status_code == 409
    assert author.json("PATCH", path, {"metadata": {"a": 1}}).status_code == 200
    patched = author.get("towns.csv").get_json(force=True)
    fits(patched, "DescribedDocument")
    assert (patched["metadata"], patched["patched"], "file" in patched) == ({"a": 1}, ["a"], True)
    assert author.json("PUT", path + "?replace=true", said).status_code == 200
    assert not {"file", "patched"} & author.get("towns.csv").get_json(force=True).keys()
    author.json("PATCH", "/v1/documents/films%2Fnight-bus.md?replace=true", {"metadata": {"a": 1}})
    assert "file" not in author.get("films/night-bus.md").get_json(force=True)


@pytest.mark.parametrize(
    ("method", "path", "body", "content_type", "status"),
    [
        ("PUT", "/v1/documents/a", "", "text/plain", 400),
        ("PUT", "/v1/documents/a", "{}", "application/json", 400),
        ("PUT", "/v1/documents/a", '{"text": "x", "identifier": "b"}', "application/json", 400),
        ("PUT", "/v1/documents/a", '[{"text": "x"}, {"text": "y"}]', "application/json", 400),
        ("PUT", "/v1/documents/a%0Ab", "x", "text/plain", 400),
        ("PUT", "/v1/documents/%FF", "x", "text/plain", 400),
        ("PUT", "/v1/documents/" + "a" * 2001, "x", "text/plain", 413),
        ("PUT", "/v1/documents/a", "x", "image/png", 400),
        (
            "PUT",
            "/v1/documents/a",
            '{"_id": "1", "text": "a"}\n{"_id": "2", "text": "b"}',
            "application/jsonl",
            400,
        ),
        ("PUT", "/v1/documents/a?unknown=1", "x", "text/plain", 400),
        ("PUT", "/v1/documents/a?replace=maybe", "x", "text/plain", 400),
        ("POST", "/v1/documents", "[]", "application/json", 400),
        ("POST", "/v1/documents", json.dumps([{"text": "x"}] * 4), "application/json", 413),
        ("POST", "/v1/documents", '{"text": "\\ud800"}', "application/json", 400),
        ("POST", "/v1/documents", '{"text": "x", "metadata": {"a": [[{}]]}}', "application/json", 201),
        ("POST", "/v1/documents", "x", "multipart/form-data; boundary=b", 400),
        ("DELETE", "/v1/documents/none", None, "text/plain", 404),
    ],
)
def test_what_cannot_be_done_is_refused(
    author: Author, method: str, path: str, body: str | None, content_type: str, status: int
) -> None:
    answer = author.send(method, path, body, Content_Type=content_type)
    assert answer.status_code == status, answer.get_data(as_text=True)


def test_supported_types_are_those_of_the_readers(author: Author) -> None:
    said = author.client.get("/v1/ingest/supported-types").get_json(force=True)
    fits(said, "SupportedTypes")
    assert {"mediaType": "text/markdown", "suffixes": [".md", ".markdown"], "reader": "Markdown"} in said[
        "types"
    ]


def test_what_was_put_is_there_for_programs(author: Author, folder: Path) -> None:
    author.json("PUT", "/v1/documents/shared", {"text": TEXT + " shared"})
    graph = KnowledgeGraph.open(folder)
    assert graph.documents["shared"].stored.root == "program"
    graph.close()


def test_a_request_with_a_key_is_carried_out_once(author: Author, folder: Path) -> None:
    path, said = "/v1/documents/keyed", {"text": TEXT + " keyed"}
    first = author.json("PUT", path, said, Idempotency_Key="k1")
    again = author.json("PUT", path, said, Idempotency_Key="k1")
    assert (again.status_code, again.data) == (201, first.data)
    assert (again.headers["Location"], again.headers["ETag"]) == (path, first.headers["ETag"])
    assert author.json("PUT", path, {"text": "Other."}, Idempotency_Key="k1").status_code == 422
    assert author.json("PUT", path + "2", said, Idempotency_Key="k1").status_code == 422
    assert author.send("DELETE", path, Idempotency_Key="k2").status_code == 204
    assert author.send("DELETE", path, Idempotency_Key="k2").status_code == 204
    assert author.send("DELETE", path).status_code == 404
    wrong = author.json("PATCH", path, {"metadata": {"a": 1}}, Idempotency_Key="k3")
    author.json("PUT", path, said)
    assert author.json("PATCH", path, {"metadata": {"a": 1}}, Idempotency_Key="k3").data == wrong.data
    for form in range(2):  # each with a boundary of its own
        files = {"file": (io.BytesIO(b"# K\n\nA form."), "k.md")}
        answer = author.send("POST", "/v1/documents", files, Idempotency_Key="k4")
        assert answer.status_code == 201, form
    other = create_token(folder, "other", AccessRole.WRITE, "2026-01-01")
    stranger = Author(author.client, other)
    assert stranger.json("PUT", path, said, Idempotency_Key="k1").status_code == 200


def test_the_conditions_of_a_request_belong_to_it_and_412_is_not_kept(author: Author) -> None:
    path, said = "/v1/documents/conditions", {"text": TEXT + " conditions"}
    for _ in range(2):
        refused = author.json("PUT", path, said, Idempotency_Key="z1", If_Match='"none"')
        assert refused.status_code == 412
    stored = author.json("PUT", path, said, Idempotency_Key="z1", If_None_Match="*")
    assert stored.status_code == 201
    same = author.json("PUT", path, said, Idempotency_Key="z1", If_None_Match="*")
    assert (same.status_code, same.data) == (201, stored.data)
    others = ({"If_Match": '"none"'}, {"If_None_Match": "*", "Prefer": "respond-async"})
    for headers in others:
        other = author.json("PUT", path, said, Idempotency_Key="z1", **headers)
        assert other.status_code == 422, headers


@pytest.mark.parametrize("value", ["[]", "{}", "null", '""'])
def test_empty_values_of_metadata_count_as_others_do(author: Author, value: str) -> None:
    most = Settings().max_metadata_values
    body = f'{{"text": "{TEXT}", "metadata": {{"a": [{",".join([value] * (most + 1))}]}}}}'
    refused = author.send("PUT", "/v1/documents/empty", body, Content_Type="application/json")
    assert refused.status_code == 413
    assert "max_metadata_values" in refused.get_json(force=True)["detail"]


def test_the_values_of_json_are_counted_before_it_is_read(author: Author) -> None:
    values = f"[{'[],' * Settings().max_json_values}[]"  # an end is missing: it is not read
    refused = author.send("POST", "/v1/documents", values, Content_Type="application/json")
    assert refused.status_code == 413
    assert "max_json_values" in refused.get_json(force=True)["detail"]


def form_of(*names: bytes) -> bytes:
    """A form with a file of each name, which says a text."""
    head = b'--XX\r\nContent-Disposition: form-data; name="file"; filename="'
    files = (head + name + b'"\r\nContent-Type: text/plain\r\n\r\nA text.\r\n' for name in names)
    return b"".join(files) + b"--XX--\r\n"


@pytest.mark.parametrize(
    ("body", "boundary"),
    [
        (form_of(b"a.txt", b"b.txt")[:-30], "; boundary=XX"),
        (form_of(b"a.txt", b"b\xfd.txt"), "; boundary=XX"),
        (form_of(b"a.txt"), ""),
    ],
)
def test_a_form_that_cannot_be_read_is_said_to_be_so(author: Author, body: bytes, boundary: str) -> None:
    for path in ("/v1/documents", "/data?graph=http://example.org/g"):
        answer = author.send("POST", path, body, Content_Type=f"multipart/form-data{boundary}")
        assert answer.status_code == 400
        assert "the form cannot be read" in answer.get_json(force=True)["detail"]


def test_an_empty_key_is_no_key_that_requests_could_share(author: Author) -> None:
    path = "/v1/documents/no-key"
    for key in ("", " \t"):
        refused = author.json("PUT", path, {"text": TEXT + " no key"}, Idempotency_Key=key)
        assert refused.status_code == 400
        assert "the key is empty" in refused.get_json(force=True)["detail"]
    assert author.client.get(path).status_code == 404


def test_while_a_request_is_carried_out_the_same_one_waits_for_nothing(author: Author, folder: Path) -> None:
    author.json("PUT", "/v1/documents/held", {"text": TEXT + " held"}, Idempotency_Key="held")
    newest = max((folder / FOLDER).iterdir(), key=lambda file: file.stat().st_mtime_ns)
    with newest.open("a+") as handle:
        assert try_lock_exclusive(handle)
        said = {"text": TEXT + " held"}
        assert author.json("PUT", "/v1/documents/held", said, Idempotency_Key="held").status_code == 409
    newest.write_text('{"requ')  # a process ended before it had written all of the answer
    again = author.json("PUT", "/v1/documents/held", {"text": TEXT + " held"}, Idempotency_Key="held")
    assert statuses(again) == [("held", "unchanged")]


def test_the_oldest_answers_are_deleted(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).touch()
        os.utime(tmp_path / str(number), (number, number))
    with (tmp_path / "0").open() as handle:
        try_lock_exclusive(handle)
        prune(tmp_path, Settings(max_idempotency_keys=10))
    assert sorted(int(file.name) for file in tmp_path.iterdir()) == [0, *range(11, 20)]


def test_the_oldest_answers_are_deleted_where_they_have_too_many_bytes(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).write_bytes(bytes(2**17))
        os.utime(tmp_path / str(number), (number, number))
    settings = Settings(max_idempotency_bytes=2**20)
    prune(tmp_path, settings)
    assert len(list(tmp_path.iterdir())) == 20
    prune(tmp_path, settings, weigh=True)
    assert sorted(int(file.name) for file in tmp_path.iterdir()) == list(range(13, 20))


def test_an_answer_that_is_too_long_is_not_kept_and_the_change_is_not_made_again(folder: Path) -> None:
    token = create_token(folder, "brief", AccessRole.WRITE, "2026-01-01")
    said = {"documents": [{"text": f"{TEXT} {number}"} for number in range(9)]}
    with client_of(folder, max_idempotency_answer=1024) as client:
        brief = Author(client, token)
        first = brief.json("POST", "/v1/documents", said, Idempotency_Key="long")
        assert {status for _, status in statuses(first)} == {"added"}
        again = brief.json("POST", "/v1/documents", said, Idempotency_Key="long")
    problem = again.get_json(force=True)
    assert (again.status_code, problem["type"].partition("#")[2]) == (422, "answer-not-kept")
    revision = first.get_json(force=True)["revision"]
    assert f"had status 200 and made revision {revision}" in problem["detail"]
    assert max(file.stat().st_size for file in (folder / FOLDER).iterdir()) < 2048


@pytest.mark.parametrize("end", ["", "\x01"])
def test_a_name_of_any_length_gives_a_short_answer(author: Author, folder: Path, end: str) -> None:
    files = [(io.BytesIO(TEXT.encode()), "a.txt"), (io.BytesIO(b"More."), "😀" * 100_000 + end)]
    answer = author.send("POST", "/v1/documents", {"file": files}, Idempotency_Key=f"name{len(end)}")
    [failed] = answer.get_json(force=True)["failed"]
    assert (failed["source"], len(failed["detail"]) < 1_000) == ("😀" * 200, True)
    assert max(file.stat().st_size for file in (folder / FOLDER).iterdir()) < 10_000


def test_a_list_goes_on_behind_its_cursor_whatever_changes(author: Author) -> None:
    for name in ("list/a", "list/B", "list/b", "list/c"):
        author.json("PUT", "/v1/documents/" + quote(name, safe=""), {"text": f"{TEXT} {name}"})

    def page(**asked: str) -> tuple[list[str], str | None]:
        answer = author.client.get("/v1/documents", query_string={"prefix": "list/", "limit": "2", **asked})
        said = answer.get_json(force=True)
        fits(said, "Documents")
        return [each["identifier"] for each in said["itemListElement"]], said.get("nextCursor")

    first, cursor = page()
    assert first == ["list/a", "list/B"]
    author.send("DELETE", "/v1/documents/list%2Fa")
    author.send("DELETE", "/v1/documents/list%2FB")
    assert cursor is not None
    rest, behind = page(cursor=cursor)
    assert rest == ["list/b", "list/c"]
    assert behind is not None
    assert page(cursor=behind) == ([], None)
    assert page(cursor=cursor, documents="list/c") == (["list/c"], None)
    for wrong in ({"cursor": "%"}, {"cursor": cursor, "offset": "1"}):
        assert author.client.get("/v1/documents", query_string=wrong).status_code == 400


def test_of_writers_that_race_one_wins(author: Author) -> None:
    path = "/v1/documents/race"
    tag = author.json("PUT", path, {"text": TEXT + " race"}).headers["ETag"]

    def change(number: int) -> int:
        own = Author(author.client.application.test_client(), author.token)
        return own.json("PUT", path, {"text": f"{TEXT} race {number}"}, If_Match=tag).status_code

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(change, range(4))) == [200, 412, 412, 412]


@pytest.mark.parametrize("coding", ["windows-1252", "utf-16", "koi8-r", "shift_jis", "no coding", "utf-8"])
@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown"])
def test_a_text_in_json_is_unicode_whatever_coding_its_metadata_states(
    author: Author, coding: str, media_type: str
) -> None:
    text = f"Größe der Brücke 3 € {coding}"
    said = {"text": text, "mediaType": media_type, "metadata": {"encoding": coding}}
    name = quote(f"{coding} {media_type}", safe="")
    assert author.json("PUT", f"/v1/documents/{name}", said).status_code == 201
    assert text in author.client.get(f"/v1/documents/{name}", headers={"Accept": "text/plain"}).text
