"""Quality of links: precision and recall on OTT-QA's tables, against the links that the files carry.

    SAGE_DATA=… python benchmarks/linking.py [--vectors FILE] [--fit]

The links in the released tables are the reference and are not shown to the linker. A link counts once for a
row of a table and a target; targets are the passages. Weights are fitted on one half of the tables and
applied to the other, both ways: no table helps to find its own links. `--fit` then writes the weights fitted
on all tables into the package. `--vectors` reads the vectors of chunks and targets from an .npz file, or
encodes them into it where it is missing; without it the figures with vectors are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _report import write as write_report
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from sage_ld.build.annotators import cell_links as shipped
from sage_ld.build.annotators.candidates import Candidate
from sage_ld.build.annotators.cell_links import FILE, CellCandidates, Stage, gather, group, join
from sage_ld.build.annotators.evidence import JOINT, OWN, SIMILARITY
from sage_ld.build.annotators.hyperlinks import resolve_hyperlinks
from sage_ld.build.annotators.link_selection import PossibleLink, select_links
from sage_ld.build.annotators.targets import Target, TargetIndex, index_targets
from sage_ld.build.annotators.titles import forms
from sage_ld.build.annotators.words import STOP_WORDS
from sage_ld.build.chunkers import Chunking, chunk_all, encoding_text
from sage_ld.build.encoders import load_encoder
from sage_ld.build.readers import read_paths
from sage_ld.foundation.model import Chunk, ChunkKind, Document
from sage_ld.foundation.settings import Settings

THRESHOLDS = (0.1, 0.15, 0.2, 0.3, 0.5, 0.7)
RIVALS = Settings().max_links_per_name
Floats = NDArray[np.float64]
Weights = dict[Stage, Floats]
Key = tuple[int, int | None, int]  # chunk, row, target


@dataclass
class Corpus:
    """The tables' chunks, the targets, and the links that the files carry."""

    chunks: list[Chunk]
    index: TargetIndex
    gold: set[Key]
    half: NDArray[np.int64]
    """Of each chunk: which half of the tables it is in."""
    vectors: tuple[NDArray[np.float32], NDArray[np.float32]] | None


def load(folder: Path, vectors: Path | None) -> Corpus:
    """The data set read and cut as for a graph; `vectors` is where vectors are kept."""
    documents = sorted(
        (document for result in read_paths([folder], Settings()) for document in result.documents),
        key=lambda document: document.identifier,
    )
    documents = [each for each in documents if not each.identifier.startswith(("queries", "qrels"))]
    tables = [each for each in documents if each.identifier.startswith("tables/")]
    encoder = load_encoder("minilm")
    chunks = [
        chunk
        for each in chunk_all(tables, Chunking(), encoder)
        for chunk in each
        if chunk.kind is ChunkKind.TABLE
    ]
    index = index_targets(Target(each.identifier, each.title, each.text, each.url) for each in documents)
    links = resolve_hyperlinks(chunks, index.targets)
    gold = {(link.chunk, link.row, link.document) for link in links if not is_table(index, link.document)}
    order = {each.identifier: number for number, each in enumerate(tables)}
    half = np.array([order[chunk.document] % 2 for chunk in chunks])
    return Corpus(chunks, index, gold, half, encoded(documents, chunks, vectors) if vectors else None)


def encoded(
    documents: Sequence[Document], chunks: Sequence[Chunk], path: Path
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vectors of the chunks, and of the first chunk of each document; kept in `path`."""
    if not path.exists():
        encoder = load_encoder("minilm")
        firsts = [each[0] for each in chunk_all(documents, Chunking(), encoder)]
        found = [encoder.encode([encoding_text(chunk) for chunk in each]) for each in (chunks, firsts)]
        np.savez(path, chunks=found[0], targets=found[1])
    with np.load(path) as arrays:
        return arrays["chunks"], arrays["targets"]


def is_table(index: TargetIndex, target: int) -> bool:
    """Whether a target is a page with a table; the files link only to passages."""
    return index.targets[target].identifier.startswith("tables/")


@dataclass
class Rows:
    """A row for each candidate: what it would link, its evidence, and whether the file has that link."""

    places: list[tuple[int, PossibleLink]]
    candidates: list[Candidate]
    evidence: Floats
    right: NDArray[np.bool_]


def rows_of(
    corpus: Corpus, gathered: Sequence[CellCandidates], evidence: Sequence[Sequence[Floats]], similar: bool
) -> Rows:
    """The candidates of all cells in one matrix; its last column the similarity of vectors, where asked."""
    places, candidates, matrices = [], [], []
    for number, each in enumerate(gathered):
        for reading, found, matrix in zip(each.readings, each.found, evidence[number], strict=True):
            kept = [at for at, one in enumerate(found) if not is_table(corpus.index, one.target)]
            matrix = matrix[kept]
            for at in kept:
                one, cell = found[at], reading.cell
                begin = cell.begin + reading.words[one.begin].begin
                end = cell.begin + reading.words[one.end - 1].end
                places.append((number, PossibleLink(one.target, begin, end, 0.0, cell.row, cell.column)))
                candidates.append(one)
            if similar and corpus.vectors:
                targets = [found[at].target for at in kept]
                matrix = np.hstack(
                    [matrix, (corpus.vectors[1][targets] @ corpus.vectors[0][number])[:, None]]
                )
            matrices.append(matrix)
    right = np.array([(number, each.row, each.target) in corpus.gold for number, each in places])
    return Rows(places, candidates, np.vstack(matrices), right)


def fit(rows: Rows, halves: NDArray[np.int64], taught: Set[int]) -> Floats:
    """Weights of shape (3, e) by the rows of some halves."""
    groups = np.array([group(each) for each in rows.candidates])
    out = np.zeros((3, rows.evidence.shape[1]))
    for number in range(3):
        here = (groups == number) & np.isin(halves, sorted(taught))
        scale = rows.evidence[here].std(axis=0)
        scale[scale == 0] = 1.0
        model = LogisticRegression(C=1.0, max_iter=1000, fit_intercept=False)
        model.fit(rows.evidence[here] / scale, rows.right[here])
        out[number] = model.coef_[0] / scale
    return out.round(4)


def probabilities(weights: Floats, found: Sequence[Candidate], evidence: Floats) -> Floats:
    """As `sage_ld.build.annotators.cell_links.probabilities`, for weights at hand."""
    odds = (weights[[group(each) for each in found]] * evidence).sum(axis=1)
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def taught(corpus: Corpus, gathered: Sequence[CellCandidates], halves: Set[int]) -> Weights:
    """The weights of all stages, fitted on the tables of some halves."""
    own = rows_of(corpus, gathered, [each.own for each in gathered], False)
    weights = {Stage.OWN: fit(own, corpus.half[[at for at, _ in own.places]], halves)}
    joined, evidence = second(corpus, gathered, weights)
    rows = rows_of(corpus, joined, evidence, False)
    half = corpus.half[[at for at, _ in rows.places]]
    weights[Stage.JOINT] = fit(rows, half, halves)
    if corpus.vectors:
        weights[Stage.SIMILARITY] = fit(rows_of(corpus, joined, evidence, True), half, halves)
    return weights


def second(
    corpus: Corpus, gathered: Sequence[CellCandidates], weights: Weights
) -> tuple[list[CellCandidates], list[list[Floats]]]:
    """The candidates that are not hopeless by the first weights, and their evidence of both stages."""
    joined, evidence = [], []
    for each in gathered:
        first = [
            probabilities(weights[Stage.OWN], *pair) if pair[0] else np.zeros(0)
            for pair in zip(each.found, each.own, strict=True)
        ]
        weighed = join(corpus.index, each, first)
        joined.append(CellCandidates(weighed.readings, weighed.found, []))
        evidence.append(weighed.evidence)
    return joined, evidence


def predicted(
    corpus: Corpus, gathered: Sequence[CellCandidates], weights: Weights, stage: Stage
) -> list[tuple[int, PossibleLink]]:
    """All candidates as (chunk, place with its confidence)."""
    joined, evidence = second(corpus, gathered, weights)
    rows = rows_of(corpus, joined, evidence, stage is Stage.SIMILARITY)
    odds = probabilities(weights[stage], rows.candidates, rows.evidence).tolist()
    return [
        (number, place._replace(confidence=chance))
        for (number, place), chance in zip(rows.places, odds, strict=True)
    ]


def report(
    name: str, corpus: Corpus, found: Sequence[tuple[int, PossibleLink]]
) -> dict[str, dict[str, float]]:
    """Prints precision and recall at each threshold, and gives them."""
    by_chunk: dict[int, list[PossibleLink]] = {}
    for number, each in found:
        by_chunk.setdefault(number, []).append(each)
    print(name)
    figures = {}
    for least in THRESHOLDS:
        links = {
            (number, each.row, each.target)
            for number, places in by_chunk.items()
            for each in select_links(places, least, RIVALS)
        }
        right = len(links & corpus.gold)
        precision, recall = right / max(len(links), 1), right / len(corpus.gold)
        print(
            f"  confidence >= {least:.2f}: precision {precision:.3f} recall {recall:.3f} links {len(links)}"
        )
        figures[f"{least:.2f}"] = {"precision": precision, "recall": recall, "links": len(links)}
    return figures


def causes(
    corpus: Corpus, gathered: Sequence[CellCandidates], found: Sequence[tuple[int, PossibleLink]]
) -> dict[str, int]:
    """Why links of the files are missed at the default confidence: printed, and given."""
    least = Settings().min_link_confidence
    by_chunk: dict[int, list[PossibleLink]] = {}
    for number, each in found:
        by_chunk.setdefault(number, []).append(each)
    kept = {
        (n, each.row, each.target)
        for n, places in by_chunk.items()
        for each in select_links(places, least, RIVALS)
    }
    offered = {
        (n, reading.cell.row, one.target)
        for n, each in enumerate(gathered)
        for reading, ones in zip(each.readings, each.found, strict=True)
        for one in ones
    }
    counts: dict[str, int] = {}
    for key in corpus.gold - kept:
        counts[cause(corpus, key, offered)] = counts.get(cause(corpus, key, offered), 0) + 1
    print("missed", {name: counts[name] for name in sorted(counts)}, "of", len(corpus.gold))
    return counts


def cause(corpus: Corpus, key: Key, offered: Set[Key]) -> str:
    """Why one link is missed: it was no candidate, and for want of what; or it was, and not likely enough."""
    if key in offered:
        return "offered, but not likely enough"
    number, row, target = key
    title = set(corpus.index.titles[target])
    chunk = corpus.chunks[number]
    line = chunk.text.split("\n")[(row or 0) - (chunk.table.first_row if chunk.table else 0)]
    shared = title & set(forms(line)) - STOP_WORDS
    return "a part of the title is in the row" if shared else "no word of the title is in the row"


def main() -> None:
    """Measures, and fits where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--fit", action="store_true")
    arguments = parser.parse_args()
    corpus = load(Path(os.environ["SAGE_DATA"]) / "ottqa", arguments.vectors)
    begin = time.process_time()
    gathered = [gather(corpus.index, chunk) for chunk in corpus.chunks]
    seconds = time.process_time() - begin
    print(f"{len(corpus.chunks)} chunks, {len(corpus.gold)} links; {seconds:.1f} s CPU to gather")
    stages = [Stage.JOINT, *([Stage.SIMILARITY] if corpus.vectors else [])]
    figures: dict[str, object] = {
        "chunks": len(corpus.chunks),
        "links": len(corpus.gold),
        "gather_s": seconds,
    }
    crossed = {half: taught(corpus, gathered, {1 - half}) for half in (0, 1)}
    for stage in stages:
        found = [
            pair
            for half, weights in crossed.items()
            for pair in predicted(corpus, gathered, weights, stage)
            if corpus.half[pair[0]] == half
        ]
        measured = report(f"{stage}, fitted on the other half of the tables", corpus, found)
        figures[str(stage)] = {"by_confidence": measured, "missed": causes(corpus, gathered, found)}
    write_report("linking", figures)
    if arguments.fit and corpus.vectors is None:
        parser.error("--fit fits all three stages, the last with vectors: give --vectors FILE")
    if arguments.fit:
        write(taught(corpus, gathered, {0, 1}))


def write(weights: Weights) -> None:
    """Puts the weights into the package, with the names of the evidence they are for."""
    path = Path(shipped.__file__).with_name(FILE)
    names = {"own": [*OWN], "joint": [*OWN, *JOINT], "similarity": [*OWN, *JOINT, SIMILARITY]}
    rows = {str(stage): weights[stage].tolist() for stage in weights}
    path.write_text(json.dumps({"evidence": names, "weights": rows}, indent=None) + "\n")


if __name__ == "__main__":
    main()
