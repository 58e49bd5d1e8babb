"""The files in which web processes count: few, and readable, however often processes end."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector

from sage_ld.foundation.errors import UnavailableError
from sage_ld.service.http import metrics
from sage_ld.service.http.metrics_folder import FOLDER, forget

REQUESTS = mmap_key("requests", "requests_total", ["route"], ["/sparql"], "Requests.")
ENDED = mmap_key("ended", "ended_total", [], [], "Ended.")
FAST = mmap_key("seconds", "seconds_bucket", ["le"], ["0.1"], "Seconds.")
SLOW = mmap_key("seconds", "seconds_bucket", ["le"], ["+Inf"], "Seconds.")


def count(file: Path, counts: dict[str, float]) -> None:
    with closing(MmapedDict(str(file))) as written:
        for key, number in counts.items():
            written.write_value(key, number, 0.0)


def figures(folder: Path) -> list[bytes]:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))
    return sorted(generate_latest(registry).splitlines())


def test_what_ended_processes_counted_stays_in_one_file_of_each_kind(tmp_path: Path) -> None:
    for process in range(100, 120):
        count(tmp_path / f"counter_{process}.db", {REQUESTS: process, ENDED: 1})
        count(tmp_path / f"histogram_{process}.db", {FAST: 2, SLOW: 1})
    before = figures(tmp_path)
    for process in range(100, 119):
        forget(process, str(tmp_path))
    assert figures(tmp_path) == before
    names = {"counter_119.db", "counter_ended.db", "histogram_119.db", "histogram_ended.db"}
    assert {each.name for each in tmp_path.iterdir()} == names


def test_an_empty_file_of_a_process_that_was_killed_at_once_spoils_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.setattr(metrics, "_PAUSE", 0.0)
    count(tmp_path / "counter_100.db", {REQUESTS: 5})
    (tmp_path / "counter_101.db").touch()
    with pytest.raises(UnavailableError):
        metrics.exposition()
    forget(101, str(tmp_path))
    assert b'requests_total{route="/sparql"} 5.0' in metrics.exposition()


RECORDS = """
from sage_ld.foundation.model import EdgeKind
from sage_ld.service.http import metrics

kind = EdgeKind.DOCUMENT_DOCUMENT
metrics.record_drift({})
print(metrics.web_processes())
print(metrics.exposition().decode())
"""


def recorded(folder: Path, drift: str) -> list[str]:
    """What a web process prints that records a drift: how many processes there are, and all figures."""
    environment = {**os.environ, FOLDER: str(folder)}
    command = [sys.executable, "-c", RECORDS.format(drift)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )


def test_the_drift_is_what_was_measured_last_by_any_process(tmp_path: Path) -> None:
    """What another process has measured before is gone, where it is not known any more."""
    recorded(tmp_path, "5, 0.1, {(kind, 'topicSimilarity'): 0.2, (kind, 'contentSimilarity'): 0.3}")
    count, *lines = recorded(tmp_path, "7, None, {(kind, 'topicSimilarity'): 0.4}")
    assert count == "2"
    assert [line for line in lines if line.startswith("sage_ld_drift")] == [
        "sage_ld_drift_revision 7.0",
        'sage_ld_drift_distance{kind="DocumentDocument",signal="topicSimilarity"} 0.4',
    ]
