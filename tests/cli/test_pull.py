"""pull and push: graphs kept beside a real Oxigraph server, and beside servers that fail."""

from __future__ import annotations

import http.server
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from cli.program import sage_ld
from context_host import Reply, context_host, dripping, given
from oxigraph_server import OxigraphServer, oxigraph_server
from pyoxigraph import RdfFormat, parse, serialize
from service.serving import serving
from waiting import PATIENCE, waited_for

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.user_statements import as_written
from sage_ld.service.access.tokens import AccessRole

TURTLE = """@prefix : <http://example.org/> .
:a :p "007"^^<http://www.w3.org/2001/XMLSchema#integer>, "x"@en ; :q [ :r 1 ], ( 1 2 ) ."""
G = "urn:x:g"


@pytest.fixture(scope="module")
def server() -> Iterator[OxigraphServer]:
    with oxigraph_server() as running:
        yield running


@pytest.fixture
def kg(tmp_path: Path) -> Path:
    KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard").close()
    return tmp_path / "kg"


def statements(kg: Path, graph: str = G) -> set[str]:
    from pyoxigraph import NamedNode

    with KnowledgeGraph.open(kg).snapshot() as snapshot:
        store = snapshot.stores.named
        return {
            str(each.triple)
            for each in as_written(store, store.quads_for_pattern(None, None, None, NamedNode(graph)))
        }


def said(kg: Path) -> dict[str, str]:
    """What is said of the newest pull, without its namespaces."""
    graph = KnowledgeGraph.open(kg).iris.sources_graph
    from pyoxigraph import Literal, NamedNode

    with KnowledgeGraph.open(kg).snapshot() as snapshot:
        quads = snapshot.stores.named.quads_for_pattern(None, None, None, NamedNode(graph))
        return {q.predicate.value: q.object.value for q in quads if isinstance(q.object, NamedNode | Literal)}


def current(kg: Path) -> int:
    return KnowledgeGraph.open(kg).directory.current()


# --- pull ---------------------------------------------------------------------------------------------


def test_a_graph_of_a_store_is_kept_as_it_is_there(kg: Path, server: OxigraphServer) -> None:
    server.put(G, TURTLE)
    words = ("pull", kg, server.store, "--store", "--graph", G)
    assert "would add 9 statements" in sage_ld(*words, "--dry-run").stdout
    assert current(kg) == 0
    assert "added 9 statements and removed 0; revision 1" in sage_ld(*words).stdout
    first = statements(kg)
    server.put(G, TURTLE)  # other blank nodes
    assert "unchanged; revision 1" in sage_ld(*words).stdout
    server.send("POST", f"/store?graph={G}", "<urn:x:new> <urn:x:p> 1 .")
    server.send(
        "POST", "/update", f"DELETE WHERE {{ GRAPH <{G}> {{ ?s ?p 'x'@en }} }}", "application/sparql-update"
    )
    report = json.loads(sage_ld(*words, "--json").stdout)
    assert (report["added"], report["removed"], report["revision"]) == (1, 1, 2)
    assert len(first & statements(kg)) == 8, "what stays is what it was, blank nodes too"
    told = said(kg)
    assert told[v.USED] == told[v.DERIVED_FROM] == f"{server.store}?graph=urn%3Ax%3Ag"
    assert told[v.REVISION] == "2"


def test_a_query_is_asked_page_by_page(
    kg: Path, server: OxigraphServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "\n".join(f"<urn:x:{n}> <urn:x:p> {n} ." for n in range(25))
    server.put("urn:x:many", rows)
    monkeypatch.setenv("SAGE_LD_REMOTE_PAGE", "10")
    query = "CONSTRUCT { ?s <urn:x:p> ?o } WHERE { GRAPH <urn:x:many> { ?s <urn:x:p> ?o } }"
    words = ("pull", kg, f"{server.address}/query", "--query", query, "--graph", G)
    assert "added 25 statements" in sage_ld(*words).stdout
    assert "unchanged" in sage_ld(*words).stdout
    assert not any(each.is_dir() for each in (kg / "pulls").iterdir())
    limited = query + " ORDER BY ?o LIMIT 3"
    assert "removed 22" in sage_ld(*words[:4], limited, "--graph", G).stdout


def test_a_page_of_solutions_without_statements_is_not_the_last(
    kg: Path, server: OxigraphServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "\n".join(f"<urn:x:{n}> a <urn:x:C> ." for n in range(4)) + "<urn:x:3> <urn:x:p> 3 ."
    server.put("urn:x:few", rows)
    monkeypatch.setenv("SAGE_LD_REMOTE_PAGE", "1")
    query = (
        "CONSTRUCT { ?s <urn:x:p> ?o } { GRAPH <urn:x:few> { ?s a <urn:x:C> OPTIONAL { ?s <urn:x:p> ?o } } }"
    )
    assert (
        "added 1 statement "
        in sage_ld(
            "pull", kg, f"{server.address}/query", "--query", f"{query} ORDER BY ?o ?s", "--graph", G
        ).stdout
    )


def test_blank_nodes_of_several_pages_are_refused(
    kg: Path, server: OxigraphServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put(G, TURTLE)
    monkeypatch.setenv("SAGE_LD_REMOTE_PAGE", "4")
    query = f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ GRAPH <{G}> {{ ?s ?p ?o }} }}"
    words = ("pull", kg, f"{server.address}/query", "--query", query, "--graph", G)
    assert "remote_page" in sage_ld(*words, status=1).stderr
    monkeypatch.setenv("SAGE_LD_REMOTE_PAGE", "100")
    assert "added 9 statements" in sage_ld(*words).stdout


def test_files_make_one_graph(kg: Path, tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("_:x <urn:x:p> '1.50'^^<http://www.w3.org/2001/XMLSchema#decimal> .")
    (tmp_path / "b.nt").write_text('_:x <urn:x:p> "b" .\n')
    sage_ld("pull", kg, tmp_path / "a.ttl", tmp_path / "b.nt", "--graph", G)
    assert len(statements(kg)) == 2
    assert any('"1.50"' in each for each in statements(kg))
    (tmp_path / "a.ttl").write_text("_:x <urn:x:p> '1.5'^^<http://www.w3.org/2001/XMLSchema#decimal> .")
    report = json.loads(
        sage_ld("pull", kg, tmp_path / "a.ttl", tmp_path / "b.nt", "--graph", G, "--json").stdout
    )
    assert report["changed"]
    assert not any('"1.50"' in each for each in statements(kg))


def tagged(turtle: str) -> Reply:
    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        if handler.headers.get("If-None-Match") == '"1"':
            given(b"", 304)(handler)
        else:
            given(turtle.encode(), Content_Type="text/turtle", ETag='"1"')(handler)

    return reply


def dated(handler: http.server.BaseHTTPRequestHandler) -> None:
    date = "Sat, 28 Nov 2026 10:00:00 GMT"
    if handler.headers.get("If-Modified-Since") == date:
        given(b"", 304)(handler)
    else:
        given(TURTLE.encode(), Content_Type="text/turtle", Last_Modified=date)(handler)


def cut(handler: http.server.BaseHTTPRequestHandler) -> None:
    given(b"<urn:x:1> <urn:x:p> 1 .\n", Content_Type="application/n-triples", Content_Length="5000")(handler)


def hanging(handler: http.server.BaseHTTPRequestHandler) -> None:
    time.sleep(3)


@pytest.mark.parametrize("path", ["/tagged", "/dated"])
def test_a_source_that_has_not_changed_is_not_read_again(kg: Path, path: str) -> None:
    with context_host({"/tagged": tagged(TURTLE), "/dated": dated}) as host:
        words = ("pull", kg, host.address + path, "--graph", G)
        assert "added 9" in sage_ld(*words).stdout
        assert "unchanged; revision 1" in sage_ld(*words).stdout
        sage_ld("update", kg, f"DELETE WHERE {{ GRAPH <{G}> {{ ?s <http://example.org/q> ?o }} }}")
        assert "added 2 statements" in sage_ld(*words).stdout, "it was changed here"
        assert (v.ENTITY_TAG in said(kg)) == (path == "/tagged")


def test_a_source_whose_tag_cannot_be_sent_back_is_read_again(kg: Path) -> None:
    with context_host({"/a": given(TURTLE.encode(), Content_Type="text/turtle", ETag='"h\u00e9"')}) as host:
        for expected in ("added 9", "unchanged"):
            assert expected in sage_ld("pull", kg, f"{host.address}/a", "--graph", G).stdout


FAILING: dict[str, tuple[Reply, str]] = {
    "/500": (given(b"out of memory", 500), "status 500: out of memory"),
    "/404": (given(b"", 404), "status 404"),
    "/401": (given(b"", 401), "SAGE_LD_REMOTE_AUTHORIZATION"),
    "/html": (given(b"<html>", Content_Type="text/html"), "text/html, which is not read as RDF"),
    "/cut": (cut, "does not answer"),
    "/hanging": (hanging, "remote_timeout"),
    "/dripping": (dripping, "remote_timeout"),
    "/large": (given(b"#" * 5000, Content_Type="text/turtle"), "max_remote_bytes"),
    "/many": (
        given(b"".join(b"<urn:x:%d> <urn:x:p> 1 .\n" % n for n in range(50)), Content_Type="text/turtle"),
        "max_remote_statements",
    ),
    "/broken": (given(b"<urn:x:1> <urn:x:p>", Content_Type="text/turtle"), "does not parse"),
    "/loop": (given(b"", 302, Location="/loop"), "max_remote_redirects"),
    "/away": (given(b"", 302, Location="http://169.254.169.254/latest"), "private address 169.254.169.254"),
    "/nowhere": (given(b"", 302, Location="http://[bad/"), "invalid address"),
    "/file": (given(b"", 302, Location="file:///etc/passwd"), "not fetched"),
    "/unasked": (given(b"", 304), "status 304"),
    "/packed": (given(b"x", Content_Type="text/turtle", Content_Encoding="gzip"), "compressed"),
}


def test_what_was_there_stays_where_a_source_fails(kg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ <urn:x:a> <urn:x:p> 1 }} }}")
    before, revision = statements(kg), current(kg)
    monkeypatch.setenv("SAGE_LD_MAX_REMOTE_BYTES", "2000")
    monkeypatch.setenv("SAGE_LD_MAX_REMOTE_STATEMENTS", "40")
    with context_host({path: reply for path, (reply, _) in FAILING.items()}) as host:
        wrong = {}
        for path, (_, expected) in FAILING.items():
            seconds = 0.5 if expected == "remote_timeout" else PATIENCE
            monkeypatch.setenv("SAGE_LD_REMOTE_TIMEOUT", str(seconds))
            error = sage_ld("pull", kg, host.address + path, "--graph", G, status=1).stderr
            if expected not in error or host.address not in error:
                wrong[path] = error
    assert not wrong
    assert "does not answer" in sage_ld("pull", kg, host.address, "--graph", G, status=1).stderr
    assert (statements(kg), current(kg)) == (before, revision)


def test_what_cannot_be_pulled_is_said(kg: Path, tmp_path: Path) -> None:
    ours = f"{KnowledgeGraph.open(kg).iris.base}graph/edges"
    (tmp_path / "a.ttl").write_text("")
    (tmp_path / "a.trig").write_text(f"{TURTLE} <urn:x:named> {{ :a :p 1 }}")
    (tmp_path / "b.trig").write_text(f"{TURTLE} _:b {{ :a :p 1 }}")
    for words, expected in {
        (tmp_path / "a.ttl", "--graph", ours): "sage-ld's own",
        (tmp_path / "a.ttl", "--graph", "no iri"): "absolute IRI",
        (tmp_path / "none.ttl", "--graph", G): "cannot be read",
        (tmp_path / "a.docx", "--graph", G): "does not show a format",
        ("ftp://example.org/a", "--graph", G): "http",
        ("http://127.0.0.1:1/query", "--graph", G, "--query", "SELECT * { ?s ?p ?o }"): "CONSTRUCT",
        ("http://127.0.0.1:1/store", "--store"): "--graph IRI",
        (tmp_path / "a.ttl", tmp_path / "a.ttl"): "--graph IRI",
        (tmp_path / "a.trig", "--graph", G): "leave it out",
        (tmp_path / "b.trig",): "has no IRI",
        (tmp_path / "a.ttl", "--graph", G, "--store"): "for addresses",
        ("http://a.invalid/", "--store", "--stream"): "give one of them",
        ("http://a.invalid/", "http://b.invalid/", "--graph", G, "--stream"): "takes one SOURCE",
        ("http://a.invalid/x", "--graph", G): "host is not known",
        ("http://ann:secret@127.0.0.1:1/x", "--graph", G): "SAGE_LD_REMOTE_AUTHORIZATION",
        ("http://[bad/", "--graph", G): "invalid address",
        (tmp_path / "a.ttl", "--graph", "urn:x-arq:DefaultGraph"): "default graph",
    }.items():
        assert expected in sage_ld("pull", kg, *words, status=1).stderr, words


def started(*words: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sage_ld.cli", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )


def test_a_pull_that_was_killed_goes_on_at_its_page(
    kg: Path, server: OxigraphServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_LD_REMOTE_PAGE", "1")
    pages = [b'<urn:x:%d> <urn:x:p> "1" .\n' % n for n in range(3)]
    asked = list[str]()
    stops = True

    def page(handler: http.server.BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        number = int(body.rpartition("OFFSET%20")[2].partition("%0A")[0])
        asked.append(("rest " if "SELECT" in body else "") + str(number))
        if number == 2 and stops:
            time.sleep(60)
        if "SELECT" in body:
            given(b'{"head": {}, "results": {"bindings": []}}')(handler)
        else:
            content = pages[number] if number < len(pages) else b""
            given(content, Content_Type="application/n-triples")(handler)

    with context_host({"/query": page}) as host:
        words = (kg, f"{host.address}/query", "--query", "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "--graph", G)
        process = started("pull", *words)
        assert waited_for(lambda: "2" in asked or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert current(kg) == 0
        stops = False
        asked.clear()
        assert "added 3 statements" in sage_ld("pull", *words).stdout
    assert asked == ["2", "3", "rest 3"]


def test_a_page_without_statements_is_asked_for_again(kg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_LD_REMOTE_PAGE", "1")
    is_ill = True

    def page(handler: http.server.BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        number = int(body.rpartition("OFFSET%20")[2].partition("%0A")[0])
        content = b'<urn:x:%d> <urn:x:p> "1" .\n' % number if number < 3 else b""
        if "SELECT" in body:
            given(b'{"head": {}, "results": {"bindings": []}}', 500 if is_ill else 200)(handler)
        else:
            content = b"" if is_ill and number == 1 else content
            given(content, Content_Type="application/n-triples")(handler)

    with context_host({"/query": page}) as host:
        words = (kg, f"{host.address}/query", "--query", "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "--graph", G)
        sage_ld("pull", *words, status=1)
        is_ill = False
        assert "added 3 statements" in sage_ld("pull", *words).stdout


def test_watching_goes_on_after_a_failure(kg: Path, server: OxigraphServer) -> None:
    process = started("pull", kg, server.store, "--store", "--graph", "urn:x:late", "--watch", "1")
    assert process.stderr is not None
    assert process.stdout is not None
    try:
        assert "status 404" in process.stderr.readline()
        limit = resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        server.put("urn:x:late", "<urn:x:1> <urn:x:p> 1 .")
        while "status 404" in (line := process.stderr.readline()):
            pass
        assert "disk is full" in line
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limit)
        assert "added 1 statement" in process.stdout.readline()
        server.put("urn:x:late", "<urn:x:1> <urn:x:p> 2 .")
        while "unchanged" in (line := process.stdout.readline()):
            pass
        assert "added 1 statement and removed 1" in line
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)
    assert statements(kg, "urn:x:late") == {
        '<urn:x:1> <urn:x:p> "2"^^<http://www.w3.org/2001/XMLSchema#integer>'
    }


# --- streams ------------------------------------------------------------------------------------------


PREFIXES = """@prefix : <http://example.org/> . @prefix ldes: <https://w3id.org/ldes#> .
@prefix tree: <https://w3id.org/tree#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ROOT = f"""{PREFIXES} :stream a ldes:EventStream ; tree:view </1> ;
ldes:timestampPath :at ; ldes:versionOfPath :of ."""
DELETION = "a <https://www.w3.org/ns/activitystreams#Delete>"


def member(name: str, day: int, more: str) -> str:
    version, at = f":{name}-{day}", f"2026-01-{day:02}T00:00:00Z"
    return f':stream tree:member {version} . {version} :of :{name} ; :at "{at}"^^xsd:dateTime ; {more} .'


def stream_page(members: list[str], following: str = "") -> bytes:
    relation = f"[] a tree:Node ; tree:relation [ tree:node <{following}> ] ." if following else ""
    return "\n".join([PREFIXES, *members, relation]).encode()


def test_a_stream_is_followed_from_its_bookmark(kg: Path) -> None:
    full = {"Content-Type": "text/turtle", "Cache-Control": "public, immutable"}
    first = [member("a", 1, ":p [ :q 1 ]"), member("b", 1, ":p 1"), member("a", 3, ":p [ :q 3 ]")]
    last = [member("a", 2, ":p 2"), member("c", 4, ':p "c"')]

    def newest(handler: http.server.BaseHTTPRequestHandler) -> None:
        tag = f'"{len(last)}"'
        if handler.headers.get("If-None-Match") == tag:
            given(b"", 304)(handler)
        elif is_ill:
            given(b"", **full)(handler)
        else:
            given(stream_page(last), Content_Type="text/turtle", ETag=tag)(handler)

    pages = {"/": given(ROOT.encode(), **full), "/1": given(stream_page(first, "/2"), **full), "/2": newest}
    is_ill = True
    with context_host(pages) as host:
        words = ("pull", kg, f"{host.address}/", "--stream", "--graph", G)
        assert "added 5 statements and removed 0; revision 1" in sage_ld(*words).stdout
        is_ill = False
        assert "added 2 statements and removed 0; revision 2" in sage_ld(*words).stdout
        assert any('"3"' in each for each in statements(kg))
        host.asked.clear()
        assert "unchanged; revision 2" in sage_ld(*words).stdout
        assert host.asked == ["/2"]
        last += [member("b", 5, DELETION), member("d", 5, ":p 5")]
        assert "added 2 statements and removed 2; revision 3" in sage_ld(*words).stdout
        assert host.asked == ["/2", "/2"]
        last += [member("b", 2, ":p 2"), member("a", 6, ":p 6")]
        assert "added 2 statements and removed 3" in sage_ld(*words).stdout, "not what is older"
        sage_ld("update", kg, f"DELETE WHERE {{ GRAPH <{G}> {{ ?s ?p 5 }} }}")
        assert "added 1 statement and removed 0" in sage_ld(*words).stdout, "it was changed here"


def test_what_two_objects_share_stays_with_the_other(kg: Path) -> None:
    first = [member("a", 1, ":p _:both"), member("b", 1, ":p _:both"), "_:both :q 1 ."]
    last = [member("a", 2, ":p 2")]
    pages = {
        path: given(text, Content_Type="text/turtle", Cache_Control="immutable")
        for path, text in (("/", ROOT.encode()), ("/1", stream_page(first, "/2")))
    }
    pages["/2"] = lambda handler: given(stream_page(last), Content_Type="text/turtle")(handler)
    with context_host(pages) as host:
        words = ("pull", kg, f"{host.address}/", "--stream", "--graph", G)
        last.clear()
        sage_ld(*words)
        last.append(member("a", 2, ":p 2"))
        sage_ld(*words)
    assert any("/q>" in each for each in statements(kg)), "b still has it"


def silent(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def test_what_is_no_stream_or_has_too_many_pages_is_said(kg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turtle = {"Content_Type": "text/turtle"}
    pages = {
        f"/{n}": given(stream_page([member("a", n + 1, ":p 1")], f"/{n + 1}"), **turtle) for n in range(9)
    }
    with context_host({"/plain": given(TURTLE.encode(), **turtle), **pages, "/9": silent}) as host:

        def failing(path: str) -> str:
            words = ("pull", kg, host.address + path, "--stream", "--graph", G)
            return sage_ld(*words, status=1).stderr

        assert "not an event stream" in failing("/plain")
        monkeypatch.setenv("SAGE_LD_MAX_REMOTE_PAGES", "3")
        assert "max_remote_pages" in failing("/0")
        monkeypatch.setenv("SAGE_LD_MAX_REMOTE_PAGES", "20")
        for _ in range(2):
            assert "does not answer" in failing("/0")
        assert host.asked == ["/plain", *(f"/{n}" for n in range(10)), "/9"], "each page once"
        host.replies["/9"] = given(b"", 304)
        assert "status 304" in failing("/0")
        assert current(kg) == 0


def test_a_kill_at_any_moment_leaves_the_graph_before_or_after(kg: Path, tmp_path: Path) -> None:
    rows = [f"<urn:x:{n}> <urn:x:p> {n} .\n" for n in range(5000)]
    (tmp_path / "a.ttl").write_text("".join(rows))
    for delay in (1.5, 2.5, 3.5):
        process = started("pull", kg, tmp_path / "a.ttl", "--graph", G)
        with suppress(subprocess.TimeoutExpired):
            process.wait(delay)
        process.kill()
        process.communicate()
        assert not current(kg) or len(statements(kg)) == 5000
    sage_ld("pull", kg, tmp_path / "a.ttl", "--graph", G)
    assert len(statements(kg)) == 5000


@pytest.mark.parametrize("suffix", ["trig", "nq", "jsonld"])
def test_the_graphs_of_a_file_keep_their_names(kg: Path, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a.{suffix}"
    unnamed = file.resolve().as_uri()

    def pulled(trig: str, *words: str) -> dict[str, int]:
        form = RdfFormat.from_extension(suffix)
        assert form is not None
        file.write_bytes(serialize(parse(PREFIXES + trig, RdfFormat.TRIG), format=form))
        report: dict[str, int] = json.loads(sage_ld("pull", kg, file, "--json", *words).stdout)
        return report

    def graphs() -> dict[str, int]:
        with KnowledgeGraph.open(kg).snapshot() as snapshot:
            names = [each.value for each in snapshot.stores.named.named_graphs()]
        return {name: len(statements(kg, name)) for name in names if not name.startswith("http://localhost")}

    sage_ld("update", kg, "INSERT DATA { GRAPH <urn:x:mine> { <urn:x:a> <urn:x:p> 1 } }")
    first = ":a :p 007 . :g { :a :p 1.50 ; :q [ :r 1 ] } :h { :b :name 'Anna' }"
    assert pulled(first, "--retrievable")["added"] == 5
    both = {"urn:x:mine": 1, "http://example.org/g": 3}
    assert graphs() == {**both, unnamed: 1, "http://example.org/h": 1}
    assert "Anna" in sage_ld("search", kg, "Anna").stdout
    assert not pulled(first)["changed"]
    report = pulled(":g { :a :p 1.50 ; :q [ :r 1 ] } :new { :a :p 1 }", "--retrievable")
    assert (report["added"], report["removed"]) == (1, 2), "what is gone from the file is gone here"
    assert graphs() == {**both, "http://example.org/new": 1}
    assert "Anna" not in sage_ld("search", kg, "Anna").stdout
    where = "?pull prov:used ?file ; prov:generated ?graph . ?graph prov:wasDerivedFrom ?file"
    query = f"PREFIX prov: <http://www.w3.org/ns/prov#> SELECT ?graph {{ {where} }}"
    told = sage_ld("sparql", kg, query, "--format", "csv").stdout.split()[1:]
    assert sorted(told) == ["http://example.org/g", "http://example.org/new"]
    (tmp_path / "g.ttl").write_text("<urn:x:a> <urn:x:p> 2 .")
    sage_ld("pull", kg, tmp_path / "g.ttl", "--graph", "http://example.org/g")
    assert pulled(":new { :a :p 1 }")["removed"] == 0, "another source has made it since"


def test_a_graph_that_something_else_has_made_is_not_replaced(kg: Path, tmp_path: Path) -> None:
    sage_ld("update", kg, "INSERT DATA { GRAPH <http://example.org/g> { <urn:x:a> <urn:x:p> 1 } }")
    (tmp_path / "own.nq").write_text("<urn:x:b> <urn:x:p> <urn:x:c> <http://example.org/h> .")
    sage_ld("pull", kg, tmp_path / "own.nq")
    other = tmp_path / "other.trig"
    for name in "gh":
        other.write_text(f"{PREFIXES} :new {{ :a :p 1 }} :{name} {{ :a :p 2 }}")
        refused = sage_ld("pull", kg, other, status=1).stderr
        assert f"<http://example.org/{name}> has statements here that do not come from file:" in refused
        assert not statements(kg, "http://example.org/new")
        sage_ld("pull", kg, other, "--replace", "--dry-run")
    assert "added 2 statements and removed 1" in sage_ld("pull", kg, other, "--replace").stdout
    assert "unchanged" in sage_ld("pull", kg, other).stdout


def test_of_a_whole_export_what_users_state_is_pulled(kg: Path, tmp_path: Path) -> None:
    (tmp_path / "a.trig").write_text(f"{TURTLE} :g {{ :a :p 1 }}")
    sage_ld("ingest", kg, tmp_path / "a.trig")
    sage_ld("export", kg, "--format", "nquads", "-o", tmp_path / "all.nq")
    KnowledgeGraph.create(tmp_path / "other", encoder="jaccard").close()
    done = sage_ld("pull", tmp_path / "other", tmp_path / "all.nq")
    assert "added 10 statements" in done.stdout
    assert "sage-ld derived were left out" in done.stderr


# --- with our own service -----------------------------------------------------------------------------


def test_two_graphs_keep_each_other_by_their_services(
    kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)
    KnowledgeGraph.create(tmp_path / "other", encoder="jaccard").close()
    sage_ld("pull", kg, tmp_path / "a.ttl", "--graph", G)
    with serving(tmp_path / "other", roles=(AccessRole.WRITE,)) as server:
        there = f"http://127.0.0.1:{server.port}/data"
        words = ("push", kg, there, "--graph", G)
        assert "SAGE_LD_REMOTE_AUTHORIZATION" in sage_ld(*words, status=1).stderr
        monkeypatch.setenv("SAGE_LD_REMOTE_AUTHORIZATION", f"Bearer {server.tokens['write']}")
        assert "added 9 statements" in sage_ld(*words).stdout
        assert "unchanged" in sage_ld(*words).stdout
        new = '<urn:x:1> <urn:x:p> 1, "a"@ar--rtl, <<( <urn:x:a> <urn:x:b> <urn:x:c> )>>'
        sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ {new} }} }}")
        assert "added 3 statements" in sage_ld(*words).stdout
        assert "unchanged" in sage_ld(*words).stdout
        KnowledgeGraph.create(tmp_path / "third", encoder="jaccard").close()
        back = ("pull", tmp_path / "third", there, "--store", "--graph", G)
        assert "added 12 statements" in sage_ld(*back).stdout
        assert "unchanged" in sage_ld(*back).stdout
    assert statements(tmp_path / "third") == statements(kg)


# --- push ---------------------------------------------------------------------------------------------


def test_users_graphs_are_sent_to_a_store(kg: Path, tmp_path: Path) -> None:
    with oxigraph_server() as server:
        (tmp_path / "a.ttl").write_text(TURTLE)
        sage_ld("pull", kg, tmp_path / "a.ttl", "--graph", G)
        sage_ld("update", kg, "INSERT DATA { <urn:x:default> <urn:x:p> 1 }")
        assert "the default graph: added 1 statement" in sage_ld("push", kg, server.store).stdout
        assert len(server.graph(G)) == 9
        assert sage_ld("push", kg, server.store).stdout.count("unchanged") == 2
        sage_ld("update", kg, f"DELETE WHERE {{ GRAPH <{G}> {{ ?s <http://example.org/p> ?o }} }}")
        assert "added 0 statements and removed 2" in sage_ld("push", kg, server.store).stdout
        assert len(server.graph(G)) == 7


def test_a_push_of_rdf_11_has_what_an_export_of_it_has(kg: Path, server: OxigraphServer) -> None:
    new = '<urn:x:1> <urn:x:p> "a"@ar--rtl, <<( <urn:x:a> <urn:x:b> <urn:x:c> )>>'
    sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ {new} }} }}")
    assert (
        "added 1 "
        in sage_ld("push", kg, server.store, "--graph", G, "--to", "urn:x:old", "--rdf", "1.1").stdout
    )
    assert server.graph("urn:x:old") == {'<urn:x:1> <urn:x:p> "a"@ar .'}


def test_what_did_not_come_from_here_is_not_replaced(kg: Path, server: OxigraphServer) -> None:
    sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ <urn:x:a> <urn:x:p> 1 }} }}")
    server.put("urn:x:theirs", "<urn:x:1> <urn:x:p> 1 .")
    before = server.graph("urn:x:theirs")
    for endpoint, more in ((server.store, ()), (f"{server.address}/update", ("--update",))):
        words = ("push", kg, endpoint, *more, "--graph", G, "--to", "urn:x:theirs")
        assert "--replace" in sage_ld(*words, status=1).stderr
        assert server.graph("urn:x:theirs") == before
    assert "added 1" in sage_ld(*words, "--replace").stdout
    assert len(server.graph("urn:x:theirs")) == 1
    sage_ld("push", kg, server.store, "--graph", G, "--to", "urn:x:theirs")
    server.put("urn:x:theirs", "<urn:x:1> <urn:x:p> 3 .")
    error = sage_ld("push", kg, server.store, "--graph", G, "--to", "urn:x:theirs", status=1).stderr
    assert "has changed since it was pushed" in error


def test_what_differs_is_sent_as_updates(
    kg: Path, server: OxigraphServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_LD_REMOTE_PAGE", "10")
    rows = " ".join(f"<urn:x:{n}> <urn:x:p> {n} ." for n in range(25))
    sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ {rows} }} }}")
    words = ("push", kg, f"{server.address}/update", "--update", "--graph", G, "--to", "urn:x:updated")
    assert "added 25 statements" in sage_ld(*words).stdout
    assert len(server.graph("urn:x:updated")) == 25
    assert "unchanged" in sage_ld(*words).stdout
    sage_ld("update", kg, f"DELETE WHERE {{ GRAPH <{G}> {{ <urn:x:7> ?p ?o }} }}")
    assert "added 0 statements and removed 1" in sage_ld(*words).stdout
    assert len(server.graph("urn:x:updated")) == 24
    sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ [] <urn:x:p> 1 }} }}")
    assert "blank nodes" in sage_ld(*words, status=1).stderr


def keeping(server: OxigraphServer, graph: str, kept: str | None, status: int) -> Reply:
    """A graph store that keeps `kept` of what is put (None: nothing; empty: all), whatever it answers."""

    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        if handler.command == "GET":
            content = "\n".join(server.graph(graph)).encode()
            return given(content, Content_Type="application/n-triples")(handler)
        body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        if kept is not None:
            server.put(graph, kept or body)
        return given(b"", status)(handler)

    return reply


def test_half_a_graph_that_a_push_left_is_made_good(kg: Path, server: OxigraphServer) -> None:
    half = "urn:x:half"
    server.put(half, "")
    sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ <urn:x:a> <urn:x:p> 1, [ <urn:x:p> 2, 3 ] }} }}")
    with context_host({}) as host:
        words = ("push", kg, f"{host.address}/s", "--graph", G, "--to", half)

        def pushed(kept: str | None, status: int) -> str:
            host.replies["/s?graph=urn%3Ax%3Ahalf"] = keeping(server, half, kept, status)
            done = sage_ld(*words, status=0 if status == 204 else 1)
            return done.stdout + done.stderr

        assert "status 500" in pushed("<urn:x:a> <urn:x:p> [ <urn:x:p> 2 ] .", 500)
        sage_ld("update", kg, f"DELETE WHERE {{ GRAPH <{G}> {{ <urn:x:a> <urn:x:p> 1 }} }}")
        assert "status 500" in pushed("<urn:x:a> <urn:x:p> [], 1 .", 500)
        assert "added 3 statements and removed 2" in pushed("", 204)
        assert len(server.graph(half)) == 3
        sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ <urn:x:a> <urn:x:p> 4 }} }}")
        assert "changed meanwhile" in pushed(None, 412)
        assert "status 413" in pushed(None, 413)
        server.put(half, "<urn:x:a> <urn:x:p> [] .")
        assert "changed since" in sage_ld(*words, status=1).stderr


def test_an_update_that_leads_elsewhere_is_no_success(kg: Path) -> None:
    sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ <urn:x:a> <urn:x:p> 1 }} }}")
    with context_host({"/a": given(b"", 301, Location="https://127.0.0.1/a")}) as host:
        for more in ((), ("--replace",), ()):
            words = ("push", kg, f"{host.address}/a", "--update", "--graph", G, *more)
            assert "leads to https://127.0.0.1/a" in sage_ld(*words, status=1).stderr


@pytest.mark.parametrize(("replaces", "is_done"), [(False, False), (True, False), (True, True)])
def test_a_push_by_updates_that_ended_early_is_made_good(
    kg: Path, server: OxigraphServer, monkeypatch: pytest.MonkeyPatch, replaces: bool, is_done: bool
) -> None:
    monkeypatch.setenv("SAGE_LD_REMOTE_PAGE", "10")
    if replaces:
        server.put("urn:x:relayed", "<urn:x:theirs> <urn:x:p> 1 .")
    rows = " ".join(f"<urn:x:{n}> <urn:x:p> {n} ." for n in range(25))
    sage_ld("update", kg, f"INSERT DATA {{ GRAPH <{G}> {{ {rows} }} }}")
    count = 0

    def relay(handler: http.server.BaseHTTPRequestHandler) -> None:
        nonlocal count
        count += 1
        body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        fails = count == (1 if replaces else 2)
        if is_done or not fails:
            server.send("POST", "/update", body, "application/sparql-update")
        given(b"", 503 if fails else 204)(handler)

    with context_host({"/update": relay}) as host:
        words = ("push", kg, f"{host.address}/update", "--update", "--graph", G, "--to", "urn:x:relayed")
        more = ("--replace",) if replaces else ()
        assert "status 503" in sage_ld(*words, *more, status=1).stderr
        assert len(server.graph("urn:x:relayed")) == (1 if replaces and not is_done else 10)
        sage_ld("update", kg, f"DELETE WHERE {{ GRAPH <{G}> {{ <urn:x:0> ?p ?o }} }}")
        sage_ld(*words)
        assert len(server.graph("urn:x:relayed")) == 24
        assert "unchanged" in sage_ld(*words).stdout
