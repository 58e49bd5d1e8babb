"""Updates: taken apart as the grammar has it, done whole or not at all, and followed by the indexes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from graph.canonical import indexed_links, stored_links
from pyoxigraph import Literal, NamedNode, Quad, Store
from service.processes import writers
from service.serving import UPDATE, Server, generated_graph, serving

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store.directory import Directory
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.workers.effects import Touched, changes_of, takes_effect
from sage_ld.service.workers.update_text import Kind, operations, using, within

PREFIX = f"PREFIX schema: <{v.SCHEMA}> PREFIX sage: <{v.SAGE}>\n"


# --- the text ---------------------------------------------------------------------------------------


def test_an_update_is_taken_apart() -> None:
    text = """
        PREFIX : <http://x/>  # ; CLEAR ALL
        INSERT DATA { :a :b "; CLEAR ALL" ; :c 1 . GRAPH :g { :d :e :f } } ;
        DELETE WHERE { ?s ?p ?o ; ?q ?r } ; ;
        BASE <http://y/> WITH :g DELETE { ?s ?p 1 } INSERT { GRAPH ?g { ?s ?p 2 ; ?q 3 } }
        USING NAMED :h WHERE { { SELECT * WHERE { ?s ?p ?o } } } ;
        MOVE SILENT :g TO DEFAULT ;
    """
    found = operations(text)
    assert [each.kind for each in found] == [Kind.DATA, Kind.SHORT, Kind.MODIFY, Kind.MANAGEMENT]
    store = Store()
    for each in found:
        store.update(each.text)
    assert found[2].with_graph == ":g"
    assert found[2].using == "USING NAMED :h"
    assert "BASE" in found[2].prologue
    assert "BASE" not in found[1].prologue


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("INSERT DATA { <s:> <p:> 1, 2 . GRAPH <g:> { <s:> <q:> 3 . } <s:> <r:> 4 }", 4),
        ("DELETE DATA { GRAPH <g:> { <a:> <p:> <b:> } }", 1),
        ("DELETE WHERE { GRAPH ?g { ?s ?p ?o } }", 2),
        ("DELETE WHERE { ?s ?p ?o }", 1),
        ("INSERT { ?o <q:> ?s . GRAPH <h:> { ?s <q:> 1 } } WHERE { GRAPH <g:> { ?s <p:> ?o } }", 4),
        ("WITH <g:> DELETE { ?s ?p ?o } INSERT { ?s ?p 9 } WHERE { ?s ?p ?o }", 4),
        ("DELETE { ?s ?p ?o } USING <g:> WHERE { ?s ?p ?o }", 2),
        ("CLEAR GRAPH <g:>", 2),
        ("CLEAR DEFAULT", 1),
        ("DROP ALL", 3),
        ("COPY DEFAULT TO <g:>", 3),
        ("CREATE GRAPH <k:>", 0),
        ("INSERT { <s:> <p:> <o:> ~ <e:> {| <w:> 1 |} } WHERE {}", 3),
    ],
)
def test_what_an_operation_changes_is_known_before(text: str, count: int) -> None:
    store = Store()
    a, b, c, p = (NamedNode(f"{name}:") for name in "abcp")
    store.extend([Quad(a, p, b), Quad(a, p, b, NamedNode("g:")), Quad(b, p, c, NamedNode("g:"))])
    [operation] = operations(text)
    assert len(set(changes_of(store, operation, "http://base/"))) == count


IDLE = (
    "",
    "PREFIX : <x:>",
    "INSERT DATA {}",
    "DELETE DATA { <a:> <p:> <none:> . GRAPH <g:> { <none:> <p:> 1 } }",
    "DELETE WHERE { <none:> ?p ?o . ?s ?q ?o }",
    "DELETE { ?s ?p 9 } WHERE { ?s ?p ?o FILTER(isIRI(?s)) }",
    "DELETE { ?s ?p ?o } INSERT { ?s ?p 1 } WHERE { ?s ?p <none:> }",
    "INSERT { ?s ?p 1 } WHERE { ?s ?p ?o FILTER(isLiteral(?s)) }",
    "DROP SILENT GRAPH <none:>",
    "PREFIX n: <none:> CLEAR SILENT GRAPH n:",
    "DROP SILENT GRAPH <none:> ; DELETE WHERE { <none:> ?p ?o }",
)
AT_WORK = (
    "INSERT DATA { <a:> <p:> <b:> }",
    "DELETE DATA { GRAPH <g:> { <b:> <p:> <c:> } }",
    "DELETE WHERE { GRAPH ?g { <b:> ?p ?o } }",
    "DELETE { ?s ?p ?o } WHERE { GRAPH <g:> { ?s ?p ?o } }",
    "INSERT { [] <p:> 1 } WHERE {}",
    "CREATE GRAPH <k:>",
    "DROP GRAPH <g:>",
    "CLEAR DEFAULT",
    "DROP NAMED",
    "COPY DEFAULT TO <k:>",
)


@pytest.mark.parametrize("text", [*IDLE, *AT_WORK])
def test_what_takes_no_effect_is_known_before(text: str) -> None:
    store = Store()
    a, b, c, p = (NamedNode(f"{name}:") for name in "abcp")
    store.extend([Quad(a, p, b), Quad(a, p, b, NamedNode("g:")), Quad(b, p, c, NamedNode("g:"))])
    before = set(store), set(store.named_graphs())
    for operation in operations(text):
        effect = takes_effect(store, operation, "http://base/", Touched())
        assert effect == (text in AT_WORK)
        store.update(operation.text)
    assert text in AT_WORK or before == (set(store), set(store.named_graphs()))


def test_an_empty_store_has_nothing_to_clear() -> None:
    for text in ("CLEAR ALL", "DROP NAMED", "CLEAR DEFAULT"):
        [operation] = operations(text)
        assert not takes_effect(Store(), operation, "http://base/", Touched())


def test_an_update_that_changes_nothing_makes_no_revision(blank: Server) -> None:
    written = blank.update(
        "DROP ALL ; INSERT DATA { <http://e.x/a> <http://e.x/p> _:b . _:b <http://e.x/p> 1 }"
    )
    assert written.status == 200, written.content
    revision = written.json["revision"]
    for text in IDLE:
        answer = blank.update(text)
        assert (answer.status, answer.json["revision"]) == (200, revision), text
    assert blank.update("DROP GRAPH <none:>").status == 400
    assert blank.update("DELETE WHERE { ?s <http://e.x/p> 1 }").json["revision"] == revision + 1
    assert len(blank.query("SELECT * { ?s ?p ?o }").rows) == 1


def test_the_graphs_of_the_request_take_the_place_of_using() -> None:
    [changed] = operations("INSERT { ?s ?p 1 } WHERE { ?s ?p ?o }")
    assert "USING <g:>\nUSING NAMED <h:>" in using(changed, ["g:"], ["h:"]).text
    [short] = operations("DELETE WHERE { ?s ?p ?o }")
    assert using(short, ["g:"], []).kind is Kind.MODIFY
    for text in ("WITH <g:> DELETE { ?s ?p 1 } WHERE { }", "DELETE { ?s ?p 1 } USING <g:> WHERE { }"):
        with pytest.raises(InputError, match="one place"):
            using(operations(text)[0], ["g:"], [])


def test_a_patch_stays_within_its_graph() -> None:
    store = Store()
    text = (
        "INSERT DATA { <s:> <p:> 1 } ; INSERT { ?s <p:> 2 } WHERE { ?s <p:> 1 } ; DELETE WHERE { ?s <p:> 1 }"
    )
    for operation in operations(text):
        store.update(within(operation, "g:").text)
    two = Literal("2", datatype=NamedNode(v.XSD + "integer"))
    assert list(store) == [Quad(NamedNode("s:"), NamedNode("p:"), two, NamedNode("g:"))]
    for text in ("CLEAR ALL", "INSERT DATA { GRAPH <h:> { <s:> <p:> 1 } }", "WITH <h:> DELETE {} WHERE {}"):
        with pytest.raises(InputError, match="leave out"):
            within(operations(text)[0], "g:")


@pytest.mark.parametrize(
    "text", ["INSERT", "DELETE { ?s ?p ?o }", "WITH <g:>", "FROB { }", "INSERT INTO <g:> {}"]
)
def test_what_is_no_operation_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="operation 1"):
        operations(text)


# --- through the service ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = generated_graph(tmp_path_factory.mktemp("written") / "graph", documents=4, edges=6)
    with serving(
        folder, (AccessRole.READ, AccessRole.WRITE), update_timeout=300, queue_timeout=300
    ) as running:
        yield running


def newest(server: Server) -> Snapshot:
    return Snapshot.newest(Directory(server.folder), Settings())


def chunk_of(server: Server) -> str:
    return server.query(PREFIX + "SELECT ?c { ?c a sage:Chunk } ORDER BY ?c LIMIT 1").rows[0]["c"]


def count(server: Server) -> int:
    return int(server.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").rows[0]["n"])


def test_a_change_shows_at_once_and_the_indexes_follow(written: Server) -> None:
    chunk = chunk_of(written)
    text = f"""{PREFIX} DELETE {{ GRAPH ?g {{ <{chunk}> sage:heading ?old }} }}
        INSERT {{ GRAPH ?g {{ <{chunk}> sage:heading "quokkas everywhere" }} }}
        WHERE {{ GRAPH ?g {{ <{chunk}> schema:text ?text . OPTIONAL {{ <{chunk}> sage:heading ?old }} }} }}"""
    answer = written.update(text)
    assert answer.status == 200
    assert written.query(f"ASK {{ <{chunk}> ?p 'quokkas everywhere' }}").json["boolean"] is True
    assert written.send("GET", "/health").json["revision"] == answer.json["revision"]
    with newest(written) as snapshot:
        assert snapshot.number == answer.json["revision"]
        keys, _ = snapshot.lexical.search("quokkas", 5)
        assert list(keys) == [chunk]


LINK = "?edge rdf:reifies <<( ?chunk sage:linksTo ?document )>>"


@pytest.mark.servers
@pytest.mark.parametrize(
    "text",
    [
        "DELETE { GRAPH ?g { ?edge sage:confidence ?c } } INSERT { GRAPH ?g { ?edge sage:confidence 0.5e0 } }"
        " WHERE { GRAPH ?g { %s ; sage:confidence ?c } }",
        "DELETE { GRAPH ?g { ?edge sage:beginIndex ?b } } INSERT { GRAPH ?g { ?edge sage:beginIndex 1 } }"
        " WHERE { GRAPH ?g { %s ; sage:beginIndex ?b } }",
        "DELETE { GRAPH ?g { ?chunk sage:linksTo ?document . ?edge ?p ?o } }"
        " WHERE { GRAPH ?g { %s ; ?p ?o { SELECT ?edge { ?edge a sage:Link } ORDER BY ?edge LIMIT 1 } } }",
    ],
    ids=["confidence", "offset", "all"],
)
def test_the_index_of_links_follows_an_update_of_links(tmp_path: Path, text: str) -> None:
    folder = generated_graph(tmp_path / "graph", documents=4, edges=6)
    prefix = f"{PREFIX} PREFIX rdf: <{v.RDF}>\n"
    before = stored_links(KnowledgeGraph.open(folder))
    with serving(folder, (AccessRole.WRITE,)) as server:
        answer = server.update(prefix + text % LINK)
        assert answer.status == 200, answer.content
    graph = KnowledgeGraph.open(folder)
    assert indexed_links(graph) == stored_links(graph) != before


@pytest.mark.parametrize(
    ("property", "value"),
    [
        ("schema:text", '"quokkas"'),
        ("schema:text", "?other"),
        ("sage:beginIndex", "?moved"),
        ("sage:endIndex", "?moved"),
    ],
)
def test_a_chunk_stays_a_slice_of_its_document(written: Server, property: str, value: str) -> None:
    """Also with a text of the same length: only what changes the document changes its chunks."""
    chunk = chunk_of(written)
    text = f"""{PREFIX} DELETE {{ GRAPH ?g {{ <{chunk}> {property} ?old }} }}
        INSERT {{ GRAPH ?g {{ <{chunk}> {property} {value} }} }}
        WHERE {{ GRAPH ?g {{ <{chunk}> {property} ?old }}
                 BIND(UCASE(STR(?old)) AS ?other) BIND(?old + 1 AS ?moved) }}"""
    answer = written.update(text)
    assert answer.status == 422, answer.content
    assert any(chunk in line and "slice of its document" in line for line in answer.json["report"])


def test_an_update_that_breaks_a_shape_is_refused_whole(written: Server) -> None:
    chunk, before = chunk_of(written), count(written)
    revision = written.send("GET", "/health").json["revision"]
    text = f"""{PREFIX} INSERT DATA {{ <http://example.org/new> schema:name "new" }} ;
        DELETE WHERE {{ GRAPH ?g {{ <{chunk}> schema:text ?text }} }}"""
    answer = written.update(text)
    assert answer.status == 422
    assert answer.json["type"].endswith("#shapes")
    assert any(chunk in line and "exactly one text" in line for line in answer.json["report"])
    assert count(written) == before
    assert written.send("GET", "/health").json["revision"] == revision
    with newest(written) as snapshot:
        assert chunk in snapshot.lexical.iris


@pytest.mark.parametrize("statement", ["sage:confidence 'abc'", "sage:thresholdValue 'abc'", "sage:row 1.5"])
def test_a_wrong_value_of_our_property_is_refused_on_any_node(written: Server, statement: str) -> None:
    before = count(written)
    answer = written.update(f"{PREFIX} INSERT DATA {{ <http://example.org/untyped> {statement} }}")
    assert answer.status == 422
    assert any("example.org/untyped" in line for line in answer.json["report"])
    turtle = f"@prefix sage: <{v.SAGE}> . <http://example.org/untyped> {statement} ."
    put = written.send(
        "PUT", "/data?graph=http://example.org/g", turtle, token="write", Content_Type="text/turtle"
    )
    assert put.status == 422
    assert count(written) == before


def test_what_a_node_points_to_keeps_its_class(written: Server) -> None:
    rows = written.query(PREFIX + "SELECT ?d { ?d a sage:Document } ORDER BY ?d LIMIT 1").rows
    text = f"{PREFIX} DELETE WHERE {{ GRAPH ?g {{ <{rows[0]['d']}> a sage:Document }} }}"
    answer = written.update(text)
    assert answer.status == 422
    assert any("part of exactly one document" in line for line in answer.json["report"])


def test_a_statement_keeps_its_evidence(written: Server) -> None:
    rows = written.query(PREFIX + "SELECT ?e { ?e a sage:DocumentDocumentEdge } LIMIT 1").rows
    answer = written.update(f"DELETE WHERE {{ GRAPH ?g {{ <{rows[0]['e']}> ?p ?o }} }}")
    assert answer.status == 422
    assert any("has an edge as evidence" in line for line in answer.json["report"])


def test_an_update_is_killed_at_its_deadline_and_the_next_is_done(written: Server) -> None:
    before = count(written)
    numbers = " ".join(map(str, range(300)))
    values = " ".join(f"VALUES ?{name} {{ {numbers} }}" for name in "abcd")
    text = f"INSERT {{ <s:> <p:> ?n }} WHERE {{ SELECT (COUNT(*) AS ?n) {{ {values} }} }}"
    answer = written.update(text, "?timeout=1.5")
    assert (answer.status, answer.json["status"]) == (504, 504)
    assert answer.json["detail"].endswith("nothing was changed")
    assert written.update("INSERT DATA { <s:> <p:> 1 }").status == 200
    assert count(written) == before + 1
    assert written.update("DELETE DATA { <s:> <p:> 1 }").status == 200


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_write_whose_process_is_killed_is_answered_with_what_became_of_it(written: Server) -> None:
    before = count(written)
    assert written.update("DELETE DATA { <s:> <p:none> 1 }").status == 200
    numbers = " ".join(map(str, range(400)))
    values = " ".join(f"VALUES ?{name} {{ {numbers} }}" for name in "abcd")
    text = f"INSERT {{ <s:> <p:> ?n }} WHERE {{ SELECT (COUNT(*) AS ?n) {{ {values} }} }}"
    with ThreadPoolExecutor(1) as executor:
        waiting = executor.submit(written.update, text)
        while not waiting.done():  # one that waits for a job may be killed first; another takes its place
            time.sleep(0.2)
            for number in writers(written.folder):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        answer = waiting.result()
    assert answer.status == 503
    assert "killed from outside (SIGKILL)" in answer.json["detail"]
    assert answer.json["detail"].endswith("nothing was changed")
    again = (written.update("INSERT DATA { <s:> <p:> 1 }").status for _ in range(5))
    assert 200 in again  # the last kill may have met the process that takes this one
    assert count(written) == before + 1
    assert written.update("DELETE DATA { <s:> <p:> 1 }").status == 200


def test_a_write_waits_while_another_process_writes(written: Server) -> None:
    assert (
        written.update("DELETE DATA { <s:> <p:none> 1 }").status == 200
    )  # the process that writes has started
    with Directory(written.folder).locked():
        answer = written.update("INSERT DATA { <s:> <p:> 1 }", "?timeout=6")
        assert answer.status == 503
        assert int(answer.headers["retry-after"]) > 0
        assert written.alive()


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("INSERT DATA {", 400, "does not parse"),
        ("CLEAR ALL ; INSERT DATA { <s:> <p:> }", 400, "does not parse"),
        ("SELECT * {}", 400, "does not parse"),
        ("DROP GRAPH <g:none>", 400, "does not exist"),
        ("DELETE { ?s ?p ?o } WHERE { " + " . ".join(["?s ?p ?o"] * 1000) + " }", 413, "max_query_patterns"),
        ("INSERT { " + "{" * 1000 + " } WHERE {}", 413, "max_query_depth"),
    ],
    ids=["incomplete", "second", "query", "graph", "patterns", "depth"],
)
def test_a_wrong_update_changes_nothing(written: Server, text: str, status: int, said: str) -> None:
    before = count(written)
    answer = written.update(text)
    assert (answer.status, said in answer.json["detail"]) == (status, True)
    assert count(written) == before


@pytest.mark.parametrize(
    ("media_type", "content", "said"),
    [
        ("text/turtle", "<s:> <p:>", ("Turtle", "rdf12-turtle")),
        ("application/n-triples", "<s:> <p:> 1 .", ("N-Triples", "rdf12-n-triples")),
        ("application/ld+json", "{", ("JSON-LD", "json-ld11")),
        ("application/rdf+xml", "<a", ("RDF/XML", "rdf12-xml")),
    ],
)
def test_rdf_that_does_not_parse_changes_nothing_and_its_grammar_is_named(
    written: Server, media_type: str, content: str, said: tuple[str, str]
) -> None:
    before = count(written)
    answer = written.send("PUT", "/data?graph=g:wrong", content, token="write", Content_Type=media_type)
    assert answer.status == 400
    assert answer.json["detail"].startswith(f"the {said[0]} does not parse: ")
    assert answer.json["detail"].endswith(f"/{said[1]}/")
    assert count(written) == before


@pytest.mark.parametrize("name", ["sage:search", "<https://w3id.org/sage-ld#retrieve>"])
def test_a_search_is_refused_in_an_update(written: Server, name: str) -> None:
    text = f'{PREFIX} INSERT {{ GRAPH <g:> {{ ?c a <x:found> }} }} WHERE {{ (?c ?s) {name} ("a" 3) }}'
    answer = written.update(text)
    assert answer.status == 400
    assert "/sparql" in answer.json["detail"]


@pytest.mark.slow
def test_much_data_is_no_pattern(written: Server) -> None:
    data = " . ".join(f"<s:{n}> <p:x> {n}" for n in range(2000))
    assert written.update(f"INSERT DATA {{ GRAPH <g:much> {{ {data} }} }}").status == 200
    assert written.update("DROP GRAPH <g:much>").status == 200


def test_a_graph_is_patched(written: Server) -> None:
    path = "/data?graph=" + quote("http://example.org/patched", safe="")
    put = written.send("PUT", path, "<s:> <p:> 1 .", token="write", Content_Type="text/turtle")
    patch = "DELETE { ?s <p:> 1 } INSERT { ?s <p:> 2 } WHERE { ?s <p:> 1 }"
    assert put.status == 201
    assert written.send("PATCH", path, patch, token="write", Content_Type=UPDATE).status == 204
    answer = written.send("GET", path, Accept="application/n-triples")
    assert answer.content == f'<s:> <p:> "2"^^<{v.XSD}integer> .\n'.encode()
    again = written.send("GET", path, Accept="application/n-triples", If_None_Match=answer.headers["etag"])
    assert (again.status, again.content) == (304, b"")
    assert written.send("DELETE", path, token="write").status == 204
    assert written.send("GET", path).status == 404
    assert written.send("DELETE", path, token="write").status == 404


@pytest.mark.parametrize(
    ("media_type", "body", "status"),
    [
        ("text/turtle", "<s:> <p:>", 400),
        ("text/turtle", "@prefix : <http://x/> . :a :b " + "[ :b " * 20_000, 400),
        ("application/ld+json", '{"@context": ' * 100, 400),
        ("text/html", "<p>", 415),
        ("text/csv", "", 415),
        ("multipart/form-data; boundary=x", "--x--", 400),
    ],
)
def test_wrong_rdf_is_refused(written: Server, media_type: str, body: str, status: int) -> None:
    answer = written.send("PUT", "/data?graph=g:wrong", body, token="write", Content_Type=media_type)
    assert answer.status in (status, 422)
    assert json.loads(answer.content)["status"] == answer.status
    assert written.send("GET", "/data?graph=g:wrong").status == 404


@pytest.mark.servers
def test_a_write_shows_in_every_web_process(tmp_path: Path) -> None:
    folder = generated_graph(tmp_path / "graph", documents=2, edges=1)
    with serving(folder, (AccessRole.WRITE,), processes=2) as server:
        for number in range(3):
            assert server.update(f"INSERT DATA {{ <s:> <p:> {number} }}").status == 200
            answers = {server.query(f"ASK {{ <s:> <p:> {number} }}").content for _ in range(10)}
            assert answers == {b'{"head":{},"boolean":true}'}


@pytest.mark.growth
def test_copies_of_our_statements_cost_no_more_than_their_number(written: Server) -> None:
    """Twelve copies: a join of a chunk's properties would have 13 to the 12th power rows, and never end."""
    document = written.query(
        PREFIX
        + "SELECT ?g { GRAPH ?g { ?c a sage:Chunk } FILTER(CONTAINS(STR(?g), '/graph/document/')) } LIMIT 1"
    ).rows[0]["g"]
    copies = [f"ADD GRAPH <{document}> TO GRAPH <http://example.org/copy/{number}>" for number in range(12)]
    assert written.update(" ; ".join(copies)).status == 200
    noted = (
        "INSERT { GRAPH <http://example.org/note> { ?c <http://example.org/note> 'x' } } "
        "WHERE { GRAPH <%s> { ?c a sage:Chunk } }"
    )
    assert written.update(PREFIX + noted % document).status == 200
    dropped = " ; ".join(f"DROP GRAPH <http://example.org/copy/{number}>" for number in range(12))
    assert written.update(dropped).status == 200
