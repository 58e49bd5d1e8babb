"""Answers in sentences, each with the places in the documents that it is taken from."""

from sage_ld.agents.answering.answer import AnswerMethod, Citation, CitedAnswer, CitedSentence
from sage_ld.agents.answering.answering import answer_from, answer_question, answer_stream

__all__ = [
    "AnswerMethod",
    "Citation",
    "CitedAnswer",
    "CitedSentence",
    "answer_from",
    "answer_question",
    "answer_stream",
]
