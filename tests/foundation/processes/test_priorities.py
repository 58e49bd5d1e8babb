"""Priorities: a worker is slowed down only where it can be sped up again, and is not replaced for it."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from foundation.processes.test_pool import KIND, Observed, job, pid_of

from sage_ld.foundation.processes.pool import Pool
from sage_ld.foundation.processes.priorities import Priority, can_be_raised, change

_DROP_FROM_BOUNDING_SET, _SYS_NICE = 24, 23  # prctl(2), capabilities(7)
_NUMBERS = " ".join(map(str, range(200)))
_SLOW = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{x} {{ {_NUMBERS} }}' for x in 'abc')} }}"
_TESTS = Path(__file__).parents[2]


def report() -> str:
    """How one worker fares with a slow query and a short one: its fate and how much it gave way."""
    observed = Observed()
    pool = Pool(replace(KIND, gives_way=True), 1, 1, observed)
    before, highest = pid_of(pool), 0

    def look() -> bool:
        nonlocal highest
        highest = max(highest, os.getpriority(os.PRIO_PROCESS, before))
        return False

    pool.run(job(_SLOW), 300, gone=look).close()
    pool.run(job("ASK {}"), 300).close()
    after = pid_of(pool)
    gave_way = highest - os.getpriority(os.PRIO_PROCESS, 0)
    pool.close()
    return json.dumps([can_be_raised(), gave_way > 0, before == after, observed.reasons])


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
def test_without_the_right_to_raise_priorities_none_is_lowered_and_no_worker_is_replaced() -> None:
    drop = ctypes.CDLL(None).prctl

    def give_up_the_right() -> None:
        resource.setrlimit(resource.RLIMIT_NICE, (0, 0))
        drop(_DROP_FROM_BOUNDING_SET, _SYS_NICE, 0, 0, 0)  # fails for an ordinary user, who has none

    done = subprocess.run(
        [sys.executable, "-c", "from foundation.processes.test_priorities import report; print(report())"],
        preexec_fn=give_up_the_right,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_TESTS), str(_TESTS.parent)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [False, False, True, []]


def test_to_ask_leaves_the_own_priority_alone() -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    can_be_raised.cache_clear()
    can_be_raised()
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


@pytest.mark.skipif(not can_be_raised(), reason="the system does not let priorities be raised again")
@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux")
def test_all_threads_of_a_process_give_way_and_none_stays_behind() -> None:
    program = (
        "import threading, time; [threading.Thread(target=time.sleep, args=(60,)).start() for _ in 'ab']"
    )
    ours = os.getpriority(os.PRIO_PROCESS, 0)

    def priorities() -> list[tuple[int, bool]]:
        threads = map(int, os.listdir(f"/proc/{process.pid}/task"))
        return [(os.sched_getscheduler(e), os.getpriority(os.PRIO_PROCESS, e) > ours) for e in threads]

    seen = []
    command = [sys.executable, "-c", f"{program}; print(flush=True)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for priority in (Priority.IDLE, Priority.LOW, Priority.ORDINARY):
            change(process.pid, priority, ours)
            seen.append(priorities())
        process.kill()
    assert seen == [[(os.SCHED_IDLE, False)] * 3, [(os.SCHED_OTHER, True)] * 3, [(os.SCHED_OTHER, False)] * 3]
