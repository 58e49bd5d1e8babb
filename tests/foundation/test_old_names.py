"""The names of modules before the package was moved into rooms, as its documentation showed them."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec

import pytest

from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.old_names import OLD_NAMES, new_name

DOCUMENTED = {
    "sage_ld.agents.approval": "ApprovalDecision",
    "sage_ld.agents.held_calls": "",
    "sage_ld.annotators": "RuleAnnotator",
    "sage_ld.annotators.candidates": "Candidate",
    "sage_ld.annotators.cell_links": "",
    "sage_ld.annotators.evidence": "",
    "sage_ld.annotators.hyperlinks": "resolve_hyperlinks",
    "sage_ld.annotators.link_selection": "",
    "sage_ld.annotators.targets": "",
    "sage_ld.annotators.titles": "",
    "sage_ld.annotators.weights": "",
    "sage_ld.annotators.words": "",
    "sage_ld.answering": "AnswerMethod answer_from answer_question",
    "sage_ld.answering.passages": "passages",
    "sage_ld.channels": "CHANNEL_NAMES",
    "sage_ld.chunkers": "chunk_all",
    "sage_ld.concepts.grouping": "group_terms",
    "sage_ld.concepts.model_judge": "ModelJudge",
    "sage_ld.concepts.rules": "",
    "sage_ld.concepts.terms": "",
    "sage_ld.edge_kinds": "",
    "sage_ld.edges": "build",
    "sage_ld.encoders": "load_encoder",
    "sage_ld.encoders.minilm": "",
    "sage_ld.evaluation": "evaluate load_dataset as_json",
    "sage_ld.evaluation.by_class": "",
    "sage_ld.evaluation.measures": "",
    "sage_ld.exports": "export",
    "sage_ld.exports.plain": "plain_answer",
    "sage_ld.exports.results": "answer_jsonld turtle",
    "sage_ld.exports.void": "description",
    "sage_ld.graph.curated": "",
    "sage_ld.graph.writer": "Writer",
    "sage_ld.indexes.hnsw": "nearest",
    "sage_ld.indexes.vectors": "",
    "sage_ld.integrations.dspy": "DSPyRetriever",
    "sage_ld.integrations.haystack": "HaystackRetriever",
    "sage_ld.integrations.langchain": "LangChainRetriever langchain_tools",
    "sage_ld.integrations.llama_index": "LlamaIndexRetriever",
    "sage_ld.integrations.llama_index_store": "LlamaIndexGraphStore",
    "sage_ld.integrations.openai_agents": "function_tools",
    "sage_ld.integrations.sources": "RemoteGraph",
    "sage_ld.language_model": "CallBudget LanguageModel",
    "sage_ld.model": "Chunk ChunkKind Document",
    "sage_ld.readers": "read_paths",
    "sage_ld.readers.builder": "",
    "sage_ld.readers.reader_process": "",
    "sage_ld.reasoning": "Reasoner ReasonedAnswer",
    "sage_ld.recipes": "PRESETS load_recipe",
    "sage_ld.retrieval.chunk_scorer": "",
    "sage_ld.retrieval.difficulty": "",
    "sage_ld.retrieval.features": "",
    "sage_ld.retrieval.learned_model": "",
    "sage_ld.retrieval.models": "",
    "sage_ld.settings": "Settings",
    "sage_ld.shapes.shacl": "",
    "sage_ld.sparql.searches": "",
    "sage_ld.sparql.text_limits": "",
    "sage_ld.store": "",
    "sage_ld.store.directory": "",
    "sage_ld.store.reading": "",
    "sage_ld.store.shared_statements": "",
    "sage_ld.store.stores": "",
    "sage_ld.tables": "TableWorkers list_tables",
    "sage_ld.text_to_sparql": "GraphAnswer GraphQuestions",
    "sage_ld.tuning": "Example Examples",
}
"""The modules, with the public names in them that documentation imported."""


def faults(old: str, names: str) -> list[str]:
    """What is wrong with one old name."""
    new = new_name(old)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sys.modules.pop(old, None)
        try:
            module = import_module(old)
            same = module is import_module(str(new))
        except UnavailableError:  # a framework that is not installed
            return [] if find_spec(str(new)) else [f"{old}: there is no {new}"]
    told = [str(each.message) for each in caught if each.category is DeprecationWarning]
    found = [] if same else [f"{old} is another module than {new}"]
    found += (
        [] if any(f"{old} is now {new};" in each for each in told) else [f"{old}: no warning names {new}"]
    )
    return found + [f"{old} has no {name}" for name in names.split() if not hasattr(module, name)]


@pytest.mark.frameworks
def test_documented_old_names_are_the_modules_of_today() -> None:
    assert [fault for old, names in DOCUMENTED.items() for fault in faults(old, names)] == []


def test_every_row_of_the_table_names_a_module_of_today() -> None:
    assert [new for new in OLD_NAMES.values() if find_spec(new) is None] == []


def test_no_old_name_hides_a_module_of_today() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        same = [old for old in OLD_NAMES if import_module(old).__spec__.name == old]
    assert same == []


def test_the_warning_points_to_the_line_of_the_user() -> None:
    program = "import sage_ld\nfrom sage_ld.settings import Settings\nassert Settings is sage_ld.Settings"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, check=True
    )
    assert (
        "<string>:2: DeprecationWarning: sage_ld.settings is now sage_ld.foundation.settings" in done.stderr
    )


def test_a_name_that_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"sage_ld\.nothing"):
        import_module("sage_ld.nothing")
