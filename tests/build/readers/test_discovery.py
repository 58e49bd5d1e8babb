import os
import socket
from pathlib import Path

import pytest
from build.readers.reading import results

from sage_ld.build.readers import read_paths
from sage_ld.build.readers.discovery import discover
from sage_ld.build.readers.isolation import DirectReader
from sage_ld.build.readers.reading import read_with
from sage_ld.foundation.settings import Settings


def write(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}")


def identifiers(*paths):
    return [each.identifier for each in read_paths(paths, Settings())]


def test_files_come_sorted_by_identifier_whatever_the_order_of_paths(tmp_path):
    write(tmp_path, "x/b.txt", "x/c/a.txt", "y/a.txt")
    expected = ["a.txt", "b.txt", "c/a.txt"]
    assert identifiers(tmp_path / "x", tmp_path / "y") == expected
    assert identifiers(tmp_path / "y", tmp_path / "x") == expected


def test_identifiers_are_paths_below_the_folder_and_names_of_single_files(tmp_path):
    write(tmp_path, "x/c/a.txt")
    assert identifiers(tmp_path) == ["x/c/a.txt"]
    assert identifiers(tmp_path / "x/c/a.txt") == ["a.txt"]


def test_hidden_files_are_passed_over_unless_given(tmp_path):
    write(tmp_path, "a.txt", ".b.txt", ".git/c.txt")
    assert identifiers(tmp_path) == ["a.txt"]
    assert identifiers(tmp_path / ".b.txt") == [".b.txt"]


def test_unknown_kinds_are_named_and_are_no_errors(tmp_path):
    for name in ("a.xyz", "LICENSE", "b.XYZ.gz"):
        (tmp_path / name).write_bytes(b"\0binary")
    found = results(tmp_path)
    assert {name: each.skipped for name, each in found.items()} == {
        "a.xyz": "unknown kind .xyz",
        "b.XYZ.gz": "unknown kind .xyz",
        "LICENSE": "unknown kind (no suffix)",
    }
    assert not any(each.error or each.documents for each in found.values())


def test_a_benchmarks_questions_are_no_documents(tmp_path):
    write(tmp_path, "data/corpus.txt", "data/queries.jsonl", "data/qrels/test.tsv")
    found = results(tmp_path)
    assert {name for name, each in found.items() if each.documents} == {"data/corpus.txt"}
    assert found["data/queries.jsonl"].skipped == "a benchmark's questions and judgements"
    assert found["data/qrels"].skipped == "a benchmark's questions and judgements"


def test_queries_without_judgements_are_a_file_like_any_other(tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"question": "why"}')
    assert results(tmp_path)["queries.jsonl"].documents


def test_links_to_folders_are_not_followed_so_loops_end(tmp_path):
    write(tmp_path, "x/a.txt")
    (tmp_path / "x/up").symlink_to(tmp_path)
    found = results(tmp_path)
    assert [name for name, each in found.items() if each.documents] == ["x/a.txt"]
    assert found["x/up"].skipped == "a link to a folder"


def test_the_same_file_given_twice_is_read_once(tmp_path):
    write(tmp_path, "a.txt")
    assert identifiers(tmp_path, tmp_path / "a.txt", tmp_path / "x" / ".." / "a.txt") == ["a.txt"]


def test_the_second_document_of_an_identifier_is_an_error_that_names_both(tmp_path):
    write(tmp_path, "x/a.txt", "y/a.txt")
    first, second = read_paths([tmp_path / "y", tmp_path / "x"], Settings())
    assert first.path == tmp_path / "x/a.txt"
    assert first.documents
    assert not second.documents
    assert str(tmp_path / "x/a.txt") in str(second.error)
    assert str(tmp_path / "y/a.txt") in str(second.error)


def test_a_file_that_repeats_an_identifier_gives_none_of_its_documents(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"_id": "1", "text": "one"}')
    (tmp_path / "b.jsonl").write_text('{"_id": "2", "text": "two"}\n{"_id": "1", "text": "again"}')
    (tmp_path / "c.jsonl").write_text('{"_id": "2", "text": "free to take"}')
    found = results(tmp_path)
    assert "same identifier, '1'" in str(found["b.jsonl"].error)
    assert [each.identifier for each in found["c.jsonl"].documents] == ["2"]


def test_a_name_that_is_not_utf_8_is_an_error(tmp_path):
    with open(bytes(tmp_path) + b"/caf\xe9.txt", "w") as file:
        file.write("text")
    [result] = read_paths([tmp_path], Settings())
    assert "a name that is not UTF-8" in str(result.error)
    assert str(result.error).encode()


def test_links_to_files_outside_the_folder_are_not_followed_unless_asked(tmp_path):
    write(tmp_path, "root/a.txt", "outside.txt")
    for name, target in [
        ("inside.txt", "a.txt"),
        ("passwd.txt", tmp_path / "outside.txt"),
        ("chain.txt", "passwd.txt"),
        ("up.txt", "../outside.txt"),
        ("system.txt", "/etc/passwd"),
    ]:
        (tmp_path / "root" / name).symlink_to(target)
    found = results(tmp_path / "root")
    assert {name for name, each in found.items() if each.documents} == {"a.txt", "inside.txt"}
    assert {each.skipped for each in found.values()} == {None, "a link to a file outside the folder"}
    followed = {
        each.identifier: each for each in read_paths([tmp_path / "root"], Settings(), follow_symlinks=True)
    }
    assert followed["chain.txt"].documents[0].text == "text of outside.txt"
    assert followed["system.txt"].documents
    assert results(tmp_path / "root" / "passwd.txt")["passwd.txt"].documents  # given itself


def test_a_folder_that_is_given_by_a_link_is_its_own_root(tmp_path):
    write(tmp_path, "root/x/a.txt")
    (tmp_path / "root" / "b.txt").symlink_to("x/a.txt")
    (tmp_path / "link").symlink_to(tmp_path / "root")
    assert all(each.documents for each in results(tmp_path / "link").values())


def test_a_file_that_becomes_a_link_after_discovery_is_not_followed(tmp_path):
    write(tmp_path, "root/a.txt", "root/b.txt", "outside.txt")
    reading = read_paths([tmp_path / "root"], Settings())
    assert next(reading).documents
    (tmp_path / "root" / "b.txt").unlink()
    (tmp_path / "root" / "b.txt").symlink_to(tmp_path / "outside.txt")
    [second] = reading
    assert "b.txt: a link to a file outside the folder" in str(second.error)


def test_only_regular_files_are_opened_and_nothing_is_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s.txt"))
        found = {each.identifier: each for each in read_paths([tmp_path], Settings(), follow_symlinks=True)}
    assert all("not a regular file" in str(each.error) for each in found.values())
    assert len(found) == 3


def test_loops_of_links_end(tmp_path):
    write(tmp_path, "root/a.txt")
    (tmp_path / "root" / "b.txt").symlink_to("c.txt")
    (tmp_path / "root" / "c.txt").symlink_to("b.txt")
    (tmp_path / "root" / "folder").symlink_to(".")
    for follow in (False, True):
        found = {
            each.identifier: each
            for each in read_paths([tmp_path / "root"], Settings(), follow_symlinks=follow)
        }
        assert found["a.txt"].documents
        assert "Too many levels of symbolic links" in str(found["b.txt"].error or found["c.txt"].error)
        assert found["folder"].skipped == "a link to a folder"


COMPANIONS = {
    "a.txt": "a.txt.meta.yaml",
    "b.txt": "b.txt.meta.yml",
    "c.txt": "c.txt.meta.json",
    "d.csv": "d.csv-metadata.json",
    "sub/e.txt": "sub/e.txt.meta.yaml",
}
"""Files, and for each a companion that lies beside it."""


@pytest.mark.parametrize(("name", "companion"), COMPANIONS.items())
@pytest.mark.parametrize("by_root", [False, True])
def test_a_companion_that_leads_out_of_the_folder_is_refused_also_of_a_file_that_is_named(
    tmp_path, name, companion, by_root
):
    write(tmp_path, f"root/{name}")
    secret = tmp_path / "outside.json"
    described = '"@context": "http://www.w3.org/ns/csvw", "url": "d.csv", "dc:title"'
    key = described if name.endswith(".csv") else '"secret"'
    secret.write_text(f'{{{key}: "topsecret"}}')
    (tmp_path / "root" / companion).symlink_to(secret)
    root = tmp_path / "root" if by_root else None
    for path in (tmp_path / "root" / name, tmp_path / "root"):
        [file] = discover([path], root=root).files
        [result] = read_with(DirectReader(Settings()), [file])
        assert f"{Path(companion).name}: a link to a file outside the folder" in str(result.error)
        [file] = discover([path], root=root, follow_symlinks=True).files
        [result] = read_with(DirectReader(Settings()), [file])
        assert "topsecret" in str(result.documents[0])


def test_a_companion_that_leads_to_a_file_in_the_root_is_read(tmp_path):
    write(tmp_path, "root/sub/a.txt")
    (tmp_path / "root" / "team.yaml").write_text("team: red")
    (tmp_path / "root" / "sub" / "a.txt.meta.yaml").symlink_to("../team.yaml")
    named = tmp_path / "root" / "sub" / "a.txt"
    [file] = discover([named], root=tmp_path / "root").files
    [result] = read_with(DirectReader(Settings()), [file])
    assert [each.value for each in result.documents[0].metadata] == ["red"]
    assert "a link to a file outside" in str(results(named)["a.txt"].error)  # its root is its folder
