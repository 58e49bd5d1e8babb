"""Inspection of a graph: how its edges, components, sections, entities and concepts are distributed."""

from sage_ld.lab.inspection.distributions import (
    Bin,
    CountDistribution,
    component_sizes,
    degrees,
    distribution,
)
from sage_ld.lab.inspection.inspect import GraphInspection, Hub, as_json, inspect
from sage_ld.lab.inspection.plots import plot
from sage_ld.lab.inspection.question_reach import (
    QuestionReach,
    Reached,
    read_questions,
    what_questions_reach,
)

__all__ = [
    "Bin",
    "CountDistribution",
    "GraphInspection",
    "Hub",
    "QuestionReach",
    "Reached",
    "as_json",
    "component_sizes",
    "degrees",
    "distribution",
    "inspect",
    "plot",
    "read_questions",
    "what_questions_reach",
]
