import os

import pytest
from build.readers.reading import results

from sage_ld.build.readers import Source, discover, read_file
from sage_ld.build.readers.companions import owners_among
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.settings import Settings

PEOPLE = "id,name\n1,Wren\n"
METADATA = '{"@context": "http://www.w3.org/ns/csvw", "url": "people.csv"}'


def write(folder, people=None, metadata=None):
    folder.mkdir(exist_ok=True)
    if people is not None:
        (folder / "people.csv").write_text(people)
    if metadata is not None:
        (folder / "people.csv-metadata.json").write_text(metadata)


def digest(path):
    [document] = read_file(Source(path, path.name), Settings())
    return document.content_hash


def error(folder):
    return str(results(folder)["people.csv"].error)


def test_a_companion_is_no_document_and_its_change_renews_the_document(tmp_path):
    write(tmp_path, PEOPLE)
    plain = digest(tmp_path / "people.csv")
    write(tmp_path, metadata=METADATA)
    described = digest(tmp_path / "people.csv")
    write(tmp_path, metadata=METADATA.replace("}", ' , "dc:title": "People"}'))
    changed = digest(tmp_path / "people.csv")
    assert len({plain, described, changed}) == 3
    assert [each.source.identifier for each in discover([tmp_path]).files] == ["people.csv"]
    os.remove(tmp_path / "people.csv-metadata.json")
    assert digest(tmp_path / "people.csv") == plain


def test_a_companion_that_is_named_stands_for_its_owner(tmp_path):
    write(tmp_path, PEOPLE, METADATA)
    for names in (["people.csv-metadata.json"], ["people.csv-metadata.json", "people.csv"]):
        found = discover([tmp_path / name for name in names]).files
        assert [(each.source.identifier, each.named) for each in found] == [("people.csv", True)]


def test_without_its_owner_it_is_a_file_like_any_other(tmp_path):
    write(tmp_path, metadata='{"name": "no table beside it"}')
    assert list(results(tmp_path)) == ["people.csv-metadata.json"]
    assert list(results(tmp_path / "people.csv-metadata.json")) == ["people.csv-metadata.json"]


def test_a_companion_that_may_not_be_read_is_an_error_that_names_it(tmp_path):
    write(tmp_path / "folder", PEOPLE)
    (tmp_path / "other.json").write_text(METADATA)
    link = tmp_path / "folder" / "people.csv-metadata.json"
    link.symlink_to(tmp_path / "other.json")
    assert "people.csv-metadata.json: a link to a file outside" in error(tmp_path / "folder")
    link.unlink()
    link.mkdir()
    assert "people.csv-metadata.json: not a regular file" in error(tmp_path / "folder")
    link.rmdir()
    link.write_text(METADATA + " " * 100)
    with pytest.raises(LimitError, match=r"people.csv-metadata.json: .*max_file_bytes"):
        read_file(Source(tmp_path / "folder" / "people.csv", "people.csv"), Settings(max_file_bytes=100))


def test_one_metadata_file_belongs_to_every_table_of_the_folder():
    assert owners_among(["b.csv", "a.tsv.gz", "csv-metadata.json", "c.md"]) == {
        "csv-metadata.json": ["a.tsv.gz", "b.csv"]
    }
