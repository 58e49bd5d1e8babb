"""Evaluation at equal budget: data sets, measures, bootstrap intervals, reports, and why questions fail."""

from sage_ld.evaluation.bootstrap import Interval, paired_bootstrap
from sage_ld.evaluation.charts import chart_svg
from sage_ld.evaluation.datasets import Dataset, load_dataset, qrels_names
from sage_ld.evaluation.evaluate import BUDGETS, Evaluation, ModeResult, Search, evaluate
from sage_ld.evaluation.explain import Explanation, Miss, Reason, explain, explanation_table
from sage_ld.evaluation.measures import Run, documents, measure, measure_names
from sage_ld.evaluation.reports import as_json, as_table, trec_lines

__all__ = [
    "BUDGETS",
    "Dataset",
    "Evaluation",
    "Explanation",
    "Interval",
    "Miss",
    "ModeResult",
    "Reason",
    "Run",
    "Search",
    "as_json",
    "as_table",
    "chart_svg",
    "documents",
    "evaluate",
    "explain",
    "explanation_table",
    "load_dataset",
    "measure",
    "measure_names",
    "paired_bootstrap",
    "qrels_names",
    "trec_lines",
]
