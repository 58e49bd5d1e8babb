"""The application behind its gateway, in this process, asked with any bytes as a server passes them on."""

from __future__ import annotations

import asyncio
import logging
from base64 import b64encode
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from graph.corpus import built, write
from pyoxigraph import Literal, NamedNode, Quad
from werkzeug.test import run_wsgi_app

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.recipes import Ranking
from sage_ld.foundation.settings import Settings
from sage_ld.service import context, route_table
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.app import create_app
from sage_ld.service.gateway import Gateway, wsgi_environ
from sage_ld.service.http.request_heads import check_head

BASE = "http://localhost:8000/id/"
_LABEL = NamedNode(v.RDFS + "label")
_SEE_ALSO = NamedNode(v.RDFS + "seeAlso")
ODD_NAMES = [
    "a%0D%0Ab:c",
    "caf\u00e9'(;)",
    "%22%3E%3Cscript%3E",
    "//evil.example/x",
    "a/../b?c=d&e",
    "%ff%00",
]
ODD = [
    Quad(NamedNode(BASE + name), predicate, value)
    for name in ODD_NAMES
    for predicate, value in (
        (_LABEL, Literal('"><script>x-fuzz</script>\0')),
        (_SEE_ALSO, NamedNode("javascript:alert(1)")),
        (_SEE_ALSO, NamedNode("data:text/html,x")),
    )
]
"""Resources whose names and values do harm where they are not escaped."""
TOKEN = b"TOKEN"
"""What stands in the seeds for a token of role admin, as it is and in Basic credentials."""
_BASIC = b64encode(b"user:" + TOKEN)


@dataclass(frozen=True)
class Sent:
    """A request as a server passes it on: names of fields are in small letters."""

    method: str = "GET"
    path: bytes = b"/"
    query: bytes = b""
    fields: tuple[tuple[bytes, bytes], ...] = ((b"host", b"localhost"),)
    body: bytes = b""

    @property
    def scope(self) -> dict[str, Any]:
        """The request without its body, as ASGI has it."""
        return {
            "type": "http",
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "raw_path": self.path,
            "query_string": self.query,
            "headers": list(self.fields),
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
        }


@dataclass(frozen=True)
class Answer:
    """An answer, and the errors that the log has of it."""

    sent: Sent
    status: int
    fields: tuple[tuple[str, str], ...]
    content: bytes
    errors: tuple[str, ...]

    def field(self, name: str) -> str:
        """The value of a field; "" without one."""
        return next((value for key, value in self.fields if key == name), "")


class Errors(logging.Handler):
    """The errors that were logged since the last time that they were taken."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    def taken(self) -> tuple[str, ...]:
        taken, self.records = self.records, []
        return tuple(map(logging.Formatter().format, taken))


@dataclass(frozen=True)
class Place:
    """A folder with a graph and a data set, and a token of role admin."""

    folder: Path
    token: str


def prepared(folder: Path) -> Place:
    """A small graph, and a data set of one question."""
    graph = built(folder / "graph", write(folder / "corpus"))
    with graph.writer() as writer:
        writer.change().extend(ODD)
        writer.publish()
    graph.close()
    judged = folder / "data" / "heron" / "qrels"
    judged.mkdir(parents=True)
    (judged / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\theron.md\t1\n")
    (judged.parent / "queries.jsonl").write_text('{"_id": "1", "text": "Osmere"}\n')
    return Place(folder, create_token(folder / "graph", "fuzz", AccessRole.ADMIN, "2026-01-01"))


class Application:
    """The application of a prepared graph, with the names of its resources."""

    def __init__(self, place: Place, **changed: Any) -> None:
        self.folder, self._token = place.folder, place.token.encode()
        self._settings = settings = Settings(
            sparql_workers=1,
            trusted_proxies=1,
            client_rankings=",".join(Ranking),
            cors_origins="https://a.example",
            evaluation_dir=str(place.folder / "data"),
            event_stream_time=0.05,
            **changed,
        )
        self.app = create_app(place.folder / "graph", settings)
        here = context.service_of(self.app)
        self._gateway = Gateway(self.app.wsgi_app, settings, lambda environ: route_table.admit(here, environ))
        self._runner = asyncio.Runner()
        self.errors = Errors()
        logging.getLogger("sage_ld").addHandler(self.errors)
        with context.service_of(self.app).snapshots.use() as snapshot:
            quads = snapshot.store.quads_for_pattern(None, None, None)
            iris = {quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)}
        self.names = sorted(iri.removeprefix(BASE) for iri in iris if iri.startswith(BASE))
        """What stands after the base in the IRIs of the graph's resources."""

    def ask(self, sent: Sent) -> Answer:
        """The answer to a request."""
        signed = self._signed(sent)
        events = [{"type": "http.request", "body": signed.body}]
        answered: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not events:
                await asyncio.Event().wait()  # the client stays until it has its answer
            return events.pop()

        async def send(event: dict[str, Any]) -> None:
            answered.append(event)

        self._runner.run(self._gateway(signed.scope, receive, send))
        head, *blocks = answered
        fields = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head["headers"])
        content = b"".join(each["body"] for each in blocks)
        assert [each["more_body"] for each in blocks] == [True] * (len(blocks) - 1) + [False]
        return Answer(sent, head["status"], fields, content, self.errors.taken())

    def call(self, sent: Sent) -> None:
        """Has the request answered in this thread, without its gateway's loop, to measure the time."""
        signed = self._signed(sent)
        check_head(len(signed.path) + len(signed.query), "1.1", signed.fields, self._settings)
        environ = wsgi_environ(signed.scope)
        environ["wsgi.input"] = BytesIO(signed.body)
        if signed.body:
            environ["CONTENT_LENGTH"] = str(len(signed.body))
        run_wsgi_app(self.app.wsgi_app, environ, buffered=True)

    def close(self) -> None:
        logging.getLogger("sage_ld").removeHandler(self.errors)
        self._runner.close()
        context.detach(self.app)

    def _signed(self, sent: Sent) -> Sent:
        """The request with the token in the place of its name."""
        basic = b64encode(b"user:" + self._token)
        fields = tuple(
            (name, value.replace(TOKEN, self._token).replace(_BASIC, basic)) for name, value in sent.fields
        )
        return replace(sent, fields=fields)
