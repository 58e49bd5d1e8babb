"""Python programs that try to get out of their process, to hold it, or to deceive its parent.

A program may change its process at will, by ctypes: what keeps it in is the kernel, and its parent trusts
nothing that it sends.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sage_ld.agents.tables import TableWorkers
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot

LIBC = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
CHECK = "if status < 0: raise OSError(ctypes.get_errno(), 'refused')\nresult = status\n"
FILES = {
    "open": "result = open('{file}').read()",
    "os.open": "import os\nresult = os.read(os.open('{file}', os.O_RDONLY), 99)",
    "libc open": LIBC + "status = libc.open(b'{file}', 0)\n" + CHECK,
    "syscall open": LIBC + "status = libc.syscall(2, b'{file}', 0)\n" + CHECK,
    "syscall openat2": LIBC + "status = libc.syscall(437, -100, b'{file}', b'\\0' * 24, 24)\n" + CHECK,
    "pandas": "result = pd.read_csv('{file}')",
    "numpy": "result = np.fromfile('{file}', dtype='u1')",
    "memmap": "result = np.memmap('{file}', dtype='u1')",
    "import": "import sys\nsys.path.insert(0, '{file}')\nimport passwd",
    "stat": "import os\nresult = os.stat('{file}').st_size",
    "rename": "import os\nos.rename('{file}', '{file}2')\nresult = 1",
    "remove": "import os\nos.remove('{file}')\nresult = 1",
    "write": "open('{file}', 'w').write('x')\nresult = 1",
    "to_csv": "towns.to_csv('{file}')\nresult = 1",
    "link": "import os\nos.symlink('/', '{file}2')\nresult = 1",
    "chroot": "import os\nos.chroot('/')\nresult = 1",
}
REFUSED = {
    "list a folder": "import os\nresult = os.listdir('/proc')",
    "socket": "import socket\nsocket.socket()\nresult = 1",
    "connect": LIBC + "status = libc.socket(2, 1, 0)\n" + CHECK,
    "pandas over http": "result = pd.read_csv('http://127.0.0.1:9/')",
    "fork": "import os\nos.fork()\nresult = 1",
    "fork bomb": "import os\nwhile True: os.fork()",
    "libc fork": LIBC + "status = libc.fork()\n" + CHECK,
    "clone": LIBC + "status = libc.syscall(56, 17, 0, 0, 0, 0)\n" + CHECK,
    "x32 getpid": LIBC + "status = libc.syscall(0x40000000 + 57)\n" + CHECK,
    "spawn": "import os\nos.posix_spawn('/bin/true', ['true'], {})\nresult = 1",
    "subprocess": "import subprocess\nresult = subprocess.run(['/bin/true'])",
    "system": "import os\nresult = 1 if os.system('true') == 0 else 1 / 0",
    "exec": "import os\nos.execv('/bin/true', ['true'])\nresult = 1",
    "thread": "import _thread\n_thread.start_new_thread(print, ())\nresult = 1",
    "end the parent": "import os\nos.kill(os.getppid(), 9)\nresult = 1",
    "end all": LIBC + "status = libc.kill(-1, 9)\n" + CHECK,
    "signal itself": "import os\nos.kill(os.getpid(), 9)\nresult = 1",
    "trace the parent": LIBC + "status = libc.ptrace(16, 1, 0, 0)\n" + CHECK,
    "read the parent": LIBC + "status = libc.syscall(310, 1, 0, 0, 0, 0, 0)\n" + CHECK,
    "stop the alarm": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nresult = 1",
    "ignore the alarm": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nresult = 1",
    "block the alarm": "import signal\nsignal.pthread_sigmask(0, [signal.SIGALRM])\nresult = 1",
    "another filter": LIBC + "status = libc.prctl(22, 2, 0, 0, 0)\n" + CHECK,
    "more memory": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))\nresult = 1",
    "a file in memory": "import os\nos.memfd_create('x')\nresult = 1",
    "the name of the machine": "import os\nresult = os.uname().nodename",
    "io_uring": LIBC + "status = libc.syscall(425, 1, b'\\0' * 120)\n" + CHECK,
    "crash": LIBC + "libc.memset(0, 0, 9)",
    "leave": "import os\nos._exit(0)",
    "deep code": "result = " + "-" * 60_000 + "1",
    "deep recursion": "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f() + 1\nresult = f()",
}
DESCRIPTORS = "import os\nfor number in range(3, 1000):\n    try: {each}\n    except OSError: pass\n"
FORGED = {
    "close": DESCRIPTORS.format(each="os.close(number)"),
    "noise": DESCRIPTORS.format(each="os.write(number, b'x' * 100)") + "os._exit(0)",
    "a huge frame": DESCRIPTORS.format(each="os.write(number, b'D' + b'\\xff' * 4)") + "os._exit(0)",
    "empty frames": DESCRIPTORS.format(each="os.write(number, b'D\\0\\0\\0\\0' * 9)") + "os._exit(0)",
    "a flood": "import os, struct\nframe = struct.pack('!cI', b'D', 60000) + b'[' * 60000\n"
    + DESCRIPTORS.format(each="[os.write(number, frame) for _ in range(10**6)]"),
    "a job": "import os, struct\nframe = struct.pack('!cI', b'H', 2) + b'{}'\n"
    + DESCRIPTORS.format(each="os.write(number, frame)")
    + "os._exit(0)",
}
ANSWERS = {
    "no JSON": b"no",
    "deep": b"[" * 50_000,
    "not an object": b"[]",
    "no columns": b'{"rows": [], "complete": true, "printed": ""}',
    "a row too wide": b'{"columns": [["a", "b"]], "rows": [[1, 2]], "complete": true, "printed": ""}',
    "no flat value": b'{"columns": [["a", "b"]], "rows": [[{}]], "complete": true, "printed": ""}',
    "infinity": b'{"columns": [["a", "b"]], "rows": [[1e999]], "complete": true, "printed": ""}',
    "half a character": b'{"columns": [["a", "b"]], "rows": [["\\ud800"]], "complete": true, "printed": ""}',
    "too many rows": b'{"columns": [], "rows": [' + b"[]," * 2000 + b'[]], "complete": true, "printed": ""}',
    "a large number": b'{"columns": [["a", "b"]], "rows": [[1%s]], "complete": true, "printed": ""}'
    % (b"0" * 50),
}
ENDS = {
    "no JSON": b"no",
    "not an object": b"[]",
    "no texts": b'{"error": {"a": 1}, "leaving": false}',
    "another error": b'{"error": "StorageError", "message": "gone"}',
    "half a character": b'{"error": "InputError", "message": "\\ud800"}',
    "deep": b"[" * 16_000,
}
ENDLESS = {
    "a loop": "while True: pass",
    "a loop that catches": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "sleep": "import time\ntime.sleep(10**6)",
    "sleep in C": LIBC + "libc.sleep(10**6)",
    "numpy": "for _ in range(10**9): np.ones((500, 500)) @ np.ones((500, 500))",
    "no answer": DESCRIPTORS.format(each="os.close(number)") + "while True: pass",
}
GREEDY = {
    "100 GB": "result = bytearray(100 * 10**9)",
    "numpy": "result = np.ones(100 * 10**9)",
    "a list": "x = []\nwhile True: x.append('x' * 10**6 + str(len(x)))",
    "libc": LIBC
    + "libc.malloc.restype = ctypes.c_void_p\nresult = 1\n"
    + "while True:\n    if not libc.malloc(ctypes.c_size_t(10**8)): raise MemoryError",
    "print": "while True: print('x' * 10**6)",
}


@pytest.fixture(scope="module")
def programs() -> Iterator[TableWorkers]:
    limits = replace(Settings(), table_timeout=60.0, queue_timeout=120.0, max_table_bytes=100_000)
    with TableWorkers(limits) as made:
        yield made


def refused(programs: TableWorkers, snapshot: Snapshot, program: str) -> str:
    with pytest.raises((InputError, LimitError)) as caught:
        programs.run(snapshot, program, language="python")
    return str(caught.value)


PLACES = ("/etc/passwd", "/proc/self/environ", "of the graph", "a new one")


@pytest.mark.parametrize(
    ("way", "place"),
    [(way, PLACES[number % len(PLACES)]) for number, way in enumerate(FILES)]
    + [("syscall open", place) for place in PLACES[1:]],
)
def test_no_file_is_reached(
    programs: TableWorkers,
    knowledge: KnowledgeGraph,
    snapshot: Snapshot,
    tmp_path: Path,
    way: str,
    place: str,
) -> None:
    file = {"of the graph": knowledge.directory.path / "sage-ld.toml", "a new one": tmp_path / "new"}
    path = Path(file.get(place, place))
    before = path.read_bytes() if path.exists() else None
    said = refused(programs, snapshot, FILES[way].format(file=path))
    assert "root:" not in said
    assert (path.read_bytes() if path.exists() else None) == before
    assert not path.with_name(path.name + "2").exists()


@pytest.mark.parametrize("way", REFUSED)
def test_what_reaches_out_is_refused(programs: TableWorkers, snapshot: Snapshot, way: str) -> None:
    refused(programs, snapshot, REFUSED[way])


def test_nothing_of_the_environment_is_in_the_process(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even on the stack, where the system puts what a process was started with."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-to-be-seen")
    above = (
        "import ctypes\n"
        "at = ctypes.c_void_p.in_dll(ctypes.CDLL(None), 'program_invocation_name').value\n"
        "result = []\n"
        "while text := ctypes.string_at(at):\n"
        "    result.append(text.decode())\n"
        "    at += len(text) + 1\n"
    )
    with TableWorkers(replace(Settings(), table_timeout=60.0, queue_timeout=120.0, table_workers=1)) as fresh:
        said = str(fresh.run(snapshot, "import os\nresult = str(os.environ)", language="python").rows)
        texts = [row[0] for row in fresh.run(snapshot, above, language="python").rows]
    assert "sk-never" not in said
    names = {text.partition("=")[0] for text in texts if "=" in text}
    assert "sk-never" not in str(texts)
    assert names <= {"LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "MALLOC_ARENA_MAX", "RUST_BACKTRACE"}
    assert "MALLOC_ARENA_MAX" in names


@pytest.mark.parametrize("way", FORGED)
def test_what_is_no_answer_is_an_error(programs: TableWorkers, snapshot: Snapshot, way: str) -> None:
    refused(programs, snapshot, FORGED[way])


def forged(data: bytes, end: bytes) -> str:
    """A program that sends frames of its own as the answer."""
    return (
        "import os, struct\n"
        "def frames(kind, data, size=60000):\n"
        "    parts = [data[at : at + size] for at in range(0, len(data), size)]\n"
        "    return b''.join(struct.pack('!cI', kind, len(part)) + part for part in parts)\n"
        f"message = frames(b'D', {data!r}) + frames(b'E', {end!r})\n"
        + DESCRIPTORS.format(each="os.write(number, message)")
        + "os._exit(0)"
    )


@pytest.mark.parametrize("way", ANSWERS)
def test_a_forged_answer_is_refused(programs: TableWorkers, snapshot: Snapshot, way: str) -> None:
    assert "something other than an answer" in refused(programs, snapshot, forged(ANSWERS[way], b"{}"))


@pytest.mark.parametrize("way", ENDS)
def test_a_forged_end_is_refused(programs: TableWorkers, snapshot: Snapshot, way: str) -> None:
    refused(programs, snapshot, forged(b"", ENDS[way])).encode()


def test_a_program_may_answer_by_itself_and_gains_nothing(programs: TableWorkers, snapshot: Snapshot) -> None:
    content = b'{"columns": [["a", "b"]], "rows": [[1]], "complete": true, "printed": ""}'
    assert programs.run(snapshot, forged(content, b"{}"), language="python").rows == ((1,),)


def test_what_one_program_leaves_another_does_not_see(snapshot: Snapshot) -> None:
    mark = "import builtins, os\nbuiltins.mark = 1\nresult = os.getpid()"
    look = "import builtins, os\nresult = os.getpid() if not hasattr(builtins, 'mark') else 0"
    with TableWorkers(replace(Settings(), table_timeout=60.0, queue_timeout=120.0, table_workers=1)) as fresh:
        (first,), (second,) = (fresh.run(snapshot, each, language="python").rows[0] for each in (mark, look))
    assert second not in {0, first}


@pytest.mark.parametrize("program", [*ENDLESS.values(), *GREEDY.values()], ids=[*ENDLESS, *GREEDY])
def test_what_does_not_end_is_ended_and_others_are_answered(snapshot: Snapshot, program: str) -> None:
    caught: list[SageError] = []

    def hold() -> None:
        with pytest.raises(LimitError) as refused:
            both.run(snapshot, program, language="python", client="greedy", seconds=4)
        caught.append(refused.value)

    limited = replace(Settings(), table_timeout=120.0, table_worker_memory=2**29, queue_timeout=120.0)
    with TableWorkers(limited) as both:
        both.run(snapshot, "1", language="python")
        thread = threading.Thread(target=hold)
        thread.start()
        while thread.is_alive():
            answer = both.run(snapshot, "towns.people.sum()", language="python", client="other")
            assert answer.rows == ((15400,),)
        thread.join()
    (error,) = caught
    assert any(each in str(error) for each in ("table_timeout", "table_worker_memory"))
