"""Reasoning with code (SAGE-CODE): a language model reads, computes with SQL and walks on over the graph."""

from sage_ld.agents.reasoning.graph_nodes import ReasoningNode
from sage_ld.agents.reasoning.parameters import DEFAULT_BOOSTS, ReasoningParameters
from sage_ld.agents.reasoning.reasoned_answer import ReasonedAnswer
from sage_ld.agents.reasoning.reasoner import Reasoner
from sage_ld.agents.reasoning.reasoning_steps import ReasoningStep, StepKind

__all__ = [
    "DEFAULT_BOOSTS",
    "ReasonedAnswer",
    "Reasoner",
    "ReasoningNode",
    "ReasoningParameters",
    "ReasoningStep",
    "StepKind",
]
