"""Answers in sentences, each with the places in the documents that it is taken from."""

from sage_ld.answering.answer import Citation, CitedAnswer, CitedSentence
from sage_ld.answering.answering import answer_question

__all__ = ["Citation", "CitedAnswer", "CitedSentence", "answer_question"]
