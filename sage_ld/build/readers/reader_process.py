"""The process in which files are read: `python -m sage_ld.build.readers.reader_process SOCKET MEMORY`.

It reads one file after another, as the jobs on its socket say, and answers each with its documents as lines
(`sage_ld.build.readers.wire`). A file may make it crash, run out of memory or be killed at its deadline; it
holds nothing that would be lost.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from sage_ld.build.readers.files import read_documents
from sage_ld.build.readers.source import Source
from sage_ld.build.readers.wire import encode
from sage_ld.foundation.errors import InputError, SageError
from sage_ld.foundation.processes import messages, sandbox
from sage_ld.foundation.processes.failures import failure
from sage_ld.foundation.processes.parent import connection_to_parent, deadline
from sage_ld.foundation.settings import Settings

_AHEAD: Final = 1 << 22  # bytes that may wait for the parent, so that the two work side by side
_YOUNG: Final = 50_000  # objects between two collections: documents have no cycles, and are soon gone


def main() -> None:
    """Reads files until the parent closes its end."""
    with connection_to_parent(sys.argv[1]) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _AHEAD)
        peer = messages.BufferedPeer(connection)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a dying library writes no line of a report
        sandbox.limit_memory(int(sys.argv[2]))
        sandbox.no_network()
        gc.freeze()
        gc.set_threshold(_YOUNG)
        messages.send_end(peer, {})
        settings = Settings()
        while True:
            job = messages.receive_message(peer)
            if "settings" in job:  # with a file, or before all files
                settings = Settings(**job["settings"])
            with deadline(job["seconds"]):
                messages.send_end(peer, _answer(job, settings, peer) if "path" in job else {})


def _answer(job: dict[str, Any], settings: Settings, peer: messages.Peer) -> dict[str, Any]:
    """Sends a file's documents; gives how that failed: `error` (its kind) and `message`, or nothing."""
    root, beside = (None if job[each] is None else Path(job[each]) for each in ("root", "beside_root"))
    source = Source(Path(job["path"]), job["identifier"], root, beside_root=beside)
    try:
        _send(map(encode, read_documents(source, settings)), peer)
    except (MemoryError, SageError) as error:
        return failure(error, "reader_memory")
    except OSError:
        raise
    except Exception as error:  # a fault of ours or of a library: it must not stop the other files
        what = f"{type(error).__name__}: {error}"
        told = InputError(f"{source.identifier}: the reader failed ({what}); report it")
        return failure(told, "reader_memory")
    return {}


def _send(lines: Iterable[bytes], peer: messages.Peer) -> None:
    """Sends the lines in frames, small ones together."""
    waiting = b""
    for line in lines:
        waiting += line
        if len(waiting) >= messages.BLOCK:
            _send_frames(waiting, peer)
            waiting = b""
    _send_frames(waiting, peer)


def _send_frames(data: bytes, peer: messages.Peer) -> None:
    for start in range(0, len(data), messages.BLOCK):
        messages.send_data(peer, data[start : start + messages.BLOCK])


if __name__ == "__main__":
    main()
