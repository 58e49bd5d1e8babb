"""The answer to a write of statements: how many came and went, and what is likely to be a mistake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store
from service.serving import UPDATE, empty_graph
from service.web import client_of
from werkzeug.test import TestResponse

from sage_ld.graph.changes import statement_counts
from sage_ld.graph.store.directory import Directory
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.workers.effects import Touched, takes_effect
from sage_ld.service.workers.update_text import operations

GRAPH = "/data?graph=http://e.x/g"
TWO = "<http://e.x/a> <http://e.x/p> 1 , 2 ."


class Client:
    """A client with a token of role write, of a graph of its own."""

    def __init__(self, client: FlaskClient, folder: Path, token: str) -> None:
        self.client, self.folder = client, folder
        self._headers = {"Authorization": f"Bearer {token}"}

    def send(self, method: str, path: str, body: str = "", **headers: str) -> TestResponse:
        form = UPDATE if path.startswith("/update") or method == "PATCH" else "text/turtle"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.open(
            path, method=method, data=body.encode(), headers={"Content-Type": form, **self._headers, **named}
        )

    def update(self, text: str, parameters: str = "", **headers: str) -> TestResponse:
        return self.send("POST", f"/update{parameters}", text, **headers)

    @property
    def revision(self) -> int:
        return Directory(self.folder).current()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = empty_graph(tmp_path_factory.mktemp("written") / "graph")
    token = create_token(folder, "writer", AccessRole.ADMIN, "2026-01-01")
    with client_of(folder) as client:
        yield Client(client, folder, token)


@pytest.fixture
def writer(opened: Client) -> Client:
    """A client of a graph in which there are two statements, in a named graph."""
    assert opened.update(f"DROP ALL ; INSERT DATA {{ GRAPH <http://e.x/g> {{ {TWO} }} }}").status_code == 200
    return opened


def counts(answer: TestResponse) -> tuple[int, int]:
    return int(answer.headers["Sage-Added"]), int(answer.headers["Sage-Removed"])


# --- the numbers --------------------------------------------------------------------------------------

SAID = (
    ("INSERT DATA { <s:> <p:> 1, 2, 1.0, 01 . GRAPH <g:> { <s:> <p:> 1 } }", 4, 0),
    ("INSERT DATA { GRAPH <g:> { <b:> <p:> <c:> } }", 0, 0),
    ("DELETE DATA { <a:> <p:> <b:>, <none:> . GRAPH <g:> { <a:> <p:> <b:> } }", 0, 2),
    ("DELETE WHERE { GRAPH ?g { ?s ?p ?o } }", 0, 2),
    ("WITH <g:> DELETE { ?s ?p ?o } INSERT { ?s ?p 9 } WHERE { ?s ?p ?o }", 2, 2),
    ("WITH <g:> DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o }", 0, 0),
    ("INSERT DATA { <a:> <q:> 1 } ; DELETE DATA { <a:> <q:> 1 }", 0, 0),
    ("INSERT DATA { <a:> <q:> [ <q:> [ <q:> ( 1 2 ) ] ] }", 7, 0),
    ("INSERT DATA { _:b <q:> 1 . GRAPH <g:> { _:b <q:> 1 } }", 2, 0),
    ("INSERT { ?s <q:> [ <q:> ?o ] } WHERE { GRAPH <g:> { ?s <p:> ?o } }", 4, 0),
    ("INSERT DATA { <a:> <q:> [] } ; DELETE WHERE { ?s <q:> ?o }", 0, 0),
    ("INSERT { ?s <q:> ?u } WHERE { GRAPH <g:> { ?s <p:> ?o } BIND(UUID() AS ?u) }", 2, 0),
    ("INSERT { ?u <q:> ?n } WHERE { GRAPH <g:> { ?s <p:> ?o } BIND(UUID() AS ?u) BIND(NOW() AS ?n) }", 2, 0),
    ("INSERT { ?s <q:> ?r } WHERE { GRAPH <g:> { ?s <p:> ?o } BIND(RAND() AS ?r) }", 2, 0),
    ("INSERT { <s:> <p:> <o:> ~ <e:> {| <w:> [] |} } WHERE {}", 3, 0),
    ("CLEAR GRAPH <g:>", 0, 2),
    ("DROP ALL", 0, 3),
    ("COPY DEFAULT TO <g:>", 0, 1),
    ("MOVE <g:> TO <h:>", 2, 2),
    ("CREATE GRAPH <k:>", 0, 0),
)


@pytest.mark.parametrize("most", [1, statement_counts.MOST_LOOKED_UP])
def test_statements_are_counted_as_they_come_and_go(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement_counts, "MOST_LOOKED_UP", most)
    a, b, c, p = (NamedNode(f"{name}:") for name in "abcp")
    there = [Quad(a, p, b), Quad(a, p, b, NamedNode("g:")), Quad(b, p, c, NamedNode("g:"))]
    wrong = []
    for text, added, removed in SAID:
        before, after, touched = Store(), Store(), Touched()
        before.extend(there)
        after.extend(there)
        for operation in operations(text):
            if takes_effect(after, operation, "http://base/", touched):
                after.update(operation.text, base_iri="http://base/")
        found = touched.statements.difference(before, after).counts
        if found != (added, removed) or found.added - found.removed != len(after) - len(before):
            wrong.append((text, found))
    assert not wrong


def test_only_what_a_change_is_about_is_looked_up() -> None:
    class Counting:
        """A store that counts the statements that it gives."""

        def __init__(self, quads: list[Quad]) -> None:
            self.store, self.given = Store(), 0
            self.store.extend(quads)

        def quads_for_pattern(self, *pattern: object) -> Iterator[Quad]:
            for each in self.store.quads_for_pattern(*pattern):
                self.given += 1
                yield each

    p, shared = NamedNode("p:"), BlankNode("shared")
    many = [Quad(shared, p, Literal(number)) for number in range(1_000)]
    before, after = Counting(many), Counting([*many[1:], Quad(shared, p, NamedNode("new:"))])
    changed = statement_counts.ChangedStatements()
    changed.add(many[0].triple)
    changed.add(Quad(shared, p, NamedNode("new:")).triple)
    assert changed.difference(before, after).counts == (1, 1)
    assert before.given + after.given < 10


def test_an_update_says_what_it_changed(writer: Client) -> None:
    answer = writer.update("WITH <http://e.x/g> DELETE { ?s ?p 1 } INSERT { ?s ?p 3, 4 } WHERE { ?s ?p 1 }")
    assert answer.get_json() == {
        "revision": writer.revision,
        "added": 2,
        "removed": 1,
        "warnings": [],
        "dryRun": False,
    }
    assert counts(answer) == (2, 1)


def test_the_graph_store_says_what_it_changed(writer: Client) -> None:
    answers = [
        writer.send("PUT", GRAPH, "<http://e.x/a> <http://e.x/p> 2, 3, 4 ."),
        writer.send("POST", GRAPH, "<http://e.x/a> <http://e.x/p> 4, 5 ."),
        writer.send("PATCH", GRAPH, "DELETE WHERE { ?s ?p 5 }"),
        writer.send("PUT", "/data?graph=http://e.x/h", TWO),
        writer.send("POST", "/data", TWO),
        writer.send("DELETE", GRAPH),
    ]
    assert [(each.status_code, *counts(each)) for each in answers] == [
        (204, 2, 1),
        (204, 1, 0),
        (204, 0, 1),
        (201, 2, 0),
        (201, 2, 0),
        (204, 0, 3),
    ]
    assert [each.get_json()["added"] for each in answers if each.status_code == 201] == [2, 2]
    assert all(each.data == b"" for each in answers if each.status_code == 204)
    unasked = writer.send("PUT", "/data?graph=http://e.x/i", TWO, Prefer="return=minimal")
    assert (unasked.status_code, unasked.data) == (201, b"")


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", GRAPH, TWO, 200),
        ("PUT", "/data?graph=http://e.x/new", TWO, 201),
        ("POST", "/data", TWO, 201),
        ("PATCH", GRAPH, "CLEAR DEFAULT", 400),
        ("PATCH", GRAPH, "DELETE WHERE { ?s ?p 1 }", 200),
        ("DELETE", GRAPH, "", 200),
    ],
)
def test_the_graph_store_answers_in_json_to_who_prefers_it(
    writer: Client, method: str, path: str, body: str, status: int
) -> None:
    answer = writer.send(method, path, body, Prefer="return=representation")
    assert answer.status_code == status
    if status < 400:
        assert answer.headers["Preference-Applied"] == "return=representation"
        said = answer.get_json()
        assert (said["added"], said["removed"]) == counts(answer)
        assert said["revision"] == writer.revision


# --- warnings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("DELETE WHERE { ?s ?p ?o }", "default graph, which is empty; name the graph by GRAPH"),
        ("INSERT { ?s ?p 3 } WHERE { ?s ?p 1 }", "default graph, which is empty"),
        ("DELETE WHERE { GRAPH <http://e.x/g> { ?s ?p 9 } }", "nothing matches its WHERE"),
        ("DELETE { ?s ?p ?o } USING <http://e.x/none> WHERE { ?s ?p ?o }", "nothing matches its WHERE"),
        ("DELETE DATA { GRAPH <http://e.x/g> { <x:> <x:> 9 } }", "nothing that it deletes is there"),
        ("DROP SILENT GRAPH <x:none>", "no graph that it names is there"),
        ("DELETE DATA { <http://e.x/a> <http://e.x/p> 1 }", "leaves every graph as it was"),
        ("INSERT DATA { GRAPH <http://e.x/g> { <http://e.x/a> <http://e.x/p> 1 } }", "as it was"),
    ],
)
def test_an_update_that_changes_nothing_says_so(writer: Client, text: str, warning: str) -> None:
    before = writer.revision
    answer = writer.update(text)
    assert (answer.status_code, answer.get_json()["revision"]) == (200, before)
    [said] = answer.get_json()["warnings"]
    assert warning in said
    assert answer.headers.getlist("Sage-Warning") == [said]
    assert counts(answer) == (0, 0)


def test_each_operation_that_does_nothing_is_named_and_very_many_are_counted(writer: Client) -> None:
    idle = "DELETE WHERE { GRAPH <http://e.x/g> { ?s ?p 9 } }"
    said = writer.update(f"INSERT DATA {{ <x:> <x:> 1 }} ; {idle}").get_json()
    assert said["warnings"] == ["operation 2 does nothing: nothing matches its WHERE"]
    assert writer.update("INSERT DATA { <x:> <x:> 2 }").get_json()["warnings"] == []
    said = writer.update(" ; ".join([idle] * 50)).get_json()
    assert said["warnings"][-1] == "… and 30 more operations"
    assert writer.send("PATCH", GRAPH, "DELETE WHERE { ?s ?p 9 }").headers["Sage-Warning"]


# --- trying, and transactions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "numbers"),
    [
        ("POST", "/update?", "DROP GRAPH <http://e.x/g> ; INSERT DATA { <x:> <x:> 1 }", (1, 2)),
        ("POST", "/update?", "DELETE WHERE { ?s ?p ?o }", (0, 0)),
        ("PUT", GRAPH + "&", "<http://e.x/a> <http://e.x/p> 2, 3, 4 .", (2, 1)),
        ("PUT", "/data?graph=http://e.x/fresh&", TWO, (2, 0)),
        ("POST", "/data?", TWO, (2, 0)),
        ("PATCH", GRAPH + "&", "CREATE GRAPH <x:>", None),
        ("DELETE", GRAPH + "&", "", (0, 2)),
    ],
)
def test_a_dry_run_says_what_would_change_and_changes_nothing(
    writer: Client, method: str, path: str, body: str, numbers: tuple[int, int] | None
) -> None:
    revision, before = writer.revision, writer.client.get(GRAPH).data
    answer = writer.send(method, f"{path}dry-run=true", body)
    if numbers is None:
        assert answer.status_code == 400  # as it would be otherwise
    else:
        assert answer.status_code == 200
        assert "Location" not in answer.headers
        said = answer.get_json()
        assert (said["dryRun"], said["revision"], said["added"], said["removed"]) == (
            True,
            revision,
            *numbers,
        )
    assert writer.revision == revision
    assert writer.client.get(GRAPH).data == before
    after = writer.update("INSERT DATA { <x:> <x:> 5 }")  # which takes the graph as it is published
    assert counts(after) == (1, 0)
    assert writer.client.get(GRAPH).data == before


@pytest.mark.parametrize("path", ["/update?dry-run=yes", GRAPH + "&dry-run=1"])
def test_another_value_of_dry_run_is_refused(writer: Client, path: str) -> None:
    answer = writer.send("POST", path, "")
    assert answer.status_code == 400
    assert "neither true nor false" in answer.get_json(force=True)["detail"]


def test_an_update_is_carried_out_on_the_revision_that_its_client_read(writer: Client) -> None:
    ask = "/sparql?query=ASK%20%7B%20GRAPH%20%3Fg%20%7B%20%3Fs%20%3Fp%201%20%7D%20%7D"
    read = writer.client.get(ask).headers["Sage-Revision"]
    assert writer.client.get(GRAPH).headers["ETag"].startswith(read.rstrip('"'))
    text = "INSERT DATA { <x:> <x:> 6 }"
    tried = writer.update(text, "?dry-run=true", If_Match=read)
    assert tried.headers["Sage-Revision"] == read
    done = writer.update(text, If_Match=read)
    assert done.status_code == 200
    assert done.headers["Sage-Revision"] != read
    assert writer.update("CLEAR ALL", If_Match=read).status_code == 412
    assert writer.update("CLEAR ALL", "?dry-run=true", If_Match=read).status_code == 412
    assert writer.client.get(ask).headers["Sage-Revision"] == done.headers["Sage-Revision"]
    assert writer.send("DELETE", GRAPH, If_Match=done.headers["Sage-Revision"]).status_code == 204
