"""RDF that takes long to parse keeps nobody else from writing."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from service.serving import empty_graph
from service.test_jobs import until, writing
from waiting import PATIENCE

from sage_ld.service.http.metrics import pools


def scoped(terms: int, uses: int) -> str:
    """JSON-LD with a context inside a term, which is read again for each use of the term."""
    context = {f"t{number}": f"http://x/t{number}" for number in range(terms)}
    value: object = "end"
    for _ in range(40):
        value = {"p": [value]}
    described = {"@vocab": "http://x/", "p": {"@id": "http://x/p", "@context": context}}
    return json.dumps({"@context": described, "p": [value] * uses})


def test_json_ld_that_takes_long_is_parsed_while_others_write(tmp_path: Path) -> None:
    graph = empty_graph(tmp_path / "graph")
    with writing(graph, update_timeout=PATIENCE) as author, ThreadPoolExecutor(1) as clients:
        first = author.send("PUT", "/data?graph=http://x/0", b"", Content_Type="text/turtle")
        assert first.status_code == 201
        long = clients.submit(
            author.send, "PUT", "/data?graph=http://x/1", scoped(400, 60), Content_Type="application/ld+json"
        )
        until(lambda: pools()["preparation"]["busy"] == 1)
        triple = "<http://x/a> <http://x/b> <http://x/c> ."
        sent = author.send("PUT", "/data?graph=http://x/2", triple, Content_Type="text/turtle")
        assert (sent.status_code, pools()["preparation"]["busy"]) == (201, 1)
        assert long.result().status_code == 201
        found = author.client.get("/data?graph=http://x/1", headers={"Accept": "application/n-triples"})
        assert found.text.count("<http://x/p>") == 60 * 40 + 60
