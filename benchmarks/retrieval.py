"""The gain of graph retrieval at equal budget, what each part of it adds, and what it costs.

    python benchmarks/retrieval.py [--data FOLDER] [--graphs FOLDER] [--sets …] [--parts …]

The parts, all of them unless named:

- `default`: the recipe as shipped against flat hybrid search, and where its questions fail. The shipped
  ranking has learned from these questions; `ablation` has the figures of questions not seen.
- `ablation`: each channel added or left out, each kind of evidence left out in turn, of the learning too: all
  figures are cross-validated; starred where the 95 % interval of the difference from the whole leaves out 0.
- `rankings`: the other rankings, which are not learned, and the options that are off by default, over the
  default recipe's channels and graphs, against flat search.
- `structure`: what each part of docs/structure.md adds to the shipped recipe, over graphs that hold concepts,
  abstracts and analogies; starred where the 95 % interval of the difference leaves out 0. The shipped ranking
  has learned from these questions, but not from those of cranfield and vaswani, and with none of these parts.
- `paper`: the SAGE paper's procedure on a graph of its own, against flat search of that graph.
- `cost`: p50 and p95 of searches in one warm process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from _report import write
from _sets import DOMAINS, PAPER, SETS, Place, Set, all_examples, chosen, parser, place
from learning import PLAN, crossed, generated, headline
from rich.console import Console
from rich.table import Table

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.recipes import Centrality, Ranking, load_recipe
from sage_ld.lab.evaluation import (
    BUDGETS,
    Dataset,
    Evaluation,
    System,
    as_json,
    as_table,
    compare,
    evaluate,
    expansions,
    explain,
    explanation_json,
    explanation_table,
    searcher,
    systems,
)
from sage_ld.lab.evaluation.measures import Run
from sage_ld.lab.tuning import Plan, flat_run
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.rankings.features import ALL_LINKS_FEATURES, CHANNEL_HOP_FEATURES, QUESTION_FEATURES
from sage_ld.retrieval.rankings.table import RANKINGS

console = Console(width=180, highlight=False)

OWN = ("bm25", "dense", "hybrid", "coverage", "log_rank")
SEED = ("edge_seed", "edge_seed_log_rank", "max_seed", "seeds")
STANDING = ("below_", "log_rank_")


def number(name: str) -> str:
    """What a feature tells of, whether as it is or by how it stands among the candidates."""
    return name.removeprefix("below_").removeprefix("log_rank_")


def of_links(name: str) -> bool:
    """Whether a feature tells of links."""
    return number(name) in ALL_LINKS_FEATURES or (
        number(name).startswith(("edge_", "max_")) and number(name) not in CHANNEL_HOP_FEATURES
    )


KINDS: Mapping[str, Callable[[str], bool]] = {
    "the text's own scores": lambda name: number(name) in OWN or name in QUESTION_FEATURES,
    "the standing among the candidates": lambda name: name.startswith(STANDING),
    "titles": lambda name: "title" in name,
    "the seed's score and rank": lambda name: number(name) in SEED,
    "the link's text (row, sentence)": lambda name: of_links(name) and ("unit" in name or "pair" in name),
    "the mean of both vectors": lambda name: name.endswith("mean"),
    "the confidence of the link": lambda name: "confidence" in name,
    "the direction of the link": lambda name: "forward" in name,
    "all links together": lambda name: of_links(name) and not number(name).startswith("edge_"),
    "ties (shared entities)": lambda name: number(name) in CHANNEL_HOP_FEATURES,
    "all evidence of edges": lambda name: of_links(name) or number(name) in CHANNEL_HOP_FEATURES,
}
"""Kinds of evidence, each with the features that tell of it; one may tell of two."""

OTTQA = ("success@2", "success@5", "success@20", "success@100")
MULTIHOP = ("recall@2", "recall@5", "all@5")

PUBLISHED: Sequence[tuple[str, str, str]] = (
    ("ottqa", "SAGE paper, with graph; 2,212 questions of its own selection, read off its figure",
     "success@2 24.8, success@5 41.2, success@10 51.0, success@20 61.2, success@50 71.9, success@100 78.1"),
    ("ottqa", "SAGE paper, extended baseline, likewise",
     "success@2 21.4, success@5 35.5, success@10 46.1, success@20 56.7, success@50 67.7, success@100 75.3"),
    ("ottqa", "COS with ColBERT and bge reranker (trained), 400,000 tables, 5 million passages",
     "@2 49.6, @5 68.2, @10 78.7, @50 91.7"),
    ("2wiki", "HippoRAG, ColBERTv2 and a graph by an LLM; its own 1,000 questions and 6,119 passages",
     "recall@2 70.7, recall@5 89.1, all@5 75.7"),
    ("2wiki", "HippoRAG 2, NV-Embed-v2 (7B) and a graph by an LLM; 1,000 questions", "recall@5 90.4"),
    ("2wiki", "GFM-RAG, a graph network trained for it; 1,000 questions", "recall@2 90.8, recall@5 95.6"),
    ("hotpotqa", "HippoRAG, likewise; 9,221 passages", "recall@2 60.5, recall@5 77.7, all@5 57.9"),
    ("hotpotqa", "HippoRAG 2, likewise", "recall@5 96.3"),
    ("hotpotqa", "GFM-RAG, likewise", "recall@2 78.3, recall@5 87.1"),
    ("musique", "HippoRAG, likewise; 11,656 passages", "recall@2 40.9, recall@5 51.9, all@5 22.4"),
    ("musique", "HippoRAG 2, likewise", "recall@5 74.7"),
    ("musique", "GFM-RAG, likewise", "recall@2 49.1, recall@5 58.2"),
)  # fmt: skip
"""Set, system with its pool and conditions, figures in per cent. The pools differ from ours."""


def main() -> None:
    """Measures the parts asked for, prints them, and writes them as JSON."""
    made = parser(__doc__)
    made.add_argument("--parts", default=",".join(PARTS), help="comma-separated; default: all")
    given = made.parse_args()
    where, sets = place(given, made), chosen(given, made, (*SETS, *DOMAINS))
    names = given.parts.split(",")
    if unknown := [name for name in names if name not in PARTS]:
        made.error(f"--parts {unknown[0]}: the parts are {', '.join(PARTS)}")
    figures = {}
    for name in names:
        console.rule(name)
        figures[name] = PARTS[name](where, sets)
        write("retrieval" if names == list(PARTS) else f"retrieval-{'-'.join(names)}", figures)


def default(where: Place, sets: Sequence[Set]) -> dict[str, object]:
    """The shipped recipe against flat hybrid search, and where questions fail."""
    figures: dict[str, object] = {}
    for each in sets:
        for dataset in judged(where, each):
            begin = time.perf_counter()
            named = systems(where.graph(each), [Mode.SAGE, Mode.HYBRID])
            found = evaluate(dataset, searcher(named), list(named), BUDGETS)
            seconds = time.perf_counter() - begin
            console.print(f"[bold]{each.name}[/bold], evaluated in {seconds:.0f} s")
            console.print(as_table(found))
            label = f"{each.name} {dataset.qrels}"
            figures[label] = as_json(found) | {"seconds": round(seconds, 1)}
            if dataset.qrels != "table":
                figures[f"{label} failures"] = failures(where, each, found)
    for on, system, reported in PUBLISHED:
        if on in {each.folder for each in sets}:
            console.print(f"{on}: {system}: {reported}", markup=False)
    return figures


def judged(where: Place, each: Set) -> list[Dataset]:
    """A set's questions, and OTT-QA's by their tables too."""
    return [each.dataset(where.data), *([each.tables(where.data)] if each.qrels == "answer" else [])]


def failures(where: Place, each: Set, found: Evaluation) -> dict[str, object]:
    """Where questions fail: by OTT-QA's answers, to which the table leads, and where a passage is missing."""
    graph = where.graph(each)
    tables = each.tables(where.data) if each.qrels == "answer" else None
    bridges = {q: tables.relevant(q) for q in tables.questions} if tables else None
    every = tables is None
    expansion = expansions(systems(graph, [Mode.SAGE])["sage"], found.dataset, BUDGETS[-1])
    told = {
        mode: [explain(found.dataset, result.run_at(k), k, expansion, every, bridges) for k in found.budgets]
        for mode, result in found.modes.items()
    }
    console.print(explanation_table(told, every))
    return explanation_json(told)


def rankings(where: Place, sets: Sequence[Set]) -> dict[str, object]:
    """What the rankings that are not learned, and options, gain over flat hybrid search."""
    given = load_recipe("default").retrieval
    figures: dict[str, object] = {}
    for each in sets:
        graph = where.graph(each)
        named = {
            name: System(Retriever(graph, replace(given, **changes)), Mode.SAGE)
            for name, changes in modes().items()
        }
        named |= systems(graph, [Mode.HYBRID])
        named["hybrid deduplicate"] = System(Retriever(graph, replace(given, deduplicate=True)), Mode.HYBRID)
        dataset = each.dataset(where.data)
        split = [name for name, system in named.items() if system.split]
        begin = time.process_time()
        found = evaluate(dataset, searcher(named), list(named), BUDGETS, per_budget=split)
        console.print(f"{each.name}, {time.process_time() - begin:.0f} s of processor time", markup=False)
        console.print(as_table(found))
        figures[f"{each.name} {dataset.qrels}"] = as_json(found)
    return figures


def modes() -> dict[str, dict[str, Any]]:
    """Rankings and options by name, and the values of `Retrieval` that make each."""
    found: dict[str, dict[str, Any]] = {
        str(kind): {"ranking": kind} for kind, method in RANKINGS.items() if not method.learned
    }
    for kind in Centrality:
        if kind is not load_recipe("default").retrieval.centrality:
            found[f"sagedb, centrality {kind}"] = {"ranking": Ranking.SAGEDB, "centrality": kind}
    found["pagerank, global_share 0.1"] = {"ranking": Ranking.PAGERANK, "global_share": 0.1}
    found["learned"] = {}
    found["learned, deduplicate"] = {"deduplicate": True}
    found["learned, decompose"] = {"decompose": True}
    return found


def structure(where: Place, sets: Sequence[Set]) -> dict[str, object]:
    """What each part of docs/structure.md adds to the shipped recipe."""
    figures: dict[str, object] = {}
    for each in sets:
        graph = where.graph(replace(each, name=f"{each.name}-structure", recipe=str(STRUCTURE)))
        given = graph.recipe.retrieval
        named = {
            name: System(Retriever(graph, replace(given, **changes)), Mode.SAGE)
            for name, changes in parts_of_structure(given.channels).items()
        }
        named |= systems(graph, [Mode.HYBRID])
        dataset = each.dataset(where.data)
        found = evaluate(dataset, searcher(named), list(named), BUDGETS, baseline="default")
        console.print(each.name, markup=False)
        console.print(as_table(found))
        figures[f"{each.name} {dataset.qrels}"] = as_json(found)
    return figures


def parts_of_structure(channels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Parts of docs/structure.md by name, and the values of `Retrieval` that use each beside the channels."""
    return {
        "default": {},
        "with channel concept": {"channels": (*channels, "concept")},
        "with channel analogy": {"channels": (*channels, "analogy")},
        "hub_sample 5": {"hub_sample": 5},
        "section_weight 0.2": {"section_weight": 0.2},
        "sections": {"ranking": Ranking.SECTIONS},
        "bfs": {"ranking": Ranking.BFS},
        "bfs, nearest_entities 8": {"ranking": Ranking.BFS, "nearest_entities": 8},
        "summaries": {"ranking": Ranking.SUMMARIES},
        "ensemble": {"ranking": Ranking.ENSEMBLE},
        "ensemble of learned and bfs": {
            "ranking": Ranking.ENSEMBLE,
            "members": {Ranking.LEARNED: 1.0, Ranking.BFS: 0.25},
            "nearest_entities": 8,
        },
    }


def ablation(where: Place, sets: Sequence[Set]) -> dict[str, object]:
    """Channels and kinds of evidence, one change at a time; OTT-QA without the files' links."""
    if strange := [name for name in PLAN.features if not any(belongs(name) for belongs in KINDS.values())]:
        raise SystemExit(f"KINDS has no place for {', '.join(strange)}")
    sets = [each for each in sets if each.name != "ottqa-links"] or list(sets)
    whole = all_examples(where, sets)
    own = generated(where, sets)
    runs = {
        "all": crossed(whole, own),
        "flat hybrid": {name: dict(flat_run(found.items)) for name, found in whole.items()},
    }
    for kind, belongs in KINDS.items():
        kept = tuple(name for name in PLAN.features if not belongs(name))
        if len(kept) < len(PLAN.features):
            runs[f"without {kind}"] = crossed(whole, own, Plan(features=kept))
            console.print(
                f"learned without {kind}: {', '.join(filter(belongs, PLAN.features))}", markup=False
            )
    for label, changes in variants().items():
        runs[label] = crossed(all_examples(where, sets, changes), generated(where, sets, changes))
        console.print(f"learned {label}", markup=False)
    return {
        f"{each.name} {dataset.qrels}": ablated(each, dataset, runs)
        for each in sets
        for dataset in judged(where, each)
    }


def variants() -> dict[str, dict[str, Any]]:
    """What the default recipe could do otherwise, and the values of `Retrieval` that make it so."""
    own = load_recipe("default").retrieval.channels
    found: dict[str, dict[str, Any]] = {}
    for channel in CHANNEL_NAMES:
        changed = tuple(each for each in CHANNEL_NAMES if (each in own) != (each == channel))
        found[f"{'without' if channel in own else 'with'} channel {channel}"] = {"channels": changed}
    found["with all channels"] = {"channels": CHANNEL_NAMES}
    found["with a second hop"] = {"hops": 2}
    return found


def ablated(each: Set, dataset: Dataset, runs: Mapping[str, Mapping[str, Run]]) -> dict[str, object]:
    """One table: the whole, and what each change does to it."""
    found = compare(dataset, {name: run[each.name] for name, run in runs.items()}, BUDGETS, "all")
    names = {"answer": OTTQA, "table": ("success@5",)}.get(dataset.qrels, MULTIHOP)
    table = Table(title=f"{each.name} {dataset.qrels}: {len(dataset.questions):,} questions, cross-validated")
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    for mode, result in found.modes.items():
        cells = [f"{100 * result.mean(name):.1f}" for name in names]
        if mode in found.differences:
            gains = [found.differences[mode][name] for name in names]
            cells = [
                f"{cell} ({100 * gain.difference:+.1f}{'*' if gain.significant else ''})"
                for cell, gain in zip(cells, gains, strict=True)
            ]
        table.add_row(mode, *cells)
    console.print(table)
    console.print(f"{each.name} {dataset.qrels}, cross-validated: {headline(found, 'all')}", markup=False)
    return as_json(found)


def paper(where: Place, sets: Sequence[Set]) -> dict[str, object]:
    """The paper's procedure on a graph built by its recipe, links ignored.

    `own scores` leaves out what the edge says of a neighbour, as the paper's text does.
    """
    graph = where.graph(PAPER)
    literal = replace(graph.recipe.retrieval, seed_share=0.0)
    named = systems(graph, [Mode.SAGE, Mode.HYBRID])
    named["own scores"] = System(Retriever(graph, literal), Mode.SAGE)
    split = [name for name, system in named.items() if system.split]
    begin = time.perf_counter()
    asked = replace(PAPER, every=max(each.every for each in sets))
    found = evaluate(asked.dataset(where.data), searcher(named), list(named), BUDGETS, per_budget=split)
    console.print(as_table(found))
    return as_json(found) | {"seconds": round(time.perf_counter() - begin, 1)}


def cost(where: Place, sets: Sequence[Set]) -> dict[str, object]:
    """Searches of both modes in one warm process, each in turn the first; the question's encoding is in both.

    Every question is new to the process. What it has read of the graph before counts: hence all of them, the
    first of them, and the last of them.
    """
    each = sets[0]
    questions = list(each.dataset(where.data).questions.values())
    graph = where.graph(each)
    modes = (Mode.HYBRID, Mode.SAGE)
    ask = {mode: Retriever(graph) for mode in modes}  # one of its own: it knows its last question
    taken: dict[Mode, list[float]] = {mode: [] for mode in modes}
    for number, question in enumerate(questions):
        for mode in modes if number % 2 else reversed(modes):
            begin = time.perf_counter()
            ask[mode].retrieve(question, mode=mode)
            taken[mode].append(1000 * (time.perf_counter() - begin))
    warm = {mode: np.array(times[WARM:]) for mode, times in taken.items()}
    figures: dict[str, object] = {"set": each.name, "searches": len(questions) - WARM}
    for part, those in (("all", slice(None)), ("first", slice(SOME)), ("last", slice(-SOME, None))):
        for percent in (50, 95):
            hybrid, sage = (float(np.percentile(warm[mode][those], percent)) for mode in modes)
            told = f"hybrid {hybrid:.1f} ms, sage {sage:.1f} ms, ratio {sage / hybrid:.2f}"
            console.print(f"{each.name} {part} p{percent}: {told}")
            figures[f"{part} p{percent}"] = {"hybrid_ms": hybrid, "sage_ms": sage, "ratio": sage / hybrid}
    return figures


WARM = 20
STRUCTURE = Path(__file__).with_name("structure.toml")
SOME = 300
"""Questions of the first and the last part."""
PARTS: Mapping[str, Callable[[Place, Sequence[Set]], dict[str, object]]] = {
    "default": default,
    "rankings": rankings,
    "structure": structure,
    "ablation": ablation,
    "paper": paper,
    "cost": cost,
}

if __name__ == "__main__":
    main()
