"""`KnowledgeGraph.watch`: while files change, the graph becomes the one that a fresh ingest gives."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.changing import change
from graph.corpus import write

from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes.summaries import IngestSummary

LAST = "zz-last.md"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus")


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    return KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")


def stopping() -> threading.Event:
    """An event that is set after a minute, should the test not set it."""
    stop = threading.Event()
    timer = threading.Timer(60, stop.set)
    timer.daemon = True
    timer.start()
    return stop


def watched(
    graph: KnowledgeGraph, folder: Path, *steps: str, duplicates: str = "keep"
) -> list[IngestSummary]:
    """Watches the folder while the steps are taken in it, each once the one before has been followed.

    A step is the name of a file and its new text with a space between; without text, the file is deleted.
    """
    stop, left, summaries = stopping(), list(steps), []
    for summary in graph.watch(folder, duplicates=duplicates, stop=stop):
        summaries.append(summary)
        if not left:
            stop.set()
            continue
        name, _, text = left.pop(0).partition(" ")
        if text:
            (folder / name).write_text(text)
        else:
            (folder / name).unlink()
    return summaries


def fresh(path: Path, folder: Path) -> list[str]:
    graph = KnowledgeGraph.create(path, encoder="jaccard")
    graph.ingest(folder)
    return canonical(graph)


@pytest.mark.parametrize("seed", [16, 17])
def test_many_changes_end_in_the_graph_of_a_fresh_ingest(
    tmp_path: Path, corpus: Path, graph: KnowledgeGraph, seed: int
) -> None:
    def work() -> None:
        chance = random.Random(seed)
        for number in range(60):
            change(corpus, chance, f"file-{number}")
            time.sleep(chance.choice([0, 0, 0, 0.05, 0.4]))
        (corpus / LAST).write_text("# Last\n\nThis is the last one.\n")

    stop, changing = stopping(), threading.Thread(target=work)
    batches = 0
    for summary in graph.watch(corpus, stop=stop):
        batches += 1
        if batches == 1:
            changing.start()
        if LAST in summary.added_documents:
            stop.set()
    changing.join()
    assert batches > 2
    before = [each for each in canonical(graph) if "/graph/document/" in each]
    graph.relink()
    expected = fresh(tmp_path / "fresh", corpus)
    assert before == [each for each in expected if "/graph/document/" in each]
    assert canonical(graph) == expected


def test_only_what_changed_is_read(corpus: Path, graph: KnowledgeGraph) -> None:
    first, second, third = watched(graph, corpus, "new.md # New", "new.md")
    assert len(first.added_documents) == 7
    assert (second.added_documents, second.unchanged) == (["new.md"], 0)
    assert (third.removed_documents, third.unchanged) == (["new.md"], 0)


def test_a_file_that_cannot_be_read_ends_nothing(corpus: Path, graph: KnowledgeGraph) -> None:
    _, second, third = watched(graph, corpus, "bad.json {", "bad.json [1, 2]")
    assert [name for name, _ in second.failed] == ["bad.json"]
    assert third.failed == []


def test_a_record_that_another_file_gives_up_is_taken_then(corpus: Path, graph: KnowledgeGraph) -> None:
    line = '{"_id": "7", "text": "The seventh."}'
    summaries = watched(graph, corpus, f"a.jsonl {line}", f"b.jsonl {line}", "a.jsonl")
    assert [name for name, _ in summaries[2].failed] == ["b.jsonl"]
    assert summaries[3].replaced_documents == ["7"]


def test_a_duplicate_comes_in_when_the_first_has_gone(corpus: Path, graph: KnowledgeGraph) -> None:
    text = "# Twice\n\nThe same twice."
    summaries = watched(graph, corpus, f"a.md {text}", f"b.md {text}", "a.md", duplicates="skip")
    assert summaries[2].duplicates == {"b.md": "a.md"}
    assert (summaries[3].added_documents, summaries[3].removed_documents) == (["b.md"], ["a.md"])


def test_a_folder_that_moves_in_and_out_is_followed(
    corpus: Path, graph: KnowledgeGraph, tmp_path: Path
) -> None:
    stop, summaries = stopping(), []
    for summary in graph.watch(corpus, stop=stop):
        summaries.append(summary)
        if len(summaries) == 1:
            (corpus / "people").rename(tmp_path / "away")
        elif len(summaries) == 2:
            (tmp_path / "away").rename(corpus / "back")
        else:
            stop.set()
    assert sorted(summaries[1].removed_documents) == ["people/mira-tolland.md", "people/ruth-calloway.html"]
    assert sorted(summaries[2].added_documents) == ["back/mira-tolland.md", "back/ruth-calloway.html"]


def test_the_graphs_own_files_and_hidden_ones_are_not_followed(tmp_path: Path, corpus: Path) -> None:
    graph = KnowledgeGraph.create(corpus / "kg", encoder="jaccard")
    (corpus / ".git").mkdir()
    stop, summaries = stopping(), []
    for summary in graph.watch(corpus, stop=stop):
        summaries.append(summary)
        if len(summaries) == 1:
            (corpus / ".git/index").write_text("x")
            threading.Timer(2, (corpus / "new.md").write_text, ["# New"]).start()
        else:
            stop.set()
    assert [each.added for each in summaries] == [7, 1]


def test_another_writer_is_waited_for(corpus: Path, graph: KnowledgeGraph) -> None:
    stop, summaries = stopping(), []
    locked = graph.directory.locked()
    locked.__enter__()
    for summary in graph.watch(corpus, stop=stop):
        if not summaries:
            locked.__exit__(None, None, None)
        else:
            stop.set()
        summaries.append(summary)
    [(_, reason)] = summaries[0].failed
    assert "is being written by process" in reason
    assert len(summaries[1].added_documents) == 7


def test_what_is_no_folder_cannot_be_watched(corpus: Path, graph: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"heron\.md is not a folder"):
        list(graph.watch(corpus / "heron.md"))
    watching = graph.watch(corpus)
    next(watching)
    corpus.rename(tmp_path / "elsewhere")
    with pytest.raises(NotFoundError, match="no longer exists; nothing was removed"):
        next(watching)
