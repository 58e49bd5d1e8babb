"""Evaluation at equal budget: data sets, measures, bootstrap intervals, reports, and why questions fail."""

from sage_ld.lab.evaluation.bootstrap import Interval, paired_bootstrap
from sage_ld.lab.evaluation.by_class import by_class, by_class_json, by_class_table, difficulties
from sage_ld.lab.evaluation.charts import chart_svg
from sage_ld.lab.evaluation.datasets import Dataset, load_dataset, qrels_names, sent_dataset
from sage_ld.lab.evaluation.evaluate import BUDGETS, Evaluation, ModeResult, Search, compare, evaluate
from sage_ld.lab.evaluation.explain import (
    Expansion,
    Explanation,
    Miss,
    Reason,
    explain,
    explanation_json,
    explanation_table,
)
from sage_ld.lab.evaluation.measures import Run, documents, measure, measure_names
from sage_ld.lab.evaluation.reports import as_json, as_table, trec_lines
from sage_ld.lab.evaluation.systems import System, expansions, known_documents, searcher, systems

__all__ = [
    "BUDGETS",
    "Dataset",
    "Evaluation",
    "Expansion",
    "Explanation",
    "Interval",
    "Miss",
    "ModeResult",
    "Reason",
    "Run",
    "Search",
    "System",
    "as_json",
    "as_table",
    "by_class",
    "by_class_json",
    "by_class_table",
    "chart_svg",
    "compare",
    "difficulties",
    "documents",
    "evaluate",
    "expansions",
    "explain",
    "explanation_json",
    "explanation_table",
    "known_documents",
    "load_dataset",
    "measure",
    "measure_names",
    "paired_bootstrap",
    "qrels_names",
    "searcher",
    "sent_dataset",
    "systems",
    "trec_lines",
]
