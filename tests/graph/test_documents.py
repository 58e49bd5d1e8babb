"""Documents that a program adds, changes and takes out, beside those that come from files."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from graph.canonical import canonical
from graph.corpus import FILES, built, write
from pyoxigraph import Literal, NamedNode, Quad, Triple

from sage_ld import (
    ConflictError,
    InputError,
    KnowledgeGraph,
    LimitError,
    NotFoundError,
    PreconditionError,
    SageError,
    ShapeError,
    UnavailableError,
)
from sage_ld.build.readers.roots import PROGRAM_ROOT
from sage_ld.build.readers.uploads import Upload
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.metadata_terms import builtin_terms
from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes import adding
from sage_ld.graph.changes.adding import AddRules, Outcome
from sage_ld.graph.changes.metadata_patch import begins_with_any, outermost
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.stored_documents import document_text, stored_document
from sage_ld.graph.views.documents import keyed_values

TEXT = "The Golden Heron is a prize for films.\n\nMira Tolland wrote its hymn in 1931."


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    return KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")


def test_a_text_is_there_until_it_is_taken_out(graph: KnowledgeGraph) -> None:
    summary = graph.add(TEXT, identifier="prizes/heron", name="Heron", metadata={"year": 1931, "team": "red"})
    [added] = summary.documents
    assert (added.identifier, added.outcome, summary.revision) == ("prizes/heron", Outcome.ADDED, 1)
    document = graph.documents["prizes/heron"]
    assert (document.name, document.metadata) == ("Heron", {"year": 1931, "team": "red"})
    assert list(graph.documents) == ["prizes/heron"]
    assert "prizes/heron" in graph.documents
    assert validate(graph.snapshot().stores.named).conforms
    assert graph.remove("prizes/heron").chunks == document.chunks == 1
    assert len(graph.documents) == 0
    with pytest.raises(KeyError):
        graph.documents["prizes/heron"]


def test_the_text_of_a_document_is_whole_and_its_chunks_are_slices_of_it(graph: KnowledgeGraph) -> None:
    words = " ".join(f"The heron number {number} flew over Osmere." for number in range(200))
    content = f"# Herons\n\n{words}\n\n## *Two* kinds\n\n| kind | size |\n|---|---|\n| grey | 90 |\n\nEnd.\n"
    graph.add(content, identifier="herons", media_type="text/markdown")
    document = graph.documents["herons"]
    expected = f"Herons\n\n{words}\n\nTwo kinds\n\nkind: grey; size: 90\n\nEnd."
    assert document.text.split() == expected.split()
    assert len(document.text) == len(expected)
    chunks = [each.chunk for each in reading.chunks(graph.snapshot().store)]
    assert len(chunks) > 2
    assert all(document.text[each.begin : each.end] == each.text for each in chunks)
    graph.add("Another one.", identifier="herons", replace=True)
    assert document.text.split() == expected.split()  # of its revision
    assert graph.documents["herons"].text == "Another one."


def test_a_text_ends_at_its_limit_whatever_an_update_says_of_places(graph: KnowledgeGraph) -> None:
    graph.add(TEXT, identifier="heron")
    iris, chunk = graph.iris, reading.chunks(graph.snapshot().store)[0]
    document = iris.document("heron")
    store = in_memory()
    store.extend(
        Quad(each.subject, each.predicate, Literal(2**30), each.graph_name) if moved else each
        for each in graph.snapshot().stores.named.quads_for_pattern(None, None, None, None)
        for moved in [each.subject.value == chunk.iri and each.predicate.value == v.BEGIN_INDEX]
        if not isinstance(each.subject, Triple)
    )
    with pytest.raises(LimitError, match="max_text_length"):
        document_text(store, iris, document, limit=Settings().max_text_length, setting="max_text_length")


def test_the_view_of_an_empty_graph_is_empty(graph: KnowledgeGraph) -> None:
    assert (list(graph.documents), len(graph.documents), "a" in graph.documents) == ([], 0, False)
    assert "\ud800" not in graph.documents


def test_documents_added_by_a_program_are_those_of_the_same_files(
    graph: KnowledgeGraph, tmp_path: Path
) -> None:
    """But for their place, and the links to companions: after a relink nothing else tells them apart."""
    for name, text in FILES.items():
        graph.add(text.encode(), file_name=name)
    graph.relink()
    read = built(tmp_path / "read", write(tmp_path / "corpus"))
    places = ("filePath", "fileRoot")
    assert [each for each in canonical(graph) if not any(name in each for name in places)] == [
        each for each in canonical(read) if not any(name in each for name in places)
    ]


def test_what_is_added_again_is_unchanged_or_replaced(graph: KnowledgeGraph) -> None:
    graph.add(TEXT, identifier="heron")
    again = graph.add(TEXT, identifier="heron")
    assert ([each.outcome for each in again.documents], again.revision) == ([Outcome.UNCHANGED], None)
    changed = graph.add("The heron has flown.", identifier="heron")
    assert [each.outcome for each in changed.documents] == [Outcome.REPLACED]
    assert graph.documents["heron"].name == "The heron has flown."


def test_a_document_with_the_content_of_another_is_that_one(graph: KnowledgeGraph) -> None:
    graph.add(TEXT, identifier="a", metadata={"year": 1931})
    same = graph.add(TEXT, identifier="b", metadata={"year": 1931})
    assert [(each.identifier, each.outcome) for each in same.documents] == [("a", Outcome.DUPLICATE)]
    other = graph.add(TEXT, identifier="c", metadata={"year": 1932})
    assert [each.outcome for each in other.documents] == [Outcome.ADDED]
    both = graph.add(TEXT, identifier="b", metadata={"year": 1931}, duplicates="keep")
    assert [each.outcome for each in both.documents] == [Outcome.ADDED]
    assert list(graph.documents) == ["a", "b", "c"]
    assert graph.add(TEXT.encode(), file_name="d.md").documents[0].outcome is Outcome.ADDED


def test_a_text_without_a_name_gets_an_identifier_that_follows_from_it(graph: KnowledgeGraph) -> None:
    first = graph.add(TEXT).identifier
    assert graph.add(TEXT).identifier == first
    assert graph.add(TEXT, duplicates="keep").identifier == f"{first}-2"
    assert graph.documents[first].name == "The Golden Heron is a prize for films."


def test_equal_texts_are_kept_with_a_few_look_ups_each(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []

    def counting(store: Store, iris: Iris, identifier: str) -> StoredDocument | None:
        looked_up.append(identifier)
        return stored_document(store, iris, identifier)

    monkeypatch.setattr(adding, "own_document", counting)
    uploads, rules = [Upload(TEXT.encode())] * 40, AddRules(duplicates=Duplicates.KEEP)
    for _ in range(2):
        assert {each.outcome for each in graph.add_uploads(uploads, rules).documents} == {Outcome.ADDED}
    first = graph.add(TEXT).identifier
    assert set(graph.documents) == {first, *(f"{first}-{number}" for number in range(2, 81))}
    assert len(looked_up) < 6 * 80  # were each number tried in turn, some 3,000
    graph.remove(f"{first}-3")
    assert graph.add(TEXT, duplicates="keep").identifier in (f"{first}-3", f"{first}-81")


def test_an_ingest_neither_replaces_nor_removes_what_a_program_added(
    graph: KnowledgeGraph, tmp_path: Path
) -> None:
    corpus = write(tmp_path / "corpus", ("heron.md", "towns.csv"))
    graph.add(b"# Heron\n\nA heron of a program.\n", file_name="heron.md")
    graph.add(TEXT, identifier="towns.csv/1")
    before = graph.documents["heron.md"].tag
    for sync in (False, True, True):
        summary = graph.ingest(corpus, sync=sync)
        assert [name for name, _ in summary.failed] == ["heron.md"]
        assert "a program added" in summary.failed[0][1]
        assert (summary.removed_documents, summary.missing) == ([], [])
    (corpus / "heron.md").unlink()
    (corpus / "towns.csv").unlink()
    assert graph.ingest(corpus, sync=True).removed_documents == ["towns.csv"]
    assert graph.documents["heron.md"].tag == before
    assert list(graph.documents) == ["heron.md", "towns.csv/1"]


def test_an_ingest_may_replace_it_where_it_is_told_to(graph: KnowledgeGraph, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus", ("heron.md",))
    graph.add(FILES["heron.md"].encode(), file_name="heron.md")
    summary = graph.ingest(corpus, replace=True, sync=True)
    assert summary.replaced_documents == ["heron.md"]
    assert graph.documents["heron.md"].stored.root == "1"
    assert graph.ingest(corpus).unchanged == 1


def test_a_document_of_a_file_is_replaced_only_on_request(graph: KnowledgeGraph, tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus", ("heron.md",))
    graph.ingest(corpus)
    same = graph.add(FILES["heron.md"].encode(), file_name="heron.md")
    assert [each.outcome for each in same.documents] == [Outcome.UNCHANGED]
    with pytest.raises(ConflictError, match="came from a file"):
        graph.add("A heron.", identifier="heron.md")
    graph.add("A heron.", identifier="heron.md", replace=True)
    assert [name for name, _ in graph.ingest(corpus, sync=True).failed] == ["heron.md"]
    assert graph.documents["heron.md"].name == "A heron."


def test_a_patch_takes_a_document_out_of_the_files_of_its_folder(
    graph: KnowledgeGraph, tmp_path: Path
) -> None:
    corpus = write(tmp_path / "corpus", ("heron.md", "people/mira-tolland.md"))
    graph.ingest(corpus)
    graph.patch_metadata("heron.md", {"year": 1931}, replace=True)
    with graph.writer() as writer:
        for root, names in (("1", ["people/mira-tolland.md"]), (PROGRAM_ROOT, ["heron.md"])):
            files = writer.documents.files_below(root, "")
            assert files == [(name, graph.iris.document(name)) for name in names]
    summary = graph.ingest(corpus, sync=True)
    assert ([name for name, _ in summary.failed], summary.unchanged) == (["heron.md"], 1)
    for name in ("heron.md", "people/mira-tolland.md"):
        (corpus / name).unlink()
    assert graph.ingest(corpus, sync=True).removed_documents == ["people/mira-tolland.md"]
    assert graph.documents["heron.md"].metadata == {"year": 1931}


def test_a_patch_that_changes_no_value_takes_a_document_over(graph: KnowledgeGraph, tmp_path: Path) -> None:
    sea = sea_files(tmp_path / "sea", "The tide is high.", "year: 1931\n")
    graph.ingest(sea)
    assert graph.patch_metadata("tide.md", {"year": 1931}, replace=True) == 2
    document = graph.documents["tide.md"]
    assert (document.stored.root, document.patched) == (PROGRAM_ROOT, ())
    assert [name for name, _ in graph.ingest(sea).failed] == ["tide.md"]
    assert graph.patch_metadata("tide.md", {"year": 1931}, replace=True) is None


def test_a_patch_leaves_a_document_below_the_root_of_programs(graph: KnowledgeGraph) -> None:
    graph.add(TEXT, identifier="prizes/heron")
    graph.patch_metadata("prizes/heron", {"year": 1931})
    with graph.writer() as writer:
        files = writer.documents.files_below(PROGRAM_ROOT, "prizes")
    assert files == [("prizes/heron", graph.iris.document("prizes/heron"))]


def test_a_named_graph_is_no_document_of_a_program(graph: KnowledgeGraph) -> None:
    name = "http://example.org/g"
    graph.add(TEXT, identifier="heron")
    with graph.writer() as writer:
        writer.change().update(f'INSERT DATA {{ GRAPH <{name}> {{ <x:s> <x:label> "Heron" }} }}')
        writer.publish()
    graph.make_retrievable(name)
    with pytest.raises(ConflictError, match="named graph"):
        graph.add(TEXT, identifier=name, replace=True)
    with pytest.raises(ConflictError, match="named graph"):
        graph.patch_metadata(name, {"year": 1931})


def test_metadata_is_changed_key_by_key(graph: KnowledgeGraph) -> None:
    graph.add(TEXT, identifier="heron", metadata={"team": "red", "made": {"by": "Wren", "year": 1931}})
    revision = graph.patch_metadata(
        "heron", {"author": "Ann", "made": {"year": None}, "keywords": ["prize", "film"]}
    )
    assert revision == 2
    assert graph.documents["heron"].metadata == {
        "author": "Ann",
        "keywords": ["film", "prize"],
        "made.by": "Wren",
        "team": "red",
    }
    assert graph.patch_metadata("heron", {"author": "Ann"}) is None
    graph.patch_metadata("heron", {"made": None, "Keywords": None, "description": "A prize."})
    assert graph.documents["heron"].metadata == {"author": "Ann", "team": "red", "description": "A prize."}
    assert (
        graph.add(TEXT, identifier="heron", metadata={"team": "red"}).documents[0].outcome is Outcome.REPLACED
    )
    assert validate(graph.snapshot().stores.named).conforms


@pytest.mark.parametrize("key", ["title", "language", "url"])
def test_a_key_by_which_a_document_is_cut_or_linked_is_not_changed_alone(
    graph: KnowledgeGraph, key: str
) -> None:
    graph.add(TEXT, identifier="heron")
    with pytest.raises(InputError, match="put the document"):
        graph.patch_metadata("heron", {key: "https://example.org/de"})


def sea_files(folder: Path, tide: str, sidecar: str) -> Path:
    """A file with front matter and a sidecar."""
    folder.mkdir(exist_ok=True)
    (folder / "tide.md").write_text(
        f"---\nteam: red\ntags: [a]\nauthor: Ann\nsize: 1\n---\n# Tide\n\n{tide}\n"
    )
    (folder / "tide.md.meta.yaml").write_text(sidecar)
    return folder


def test_a_patch_of_a_file_s_document_stays_when_the_file_is_read_again(
    graph: KnowledgeGraph, tmp_path: Path
) -> None:
    sea = sea_files(tmp_path / "sea", "The tide is high.", "year: 1931\nmade: {by: Wren, year: 1930}\n")
    graph.ingest(sea)
    before = graph.documents["tide.md"].stored.content_hash
    patch = {
        "team": "blue",
        "keywords": ["b", "c"],
        "author": None,
        "made": {"by": None},
        "description": "Of the sea.",
        "date": "2024-05-17",
        "score": 1.5,
        "modified": "2024-05-18",
    }
    graph.patch_metadata("tide.md", patch)
    expected = {
        "datePublished": "2024-05-17",
        "description": "Of the sea.",
        "keywords": ["b", "c"],
        "made.year": 1930,
        "modified": "2024-05-18",
        "score": 1.5,
        "size": 1,
        "team": "blue",
        "year": 1931,
    }
    patched = graph.documents["tide.md"]
    assert patched.metadata == expected
    assert patched.stored.content_hash == before
    assert patched.patched == (
        "author",
        "date",
        "description",
        "keywords",
        "made.by",
        "modified",
        "score",
        "team",
    )
    assert graph.ingest(sea, sync=True).unchanged == 1
    assert graph.documents["tide.md"].tag == patched.tag
    sea_files(sea, "The tide is low.", "year: 1932\nmade: {by: Brack}\nteam: green\n")
    graph.ingest(sea)
    renewed = graph.documents["tide.md"]
    assert renewed.metadata == {**{k: e for k, e in expected.items() if k != "made.year"}, "year": 1932}
    assert (renewed.patched, renewed.text) == (patched.patched, "Tide\n\nThe tide is low.")
    graph.ingest(sea, metadata={"team": "violet", "run": 7})
    assert graph.documents["tide.md"].metadata == {**renewed.metadata, "run": 7}
    assert validate(graph.snapshot().stores.named).conforms
    graph.remove("tide.md")
    graph.ingest(sea)
    assert graph.documents["tide.md"].patched == ()
    assert graph.documents["tide.md"].metadata["team"] == ["green", "red"]


def test_a_later_patch_takes_the_place_of_an_earlier_one(graph: KnowledgeGraph, tmp_path: Path) -> None:
    sea = sea_files(tmp_path / "sea", "The tide is high.", "made: {by: Wren}\n")
    graph.ingest(sea)
    graph.patch_metadata("tide.md", {"Tags": "x", "made": {"by": "Ann", "in": "Osmere"}})
    graph.patch_metadata("tide.md", {"keywords": None, "made": None})
    assert graph.documents["tide.md"].patched == ("keywords", "made")
    sea_files(sea, "The tide is low.", "made: {by: Brack, at: sea}\n")
    graph.ingest(sea)
    assert graph.documents["tide.md"].metadata == {"author": "Ann", "size": 1, "team": "red"}
    assert graph.patch_metadata("tide.md", {"size": 1}) is None
    most = Settings().max_metadata_values
    with pytest.raises(LimitError, match="max_metadata_values"):
        graph.patch_metadata("tide.md", {"team": None, **{f"k{number}": None for number in range(most + 1)}})


def test_a_key_that_had_the_same_value_is_not_patched(graph: KnowledgeGraph, tmp_path: Path) -> None:
    sea = sea_files(tmp_path / "sea", "The tide is high.", "made: {by: Wren, at: Osmere}\n")
    graph.ingest(sea)
    same = {"author": "Ann", "tags": ["a"], "size": 1, "gone": None, "made": {"at": "Osmere"}}
    graph.patch_metadata("tide.md", {**same, "team": "blue", "made": {"at": "Osmere", "by": None}})
    assert graph.documents["tide.md"].patched == ("made.by", "team")
    graph.patch_metadata("tide.md", {"team": "blue", "made.by": None, "size": 2})  # those stay patched
    assert graph.documents["tide.md"].patched == ("made.by", "size", "team")


def test_a_patched_document_is_not_what_it_was_made_of(graph: KnowledgeGraph, tmp_path: Path) -> None:
    sea = sea_files(tmp_path / "sea", "The tide is high.", "year: 1931\n")
    graph.ingest(sea)
    graph.patch_metadata("tide.md", {"team": "blue"})
    graph.add(TEXT, identifier="heron", metadata={"team": "red"})
    graph.patch_metadata("heron", {"team": "blue"})
    [copy] = graph.add(TEXT, identifier="copy", metadata={"team": "red"}).documents
    [again] = graph.add(TEXT, identifier="heron", metadata={"team": "red"}, duplicates="keep").documents
    assert (copy.outcome, again.outcome) == (Outcome.ADDED, Outcome.REPLACED)
    assert (graph.documents["heron"].metadata, graph.documents["heron"].patched) == ({"team": "red"}, ())
    graph.patch_metadata("tide.md", {"team": "green"}, replace=True)
    assert graph.documents["tide.md"].stored.root == "program"
    assert [name for name, _ in graph.ingest(sea).failed] == ["tide.md"]
    graph.ingest(sea, replace=True)
    assert graph.documents["tide.md"].metadata["team"] == "red"


def test_a_patched_document_is_neither_left_out_nor_kept_as_a_duplicate(
    graph: KnowledgeGraph, tmp_path: Path
) -> None:
    folders = tmp_path / "first", tmp_path / "second"
    for folder, name in zip(folders, ("a.md", "b.md"), strict=True):
        folder.mkdir()
        (folder / name).write_text("# Tide\n\nThe tide is high.\n")
        graph.ingest(folder)
    graph.patch_metadata("a.md", {"team": "blue"})
    for paths in (folders[:1], folders):  # b.md is held by the graph, and then read too
        summary = graph.ingest(paths, duplicates="skip")
        assert (summary.duplicates, summary.removed_documents) == ({}, [])
    assert graph.documents["a.md"].metadata == {"team": "blue"}
    assert list(graph.documents) == ["a.md", "b.md"]


def test_metadata_that_breaks_the_shapes_is_refused(graph: KnowledgeGraph) -> None:
    """A document has one date of its last change, whichever graph states it."""
    graph.add(TEXT, identifier="heron", metadata={"year": 1931})
    with graph.writer() as writer:
        document, modified = graph.iris.document("heron"), "http://purl.org/dc/terms/modified"
        day = '"2019-01-01"^^<http://www.w3.org/2001/XMLSchema#date>'
        writer.change().update(f"INSERT DATA {{ GRAPH <ex:notes> {{ <{document}> <{modified}> {day} }} }}")
        writer.publish()
    before = graph.directory.current()
    with pytest.raises(ShapeError, match="breaks the shapes in one place") as refused:
        graph.patch_metadata("heron", {"modified": "2021-01-01"})
    assert modified in refused.value.report[0]
    assert graph.directory.current() == before
    assert graph.documents["heron"].metadata == {"year": 1931}
    graph.patch_metadata("heron", {"year": 1932})
    assert validate(graph.snapshot().stores.named).conforms


@pytest.mark.parametrize(
    ("text", "datatype", "value"),
    [
        ("12345678901234567890", "integer", 12345678901234567890),
        ("-" + "9" * 38, "integer", -(10**38 - 1)),
        ("many", "integer", "many"),
        ("1.5", "integer", "1.5"),
        ("0.1", "decimal", 0.1),
        ("2.0", "decimal", 2),
        ("3.14159265358979323846", "decimal", "3.14159265358979323846"),
        ("9007199254740993.0", "decimal", "9007199254740993.0"),
        ("1e999", "decimal", "1e999"),
        ("0.25", "double", 0.25),
        ("1" * 200, "integer", "1" * 200),
        ("INF", "double", "INF"),
    ],
)
def test_a_number_is_read_as_it_was_written_or_as_a_text(text: str, datatype: str, value: object) -> None:
    literal = Literal(text, datatype=NamedNode(v.XSD + datatype))
    read = keyed_values([("http://example.org/n", literal)], builtin_terms(), "http://localhost:8000/id/")
    assert read == {"http://example.org/n": value}
    assert type(read["http://example.org/n"]) is type(value)


def test_a_large_integer_comes_back(graph: KnowledgeGraph) -> None:
    graph.add(TEXT, identifier="large", metadata={"n": 12345678901234567890})
    assert graph.documents["large"].metadata == {"n": 12345678901234567890}


def test_keys_that_a_patch_removes_count_as_values_do(graph: KnowledgeGraph) -> None:
    graph.add(TEXT, identifier="heron", metadata={"year": 1931, "made.at": "Osmere", "madeup": 1})
    most = graph.settings.max_metadata_values
    with pytest.raises(LimitError, match="max_metadata_values"):
        graph.patch_metadata("heron", {"inside": {f"k{number}": None for number in range(most + 1)}})
    with pytest.raises(LimitError, match="max_metadata_length"):
        graph.patch_metadata("heron", {"long" * 100_000: {f"k{number}": None for number in range(20)}})
    assert graph.patch_metadata("heron", {"made": None, "none": {"a": None}})
    assert graph.documents["heron"].metadata == {"madeup": 1, "year": 1931}


def test_a_key_inside_removed_keys_is_found_in_few_comparisons() -> None:
    compared = 0

    class Counted(str):
        def __lt__(self, other: str) -> bool:
            nonlocal compared
            compared += 1
            return str.__lt__(self, other)

    prefixes = outermost(f"k{number}.{inner}" for number in range(10_000) for inner in ("", "a."))
    assert len(prefixes) == 10_000
    assert begins_with_any(Counted("k777.a.b"), prefixes)
    assert not begins_with_any(Counted("k777"), prefixes)
    assert compared < 40


def test_a_batch_names_what_failed_and_takes_the_rest(graph: KnowledgeGraph) -> None:
    summary = graph.add_uploads(
        [
            Upload(
                b'{"_id": "r1", "text": "Osmere"}\n{"_id": "r2", "text": "Sennet"}\n', file_name="r.jsonl"
            ),
            Upload(b"\xff\xfe\x00broken", file_name="bad.json"),
            Upload(b"Osmere is a town.", "town"),
            Upload(b"Sennet is a town.", "town"),
            Upload(b"Osmere is a town.", "other"),
            Upload(b"x", "none", media_type="image/png"),
        ],
        AddRules(),
    )
    assert [(each.source, each.identifier, each.outcome) for each in summary.documents] == [
        ("r.jsonl", "r1", Outcome.ADDED),
        ("r.jsonl", "r2", Outcome.ADDED),
        ("town", "town", Outcome.ADDED),
        ("other", "town", Outcome.DUPLICATE),
    ]
    assert [name for name, _ in summary.failed] == ["bad.json", "town", "none"]
    assert list(graph.documents) == ["r1", "r2", "town"]


@pytest.mark.parametrize("names", ["xy", "yx", "xyz", "zyx"])
def test_a_batch_that_swaps_content_loses_none(graph: KnowledgeGraph, names: str) -> None:
    graph.add("Osmere is a town.", identifier="x")
    contents = {"x": b"Sennet is a town.", "y": b"Osmere is a town.", "z": b"Sennet is a town."}
    summary = graph.add_uploads([Upload(contents[name], name) for name in names], AddRules())
    outcomes = {each.source: (each.identifier, each.outcome) for each in summary.documents}
    expected = {
        "x": ("x", Outcome.REPLACED),
        "y": ("y", Outcome.ADDED),
        "z": ("x", Outcome.DUPLICATE),
    }
    assert outcomes == {name: expected[name] for name in names}
    assert [each.name for each in graph.documents.values()] == ["Sennet is a town.", "Osmere is a town."]


def test_what_a_batch_sends_twice_is_no_duplicate_of_itself(graph: KnowledgeGraph) -> None:
    graph.add("Osmere is a town.", identifier="old")
    uploads = [Upload(b"Sennet is a town.", "new"), Upload(b"Hask is a town.", "old")]
    for rules in (AddRules(), AddRules(duplicates=Duplicates.KEEP)):
        summary = graph.add_uploads([*uploads, *uploads], rules)
        assert [each.identifier for each in summary.documents] == ["new", "old"] * 2
        assert {each.outcome for each in summary.documents[2:]} == {Outcome.UNCHANGED}
    assert list(graph.documents) == ["new", "old"]


def test_what_cannot_be_added_is_an_error(graph: KnowledgeGraph) -> None:
    with pytest.raises(InputError, match="empty"):
        graph.add("", identifier="a")
    with pytest.raises(InputError, match="surrogate"):
        graph.add("\ud800", identifier="a")
    with pytest.raises(InputError, match="control character"):
        graph.add(TEXT, identifier="a\nb")
    with pytest.raises(InputError, match="not UTF-8"):
        graph.add(TEXT, identifier="\ud800")
    with pytest.raises(InputError, match="a picture, whose text is read with --ocr or the setting ocr"):
        graph.add(b"x", media_type="image/png")
    with pytest.raises(InputError, match="of type int"):
        graph.add(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="one name for 2"):
        graph.add(b'{"_id": "1", "text": "a"}\n{"_id": "2", "text": "b"}', file_name="r.jsonl", name="R")
    graph.settings = Settings(max_file_bytes=10)
    with pytest.raises(LimitError, match="max_file_bytes"):
        graph.add(TEXT)
    with pytest.raises(NotFoundError):
        graph.patch_metadata("none", {})
    assert graph.directory.current() == 0


def test_a_hostile_file_costs_only_itself(graph: KnowledgeGraph) -> None:
    bomb = Upload(("<a>" * 100_000).encode(), file_name="deep.xml")
    outside = Upload(b"# A\n\n[x](../../etc/passwd)", file_name="../../../escape.md")
    summary = graph.add_uploads([bomb, outside], AddRules(duplicates=Duplicates.KEEP))
    assert [name for name, _ in summary.failed] == ["deep.xml"]
    assert [each.identifier for each in summary.documents] == ["../../../escape.md"]


def test_two_programs_do_not_overwrite_each_other_unseen(graph: KnowledgeGraph) -> None:
    added = graph.add(TEXT, identifier="heron", metadata={"year": 1931})
    tag = graph.documents["heron"].tag
    assert added.tag == tag
    graph.patch_metadata("heron", {"year": 1932}, if_match=tag)
    before = graph.directory.current()
    late: list[Callable[[], object]] = [
        lambda: graph.add(TEXT + " More.", identifier="heron", if_match=tag),
        lambda: graph.add(TEXT, identifier="heron", if_none_match="*"),
        lambda: graph.add(TEXT, identifier="none", if_match="*"),
        lambda: graph.patch_metadata("heron", {"year": 1933}, if_match=tag),
        lambda: graph.remove("heron", if_match=tag),
        lambda: graph.remove("heron", if_match=""),
    ]
    for change in late:
        with pytest.raises(PreconditionError, match=r"if_(none_)?match does not hold"):
            change()
    assert graph.directory.current() == before
    newest = graph.documents["heron"]
    assert newest.metadata == {"year": 1932}
    added = graph.add(TEXT + " More.", identifier="heron", if_match=newest.tag)
    graph.add(TEXT, identifier="other", if_none_match="*")
    graph.remove("heron", if_match=added.tag)
    assert list(graph.documents) == ["other"]


def test_who_handles_an_error_may_write_again(graph: KnowledgeGraph) -> None:
    """The error knows the calls that it ended, and these know the store, which is locked for the writer."""
    graph.add(TEXT, identifier="heron")
    graph.add("A lone otter.", identifier="otter")
    edge = graph.edges.add("heron", "uses", "otter")
    refused: list[Callable[[], object]] = [
        lambda: graph.patch_metadata("heron", {"a": 1}, if_match="x"),
        lambda: graph.patch_metadata("heron", {"title": "x"}),
        lambda: graph.add(TEXT, identifier="heron", if_none_match="*"),
        lambda: graph.remove("heron", if_match="x"),
        lambda: graph.remove("none"),
        lambda: graph.edges.add("none", "uses", "heron"),
        lambda: graph.edges.replace(edge.iri, "uses", weight=2.0),
        lambda: graph.edges.remove(edge.iri, if_match="x"),
        lambda: graph.make_retrievable("http://example.org/none"),
    ]
    for number, change in enumerate(refused):
        try:
            change()
        except SageError:
            graph.patch_metadata("heron", {"number": number})
    assert graph.documents["heron"].metadata == {"number": len(refused) - 1}


def test_a_write_that_does_not_begin_lets_go_of_the_store(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_arguments: object) -> None:
        raise UnavailableError("the encoder cannot be reached")

    graph.add(TEXT, identifier="heron")
    with monkeypatch.context() as patched:
        patched.setattr("sage_ld.graph.writing.writer.encode_stored", unavailable)
        try:
            with graph.writer(["vectors"]):
                pytest.fail("it was to make the index of vectors again")
        except UnavailableError:
            patched.undo()
            graph.add("A lone otter.", identifier="otter")
    assert set(graph.documents) == {"heron", "otter"}


def test_a_write_that_fails_leaves_other_errors_alone(graph: KnowledgeGraph) -> None:
    """One that is being handled keeps the values of its calls, and errors may follow from each other."""

    def fails() -> None:
        value = "kept"
        raise RuntimeError(value)

    one, other = RuntimeError("one"), RuntimeError("other")
    one.__context__, other.__context__ = other, one
    with pytest.raises(RuntimeError, match="one"), graph.writer():
        raise one
    try:
        fails()
    except RuntimeError as handled:
        with pytest.raises(NotFoundError):
            graph.remove("none")
        last = list(traceback.walk_tb(handled.__traceback__))[-1][0]
        assert last.f_locals == {"value": "kept"}


def test_a_condition_is_for_one_document(graph: KnowledgeGraph) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("otter.md", "A lone otter.")
        archive.writestr("heron.md", "A lone heron.")
    with pytest.raises(InputError, match="2 documents"):
        graph.add(packed.getvalue(), file_name="two.zip", if_none_match="*")
    graph.add(packed.getvalue(), file_name="two.zip")
    names = list(graph.documents)
    tag = graph.documents[names[0]].tag
    with pytest.raises(InputError, match="to one document, but 2"):
        graph.remove(names, if_match=tag)
    with pytest.raises(InputError, match="if_match"):
        graph.remove(names[0], if_match=1)  # type: ignore[arg-type]
    assert list(graph.documents) == names
