"""What a graph is made of: distributions by hand, a small graph, what questions reach, pictures."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import PRIZES, write_files
from typer.testing import CliRunner

from sage_ld.cli.main import app
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.statistics import summary
from sage_ld.lab.inspection import (
    Bin,
    CountDistribution,
    GraphInspection,
    component_sizes,
    degrees,
    distribution,
    inspect,
    plot,
    read_questions,
    what_questions_reach,
)
from sage_ld.retrieval import Retriever


def test_counts_are_put_into_bins_of_powers_of_two() -> None:
    found = distribution(np.array([0, 0, 1, 2, 3, 4, 7, 8, 20]))
    assert found.bins == (
        Bin(0, 0, 2),
        Bin(1, 1, 1),
        Bin(2, 3, 2),
        Bin(4, 7, 2),
        Bin(8, 15, 1),
        Bin(16, 31, 1),
    )
    assert (found.count, found.mean, found.median, found.highest) == (9, 5.0, 3.0, 20)
    assert found.percentile_95 == pytest.approx(8 + 0.6 * 12)
    assert distribution(np.zeros(0, np.int64)) == CountDistribution(0, 0.0, 0.0, 0.0, 0, ())


def test_degrees_and_components_of_a_small_graph() -> None:
    """Nodes 0–1–2 and 3–4; 5 stands alone."""
    ends = np.array([[0, 1], [1, 2], [4, 3]])
    assert degrees(ends, 6).tolist() == [1, 2, 1, 1, 1, 0]
    assert component_sizes(ends, 6).tolist() == [3, 2, 1]
    assert component_sizes(np.zeros((0, 2), np.int64), 0).tolist() == []


def test_a_graph_is_counted(prizes: KnowledgeGraph) -> None:
    snapshot = prizes.snapshot()
    found = inspect(snapshot)
    edges = summary(snapshot.stores)["edges"]
    assert isinstance(edges, dict)
    of_mentions = found.degrees["Mention"]
    assert round(of_mentions.mean * of_mentions.count) == 2 * edges["mention"]
    assert found.components.bins[-1].number == 1
    assert found.components.count == 2  # the rope is joined to nothing
    assert (found.sections, found.empty_sections, found.empty_examples) == (4, 1, ("Empty",))
    assert {"Mira Tolland", "Golden Heron"} <= {each.name for each in found.hubs}
    assert all(sum(each.kinds.values()) == each.degree for each in found.hubs)
    assert found.single_entities == dict((one.least, one.number) for one in found.mentions.bins)[1]
    assert found.concepts.count == 0


def test_concepts_are_counted_by_their_terms(tmp_path: Path) -> None:
    recipe = tmp_path / "own.toml"
    recipe.write_text("[concepts]\nderive = true\nleast_chunks = 1\n", encoding="utf-8")
    texts = {
        "one.md": "The Osmere Film Festival is held in June. She opened the Osmere Film Festival.\n",
        "two.md": "Nils Garrow met her at the Osmere Film-Festival. He likes the Osmere Film-Festival.\n",
    }
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard", recipe=str(recipe))) as made:
        made.ingest([write_files(tmp_path / "corpus", texts)])
        found = inspect(made.snapshot()).concepts
    assert found.count >= 1
    assert found.bins[0].least >= 2


def test_a_graph_without_documents_is_inspected(tmp_path: Path) -> None:
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")) as made:
        made.ingest([write_files(tmp_path / "corpus", {"rope.md": PRIZES["rope.md"]})])
        made.delete(["rope.md"])
        found = inspect(made.snapshot())
    assert (dict(found.degrees), found.hubs, found.components.count, found.sections) == ({}, (), 0, 0)


def test_what_questions_reach(prizes: KnowledgeGraph) -> None:
    found = what_questions_reach(Retriever(prizes), ["Did Mira Tolland win the Golden Heron?", "Why?"])
    named, nothing = found.questions
    assert (named.entities, nothing.entities) == (2, 0)
    assert named.starts + named.reached <= len(prizes.snapshot().vectors.iris)
    assert 0 < found.covered <= 1


def test_questions_are_read_from_lines_and_from_objects(tmp_path: Path) -> None:
    text, objects = tmp_path / "questions.txt", tmp_path / "queries.jsonl"
    text.write_text("Who?\n\n What? \n", encoding="utf-8")
    objects.write_text('{"_id": "1", "text": "Who?"}\n', encoding="utf-8")
    assert read_questions(text, Settings()) == ["Who?", "What?"]
    assert read_questions(objects, Settings()) == ["Who?"]
    with pytest.raises(LimitError, match="max_question_length"):
        read_questions(text, Settings(max_question_length=3))
    with pytest.raises(LimitError, match="max_file_bytes"):
        read_questions(text, Settings(max_file_bytes=3))
    objects.write_text('{"_id": "1"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"queries\.jsonl:1: not an object"):
        read_questions(objects, Settings())
    text.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="no question in it"):
        read_questions(text, Settings())
    with pytest.raises(InputError, match="cannot be read"):
        read_questions(tmp_path / "none.txt", Settings())


def test_a_section_with_a_chunk_below_it_is_not_empty(tmp_path: Path) -> None:
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    text = "# Heat\n\n## Engines\n\n### Pumps\n\nSavery patented a pump.\n\n## Losses\n\n### Valves\n"
    made.add(text, identifier="heat", media_type="text/markdown")
    found = inspect(made.snapshot())
    assert (found.sections, found.empty_examples) == (5, ("Losses", "Valves"))


@pytest.mark.slow
def test_the_command_prints_tables_or_json_and_draws(prizes: KnowledgeGraph, tmp_path: Path) -> None:
    questions, picture = tmp_path / "questions.txt", tmp_path / "graph.svg"
    questions.write_text("Who won the Golden Heron?\n", encoding="utf-8")
    folder = str(prizes.directory.path)
    shown = CliRunner().invoke(app, ["inspect", folder, "--questions", str(questions)])
    assert shown.exit_code == 0, shown.output
    assert "sections without text" in shown.output
    assert "Golden Heron" in shown.output
    sent = ["inspect", folder, "--questions", str(questions), "--json", "--plot", str(picture)]
    told = json.loads(CliRunner().invoke(app, sent).output)
    assert told["empty_sections"] == 1
    assert told["reach"]["questions"][0]["entities"] == 1
    assert picture.read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_what_looks_like_markup_is_printed_as_it_is(tmp_path: Path) -> None:
    texts = {"one.md": "# [bold]One[/bold]\n\nMira Tolland met [/] her.\n\n## Empty [/nothing]\n"}
    questions = tmp_path / "questions.txt"
    questions.write_text("Who met [/] her?\n", encoding="utf-8")
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")) as made:
        made.ingest([write_files(tmp_path / "corpus", texts)])
    shown = CliRunner().invoke(app, ["inspect", str(tmp_path / "graph"), "--questions", str(questions)])
    assert shown.exit_code == 0, shown.output
    assert "Empty [/nothing]" in shown.output
    assert "Who met [/] her?" in shown.output


def test_a_picture_is_the_same_for_the_same_graph(prizes: KnowledgeGraph, tmp_path: Path) -> None:
    found: GraphInspection = inspect(prizes.snapshot())
    for name in ("one.svg", "two.svg", "one.png"):
        plot(found, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"must end in \.svg or \.png"):
        plot(found, tmp_path / "one.pdf")


def test_without_matplotlib_the_error_names_the_extra(
    prizes: KnowledgeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UnavailableError, match=r"sage-ld\[plots\]"):
        plot(inspect(prizes.snapshot()), tmp_path / "one.svg")
