"""The sources of the adapters: a graph in this process, or a service over HTTP, with the same passages."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol, Self, TypeAlias, runtime_checkable
from urllib.parse import quote

import httpx2

from sage_ld.agents.integrations.search import Passage, Search
from sage_ld.foundation import arguments, errors
from sage_ld.foundation.outbound import trusted_authorities
from sage_ld.foundation.question import Answer
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.plain import plain_results

_BATCH: Final = 20
"""Questions of one request to a service; with 50 results each they stay within its default limit."""
_MOST_RESULTS: Final = 1_000
"""Results of one request to a service: its default limit, `max_results`."""
_MOST_BYTES: Final = 64 * 2**20
"""Bytes of one answer of a service: several times what its default limits let through."""
_PLAIN: Final = "identity"
_SHOWN: Final = 300
"""Characters of a service's message that an error quotes."""
_ERRORS: Final[dict[int, type[errors.SageError]]] = {
    400: errors.InputError,
    401: errors.ForbiddenError,
    403: errors.ForbiddenError,
    404: errors.NotFoundError,
    409: errors.ConflictError,
    413: errors.LimitError,
    422: errors.ResultLimitError,
    504: errors.TimeLimitError,
}
"""The error of each status, as the service has them; any other is an UnavailableError."""


@runtime_checkable
class PassageSource(Protocol):
    """Something that answers questions with passages, and reads documents."""

    def search(self, questions: Sequence[str], search: Search) -> list[list[Passage]]:
        """The passages for each question, by rank."""

    async def asearch(self, questions: Sequence[str], search: Search) -> list[list[Passage]]:
        """The same from a coroutine, without blocking its event loop."""

    def read(self, document: str) -> str:
        """The text of a document, by its identifier. Raises NotFoundError."""


GraphLike: TypeAlias = str | os.PathLike[str] | KnowledgeGraph | Retriever | PassageSource
"""A graph as adapters take it: a path, the address of a service, an open graph, a retriever with parameters
of its own, or a source that is already made."""


def source_of(graph: GraphLike) -> PassageSource:
    """The source for a graph. Raises InputError for a value of another type, NotFoundError for no graph."""
    if isinstance(graph, PassageSource):
        return graph
    if isinstance(graph, KnowledgeGraph):
        return LocalGraph(Retriever(graph))
    if isinstance(graph, Retriever):
        return LocalGraph(graph)
    if isinstance(graph, str) and graph.startswith(("http://", "https://")):
        return RemoteGraph(graph)
    return LocalGraph(Retriever(KnowledgeGraph.open(arguments.path(graph, "graph"))))


class _Handle:
    """Something that a copy of a pipeline or program shares with it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class LocalGraph(_Handle):
    """A graph in this process, asked by a retriever."""

    def __init__(self, retriever: Retriever) -> None:
        self.retriever = retriever

    @property
    def folder(self) -> Path:
        """The folder of the graph."""
        return Path(self.retriever.graph.directory.path)

    @property
    def is_plain(self) -> bool:
        """Whether the parameters are those of the graph's recipe: a retriever of the path is the same."""
        return self.retriever.parameters == self.retriever.graph.recipe.retrieval

    def search(self, questions: Sequence[str], search: Search) -> list[list[Passage]]:
        """The passages for each question, all from one revision. Raises as `Retriever.retrieve_many`."""
        return _passages(
            self.retriever.retrieve_many(questions, search.k, search.from_graph, **search.options)
        )

    async def asearch(self, questions: Sequence[str], search: Search) -> list[list[Passage]]:
        """The same, from a thread; it ends at its next step where the task is cancelled."""
        return _passages(
            await self.retriever.aretrieve_many(questions, search.k, search.from_graph, **search.options)
        )

    def read(self, document: str) -> str:
        """The text of a document, by its identifier. Raises NotFoundError, LimitError (max_text_length)."""
        try:
            return self.retriever.graph.documents[document].text
        except KeyError:
            raise errors.NotFoundError(
                f"document {document[:_SHOWN]!r} is not in the graph; give the `document` of a result"
            ) from None


class RemoteGraph(_Handle):
    """A running service, asked at its `/v1` routes (`docs/http-api.md`).

    `token` is sent as a bearer token, to this address only: redirects are not followed. `timeout` is in
    seconds, for each wait, and for an answer from its first byte to its last. Errors are those that the
    local graph raises, by the status of the answer; UnavailableError where there is none, or one that is no
    answer, or too long.
    """

    def __init__(self, address: str, token: str | None = None, timeout: float = 60) -> None:
        self.address = address.rstrip("/")
        self.timeout = timeout
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __repr__(self) -> str:
        return f"RemoteGraph({self.address!r})"

    @property
    def has_token(self) -> bool:
        """Whether a token is sent."""
        return bool(self._headers)

    def search(self, questions: Sequence[str], search: Search) -> list[list[Passage]]:
        """The passages for each question, in requests of several questions."""
        passages: list[list[Passage]] = []
        with self._errors_named(), httpx2.Client(**self._options) as client:
            for body in _bodies(questions, search):
                with client.stream("POST", "/v1/retrieve", json=body) as response:
                    content = self._new_content(response)
                    for block in response.iter_raw():
                        content.add(block)
                passages += _answers(self._checked(content), len(body["questions"]))
        return passages

    async def asearch(self, questions: Sequence[str], search: Search) -> list[list[Passage]]:
        """The same; where the task is cancelled, the connection is closed, and the service stops its work."""
        passages: list[list[Passage]] = []
        with self._errors_named():
            async with httpx2.AsyncClient(**self._options) as client:
                for body in _bodies(questions, search):
                    async with client.stream("POST", "/v1/retrieve", json=body) as response:
                        content = self._new_content(response)
                        async for block in response.aiter_raw():
                            content.add(block)
                    passages += _answers(self._checked(content), len(body["questions"]))
        return passages

    def read(self, document: str) -> str:
        """The text of a document, by its identifier. Raises NotFoundError, ResultLimitError."""
        path = f"/v1/documents/{quote(arguments.text(document, 'document'), safe='')}"
        with self._errors_named(), httpx2.Client(**self._options) as client:
            with client.stream("GET", path, headers={"Accept": "text/plain"}) as response:
                content = self._new_content(response)
                for block in response.iter_raw():
                    content.add(block)
            return self._checked(content).data.decode("utf-8", "replace")

    @cached_property
    def _options(self) -> dict[str, Any]:
        return {
            "base_url": self.address,
            "headers": {"Accept": "application/json", "Accept-Encoding": _PLAIN} | self._headers,
            "timeout": self.timeout,
            "verify": trusted_authorities(),
        }

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        """Work with a connection. Raises UnavailableError where there is none, or it is lost."""
        try:
            yield
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise errors.UnavailableError(
                f"{self.address} does not answer ({type(error).__name__}); check the address, and that "
                "sage-ld serve runs there"
            ) from None

    def _new_content(self, response: httpx2.Response) -> _Content:
        """The content of a response that has begun. Raises UnavailableError for a compressed one."""
        if response.headers.get("Content-Encoding", _PLAIN).strip().lower() not in ("", _PLAIN):
            raise errors.UnavailableError(
                f"{self.address} gives a compressed answer, though none was asked for"
            )
        end = time.monotonic() + self.timeout
        return _Content(self.address, response.status_code, response.reason_phrase, end)

    def _checked(self, content: _Content) -> _Content:
        """The content, if it is an answer. Raises the error that its status stands for."""
        if content.status == 200:
            return content
        kind = _ERRORS.get(content.status, errors.UnavailableError)
        raise kind(f"{self.address} answered {content.status}: {_detail(content)}")


@dataclass(slots=True)
class _Content:
    """The content of a response as it comes, up to a number of bytes and a moment (`time.monotonic`)."""

    address: str
    status: int
    phrase: str
    end: float
    data: bytearray = field(default_factory=bytearray)

    def add(self, block: bytes) -> None:
        """Takes a part. Raises UnavailableError for what is too much, or too slow."""
        self.data += block
        if len(self.data) > _MOST_BYTES:
            raise errors.UnavailableError(
                f"{self.address} gives more than {_MOST_BYTES:,} bytes; ask for fewer results"
            )
        if time.monotonic() > self.end:
            raise errors.UnavailableError(
                f"{self.address} does not end its answer; give RemoteGraph a longer timeout, or check the "
                "address"
            )


def _passages(answers: Sequence[Answer]) -> list[list[Passage]]:
    return [[dict(passage) for passage in plain_results(each.results)] for each in answers]


def _bodies(questions: Sequence[str], search: Search) -> list[dict[str, Any]]:
    """The bodies of the requests for some questions, none of which asks for too many results."""
    texts, most = arguments.texts(questions, "questions"), max(1, min(_BATCH, _MOST_RESULTS // search.k))
    batches = [texts[begin : begin + most] for begin in range(0, len(texts), most)]
    return [{"questions": batch} | search.parameters() for batch in batches]


def _answers(content: _Content, questions: int) -> list[list[Passage]]:
    """The passages of a service's answers. Raises UnavailableError for those of something else."""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        answers = [each["results"] for each in json.loads(content.data)["answers"]]
        if len(answers) == questions and all(_is_passage(each) for results in answers for each in results):
            return answers
    raise errors.UnavailableError(
        f"{content.address}/v1/retrieve gives no answers; check that the address is that of sage-ld serve"
    )


def _is_passage(passage: Passage) -> bool:
    """Whether a result has what adapters take from it. Raises TypeError, KeyError for anything else."""
    texts = all(isinstance(passage[name], str) for name in ("document", "chunk", "kind", "role", "text"))
    return texts and isinstance(passage["score"], int | float) and isinstance(passage["rank"], int)


def _detail(content: _Content) -> str:
    """The message of a problem document, on one line; the phrase of the status where there is none."""
    detail = content.phrase
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        detail = str(json.loads(content.data)["detail"])
    return "".join(each if each.isprintable() else " " for each in " ".join(detail.split())[:_SHOWN])
