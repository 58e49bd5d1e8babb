"""The tools' way to the graph of the service: through its places to search, its workers and its caches."""

from __future__ import annotations

import io
import json
from collections.abc import Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter
from typing import IO, Any, Final
from wsgiref.types import WSGIEnvironment

from sage_ld.agents import Toolbox
from sage_ld.agents.http.state import agents_of
from sage_ld.agents.tables import TableWorkers
from sage_ld.agents.text_to_sparql.running import RdfQueries
from sage_ld.agents.tools.approval import HoldingApprover
from sage_ld.agents.tools.backend import Gone, Told
from sage_ld.agents.tools.tool import ToolRole
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.language_model import LanguageModel
from sage_ld.foundation.question import Answer
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.provenance.approvals import NOBODY
from sage_ld.graph.store.statistics import Statistics
from sage_ld.service.access.tokens import AccessRole, caller_of, check, client_of, readers_of_retrievals
from sage_ld.service.api.retrieval import search_of
from sage_ld.service.context import Service
from sage_ld.service.http import responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.request_values import Parameters
from sage_ld.service.requests import asking_model, model_of, request_of, searching
from sage_ld.service.sparql.queries import SentQuery, accepted_query, evaluated
from sage_ld.service.sparql.writes import write_for

_ACCEPTED: Final = {
    "SELECT": "application/sparql-results+json",
    "ASK": "application/sparql-results+json",
    "CONSTRUCT": "text/turtle",
    "DESCRIBE": "text/turtle",
}
_PATIENCE: Final = 5.0  # seconds for which a call waits for counts that are being made


class ServiceBackend:
    """The graph of a service, as the sender of one request may use it."""

    is_owner: Final = False

    def __init__(self, here: Service, environ: WSGIEnvironment, role: AccessRole) -> None:
        self._here, self._environ, self._role = here, environ, role

    @property
    def graph(self) -> KnowledgeGraph:
        """The graph."""
        return self._here.graph

    def revision(self) -> AbstractContextManager[Snapshot]:
        """The newest revision."""
        return self._here.snapshots.use()

    @contextmanager
    def searching(self, gone: Gone) -> Iterator[Check]:
        """One of the places of requests that search. Raises BusyError."""
        with searching(self._here, self._for(gone)) as found:
            yield found

    def answer(self, snapshot: Snapshot, parameters: Mapping[str, Any], gone: Gone) -> Answer:
        """The answer, from the cache of answers if it is there; kept as the settings say."""
        here, begin = self._here, perf_counter()
        question = request_of(here, parameters, self._environ)
        state = here.cache_state(snapshot.number, snapshot.rebuilt)
        key = responses.digest(search_of(parameters))
        if (answer := here.retrieved.get(state, key)) is None:
            with self.searching(gone) as found:
                answer = question.answer(snapshot, found)
            here.retrieved.put(state, key, answer)
        return here.keeper.kept(answer, perf_counter() - begin)

    def statistics(self, snapshot: Snapshot) -> Statistics:
        """The counts of this revision or of the one before it."""
        return self._here.statistics.of(snapshot.number, _PATIENCE)[1]

    @property
    def rdf(self) -> RdfQueries:
        """SPARQL in the service's workers."""
        here = self._here
        return RdfQueries(here.directory, here.settings, here.queries)

    @property
    def tables(self) -> TableWorkers:
        """SQL in the service's workers."""
        return agents_of(self._here).tables

    @property
    def client(self) -> Hashable:
        """The sender of the request."""
        return client_of(self._environ)

    def language_model(self, purpose: str) -> LanguageModel:
        """The model of the service, for senders with a token. Raises NotFoundError where it has none."""
        check(self._role, AccessRole.READ)
        return model_of(self._here, purpose)

    def asking_model(self) -> AbstractContextManager[None]:
        """One of the places of requests that ask the language model. Raises BusyError."""
        return asking_model(self._here, self._environ)

    def query(self, text: str, form: str, gone: Gone) -> IO[bytes]:
        """The answer of one of the SPARQL workers, or of the cache."""
        here, base = self._here, self._here.graph.iris.base
        query = accepted_query(here, SentQuery(text, Parameters(()), _ACCEPTED[form], base))
        if query.reads_retrievals:
            check(self._role, readers_of_retrievals(here.settings))
            here.keeper.flush()
        with here.revisions.use() as pin:
            answered = evaluated(here, query, pin.number, pin.path, self._for(gone))
        return answered.long or io.BytesIO(answered.short.content)

    def add(self, document: Mapping[str, Any], gone: Gone, told: Told) -> dict[str, Any]:
        """Has the process that writes add the text."""
        del gone  # a write that has begun is done, so that the caller can tell that it was
        text = str(document["text"]).encode()
        upload = {
            "identifier": document.get("identifier", ""),
            "file_name": "",
            "media_type": document.get("mediaType", "text/plain"),
            "name": document.get("name", ""),
            "metadata": 0,
            "size": len(text),
        }
        job = {
            "op": "documents",
            "action": "add",
            "uploads": [upload],
            "metadata": [dict(document.get("metadata", {}))],
            "single": False,
            "alone": True,
            "replace": document.get("replace", False),
            "duplicates": "skip",
            "conditions": None,
            "tells": True,
        }
        return self._write(job, text, _Telling(told))

    def delete(self, identifier: str) -> dict[str, Any]:
        """Has the process that writes delete the document."""
        job = {"op": "documents", "action": "remove", "identifier": identifier, "conditions": None}
        return self._write(job, b"", io.BytesIO())

    def relate(self, edge: Mapping[str, Any]) -> dict[str, Any]:
        """Has the process that writes state the edge."""
        job = {"op": "edges", "action": "add", "edges": [dict(edge)], "conditions": None}
        return self._write(job, b"", io.BytesIO())

    def _write(self, job: dict[str, Any], body: bytes, output: io.BytesIO) -> dict[str, Any]:
        check(self._role, AccessRole.WRITE)
        seconds = self._here.settings.update_timeout
        client = client_of(self._environ)
        return write_for(self._here, self._role, job, io.BytesIO(body), seconds, output, client)

    def _for(self, gone: Gone) -> WSGIEnvironment:
        """The environment of the request, whose client has gone when `gone` says so."""
        return {**self._environ, CLIENT_GONE: gone}


class _Telling(io.BytesIO):
    """Keeps what the process that writes says, and passes its progress on."""

    def __init__(self, told: Told) -> None:
        super().__init__()
        self._told = told

    def write(self, data: Any) -> int:
        """Takes whole lines of JSON."""
        for line in bytes(data).splitlines():
            if (progress := json.loads(line).get("progress")) is not None:
                self._told(progress["step"], progress["done"], progress["total"])
        return super().write(data)


def tool_role(given: AccessRole) -> ToolRole:
    """The role of a request's sender for tools; whoever may read at all may use those that read."""
    return {AccessRole.WRITE: ToolRole.WRITE, AccessRole.ADMIN: ToolRole.ADMIN}.get(given, ToolRole.READ)


def toolbox_for(here: Service, environ: WSGIEnvironment, given: AccessRole) -> Toolbox:
    """The tools of the sender of a request; what waits for a person is held until it is made again."""
    return Toolbox(
        ServiceBackend(here, environ, given),
        role=tool_role(given),
        approve=HoldingApprover(here.graph.approvals, caller_of(environ)),
        policy=agents_of(here).tool_policy,
        caller=caller_name(here, environ),
        is_trusted=False,
    )


def caller_name(here: Service, environ: WSGIEnvironment) -> str:
    """The name of the sender's token, which people are shown; `nobody` without one."""
    _, token = client_of(environ)
    return NOBODY if token is None else here.tokens.name_of(token) or NOBODY
