"""Reading what clients send, beside the process that writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from service.test_documents import Author, statuses
from service.web import client_of

from sage_ld.service.access.tokens import AccessRole, create_token

SLOW = (
    "\n".join(f".. |a{n}| replace:: |a{n - 1}| |a{n - 1}|" for n in range(16, 0, -1))
    + "\n.. |a0| replace:: x\n\n|a16|\n"
)
"""It takes docutils minutes, where the setting that refuses it is raised."""


@pytest.fixture(scope="module")
def authors(folder: Path) -> Iterator[tuple[Author, Author]]:
    tokens = [create_token(folder, name, AccessRole.WRITE, "2026-01-01") for name in ("one", "other")]
    with client_of(folder, max_rst_substitutions=10**6, reader_timeout=20, update_timeout=60) as client:
        yield Author(client, tokens[0]), Author(client.application.test_client(), tokens[1])


@pytest.mark.growth
def test_a_file_that_takes_long_keeps_no_other_writer_waiting(authors: tuple[Author, Author]) -> None:
    hostile, other = authors

    def attack(number: int) -> tuple[int, str]:
        author = Author(hostile.client.application.test_client(), hostile.token)
        answer = author.send("PUT", f"/v1/documents/slow{number}.rst", SLOW, Content_Type="text/x-rst")
        return answer.status_code, answer.get_json(force=True)["detail"]

    with ThreadPoolExecutor(3) as threads:
        slow = [threads.submit(attack, number) for number in range(3)]
        for number in range(5):
            put = other.send("PUT", f"/v1/documents/line{number}", "A line.", Content_Type="text/plain")
            assert (put.status_code, statuses(put)) == (201, [(f"line{number}", "added")])
            read = other.send("PUT", f"/v1/documents/n{number}.md", "# A line", Content_Type="text/markdown")
            assert (read.status_code, statuses(read)) == (201, [(f"n{number}.md", "added")])
            if number == 0:  # one is read as a long file; the others wait for its turn
                assert wait(slow, timeout=0).not_done
    for status, detail in (each.result() for each in slow):
        assert status in (413, 422, 503)
        assert "stopped after" in detail or "try again later" in detail
    put = other.send("PUT", "/v1/documents/after", "A line.", Content_Type="text/plain")
    assert put.status_code == 201


def test_of_several_files_one_that_cannot_be_read_hinders_no_other(authors: tuple[Author, Author]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "An archive.")
    files = [(io.BytesIO(b"# Kept"), "kept.md"), (io.BytesIO(b"no PDF"), "broken.pdf"), (packed, "more.zip")]
    files.append((io.BytesIO(b"no picture"), "photo.png"))
    packed.seek(0)
    answer = authors[1].send("POST", "/v1/documents", {"files": files})
    said = answer.get_json(force=True)
    assert {each["identifier"] for each in said["documents"]} == {"kept.md", "more.zip/a.txt"}
    failed = {each["source"]: each["detail"] for each in said["failed"]}
    assert failed.keys() == {"broken.pdf", "photo.png"}
    assert "broken.pdf: not a PDF" in failed["broken.pdf"]
    assert "photo.png: a picture, whose text is read with --ocr or the setting ocr" in failed["photo.png"]
