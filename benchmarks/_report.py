"""Figures of a benchmark as JSON, with what they were measured on and of which state of the code."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench-results"


def write(name: str, figures: Mapping[str, object]) -> Path:
    """Writes `figures` and their conditions to bench-results/NAME.json, and says so."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.json"
    report = {"benchmark": name, **conditions(), "figures": figures}
    file.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written: {file.relative_to(ROOT)}", flush=True)
    return file


def conditions() -> dict[str, object]:
    """Date, commit, machine and versions."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "python": platform.python_version(),
        "packages": packages(),
    }


def commit() -> str | None:
    """The commit that is checked out, with `+changes` where files differ from it; None outside git."""
    head = _git("rev-parse", "HEAD")
    if head is None:
        return None
    return head + ("+changes" if _git("status", "--porcelain", "--untracked-files=no") else "")


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def machine() -> dict[str, object]:
    """What the figures of speed depend on."""
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def packages() -> dict[str, str]:
    """The versions of sage-ld and of every package that it asks for, as far as they are installed."""
    wanted = [Requirement(each).name for each in distribution("sage-ld").requires or []]
    found = {}
    for name in ["sage-ld", *sorted(set(wanted))]:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
