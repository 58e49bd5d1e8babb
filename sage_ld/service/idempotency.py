"""Requests that are carried out once, however often they are sent: the header Idempotency-Key.

draft-ietf-httpapi-idempotency-key-header. The first answer is kept in a file beside the graph, locked as long
as the request is carried out: a crash leaves no lock. A file without a whole answer is of a request of which
nobody knows whether it was done; it is carried out again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from flask import Response, request

from sage_ld.errors import ConflictError, SageError
from sage_ld.service.access.credentials import secret_of
from sage_ld.service.context import service
from sage_ld.service.http import problems
from sage_ld.service.http.errors import ReusedKeyError
from sage_ld.settings import Settings
from sage_ld.store.durable_files import sync_folder
from sage_ld.store.locks import try_lock_exclusive

HEADER: Final = "Idempotency-Key"
FOLDER: Final = "requests"
_KEPT_HEADERS: Final = ("Content-Type", "Location", "Content-Location", "ETag", "Preference-Applied")
_LEFT: Final = 0.9
"""Share of the keys that stays where there are too many: so that not each request looks at all of them."""


def once(said: object, body: bytes, carry_out: Callable[[], Response]) -> Response:
    """The answer of `carry_out`; of a request whose key was sent before, the first answer to it.

    `said` is what the request asks for beside its body, in plain data. Raises ConflictError while the first
    request with the key is carried out, ReusedKeyError where that was another request, and what `carry_out`
    raises.
    """
    if (key := request.headers.get(HEADER)) is None:
        return carry_out()
    here = service()
    client = secret_of(request.environ) or ""
    folder = here.directory.path / FOLDER
    folder.mkdir(exist_ok=True)
    file = folder / _digest(client, key)
    asked = _digest(request.method, request.path, json.dumps(said, sort_keys=True), _digest_of(body))
    if not file.exists():
        prune(folder, here.settings)
    with _locked(file) as handle:
        if (kept := _kept(handle, here.settings)) is None:
            answer = _carried_out(carry_out)
            if answer.status_code < 500:
                _keep(handle, asked, answer)
            return answer
    if kept["request"] != asked:
        raise ReusedKeyError(
            f"{HEADER} {key[:60]!r} was sent with another request; give each request a key of its own"
        )
    return Response(kept["body"], kept["status"], headers=kept["headers"])


def prune(folder: Path, settings: Settings) -> None:
    """Deletes the oldest answers where they are as many as the setting max_idempotency_keys allows."""
    names = os.listdir(folder)
    if len(names) < settings.max_idempotency_keys:
        return
    aged: list[tuple[float, str]] = []
    for name in names:
        with suppress(FileNotFoundError):
            aged.append(((folder / name).stat().st_mtime, name))
    for _, name in sorted(aged)[: len(names) - int(_LEFT * settings.max_idempotency_keys)]:
        with suppress(OSError), (folder / name).open("rb") as handle:
            if try_lock_exclusive(handle):
                (folder / name).unlink()


@contextmanager
def _locked(file: Path) -> Iterator[IO[str]]:
    """The file, open and locked. Raises ConflictError where another request holds it."""
    while True:
        with file.open("a+", encoding="utf-8") as handle:
            if not try_lock_exclusive(handle):
                raise ConflictError(
                    f"a request with this {HEADER} is being carried out; send it again in a moment"
                )
            if _is_there(handle, file):  # else it was deleted before it was locked
                yield handle
                return


def _is_there(handle: IO[str], file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle.fileno()), file.stat())
    except FileNotFoundError:
        return False


def _kept(handle: IO[str], settings: Settings) -> dict[str, Any] | None:
    """The answer in the file; None without a whole one that is not too old."""
    if time.time() - os.fstat(handle.fileno()).st_mtime > settings.idempotency_retention:
        return None
    handle.seek(0)
    try:
        kept = json.loads(handle.read())
    except ValueError:
        return None
    return kept if isinstance(kept, dict) and "request" in kept else None


def _keep(handle: IO[str], asked: str, answer: Response) -> None:
    headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
    kept = {
        "request": asked,
        "status": answer.status_code,
        "headers": headers,
        "body": answer.get_data(as_text=True),
    }
    handle.seek(0)
    handle.truncate()
    handle.write(json.dumps(kept))
    handle.flush()
    os.fsync(handle.fileno())
    sync_folder(Path(handle.name).parent)


def _carried_out(carry_out: Callable[[], Response]) -> Response:
    """The answer, also where it is an error that a client can act on."""
    try:
        return carry_out()
    except SageError as error:
        return problems.problem_response(error)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
