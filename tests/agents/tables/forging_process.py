"""A worker that a hostile statement has taken over: the statement says what it sends."""

from __future__ import annotations

import struct
import sys

from sage_ld.foundation.processes import messages
from sage_ld.foundation.processes.parent import connection_to_parent

SENT = {
    "frame": struct.pack("!cI", b"D", 2**32 - 1),
    "kind": struct.pack("!cI", b"X", 0),
    "end": struct.pack("!cI", b"E", 3) + b"[1]",
    "json": struct.pack("!cI", b"E", 3) + b"{{{",
    "error": struct.pack("!cI", b"E", 14) + b'{"error": "x"}',
}
ANSWERS = {
    "deep": b"[" * 100_000,
    "text": b"\xff",
    "shape": b'{"columns": [["a", "VARCHAR"]], "complete": true, "rows": [["a", "b"]]}',
    "names": b'{"columns": [[1, 2]], "complete": true, "rows": []}',
    "empty": b"{}",
}


def main() -> None:
    with connection_to_parent(sys.argv[1]) as connection:
        messages.send_end(connection, {})
        while True:
            sql = messages.receive_message(connection)["code"]
            if sql == "much":
                for _ in range(100):
                    messages.send_data(connection, b" " * 2**20)
                messages.send_end(connection, {})
            elif sql in SENT:
                connection.sendall(SENT[sql])
            else:
                messages.send_data(connection, ANSWERS[sql])
                messages.send_end(connection, {})


if __name__ == "__main__":
    main()
