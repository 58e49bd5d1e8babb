"""gunicorn's worker with threads, and two deadlines more: for sending a request, and for taking an answer.

gunicorn waits for a slow client as long as it likes, and each one costs a thread. nginx in front takes that
away (`docs/service.md`); without it, this does.
"""

from __future__ import annotations

import errno
import select
import socket
import struct
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from gunicorn import util
from gunicorn.http import wsgi
from gunicorn.workers.gthread import ThreadWorker

from sage_ld.service.heads import Incoming, Parser, RefusedError
from sage_ld.service.http.environ import BODY_READ, CLIENT_GONE, MAKE_WAY
from sage_ld.service.sending import Answer
from sage_ld.service.shares import Shares
from sage_ld.service.turns import Turns
from sage_ld.settings import Settings

_LINGER = 1.0  # seconds in which a client reads the last answer and closes, before we do
_LOOK = 0.25  # seconds between two looks at who is late
_YIELD = 0.002  # seconds that another process has to take a new connection, before one with more takes it
_STAY = 10  # milliseconds for which a thread waits for the next request of the client it has just answered


class Deadlines:
    """Hangs up on clients that take too long to send their request."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._guard = threading.Lock()
        self._reading: dict[socket.socket, float] = {}
        threading.Thread(target=self._watch, name="deadlines", daemon=True).start()

    def begin(self, client: socket.socket) -> None:
        """A thread begins to read a request."""
        with self._guard:
            self._reading[client] = time.monotonic() + self._seconds

    def end(self, client: socket.socket) -> None:
        """The request has been read, or given up."""
        with self._guard:
            self._reading.pop(client, None)

    def _watch(self) -> None:
        while True:
            time.sleep(_LOOK)
            now = time.monotonic()
            with self._guard:
                for client in [each for each, deadline in self._reading.items() if deadline < now]:
                    del self._reading[client]
                    _hang_up(client)


class Worker(ThreadWorker):
    """Reads each request within `read_timeout`; ends an answer that nobody takes for `write_timeout`."""

    settings = Settings()
    """Those in force, which `server.serve` gives before the first worker starts."""
    shares = Shares()
    """Those of all web processes: made here, before the first is forked."""

    def init_process(self) -> None:
        """Runs the worker."""
        self._deadlines = Deadlines(self.settings.read_timeout)
        self._guard = threading.Lock()
        self._at_work = 0
        self._turns = Turns()
        self._thread = threading.local()
        super().init_process()

    def notify(self) -> None:
        """Says that this process lives, and how many connections it has; called between any two events."""
        super().notify()
        if self.alive:
            self.shares.set(self.age, self.nr_conns)
        else:
            self.shares.forget(self.age)  # it takes none any more

    def accept(self, listener: Any) -> None:
        """Takes a new connection, unless a process that has fewer does."""
        if self.shares.above_least(self.age):
            time.sleep(_YIELD)
        super().accept(listener)
        self.shares.set(self.age, self.nr_conns)

    def enqueue_req(self, conn: Any) -> None:
        """Has a thread serve a connection that a request has come on."""
        self.tpool.submit(self._serve, conn)

    def _serve(self, conn: Any) -> None:
        """Serves a connection as long as one request follows another closely.

        Through gunicorn's poller each of them would pass from thread to thread twice.
        """
        with self._guard:
            self._at_work += 1
        try:
            again = self._handle_one(conn)
            while conn is not None and again is True:
                if self._was_quick(conn):
                    conn, again = self._host() if self._turns.join(conn) else (None, None)
                elif self._goes_on(conn):
                    again = self._handle_one(conn)
                else:
                    break
        finally:
            with self._guard:
                self._at_work -= 1
        if conn is not None:
            self._give_back(conn, again)

    def _host(self) -> tuple[Any, Any]:
        """Serves the connections that are in turns.

        Where one of them asks for more than a moment's work, the others are given back, and this gives that
        one, and what came of it; else none.
        """
        while self.alive and (conn := self._turns.next()) is not None:
            again = self._handle_one(conn)
            if not self._turns.hosting:
                return conn, again
            if again is not True or _has_more(conn):
                self._turns.leave()
                self.tpool.submit(self._give_back, conn, again)  # it may have to wait for the client to close
        for conn in self._turns.end():
            self._give_back(conn, True)
        return None, None

    def _make_way(self) -> None:
        """What follows takes more than a moment: other connections do not wait for it."""
        self._thread.quick = False
        if self._turns.hosting:
            for conn in self._turns.end(but_one=True):
                self._give_back(conn, True)

    def _was_quick(self, conn: Any) -> bool:
        """Whether the last request of a connection took but a moment, and the next may."""
        return bool(self._thread.quick) and self.alive and not conn.is_http2 and not _has_more(conn)

    def _goes_on(self, conn: Any) -> bool:
        """Whether the next request is there or comes at once. None waits where threads are short."""
        if not self.alive or self._at_work > self.cfg.threads // 2 or conn.is_http2:
            return False
        if _has_more(conn):
            return True
        poller = select.poll()
        poller.register(conn.sock, select.POLLIN)
        return bool(poller.poll(_STAY))

    def _handle_one(self, conn: Any) -> Any:
        """Handles a request; gives whether the connection goes on, or what else gunicorn says of it."""
        self._thread.quick = True
        self._deadlines.begin(conn.sock)
        try:
            if conn.parser is None:
                conn.parser = Parser(conn.cfg, conn.sock, conn.client)
                conn.parser.unreader = Incoming(conn.sock, self._make_way)
                _limit_sending(conn.sock, self.settings.write_timeout)
            return self.handle(conn)
        except Exception:
            self.log.exception("a connection ended early")
            return False
        finally:
            self._deadlines.end(conn.sock)

    def _give_back(self, conn: Any, again: Any) -> None:
        """Closes a connection that does not go on, and has gunicorn see to it."""
        if again is False:
            util.close_graceful(conn.sock, timeout=_LINGER)
        said: Future[Any] = Future()
        said.set_result(again)
        self.method_queue.defer(self.finish_request, conn, said)

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Runs in the one thread that accepts all clients: so it waits for none of them to close."""
        if fs.result() is False:
            self.nr_conns -= 1
            conn.close()  # once more: `_give_back` has closed it
        else:
            super().finish_request(conn, fs)

    def handle_request(self, req: Any, conn: Any) -> bool:
        """Calls the application, and sends what it answers; gives whether the connection goes on.

        On a client that takes nothing it hangs up, so that it sees no end.
        """
        if any(name == "EXPECT" for name, _ in req.headers):
            self._make_way()  # something is sent before the body is read
        made: tuple[Any, Any] = wsgi.create(
            req,
            conn.sock,
            conn.client,
            conn.server,
            self.cfg,
            response_class=Answer,
            response_args=(self._make_way,),
        )
        answer, environ = made
        environ["wsgi.multithread"] = True
        if not self.alive or len(self.keepalived_conns) >= self.max_keepalived:
            answer.force_close()
        try:
            self._send(answer, self.wsgi(environ, answer.start_response))
        except BlockingIOError:
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            conn.sock.close()
            raise BrokenPipeError(errno.EPIPE, "the client takes no more of the answer") from None
        except OSError:
            raise
        except Exception:
            if not answer.headers_sent:
                raise
            self.log.exception("an answer ended early")
            self._make_way()
            util.close_graceful(conn.sock)  # it has begun, so its end must not look like one
            raise StopIteration from None
        return not answer.should_close()

    def _send(self, answer: Answer, blocks: Iterable[bytes]) -> None:
        try:
            for block in blocks:
                answer.write(block)
            answer.close()
        finally:
            if hasattr(blocks, "close"):
                blocks.close()

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answers what is no HTTP, or more of it than is read, with a problem document in place of a page."""
        from sage_ld.service import refusals  # imports the metrics: once their folder is known

        self._make_way()
        if isinstance(exc, RefusedError):
            refusals.answer(exc, client, addr, self.settings)
        elif isinstance(exc, Exception):
            refusals.answer_unexpected(client, exc, self.settings)

    def load_wsgi(self) -> None:
        """Loads the application, and tells it whom to call when a request has been read."""
        super().load_wsgi()
        application = self.wsgi

        def told(environ: Any, start_response: Any) -> Any:
            client = environ["gunicorn.socket"]
            environ[BODY_READ] = lambda: self._deadlines.end(client)
            environ[CLIENT_GONE] = lambda: _has_gone(client)
            environ[MAKE_WAY] = self._make_way
            return application(environ, start_response)

        self.wsgi = told


def _has_more(conn: Any) -> bool:
    """Whether the next request of a connection has been read already, or begun to be."""
    return bool(conn.parser.unreader.buf.getvalue())


def _limit_sending(client: socket.socket, seconds: float) -> None:
    """Has the kernel end a wait to send after so many seconds, with EAGAIN."""
    whole = int(seconds)
    client.setsockopt(
        socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", whole, int(1e6 * (seconds - whole)))
    )


def _has_gone(client: socket.socket) -> bool:
    """Whether the client has closed its side. One that still waits for an answer does not (nor for nginx)."""
    try:
        return client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _hang_up(client: socket.socket) -> None:
    try:
        client.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it has gone already
