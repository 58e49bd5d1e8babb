"""`/v1/jobs`: writes that take long, how they end, and what stays of them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from embedding_server import KEY, Server
from flask.testing import FlaskClient
from service.processes import writers
from service.serving import empty_graph
from service.test_documents import Author
from service.web import client_of, fits
from waiting import PATIENCE, waited_for
from werkzeug.test import TestResponse

from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations.builds import last_chunk_count
from sage_ld.graph.store.directory import Directory
from sage_ld.service import context
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.http.metrics import pools
from sage_ld.service.jobs.records import FOLDER, JobRecords, JobState

TEXT = "The Golden Heron is a prize for films."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return empty_graph(tmp_path / "graph")


@contextlib.contextmanager
def writing(folder: Path, name: str = "writer", **settings: int) -> Iterator[Author]:
    token = create_token(folder, name, AccessRole.WRITE, "2026-01-01")
    with client_of(folder, **settings) as client:
        yield Author(client, token)


@pytest.fixture
def author(folder: Path) -> Iterator[Author]:
    with writing(folder) as opened:
        yield opened


def until(condition: Callable[[], bool]) -> None:
    assert waited_for(condition)


def begun(author: Author, number: int = 0) -> str:
    """The address of a job that adds a document."""
    said = {"text": f"{TEXT} {number}", "identifier": f"heron-{number}"}
    answer = author.json("POST", "/v1/documents", said, Prefer="respond-async")
    assert (answer.status_code, answer.headers["Preference-Applied"]) == (202, "respond-async")
    fits(answer.get_json(force=True), "Job")
    return str(answer.headers["Location"])


def state(client: FlaskClient, path: str) -> str:
    return str(client.get(path).get_json(force=True)["state"])


def ended(client: FlaskClient, path: str) -> TestResponse:
    until(lambda: JobState(state(client, path)).is_final)
    answer = client.get(path)
    fits(answer.get_json(force=True), "Job")
    return answer


def test_a_job_is_done_and_reports(author: Author) -> None:
    form = {
        "file": [
            (io.BytesIO(b"# Lirr\n\nLirr is a river."), "lirr.md"),
            (io.BytesIO(b"{"), "bad.json"),
        ]
    }
    answer = author.send("POST", "/v1/documents", form, Prefer="respond-async")
    job = ended(author.client, answer.headers["Location"]).get_json(force=True)
    assert job["state"] == "done"
    assert [each["identifier"] for each in job["report"]["documents"]] == ["lirr.md"]
    assert [each["source"] for each in job["report"]["failed"]] == ["bad.json"]
    assert author.get("lirr.md").status_code == 200


def test_what_is_large_becomes_a_job(folder: Path) -> None:
    with writing(folder, max_sync_bytes=20) as author:
        answer = author.json("PUT", "/v1/documents/large", {"text": TEXT})
        assert (answer.status_code, "Preference-Applied" in answer.headers) == (202, False)
        assert ended(author.client, answer.headers["Location"]).get_json(force=True)["state"] == "done"
        assert author.json("PUT", "/v1/documents/small", {"text": "Small."}).status_code == 201


def test_no_request_has_more_chunks_than_the_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_LD_MAX_REQUEST_CHUNKS", "3")
    sections = "\n\n".join(f"# Part {number}\n\nLirr {number}." for number in range(4))
    document = {"text": sections, "mediaType": "text/markdown"}
    with writing(folder) as author:
        refused = author.json("PUT", "/v1/documents/a", document)
        assert refused.status_code == 413
        detail = refused.get_json(force=True)["detail"]
        assert "4 chunks, the limit is 3; split it or raise the setting max_request_chunks" in detail
        texts = [{"text": f"{TEXT} {number}"} for number in range(4)]
        assert author.json("POST", "/v1/documents", {"documents": texts}).status_code == 413
        job = author.json("PUT", "/v1/documents/a", document, Prefer="respond-async")
        ending = ended(author.client, job.headers["Location"]).get_json(force=True)
        assert (ending["state"], ending["problem"]["status"]) == ("failed", 413)
        assert author.json("POST", "/v1/documents", {"documents": texts[:3]}).status_code == 200
    graph = KnowledgeGraph.open(folder)
    assert len(graph.documents) == 3
    graph.add(sections.encode(), file_name="a.md")  # what its owner adds has no such limit
    assert graph.documents["a.md"].chunks == 4


@pytest.mark.parametrize(("chunks", "derived"), [(2, 4), (8, 8)])
def test_only_a_small_graph_is_derived_again_as_a_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch, chunks: int, derived: int
) -> None:
    """The time for which a request holds the lock is bounded by what it may have, and not by the graph."""
    monkeypatch.setenv("SAGE_LD_MAX_REQUEST_CHUNKS", "3")
    graph = KnowledgeGraph.open(folder)
    graph.add("\n\n".join(f"# Part {n}\n\nLirr {n}." for n in range(chunks)).encode(), file_name="a.md")
    graph.close()
    with writing(folder) as author:
        texts = [{"text": f"{TEXT} {number}"} for number in range(2)]
        assert author.json("POST", "/v1/documents", {"documents": texts}).status_code == 200
    assert last_chunk_count(KnowledgeGraph.open(folder).snapshot().store) == derived


def test_a_job_is_read_and_encoded_while_another_process_writes(author: Author, folder: Path) -> None:
    with Directory(folder).locked():
        job = begun(author)
        until(lambda: '"encoding"' in author.client.get(job).text)
    assert ended(author.client, job).get_json(force=True)["state"] == "done"


def test_a_job_that_fails_says_why(author: Author) -> None:
    said = {"text": "{", "mediaType": "application/json"}
    answer = author.json("PUT", "/v1/documents/a", said, Prefer="respond-async")
    job = ended(author.client, answer.headers["Location"]).get_json(force=True)
    assert (job["state"], job["problem"]["status"]) == ("failed", 400)
    answer = author.json("PUT", "/v1/documents/a", {"text": "x"}, Prefer="respond-async", If_Match='"x"')
    job = ended(author.client, answer.headers["Location"]).get_json(force=True)
    assert (job["state"], job["problem"]["status"]) == ("failed", 412)


def test_a_client_follows_a_job_by_events(author: Author) -> None:
    stream = author.client.get(begun(author) + "/events", headers={"Accept": "text/event-stream"})
    assert stream.mimetype == "text/event-stream"
    *before, last = [each for each in stream.text.split("\n\n") if each.startswith("event:")]
    assert all(each.startswith("event: progress\n") for each in before)
    name, data = last.split("\n")
    assert name == "event: done"
    assert json.loads(data.removeprefix("data: "))["report"]["documents"][0]["status"] == "added"


def test_a_cancelled_job_does_nothing_and_an_ended_one_is_forgotten(author: Author, folder: Path) -> None:
    with Directory(folder).locked():
        running = begun(author, 1)
        until(lambda: state(author.client, running) == "running")
        waiting = begun(author, 2)
        for path in (waiting, running):
            assert author.send("DELETE", path).status_code == 204
        assert state(author.client, waiting) == "cancelled"
        assert ended(author.client, running).get_json(force=True)["state"] == "cancelled"
    assert author.get("heron-1").status_code == 404
    until(lambda: not JobRecords(folder, Settings()).unfinished())
    for path in (waiting, running):
        assert author.send("DELETE", path).status_code == 204
        assert author.client.get(path).status_code == 404
        assert author.send("DELETE", path).status_code == 404


@pytest.fixture
def writer_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Chooses the module of the process that writes."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)
    return lambda module: monkeypatch.setattr(context, "WRITE_WORKER", module)


def test_a_job_that_is_cancelled_while_it_publishes_is_done(
    writer_of: Callable[[str], None], folder: Path
) -> None:
    writer_of("service.cancelled_writer")
    directory = Directory(folder)
    former = directory.current()
    with writing(folder) as author:
        path = begun(author)
        until(lambda: directory.current() > former)
        assert author.send("DELETE", path).status_code == 204
        job = ended(author.client, path).get_json(force=True)
    assert (job["state"], job["report"]["revision"]) == ("done", former + 1)


def test_a_job_whose_process_crashes_once_it_has_published_names_the_revision(
    writer_of: Callable[[str], None], folder: Path
) -> None:
    writer_of("service.crashing_writer")
    with writing(folder) as author:
        job = ended(author.client, begun(author)).get_json(force=True)
    assert job["state"] == "failed"
    revision = Directory(folder).current()
    assert f"revision {revision} was being published and is there" in job["problem"]["detail"]


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_job_that_was_published_before_a_restart_is_not_done_again(folder: Path, cancelled: bool) -> None:
    records, revision = JobRecords(folder, Settings()), Directory(folder).current()
    record = records.add({"op": "documents"}, b"")
    records.write(replace(record, state=JobState.RUNNING, attempts=1, publishing=revision))
    if cancelled:
        records.cancel(record.identifier)
    with writing(folder) as author:
        job = ended(author.client, f"/v1/jobs/{record.identifier}").get_json(force=True)
    assert job["state"] == "interrupted"
    assert f"revision {revision} was being published and is there" in job["problem"]["detail"]


def test_jobs_wait_over_a_restart(folder: Path) -> None:
    with Directory(folder).locked():
        with writing(folder) as author:
            paths = [begun(author, number) for number in range(3)]
            until(lambda: state(author.client, paths[0]) == "running")
        assert [each.state for each in JobRecords(folder, Settings()).unfinished()] == [JobState.QUEUED] * 3
    with writing(folder, "another") as author:
        for path in paths:
            assert ended(author.client, path).get_json(force=True)["state"] == "done"
    graph = KnowledgeGraph.open(folder)
    assert list(graph.documents) == ["heron-0", "heron-1", "heron-2"]
    graph.close()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_job_whose_process_is_killed_is_done_again_and_not_for_ever(author: Author, folder: Path) -> None:
    def killed(path: str) -> bool:
        for each in writers(folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        return JobState(state(author.client, path)).is_final

    with Directory(folder).locked():
        first = begun(author, 1)
        until(lambda: killed(first))
        assert state(author.client, first) == "interrupted"
        second = begun(author, 2)
        until(lambda: state(author.client, second) == "running")
        at_work: list[int] = []
        until(lambda: bool(at_work.extend(writers(folder)) or at_work))
        for each in at_work:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
    assert ended(author.client, second).get_json(force=True)["state"] == "done"
    assert [author.get(f"heron-{number}").status_code for number in (1, 2)] == [404, 200]


def test_a_job_that_was_sent_twice_with_a_key_is_one(author: Author) -> None:
    said, headers = {"text": TEXT}, {"Prefer": "respond-async", "Idempotency_Key": "j"}
    first = author.json("PUT", "/v1/documents/a", said, **headers)
    again = author.json("PUT", "/v1/documents/a", said, **headers)
    assert (first.status_code, again.status_code) == (202, 202), again.text
    assert again.headers["Location"] == first.headers["Location"]


def test_no_more_jobs_wait_than_may_and_no_more_are_kept(folder: Path) -> None:
    with writing(folder, max_waiting_jobs=2, max_kept_jobs=1) as author:
        with Directory(folder).locked():
            paths = [begun(author, number) for number in range(2)]
            said = {"text": TEXT}
            answer = author.json("POST", "/v1/documents", said, Prefer="respond-async")
            assert (answer.status_code, "max_waiting_jobs" in answer.text) == (503, True)
        for path in paths:
            ended(author.client, path)
        begun(author, 3)
        assert [author.client.get(path).status_code for path in paths] == [404, 200]


def test_metadata_above_its_limits_does_not_wait(folder: Path) -> None:
    with writing(folder, max_metadata_values=3) as author:
        said = {"text": TEXT, "metadata": {"colours": ["red"] * 4}}
        answer = author.json("POST", "/v1/documents", said, Prefer="respond-async")
        assert (answer.status_code, "max_metadata_values" in answer.text) == (413, True)
    assert not (folder / "jobs").exists()


def test_a_kept_report_says_how_much_it_lacks(folder: Path) -> None:
    with writing(folder, max_report_entries=2) as author:
        form = {"file": [(io.BytesIO(f"River {each}.".encode()), f"{each}.txt") for each in range(5)]}
        answer = author.send("POST", "/v1/documents", form, Prefer="respond-async")
        report = ended(author.client, answer.headers["Location"]).get_json(force=True)["report"]
    assert [each["identifier"] for each in report["documents"]] == ["0.txt", "1.txt"]
    assert report["omitted"] == {"documents": 3}


def test_what_looks_for_jobs_reads_small_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records, large = JobRecords(folder, Settings()), {"metadata": "x" * 100_000}
    read: list[Path] = []
    for _ in range(3):
        done = records.add(large, b"x")
        records.keep_report(done.identifier, large)
        records.write(replace(done, state=JobState.DONE))
        assert not (records.folder / done.identifier / "work.json").exists()
    waiting = records.add(large, b"x")
    read_text = Path.read_text

    def noted(file: Path, encoding: str) -> str:
        read.append(file)
        return read_text(file, encoding)

    monkeypatch.setattr(Path, "read_text", noted)
    assert [each.identifier for each in records.unfinished()] == [waiting.identifier]
    assert read == [records.folder / waiting.identifier / "job.json"]
    records.write(replace(waiting, progress={"step": "reading"}))
    assert read[0].stat().st_size < 1_000
    assert (records.work(waiting.identifier), records.report(done.identifier)) == (large, large)


@pytest.mark.parametrize("name", ["none", "..", "0" * 47, "%2e%2e%2ftokens.toml"])
def test_what_is_no_job_is_not_found(author: Author, name: str) -> None:
    assert author.client.get(f"/v1/jobs/{name}").status_code == 404
    assert author.client.get(f"/v1/jobs/{name}/events").status_code == 404
    assert author.send("DELETE", f"/v1/jobs/{name}").status_code == 404


def test_jobs_are_listed_the_newest_first_for_those_who_may_write(author: Author) -> None:
    places = [begun(author, number) for number in range(3)]
    for place in places:
        ended(author.client, place)
    assert author.client.get("/v1/jobs").status_code == 401
    first = author.send("GET", "/v1/jobs?limit=2").get_json(force=True)
    fits(first, "Jobs")
    second = author.send("GET", f"/v1/jobs?limit=2&cursor={first['nextCursor']}").get_json(force=True)
    listed = [*first["jobs"], *second["jobs"]]
    assert [f"/v1/jobs/{each['id']}" for each in listed] == places[::-1]
    assert {each["state"] for each in listed} == {"done"}
    assert "nextCursor" not in second
    assert author.send("GET", "/v1/jobs?cursor=%21").status_code == 400


def test_accepted_work_goes_on_by_itself_once_the_system_lets_it(folder: Path, author: Author) -> None:
    jobs = folder / FOLDER
    jobs.mkdir(exist_ok=True)
    (jobs / "lock").mkdir()  # it cannot be opened, as where a process has too many open files
    path = begun(author)
    record = jobs / path.rpartition("/")[2] / "job.json.tmp"

    def trouble() -> str:
        health = author.client.get("/health").get_json(force=True)
        return str(health.get("background", {}).get("jobs", ""))

    until(lambda: "lock" in trouble())
    assert "sage_ld_background_failing" in author.client.get("/metrics").text
    record.mkdir()  # now its record cannot be written, as on a full disk
    (jobs / "lock").rmdir()
    until(lambda: record.name in trouble())
    record.rmdir()
    assert ended(author.client, path).get_json(force=True)["state"] == "done"
    until(lambda: trouble() == "")
    assert author.client.get("/health").get_json(force=True)["status"] == "ok"


def test_a_job_that_the_disk_has_no_room_for_leaves_nothing(folder: Path, author: Author) -> None:
    jobs = folder / FOLDER
    jobs.mkdir(exist_ok=True)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, limit[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            context_of(author).jobs.records.add({"op": "documents"}, b"x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert [each.name for each in jobs.iterdir()] == []
    assert ended(author.client, begun(author)).get_json(force=True)["state"] == "done"


def context_of(author: Author) -> context.Service:
    with author.client.application.app_context():
        return context.service()


def test_a_long_text_is_encoded_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors of the long text come only when the short one is written."""
    written, encoders = threading.Event(), Server()

    def waiting(data: list[dict[str, object]]) -> list[dict[str, object]]:
        assert len(data) < 20 or written.wait(PATIENCE)
        return data

    encoders.alter = waiting
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SAGE_LD_OPENAI_BASE_URL", encoders.url)
    threading.Thread(target=encoders.serve_forever).start()
    folder = tmp_path / "graph"
    graph = KnowledgeGraph.create(folder, encoder="openai:m")
    graph.add(TEXT, identifier="first")
    graph.close()
    part = "# Part {0}\n\nThe ferry {0} crossed. " + "Mira. " * 60
    long = "\n\n".join(map(part.format, range(300)))
    with writing(folder) as author, ThreadPoolExecutor(1) as clients:
        sent = clients.submit(
            author.json, "PUT", "/v1/documents/long", {"text": long, "mediaType": "text/markdown"}
        )
        until(lambda: pools()["preparation"]["busy"] == 1)
        try:
            assert author.json("PUT", "/v1/documents/short", {"text": "Short."}).status_code == 201
        finally:
            written.set()
        assert sent.result().status_code == 201
    encoders.shutdown()
    encoders.server_close()
