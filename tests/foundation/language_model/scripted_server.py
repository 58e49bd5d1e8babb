"""An HTTP server that speaks the chat API of OpenAI and answers by a script that a test writes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sage_ld.foundation.settings import Settings


@dataclass(frozen=True)
class Failure:
    """An answer that is an error: its status, the API's error object, headers; 0: the connection breaks."""

    status: int
    error: dict[str, Any] = field(default_factory=lambda: {"message": "no"})
    headers: dict[str, str] = field(default_factory=lambda: {"Retry-After-Ms": "1"})


@dataclass(frozen=True)
class Said:
    """An answer: its text or the calls of tools, why it ends, the tokens that it used, how slow it is."""

    text: str = ""
    finish: str = "stop"
    tokens: int | None = 10
    delay: float = 0.0
    pause: float = 0.0
    """Seconds between two words of a stream."""
    tools: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Names and arguments of the tools that the model calls."""
    broken: bool = False
    """Whether the stream breaks off before its end."""


Line = str | dict[str, Any] | Said | Failure
"""A line of the script: a text, an object that is sent as JSON, or more exactly what happens."""
Script = list[Line | Callable[[dict[str, Any]], Line]]
"""What is answered to one request after the other; a function takes the request. The last one is repeated."""


class ScriptedServer(ThreadingHTTPServer):
    """The server; `requests` has the body of each request that came."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self._guard = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def settings(self, **more: Any) -> Settings:
        """Settings whose language model is this server, without a cache unless it is asked for."""
        return Settings(
            **{"language_model": "m", "language_base_url": self.url, "language_cache_bytes": 0, **more}
        )

    def prompts(self) -> list[str]:
        """The messages of each request as one text."""
        return ["\n".join(each["content"] for each in sent["messages"]) for sent in self.requests]

    def next(self, body: dict[str, Any], key: str | None) -> Said | Failure:
        with self._guard:
            self.requests.append(body)
            self.keys.append(key)
            line = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if callable(line):
            line = line(body)
        if isinstance(line, dict):
            return Said(json.dumps(line))
        return Said(line) if isinstance(line, str) else line


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        line = self.server.next(body, self.headers["Authorization"])
        try:
            if isinstance(line, Failure):
                self._fail(line)
            elif body.get("stream"):
                self._stream(line, body)
            else:
                time.sleep(line.delay)
                self._send(200, _completion(line, body), {})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _fail(self, failure: Failure) -> None:
        if failure.status:
            self._send(failure.status, {"error": failure.error}, failure.headers)
        else:
            self.close_connection = True

    def _send(self, status: int, content: dict[str, Any], headers: dict[str, str]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, said: Said, body: dict[str, Any]) -> None:
        time.sleep(said.delay)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for number, word in enumerate(said.text.split(" ")):
            time.sleep(said.pause)
            self._event({"delta": {"content": word if number == 0 else f" {word}"}}, body)
        if said.broken:
            return
        self._event({"delta": {}, "finish_reason": said.finish}, body)
        if said.tokens is not None and body.get("stream_options", {}).get("include_usage"):
            self._event(None, body, {"usage": _usage(said.tokens)})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(
        self, choice: dict[str, Any] | None, body: dict[str, Any], more: dict[str, Any] | None = None
    ) -> None:
        choices = [] if choice is None else [{"index": 0, "finish_reason": None, **choice}]
        event = {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": body["model"],
            "choices": choices,
            **(more or {}),
        }
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Nothing: the test says what it saw."""


def _completion(said: Said, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.tools:
        message["tool_calls"] = [
            {
                "id": f"call_{i}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(given)},
            }
            for i, (name, given) in enumerate(said.tools)
        ]
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if said.tools else said.finish}
        ],
        **({} if said.tokens is None else {"usage": _usage(said.tokens)}),
    }


def _usage(tokens: int) -> dict[str, int]:
    return {"prompt_tokens": tokens - 1, "completion_tokens": 1, "total_tokens": tokens}


@contextmanager
def scripted_server(*script: Line | Callable[[dict[str, Any]], Line]) -> Iterator[ScriptedServer]:
    """A server that answers by the script, on a port of its own on loopback."""
    with ScriptedServer(list(script)) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
