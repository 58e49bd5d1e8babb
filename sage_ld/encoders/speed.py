"""The precision in which a machine encodes fastest: measured once, and kept beside the cache of vectors."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import torch

FILE: Final = "precision.json"
LEAST_GAIN: Final = {"fp32": 1.0, "bf16": 1.0, "int8": 1.33}
"""How many times as fast as those that are nearer to float32 a precision must be to be chosen."""
_ROUNDS: Final = 10


def fastest(cache: Path | None, prepared: Callable[[str], Callable[[], object]]) -> str:
    """The precision to take on this machine, where `prepared` gives some work to be done in one.

    What was measured is read from, and written to, a file in `cache`, if that can be done.
    """
    path = None if cache is None else cache / FILE
    machine = _machine()
    known = _read(path)
    if machine not in known:
        known[machine] = _seconds({precision: prepared(precision) for precision in LEAST_GAIN})
        _write(path, known)
    return chosen(known[machine])


def chosen(seconds: Mapping[str, float]) -> str:
    """The fastest precision; one farther from float32 only if it gains enough.

    >>> chosen({"fp32": 3.0, "bf16": 1.2, "int8": 1.0}), chosen({"fp32": 3.0, "bf16": 4.0, "int8": 1.0})
    ('bf16', 'int8')
    """
    best = "fp32"
    for precision, gain in LEAST_GAIN.items():
        if seconds[precision] * gain < seconds[best]:
            best = precision
    return best


def _seconds(works: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds that each takes of a processor, on one thread: the least of some rounds.

    They take turns, so that what else the machine does meets all alike.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rounds = [{name: _once(work) for name, work in works.items()} for _ in range(_ROUNDS)]
    finally:
        torch.set_num_threads(before)
    return {name: min(each[name] for each in rounds) for name in works}


def _once(work: Callable[[], object]) -> float:
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def _machine() -> str:
    """All that the speed depends on: the processor, what it is said to be able to, and the library."""
    capability = torch.backends.cpu.get_cpu_capability()
    limit = os.environ.get("ONEDNN_MAX_CPU_ISA", "")
    return f"{_processor()}; {capability}; {limit}; torch {torch.__version__}"


def _processor() -> str:
    with suppress(OSError, StopIteration), Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return platform.processor() or platform.machine()


def _read(path: Path | None) -> dict[str, dict[str, float]]:
    """What was measured, by machine; nothing where there is no such file, or not all of it is there."""
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {
            machine: {precision: float(seconds[precision]) for precision in LEAST_GAIN}
            for machine, seconds in found.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _write(path: Path | None, measured: Mapping[str, Mapping[str, float]]) -> None:
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f"{path.name}.{os.getpid()}")
            new.write_text(json.dumps(measured, indent=1), encoding="utf-8")
            new.replace(path)
