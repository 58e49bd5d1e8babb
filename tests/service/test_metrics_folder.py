"""The files in which web processes count: few, and readable, however often processes end."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector

from sage_ld.errors import UnavailableError
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
