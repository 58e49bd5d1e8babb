"""A language model behind an OpenAI-compatible API, asked within budgets, its answers checked and kept."""

from sage_ld.foundation.language_model.budget import BudgetError, CallBudget, Usage
from sage_ld.foundation.language_model.chat import Message
from sage_ld.foundation.language_model.json_answers import MalformedAnswerError, Schema
from sage_ld.foundation.language_model.model import LanguageModel, OptionalAnswers
from sage_ld.foundation.language_model.model_task import Exchange, ModelTask

__all__ = [
    "BudgetError",
    "CallBudget",
    "Exchange",
    "LanguageModel",
    "MalformedAnswerError",
    "Message",
    "ModelTask",
    "OptionalAnswers",
    "Schema",
    "Usage",
]
