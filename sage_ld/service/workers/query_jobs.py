"""Queries as jobs of the worker processes that run them, and the kind of these processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sage_ld.foundation.processes.idle_workers import WorkerKind
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.directory import Directory

QUERY_WORKER: Final = "sage_ld.service.workers.query_process"
"""The module of the processes."""


def query_worker(
    directory: Directory, settings: Settings, *, lazy: bool = False, gives_way: bool = False
) -> WorkerKind:
    """The kind of process that queries the revisions in a directory."""
    return WorkerKind(
        QUERY_WORKER,
        (str(settings.worker_memory), str(directory.path.resolve())),
        "worker_memory",
        lazy=lazy,
        gives_way=gives_way,
        nests=True,
        repeatable=True,
    )


def query_job(
    settings: Settings,
    folder: Path | str | None,
    text: str,
    base: str,
    output: Mapping[str, Any],
    *,
    graphs: tuple[Any, Any] | None = None,
    retrievals: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The job that has a worker run a checked query over the revision in a folder.

    `output` is what `query_output` says; `graphs` are the default graphs and the named graphs of the SPARQL
    protocol, None for those of the store; `retrievals` has the worker read the kept retrievals.
    """
    default_graphs, named_graphs = graphs or (None, None)
    return {
        "op": "query",
        "folder": None if folder is None else str(folder),
        "query": text,
        "base": base,
        "default_graphs": default_graphs,
        "named_graphs": named_graphs,
        "max_merged": settings.max_merged_statements,
        "retrievals": retrievals,
        **output,
    }


def query_output(settings: Settings, form: str, version: str = "1.1") -> dict[str, Any]:
    """The part of a job that says the format of the answer, its version of RDF, and how long it may be."""
    return {
        "format": form,
        "version": version,
        "max_rows": settings.max_rows,
        "max_bytes": settings.max_result_bytes,
    }
