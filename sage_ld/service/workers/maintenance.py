"""Maintenance that takes long, in the process that writes: a relink, and a check of the graph."""

from __future__ import annotations

from sage_ld.foundation.errors import ConflictError, UnavailableError
from sage_ld.foundation.progress import Progress
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.upkeep.checking import check_graph
from sage_ld.service.workers.commit import Job, Result, Write


def relink(write: Write) -> Result:
    """Derives all edges, labels, concepts and thresholds again, as `KnowledgeGraph.relink`."""
    edges = write.graph.deriver(write.writer, write.progress).run_all()
    return {"edges": edges, **write.published()}


def check(graph: KnowledgeGraph, job: Job, progress: Progress) -> Result:
    """The findings of `check_graph`, which takes the graph's lock itself, and only where it repairs.

    Raises UnavailableError while another process writes.
    """
    try:
        return check_graph(graph.directory, repair=job["repair"], progress=progress).as_json()
    except ConflictError as error:
        raise UnavailableError(f"{error}; try again later") from None
