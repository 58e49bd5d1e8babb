"""The precision in which a machine encodes fastest: measured once, and kept beside the cache of vectors."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Final

from sage_ld.build.encoders import libtorch
from sage_ld.foundation.disk_cache import keep

FILE: Final = "precision.json"
BF16: Final = "avx512_bf16"
"""How Linux and torch name the ability to compute in bfloat16."""
LEAST_GAIN: Final = {"fp32": 1.0, "bf16": 1.0, "int8": 1.33}
"""How many times as fast as those that are nearer to float32 a precision must be to be chosen."""
_PROCESSORS: Final = Path("/proc/cpuinfo")
_ROUNDS: Final = 10
_LONGEST: Final = 3600.0  # seconds: more is no measurement
_LIMITS: Final = ("ONEDNN_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS")
_CHANGING: Final = ("cpu MHz", "bogomips", "BogoMIPS", "processor", "apicid", "initial apicid", "core id")


def fastest(
    cache: Path | None, precisions: Sequence[str], prepared: Callable[[str], Callable[[], object]]
) -> str:
    """The one of the precisions to take on this machine, where `prepared` prepares work in one.

    What was measured is read from, and written to, a file in `cache`, if that can be done.
    """
    path = None if cache is None else cache / FILE
    machine = _machine()
    known = _read(path)
    if not set(precisions) <= known.get(machine, {}).keys():
        known[machine] = _seconds({precision: prepared(precision) for precision in precisions})
        if path is not None:
            keep(path, json.dumps(known, indent=1).encode())
    return chosen({precision: known[machine][precision] for precision in precisions})


def chosen(seconds: Mapping[str, float]) -> str:
    """The fastest precision; one farther from float32 only if it gains enough.

    >>> chosen({"fp32": 3.0, "bf16": 1.2, "int8": 1.0}), chosen({"fp32": 3.0, "bf16": 4.0, "int8": 1.0})
    ('bf16', 'int8')
    """
    best = "fp32"
    for precision, taken in seconds.items():
        if taken * LEAST_GAIN[precision] < seconds[best]:
            best = precision
    return best


def has_bf16() -> bool:
    """Whether the processor computes in bfloat16 (AVX512-BF16): as Linux says, or else torch."""
    if lines := _linux_processor():
        return any(BF16 in line.split() for line in lines)
    import torch

    return bool(torch.cpu.get_capabilities().get(BF16))


def _seconds(works: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds that each takes of a processor, on one thread: the least of some rounds.

    They take turns, so that what else the machine does meets all alike.
    """
    before = libtorch.threads()
    libtorch.set_threads(1)
    try:
        rounds = [{name: _once(work) for name, work in works.items()} for _ in range(_ROUNDS)]
    finally:
        libtorch.set_threads(before)
    return {name: min(each[name] for each in rounds) for name in works}


def _once(work: Callable[[], object]) -> float:
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def _machine() -> str:
    """All that the speed depends on: the processor, what it may be used for, and the library."""
    limits = [os.environ.get(name, "") for name in _LIMITS]
    processor = _linux_processor() or [platform.processor()]
    digest = blake2b("\n".join([*processor, *limits]).encode(), digest_size=8).hexdigest()
    return f"{platform.machine()} {digest}, torch {version('torch')}"


def _linux_processor() -> list[str]:
    """The model and the abilities of the first processor, which do not change; none on other systems."""
    lines: list[str] = []
    with suppress(OSError), _PROCESSORS.open(encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in takewhile(str.strip, file)]
    return [line for line in lines if not line.startswith(_CHANGING)]


def _read(path: Path | None) -> dict[str, dict[str, float]]:
    """The measurements, by machine; anything else is ignored."""
    try:
        found = {} if path is None else json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    machines = found.items() if isinstance(found, dict) else ()
    return {str(machine): each for machine, each in machines if _is_measurement(each)}


def _is_measurement(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(each, float) and 0 < each < _LONGEST for each in value.values()
    )
