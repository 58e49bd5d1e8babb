"""What is left to a process in the sandbox: each lock alone refuses what the other would."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from sage_ld.foundation.processes import sandbox

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in sandbox.COMPUTING, reason="has no such sandbox"
)
TRIES = {
    "open a file": "open('/etc/passwd')",
    "open its environment": "open('/proc/self/environ')",
    "make a file": "open(__import__('tempfile').gettempdir() + '/never', 'w')",
    "list a folder": "os.listdir('/')",
    "remove a folder": "os.rmdir('/tmp')",
    "make a socket": "socket.socket()",
    "make a pair of sockets": "socket.socketpair()",
    "fork": "os.fork()",
    "start a process": "os.posix_spawn('/bin/true', ['true'], {})",
    "become another": "os.execv('/bin/true', ['true'])",
    "end its parent": "os.kill(os.getppid(), 0)",
    "start a thread": "threading.Thread(target=print).start()",
    "make a pipe": "os.pipe()",
    "make a file in memory": "os.memfd_create('x')",
    "trace": "check(libc.ptrace(0, 0, 0, 0))",
}
FILES = ("open a file", "open its environment", "make a file", "list a folder", "remove a folder")
FRAME = """
import ctypes, os, socket, tempfile, threading
from sage_ld.foundation.processes import sandbox
libc = ctypes.CDLL(None, use_errno=True)
tempfile.gettempdir()
def check(status):
    if status < 0:
        raise OSError(ctypes.get_errno(), "refused")
{before}
assert sandbox.{lock}()
try:
    {attempt}
except (OSError, RuntimeError) as error:
    os.write(1, b"refused")
else:
    os.write(1, b"done")
os._exit(0)
"""


def outcome(lock: str, attempt: str, before: str = "") -> bytes:
    program = FRAME.format(lock=lock, attempt=attempt, before=before)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("attempt", TRIES)
def test_a_process_that_only_computes_cannot(attempt: str) -> None:
    assert outcome("only_computing", TRIES[attempt]) == b"refused"


@pytest.mark.parametrize("attempt", FILES)
def test_without_files_a_process_cannot(attempt: str) -> None:
    if (
        outcome("no_files", "pass", "import sys; sandbox.no_files() or (os.write(1, b'none'), os._exit(0))")
        == b"none"
    ):
        pytest.skip("the kernel has no Landlock")
    assert outcome("no_files", TRIES[attempt]) == b"refused"


def test_a_process_that_only_computes_has_memory_time_and_its_connection() -> None:
    attempt = "s.sendall(b'x'), t.recv(1), [0] * 10**7, __import__('time').sleep(0.01), os.urandom(8)"
    assert outcome("only_computing", attempt, "s, t = socket.socketpair()") == b"done"
