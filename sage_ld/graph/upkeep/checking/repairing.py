"""The repair of what findings name, as far as it follows from something else.

Nothing that was stored is changed: files of documents' and users' statements are neither written nor removed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.progress import Progress
from sage_ld.graph.derivations.concept_indexes import CONCEPT_PARTS
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.oxigraph import open_for_reading
from sage_ld.graph.upkeep.checking.findings import Cure, Finding


def repaired(directory: Directory, findings: Sequence[Finding], progress: Progress) -> None:
    """Carries out the cures of some findings. Raises ConflictError where another process writes."""
    from sage_ld.graph.open_graph import OpenGraph

    cures = {each.cure for each in findings}
    with directory.locked():
        if Cure.CURRENT in cures:
            _name_current(directory)
        for each in findings:
            if each.removable:
                remove(directory.path / each.where)
        if Cure.CLEAN in cures:
            directory.prepare_live()
    if not cures & {Cure.REPUBLISH, Cure.REINDEX, Cure.RELINK}:
        return
    distrusted: Collection[str] = {each.part for each in findings if each.cure is Cure.REINDEX}
    graph = OpenGraph(directory)
    with graph.writer(distrusted) as writer:
        if Cure.RELINK in cures or not CONCEPT_PARTS.isdisjoint(distrusted):
            graph.deriver(writer, progress).run_all()
        writer.change()
        writer.publish()


def _name_current(directory: Directory) -> None:
    """Names the newest complete revision whose store can be read, if there is one."""
    for number in directory.complete():
        try:
            open_for_reading(directory.revision(number) / "store")
        except InputError:
            continue
        directory.make_current(number)
        return
