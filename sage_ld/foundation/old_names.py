"""Old names of modules: what was imported before the package was moved into rooms can still be imported.

The old name and the new one are the same module object; the import warns with the new name.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from importlib.abc import Loader

_FOUNDATION: Final = (
    "arguments channels deadline edge_kinds errors extras language_model "
    "metadata_terms model openai_access package_files recipes relation_types settings "
    "temporary_folders vocabulary"
)
_BUILD: Final = "annotators chunkers concepts edges encoders languages readers"
_GRAPH: Final = "exports indexes provenance shapes store"
_LAB: Final = "evaluation inspection tuning"
_AGENTS: Final = "answering integrations reasoning tables text_to_sparql"

OLD_NAMES: Final = {
    f"sage_ld.{name}": f"sage_ld.{room}.{name}"
    for room, names in (
        ("foundation", _FOUNDATION),
        ("build", _BUILD),
        ("graph", _GRAPH),
        ("lab", _LAB),
        ("agents", _AGENTS),
    )
    for name in names.split()
} | {
    "sage_ld.agents.approval": "sage_ld.agents.tools.approval",
    "sage_ld.agents.held_calls": "sage_ld.agents.tools.approval",
    "sage_ld.annotators.weights": "sage_ld.build.annotators.cell_links",
    "sage_ld.api": "sage_ld.service.api",
    "sage_ld.concepts.model_judge": "sage_ld.build.concepts.judgements",
    "sage_ld.exports.plain": "sage_ld.retrieval.answers.plain",
    "sage_ld.exports.results": "sage_ld.retrieval.answers.results",
    "sage_ld.graph.curated": "sage_ld.graph.changes.curated_edges",
    "sage_ld.graph.writer": "sage_ld.graph.writing.writer",
    "sage_ld.indexes.hnsw": "sage_ld.graph.indexes.vectors",
    "sage_ld.retrieval.chunk_scorer": "sage_ld.retrieval.scoring.chunk_scorer",
    "sage_ld.retrieval.difficulty": "sage_ld.retrieval.questions.difficulty",
    "sage_ld.retrieval.features": "sage_ld.retrieval.rankings.features",
    "sage_ld.retrieval.learned_model": "sage_ld.retrieval.rankings.learned_model",
    "sage_ld.retrieval.models": "sage_ld.retrieval.rankings.models",
    "sage_ld.sparql": "sage_ld.service.workers",
    "sage_ld.workers": "sage_ld.foundation.processes",
}
"""The new name by the old one, of a module or of a package with all that is below it."""


class OldNames:
    """An importer that finds a module under its old name, before the others look into its package."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module under the new name, with a warning; None for a name that is not an old one."""
        new = new_name(name)
        return None if new is None else ModuleSpec(name, cast("Loader", _Renamed(new)))


class _Renamed:
    """A loader that gives the module of another name as it is."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of the new name, imported if it is not yet."""
        warnings.warn(f"{spec.name} is now {self._name}; import that one", DeprecationWarning, stacklevel=2)
        module = import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module its own specification back; it has been run before."""
        module.__spec__ = self._spec


def new_name(name: str) -> str | None:
    """The present name of a module by its old one; None for a name that is not an old one.

    >>> new_name("sage_ld.readers.registry"), new_name("sage_ld.graph.writer"), new_name("sage_ld.graph")
    ('sage_ld.build.readers.registry', 'sage_ld.graph.writing.writer', None)
    """
    if not name.startswith("sage_ld."):
        return None
    prefix = name
    while prefix != "sage_ld":
        if prefix in OLD_NAMES:
            return OLD_NAMES[prefix] + name[len(prefix) :]
        prefix = prefix.rpartition(".")[0]
    return None


def install() -> None:
    """Has old names found in this process."""
    if not any(isinstance(each, OldNames) for each in sys.meta_path):
        sys.meta_path.insert(0, OldNames())
