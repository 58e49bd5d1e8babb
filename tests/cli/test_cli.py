"""The command line: each command does its job, is documented, and fails in one line with status 1."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyoxigraph as ox
import pytest
import typer.main
from cli.program import sage_ld
from graph.corpus import FILES, write
from typer.testing import CliRunner

from sage_ld.cli.main import app

ROOT = Path(__file__).parents[2]
QUESTION = "Who wrote the music of the film that won the Golden Heron in 1987?"

COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def run(*words: str | Path, status: int = 0) -> str:
    """Returns what the program printed; where it is to fail, its message."""
    done = sage_ld(*words, status=status)
    return done.stdout if status == 0 else done.stderr


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    printed = run("ingest", folder / "graph", write(folder / "corpus"), "--encoder", "jaccard")
    assert printed.count(f"{len(FILES)} documents added") == 1
    return folder / "graph"


def test_search_prints_results_with_their_paths(graph: Path) -> None:
    printed = run("search", graph, QUESTION, "-k", "4", "--from-graph", "2")
    assert printed.count("seed") >= 2
    assert re.search(r"from result \d over \w+: ", printed)


def test_a_path_names_what_lies_between_and_what_is_not_in_the_answer(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for name, text in {
        "ticket.md": "# TK-5502 Puddle\n\nThe floor below the washer was wet.",
        "mail.md": "# Re: TK-5502\n\nBuy a mop.",
        **{f"{number}.md": f"# Rain {number}\n\nIt went on for {number} days." for number in range(9)},
    }.items():
        (tmp_path / "corpus" / name).write_text(text)
    run("ingest", tmp_path / "graph", tmp_path / "corpus", "--encoder", "jaccard")
    asked = ("search", tmp_path / "graph", "Which floor below the washer was wet?", "--channels", "entity")
    assert 'from result 1 over entity: names too ("TK-5502"), weight' in run(*asked)
    found = json.loads(run(*asked, "--format", "json"))
    (mail,) = [each["chunk"] for each in found if each["document"] == "mail.md"]
    printed = run("explain", tmp_path / "graph", asked[2], mail, "--channels", "entity")
    assert 'from "TK-5502 Puddle" over entity: names too ("TK-5502"), weight' in printed


def test_explain_says_of_any_chunk_why_it_is_there_or_not(graph: Path) -> None:
    chunks = [each["chunk"] for each in json.loads(run("search", graph, QUESTION, "--format", "json"))]
    assert "a result: rank 1 of the" in run("explain", graph, QUESTION, chunks[0])
    printed = run("explain", graph, QUESTION, chunks[-1], "-k", "2", "--from-graph", "1")
    assert f"ranked too low: rank {len(chunks)} of the" in printed
    assert f"enough would be: k {len(chunks)} (now 2): rank {len(chunks)}" in printed
    found = json.loads(
        run("explain", graph, QUESTION, chunks[-1].rpartition("/")[2], "--kind", "record", "--json")
    )
    assert found["chunk"] == chunks[-1]
    assert found["verdict"] in ("filtered out", "a result")


def test_search_says_where_nothing_matches(graph: Path) -> None:
    assert "nothing matches the question" in run("search", str(graph), "zzqx wvvk")
    assert "nothing matches" not in run("search", str(graph), "heron")


def test_search_as_json_has_what_is_promised(graph: Path) -> None:
    results = json.loads(run("search", graph, QUESTION, "--format", "json", "--from-graph", "3"))
    assert [each["rank"] for each in results] == list(range(1, len(results) + 1))
    for each in results:
        assert {"rank", "score", "role", "document", "chunk", "text", "path"} <= each.keys()
        assert bool(each["path"]) == (each["role"] == "neighbour")
        for step in each["path"]:
            assert {"seed", "chunk", "channel", "kind", "weight"} < step.keys()
            assert all(isinstance(step.get(name, ""), str | list) for name in ("edge", "entity"))


def test_search_chooses_the_members_of_an_ensemble_and_the_weight_of_sections(graph: Path) -> None:
    members = ("--ranking", "ensemble", "--member", "bfs=0.5", "--member", "sections")
    answer = run("search", graph, QUESTION, *members, "--section-weight", "0.2", "--format", "jsonld")
    said = json.loads(answer)["wasGeneratedBy"]
    assert (said["ensembleMembers"], said["sectionWeight"]) == ("bfs=0.5, sections=1", 0.2)


def test_members_without_an_ensemble_are_refused(graph: Path) -> None:
    message = run("search", graph, QUESTION, "--member", "bfs", status=1)
    assert "members: the ranking learned takes no members; ask for the ranking ensemble" in message
    message = run("search", graph, QUESTION, "--member", "bfs", "--member", "bfs=2", status=1)
    assert "--member: 'bfs' is given twice" in message


def test_search_as_jsonld_is_a_list_of_results(graph: Path) -> None:
    answer = json.loads(run("search", graph, QUESTION, "--format", "jsonld"))
    assert answer["@context"]


def test_search_as_turtle_says_what_json_ld_says(graph: Path) -> None:
    words = ("search", graph, QUESTION, "--recipe", "paper", "--format")
    turtle = run(*words, "turtle")
    from_turtle = ox.Dataset(ox.parse(turtle.encode(), ox.RdfFormat.TURTLE))
    from_json = ox.Dataset(ox.parse(run(*words, "jsonld").encode(), ox.RdfFormat.JSON_LD))
    for each in (from_turtle, from_json):
        each.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    assert from_turtle == from_json
    assert turtle == run(*words, "turtle")
    assert 'sage:recipe "paper"' in turtle


def test_search_within_a_filter(graph: Path) -> None:
    words = ("search", graph, QUESTION, "--format", "json", "--where")
    found = json.loads(run(*words, 'schema:isPartOf/schema:name "Mira Tolland"'))
    assert {each["document"] for each in found} == {"people/mira-tolland.md"}
    given = (
        "--document",
        "heron.md",
        "--document",
        "towns.csv",
        "--kind",
        "table",
        "--where",
        "sage:lastRow > 1",
    )
    (found,) = json.loads(run("search", graph, QUESTION, "--format", "json", *given))
    assert (found["document"], found["kind"]) == ("heron.md", "table")
    assert run("search", graph, QUESTION, "--since", "2200") == "nothing found\n"


def test_a_search_over_two_hops_shows_both(graph: Path) -> None:
    words = ("search", graph, "theremin accordion", "-k", "10", "--from-graph", "9", "--recipe", "java")
    more = ("--channels", "link,structure", "--format", "json", "--hops")
    lengths = [{len(each["path"]) for each in json.loads(run(*words, *more, hops))} for hops in "12"]
    assert lengths == [{0, 1}, {0, 1, 2}]


def test_pages_of_a_search_follow_one_another(graph: Path) -> None:
    words = ("search", graph, QUESTION, "--format", "json", "--from-graph", "1", "-k")
    pages = [*json.loads(run(*words, "2")), *json.loads(run(*words, "2", "--offset", "2"))]
    whole = json.loads(run(*words, "4"))
    assert [(each["rank"], each["chunk"]) for each in pages] == [
        (each["rank"], each["chunk"]) for each in whole
    ]


def test_the_old_name_of_a_budget_is_taken_with_a_warning(graph: Path) -> None:
    words = ("search", graph, QUESTION, "--format", "json", "-k")
    now = sage_ld(*words, "3", "--from-graph", "1")
    before = sage_ld(*words, "2", "--neighbours", "1")
    assert before.stdout == now.stdout
    assert "neighbours is the name of an earlier release" in before.stderr
    assert not now.stderr


def test_stats_counts(graph: Path) -> None:
    counts = json.loads(run("stats", graph, "--json"))
    assert counts["documents"] == len(FILES)
    assert set(counts) == {
        "documents",
        "sections",
        "chunks",
        "entities",
        "concepts",
        "edges",
        "quads",
        "drift",
    }
    assert "Golden Heron" in run("show", graph, "heron.md")


def test_sparql_answers(graph: Path, tmp_path: Path) -> None:
    query = "SELECT (COUNT(?d) AS ?n) { ?d a <https://w3id.org/sage-ld#Document> }"
    assert run("sparql", graph, query, "--format", "csv").split() == ["n", str(len(FILES))]
    (tmp_path / "query.rq").write_text(query)
    assert json.loads(run("sparql", graph, f"@{tmp_path / 'query.rq'}"))["head"]["vars"] == ["n"]


def test_export_and_validate(graph: Path, tmp_path: Path) -> None:
    run("export", graph, "--format", "ntriples", "-o", tmp_path / "out.nt")
    assert "reifies" not in (tmp_path / "out.nt").read_text()
    run("validate", graph)


def test_validate_checks_shapes_of_a_user_too(graph: Path, tmp_path: Path) -> None:
    shapes = tmp_path / "own.ttl"
    shape = (
        "<x:Named> a sh:NodeShape ; sh:targetClass sage:Document ; sh:property [ sh:path {} ; sh:minCount 1 ]"
    )
    prefixes = "PREFIX sh: <http://www.w3.org/ns/shacl#> PREFIX sage: <https://w3id.org/sage-ld#>\n"
    shapes.write_text(prefixes + shape.format("<https://schema.org/name>") + ".")
    assert f"own.ttl: conforms: {len(FILES)} nodes" in run("validate", graph, "--shapes", shapes)
    shapes.write_text(prefixes + shape.format("<x:none>") + ".")
    run("validate", graph, "--shapes", shapes, status=1)


def test_update_changes_a_graph_once_and_says_how_much(graph: Path, tmp_path: Path) -> None:
    run("backup", graph, tmp_path / "backup")
    run("restore", tmp_path / "backup", tmp_path / "copy")
    file, copy = tmp_path / "more.ru", tmp_path / "copy"
    file.write_text("INSERT DATA { GRAPH <urn:x:g> { <urn:x:a> <urn:x:p> 1, 2, [] } }")
    assert "would add 3 statements and remove 0" in run("update", copy, f"@{file}", "--dry-run")
    said = json.loads(run("update", copy, f"@{file}", "--json"))
    assert (said["added"], said["removed"], said["dryRun"]) == (3, 0, False)
    revision = said["revision"]
    assert f"newest revision is {revision}" in run(
        "update", copy, "CLEAR ALL", "--revision", revision - 1, status=1
    )
    away = "DELETE WHERE { GRAPH <urn:x:g> { ?s ?p 2 } }"
    assert f"added 0 statements and removed 1; revision {revision + 1}" in run(
        "update", copy, away, "--revision", revision
    )
    [warning] = json.loads(run("update", copy, "DELETE WHERE { ?s <urn:x:none> ?o }", "--json"))["warnings"]
    assert "WHERE" in warning
    assert "does not parse" in run("update", copy, "INSERT DATA {", status=1)
    assert "breaks the shapes" in run(
        "update", copy, "INSERT DATA { <urn:x:c> a <https://w3id.org/sage-ld#Chunk> }", status=1
    )


def test_the_name_of_a_file_says_the_format(graph: Path, tmp_path: Path) -> None:
    for form, suffix in (("ntriples", "nt"), ("jsonld", "json"), ("jsonld", "jsonld")):
        run("export", graph, "--format", form, "-o", tmp_path / "named")
        run("export", graph, "-o", tmp_path / f"out.{suffix}")
        assert (tmp_path / f"out.{suffix}").read_bytes() == (tmp_path / "named").read_bytes()
    run("export", graph, "-o", tmp_path / "out.foo", status=1)
    assert not (tmp_path / "out.foo").exists()


def test_delete_backup_restore(graph: Path, tmp_path: Path) -> None:
    run("backup", graph, tmp_path / "backup")
    run("restore", tmp_path / "backup", tmp_path / "copy")
    assert "deleted 1 document with" in run("delete", tmp_path / "copy", "heron.md")
    run("relink", tmp_path / "copy")
    assert json.loads(run("stats", tmp_path / "copy", "--json"))["documents"] == len(FILES) - 1


def test_eval_measures_at_equal_budget(graph: Path, tmp_path: Path) -> None:
    folder = tmp_path / "benchmark"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": QUESTION}) + "\n")
    (folder / "qrels" / "answer.tsv").write_text("query-id\tcorpus-id\tscore\n1\tpeople/mira-tolland.md\t1\n")
    printed = run("eval", graph, folder, "--budgets", "2,5", "--json", "--run", tmp_path / "run.txt")
    found = json.loads(printed)
    assert (found["queries"], found["qrels"], set(found["modes"])) == (1, "answer", {"sage", "hybrid"})
    assert 0 <= found["modes"]["sage"]["success@5"] <= 1
    assert (tmp_path / "run.txt").read_text().startswith("1 Q0 ")
    (folder / "qrels" / "film.tsv").write_text("query-id\tcorpus-id\tscore\n1\tfilms/night-bus.md\t1\n")
    words = ("eval", graph, folder, "--qrels", "answer", "--budgets", "1,5")
    compared = json.loads(
        run(*words, *("--recipe", "default", "--recipe", "paper", "--baseline", "default", "--json"),
            *("--explain", "--bridges", "film"))
    )  # fmt: skip
    assert (set(compared["modes"]), compared["baseline"]) == ({"default", "paper", "hybrid"}, "default")
    told = compared["explanations"]["success"]["hybrid"]["@1"]
    assert told["failed"] == sum(told.values()) - told["failed"]
    assert "seed missed" in run(*words, "--explain")
    full = run(*words, "--run", "/dev/full", status=1)
    assert "--run /dev/full: cannot be written (No space left on device)" in full
    assert "no search of that name is measured" in run(*words, "--baseline", "magic", status=1)
    (folder / "qrels" / "foreign.tsv").write_text("query-id\tcorpus-id\tscore\n1\tswan.md\t1\n")
    foreign = run("eval", graph, folder, "--qrels", "foreign", status=1)
    assert "none of the 1 documents that benchmark judges is in the graph, such as 'swan.md'" in foreign
    assert "works only with --explain" in run(*words, "--bridges", "film", status=1)


def test_bridges_are_read_within_the_limits_of_the_graph(
    graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": QUESTION}) + "\n")
    (tmp_path / "qrels" / "answer.tsv").write_text("1\tpeople/mira-tolland.md\t1\n")
    judged = "".join(f"1\tfilms/night-bus-{number}.md\t1\n" for number in range(40))
    (tmp_path / "qrels" / "film.tsv").write_text(judged)
    monkeypatch.setenv("SAGE_LD_MAX_FILE_BYTES", "500")
    words = ("--qrels", "answer", "--budgets", "2", "--explain", "--bridges", "film")
    assert "film.tsv" in (told := run("eval", graph, tmp_path, *words, status=1))
    assert "max_file_bytes" in told


@pytest.mark.slow
def test_tune_writes_a_recipe_that_searches_go_by(graph: Path, tmp_path: Path) -> None:
    run("backup", graph, tmp_path / "copy")
    folder = tmp_path / "judged"
    (folder / "qrels").mkdir(parents=True)
    titles = {
        "people/mira-tolland.md": "Mira Tolland",
        "films/night-bus.md": "Night Bus to Hask",
        "heron.md": "the Golden Heron",
    }
    about = [list(titles)[number % 3] for number in range(12)]
    asked = [f"What of {titles[page]}, in the words of letter {n}?" for n, page in enumerate(about)]
    lines = [json.dumps({"_id": f"{number}", "text": text}) for number, text in enumerate(asked)]
    (folder / "queries.jsonl").write_text("\n".join(lines))
    judged = [f"{number}\t{page}\t1" for number, page in enumerate(about)]
    (folder / "qrels" / "mine.tsv").write_text("\n".join(judged))
    told = json.loads(run("tune", tmp_path / "copy", folder, "--json", "-o", tmp_path / "mine.toml"))
    assert (told["queries"], told["learnable"], told["folds"]) == (12, 12, 3)
    assert told["gain"]["difference"] == pytest.approx(
        told["modes"]["tuned"]["ndcg@10"] - told["modes"]["default"]["ndcg@10"], abs=1e-5
    )
    words = ("search", tmp_path / "copy", QUESTION, "--format", "json")
    tuned = run(*words, "--recipe", tmp_path / "mine.toml")
    assert tuned != run(*words)
    printed = run("tune", tmp_path / "copy", folder, "--adopt")
    assert "12 of 12 questions could be learned from" in printed
    by_chance = told["gain"]["low"] <= 0 <= told["gain"]["high"]
    assert ("No gain that is more than chance" if by_chance else "The tuned ranking gains") in printed
    assert run(*words) == tuned
    run("backup", tmp_path / "copy", tmp_path / "again")
    assert run("search", tmp_path / "again", *words[2:]) == tuned
    assert "give one of" not in run("eval", tmp_path / "copy", folder, "--recipe", tmp_path / "mine.toml")


def test_a_token_is_printed_once(graph: Path) -> None:
    token = run("token", "create", graph, "alice", "--role", "write").strip()
    assert token
    assert token not in "".join(file.read_text() for file in graph.glob("*.toml"))


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("search", "{tmp}", "anything"), 1, "is not a graph"),
        (("search", "{graph}", " "), 1, "the question is empty"),
        (("search", "{graph}", "q", "-k", "0"), 1, "k is 0"),
        (("search", "{graph}", "q", "-k", "9999"), 1, "max_results"),
        (("search", "{graph}", "q", "--offset", "9999"), 1, "max_results"),
        (("search", "{graph}", "q", "--hops", "0"), 1, "hops: 0 is below its minimum 1"),
        (("search", "{graph}", "q", "--kind", "chapter"), 2, "chapter"),
        (("search", "{graph}", "q", "--since", "now"), 1, "since: 'now'"),
        (("search", "{graph}", "q", "--until", "2023-02-29"), 1, "until: '2023-02-29'"),
        (("search", "{graph}", "q", "--where", "schema:name"), 1, "an example: schema:isPartOf/schema:name"),
        (("search", "{graph}", "q", "--channels", "telepathy"), 1, "unknown channel 'telepathy'"),
        (("search", "{graph}", "q", "--mode", "magic"), 2, "magic"),
        (("sparql", "{graph}", "SELECT"), 1, "does not parse"),
        (("sparql", "{graph}", "DROP ALL"), 1, "does not parse"),
        (("sparql", "{graph}", "@nowhere.rq"), 1, "nowhere.rq"),
        (("sparql", "{graph}", "ASK { ?s ?p ?o }", "--format", "turtle"), 1, "does not fit"),
        (("show", "{graph}", "nobody.md"), 1, "nobody.md"),
        (("delete", "{graph}", "nobody.md"), 1, "nothing was deleted"),
        (("ingest", "{graph}", "{tmp}/nowhere"), 1, "nowhere"),
        (("ingest", "{graph}", "{tmp}", "--encoder", "minilm"), 1, "has jaccard"),
        (("ingest", "{tmp}/new", "{tmp}", "--encoder", "magic"), 1, "unknown encoder 'magic'"),
        (("ingest", "{tmp}/new", "{tmp}", "--recipe", "magic"), 1, "recipe magic"),
        (("ingest", "{tmp}/new", "{tmp}", "--base-iri", "nowhere"), 1, "base IRI"),
        (("ingest", "{tmp}/new", "{tmp}", "--base-iri", "http://localhost//evil.example/"), 1, "base IRI"),
        (("ingest", "{tmp}/new", "{tmp}", "--base-iri", "http://ex℀mple.org/"), 1, "base IRI"),
        (("search", "{graph}", "q", "--recipe", "magic"), 1, "recipe magic"),
        (("tune", "{graph}", "{tmp}"), 1, "no qrels/*.tsv"),
        (("tune", "{graph}", "{tmp}", "-o", "paper"), 1, "is the name of a preset"),
        (("tune", "{graph}", "{tmp}", "-o", "{tmp}/no/x.toml"), 1, "/no does not exist; create it"),
        (("tune", "{graph}", "{tmp}", "-o", "{tmp}"), 1, "is a folder; name a file in it"),
        (("eval", "{graph}", "{tmp}", "--run", "{tmp}"), 1, "is a folder; name a file in it"),
        (("eval", "{graph}", "{tmp}", "--chart", "{tmp}/no/x.svg"), 1, "/no does not exist; create it"),
        (
            ("eval", "{graph}", "{tmp}", "--chart", "x.png"),
            1,
            "the name must end in .svg; name the file x.svg",
        ),
        (("nonsense",), 2, "nonsense"),
    ],
)
def test_wrong_input_is_one_line(
    graph: Path, tmp_path: Path, words: tuple[str, ...], status: int, message: str
) -> None:
    printed = run(
        *(word.replace("{graph}", str(graph)).replace("{tmp}", str(tmp_path)) for word in words),
        status=status,
    )
    assert message in printed
    if status == 1:
        assert len(printed.strip().splitlines()) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_a_section(command: str) -> None:
    parts = getattr(typer.main.get_command(app).commands[command], "commands", {})  # type: ignore[attr-defined]
    for words in [[command, part] for part in parts] or [[command]]:
        printed = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).stdout
        assert f"Example: sage-ld {' '.join(words)}" in printed
    assert f"## sage-ld {command}\n" in (ROOT / "docs" / "cli.md").read_text()
