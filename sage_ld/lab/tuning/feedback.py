"""Feedback of users as judgements: what helped with a question ought to be found for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sage_ld.foundation.errors import InputError
from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.evaluation.datasets import Dataset
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

NAME = "feedback"


@dataclass(frozen=True, slots=True)
class FeedbackDataset:
    """The data set that feedback makes."""

    dataset: Dataset
    judgements: int
    """How many judgements it was made of."""
    gone: int
    """How many of these are of chunks that the graph does not have any more; they are left out."""


def feedback_dataset(graph: KnowledgeGraph) -> FeedbackDataset:
    """The questions of kept retrievals, with the documents that helped more clients than they did not help.

    Questions that differ by case and spaces alone are one. Raises InputError if nothing helped.
    """
    votes = graph.retrievals.votes()
    snapshot = graph.snapshot()
    table, names = ChunkTable.of(snapshot), Retriever(graph).identifiers(snapshot)
    helped: dict[str, Counter[str]] = {}
    gone = 0
    for vote in votes:
        if (row := table.rows.get(vote.chunk)) is None:
            gone += vote.helped + vote.not_helped
            continue
        document = names[int(table.documents[row])]
        helped.setdefault(vote.question, Counter())[document] += vote.helped - vote.not_helped
    relevant = {
        question: {document: 1 for document, votes_for in sorted(counts.items()) if votes_for > 0}
        for question, counts in helped.items()
    }
    judged = {question: documents for question, documents in relevant.items() if documents}
    if not judged:
        raise InputError(
            f"no kept retrieval has a result that helped ({len(votes):,} results are judged); collect "
            "feedback, as docs/provenance.md says, or give a DATASET"
        )
    numbers = {question: str(number) for number, question in enumerate(judged, 1)}
    dataset = Dataset(
        NAME,
        NAME,
        {numbers[question]: question for question in judged},
        {numbers[question]: documents for question, documents in judged.items()},
        len(helped) - len(judged),
    )
    return FeedbackDataset(dataset, sum(vote.helped + vote.not_helped for vote in votes), gone)
