"""`kill -9` to the write worker while it replaces a document: the document is whole, or as it was before."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from service.processes import writers
from service.serving import empty_graph
from service.test_documents import Author
from service.web import client_of
from waiting import waited_for

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.service.access.tokens import AccessRole, create_token

KILLS = 4
SEED = int(os.environ.get("SAGE_LD_TEST_SEED", "10"))
PATH = "/v1/documents/killed"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


def version(number: int) -> dict[str, object]:
    """A document of several chunks, in each of which its number stands, as in its metadata."""
    parts = [f"## Part {part}\n\n" + f"Sentence of number{number} here. " * 60 for part in range(4)]
    return {"text": "\n\n".join(parts), "mediaType": "text/markdown", "metadata": {"number": number}}


def shown(author: Author) -> int:
    """The number of the document that is there, which all of it has."""
    [number] = {author.client.get(PATH).get_json(force=True)["metadata"]["number"]}
    chunks = author.client.get("/v1/chunks?documents=killed&limit=100").get_json(force=True)[
        "itemListElement"
    ]
    assert len(chunks) >= 4
    for each in chunks:
        assert set(re.findall(r"number(\d+)", each["text"])) == {str(number)}
    return int(number)


def test_a_document_is_whole_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    folder, chance = empty_graph(tmp_path / "graph"), random.Random(SEED)
    token = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    with client_of(folder) as client:
        author = Author(client, token)
        begun = time.monotonic()
        assert author.json("PUT", PATH, version(0)).status_code == 201
        longest = max(0.2, (time.monotonic() - begun) / 2)  # the first one has started the process, too
        acknowledged = 0
        for number in range(1, KILLS + 1):
            statuses: list[int] = []

            def put(number: int = number, statuses: list[int] = statuses) -> None:
                own = Author(client.application.test_client(), token)
                statuses.append(own.json("PUT", PATH, version(number)).status_code)

            writing = threading.Thread(target=put)
            writing.start()
            time.sleep(chance.uniform(0, longest))
            for each in writers(folder):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            writing.join()
            acknowledged = number if statuses == [200] else acknowledged
            assert acknowledged <= shown(author) <= number
        last = version(KILLS + 1)
        assert waited_for(lambda: author.json("PUT", PATH, last).status_code == 200)  # 503 while one starts
        assert shown(author) == KILLS + 1
    graph = KnowledgeGraph.open(folder)
    assert validate(graph.snapshot().stores.named).conforms
    graph.close()
