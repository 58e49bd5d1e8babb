"""Archives are folders: what each file in them gives, what is named and left out, and what is refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path

import pytest
from build.readers.reading import results

from sage_ld.build.readers import LeftOut, Source, read_file
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph

FILES = {
    "notes/a.md": b"# Heron\n\nA film by [Wren](b.txt).\n",
    "notes/b.txt": b"Tobias Wren\n",
    "notes/.hidden": b"not read",
    "__MACOSX/notes/._a.md": b"not read",
    "notes/picture.png": b"\x89PNG\r\n\x1a\n\0\0",
    "notes/broken.json": b"{",
    "inner.zip": b"PK",
}


def zipped(files: Mapping[str, bytes], mode: int = 0) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = mode << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)
    return out.getvalue()


def tarred(files: Mapping[str, bytes], kind: bytes = tarfile.REGTYPE) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname = kind, len(content), "/etc/passwd"
            archive.addfile(member, io.BytesIO(content) if kind == tarfile.REGTYPE else None)
    return out.getvalue()


FORMS = {
    "a.zip": zipped(FILES),
    "a.tar": tarred(FILES),
    "a.tar.gz": gzip.compress(tarred(FILES)),
    "a.tgz": gzip.compress(tarred(FILES)),
}


@pytest.mark.parametrize("name", FORMS)
def test_each_file_of_an_archive_is_read_as_its_suffix_says(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FORMS[name])
    found = results(tmp_path)[name]
    assert found.error is None
    assert {each.identifier: each.media_type for each in found.documents} == {
        f"{name}/notes/a.md": "text/markdown",
        f"{name}/notes/b.txt": "text/plain",
    }
    nested, broken, picture = sorted(found.left_out, key=lambda each: each.identifier)
    assert nested == LeftOut(
        f"{name}/inner.zip",
        f"{name}/inner.zip: the archive is damaged (File is not a zip file); create it again",
        True,
    )
    assert broken.failed
    assert broken.reason.startswith(f"{name}/notes/broken.json: not valid JSON")
    assert picture == LeftOut(f"{name}/notes/picture.png", "a picture, whose text is read with --ocr")


def test_an_ingest_reports_the_files_of_an_archive_and_follows_its_links(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.zip").write_bytes(FORMS["a.zip"])
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    summary = graph.ingest(folder)
    assert (summary.added, summary.skipped) == (
        2,
        {"a picture, whose text is read with --ocr": ["a.zip/notes/picture.png"]},
    )
    assert [name for name, _ in summary.failed] == ["a.zip/inner.zip", "a.zip/notes/broken.json"]
    ask = "PREFIX sage: <https://w3id.org/sage-ld#> ASK { GRAPH ?graph { ?chunk sage:linksTo ?document } }"
    assert bool(graph.snapshot().store.query(ask))
    assert graph.ingest(folder).unchanged == 2


@pytest.mark.parametrize("path", ["../a.txt", "x/../../a.txt", "/etc/a.txt"])
@pytest.mark.parametrize(("name", "pack"), [("a.zip", zipped), ("a.tar", tarred)])
def test_a_path_that_leads_out_of_an_archive_is_refused(tmp_path: Path, name: str, pack, path: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / name).write_bytes(pack({path: b"text"}))
    with pytest.raises(InputError, match=r"leads outside the archive; create it again"):
        read_file(Source(tmp_path / name, name), Settings())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", zipped({"a.txt": b"/etc/passwd"}, mode=0o120777)),
        ("a.tar", tarred({"a.txt": b""}, tarfile.SYMTYPE)),
        ("a.tar", tarred({"a.txt": b""}, tarfile.LNKTYPE)),
        ("a.tar", tarred({"a.txt": b""}, tarfile.CHRTYPE)),
    ],
)
def test_links_and_devices_of_an_archive_are_left_out(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    found = results(tmp_path)[name]
    assert (found.documents, found.error) == ((), None)
    assert found.left_out == (LeftOut(f"{name}/a.txt", "no regular file in an archive"),)


def test_a_bomb_is_expanded_no_further_than_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({f"{n}.txt": b"x" * 1_000_000 for n in range(20)}))
    settings = Settings(max_expanded_bytes=10_000_000)
    with pytest.raises(LimitError, match=r"expands to more than 10,000,000 bytes; .* max_expanded_bytes"):
        read_file(Source(tmp_path / "a.zip", "a.zip"), settings)


def test_a_bomb_that_lies_about_its_size_is_stopped(tmp_path: Path) -> None:
    honest = zipped({"a.txt": b"x" * 5_000_000})
    size = (5_000_000).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(honest.replace(size, (10).to_bytes(4, "little")))
    found = results(tmp_path)["a.zip"]
    assert sum(len(each.text) for each in found.documents) <= 10


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.zip", b"PK\x03\x04 no archive", "the archive is damaged"),
        ("a.zip", FORMS["a.zip"][:-30], "the archive is damaged"),
        ("a.tar", b"no archive at all" * 100, "the archive is damaged"),
        ("a.tgz", FORMS["a.tgz"][:-30], "the archive is damaged"),
    ],
)
def test_a_damaged_archive_is_an_error(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"^{name}: {message}"):
        raise results(tmp_path)[name].error or AssertionError


def test_an_archive_of_more_files_than_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({f"{n}.txt": b"text" for n in range(11)}))
    with pytest.raises(LimitError, match="max_archive_files"):
        read_file(Source(tmp_path / "a.zip", "a.zip"), Settings(max_archive_files=10))


def test_an_archive_with_a_password_is_refused(tmp_path: Path) -> None:
    content = bytearray(zipped({"a.txt": b"text"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(InputError, match="needs a password; create it without one"):
        read_file(Source(tmp_path / "a.zip", "a.zip"), Settings())


def records(*names: str) -> bytes:
    lines = (f'{{"_id": "{each}", "text": "The bird called {each}."}}\n' for each in names)
    return "".join(lines).encode()


def test_records_with_one_identifier_are_those_of_the_first_file_in_an_archive(tmp_path: Path) -> None:
    inner = zipped({"r.jsonl": records("4", "2"), "s.jsonl": records("5")})
    files = {"x/r.jsonl": records("1", "2"), "y/r.jsonl": records("3", "1"), "z.zip": inner}
    (tmp_path / "a.zip").write_bytes(zipped(files))
    result = results(tmp_path)["a.zip"]
    assert result.error is None
    assert [each.identifier for each in result.documents] == ["1", "2", "5"]
    assert [each.reason for each in result.left_out if each.failed] == [
        "a.zip/y/r.jsonl: a.zip/x/r.jsonl has the same identifier, '1'; rename one of the records",
        "a.zip/z.zip/r.jsonl: a.zip/x/r.jsonl has the same identifier, '2'; rename one of the records",
    ]


def test_a_file_that_is_left_out_takes_no_identifier(tmp_path: Path) -> None:
    files = {"w.jsonl": records("1"), "x.jsonl": records("2", "1"), "y.jsonl": records("2")}
    (tmp_path / "a.zip").write_bytes(zipped(files))
    assert [each.identifier for each in results(tmp_path)["a.zip"].documents] == ["1", "2"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_files_with_one_path_the_last_is_read(tmp_path: Path) -> None:
    first, last = tarfile.TarInfo("n.md"), tarfile.TarInfo("./n.md")
    first.size, last.size = 3, 5
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.addfile(first, io.BytesIO(b"Old"))
        archive.addfile(last, io.BytesIO(b"Newer"))
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as packed:
        packed.writestr("n.md", "Old")
        packed.writestr("n.md", "Newer")
    for name in ("a.tar", "b.zip"):
        documents = results(tmp_path)[name].documents
        assert [(each.identifier, each.text) for each in documents] == [(f"{name}/n.md", "Newer")]


def test_a_file_whose_name_is_no_identifier_is_left_out_alone(tmp_path: Path) -> None:
    names = ["good.md", "bad\x07.md", "latin-\udce9.md", f"{'long' * 1000}.md"]
    (tmp_path / "a.tar").write_bytes(tarred({**dict.fromkeys(names, b"text"), "bad\x1b.png": b"\0"}))
    result = results(tmp_path)["a.tar"]
    assert result.error is None
    assert [each.identifier for each in result.documents] == ["a.tar/good.md"]
    assert {each.identifier[:14]: each.failed for each in result.left_out} == {
        "a.tar/bad .md": True,
        "a.tar/bad .png": False,
        "a.tar/longlong": True,
        "a.tar/latin-\ufffd.": True,
    }


def test_archives_in_archives_are_read_to_a_depth(tmp_path: Path) -> None:
    content = zipped({"a.md": b"Level 5."})
    for level in (4, 3, 2, 1):
        content = (tarred if level % 2 else zipped)(
            {("b.zip" if level % 2 else "b.tar"): content, "a.md": b"Level %d." % level}
        )
    (tmp_path / "a.tar").write_bytes(content)
    result = results(tmp_path)["a.tar"]
    assert [each.text for each in result.documents] == ["Level 1.", "Level 2.", "Level 3.", "Level 4."]
    assert result.documents[2].identifier == "a.tar/b.zip/b.tar/a.md"
    [deepest] = result.left_out
    assert deepest.reason.startswith("a.tar/b.zip/b.tar/b.zip/b.tar: its files: 5 levels of files")


def test_archives_in_one_expand_together_no_further_than_the_limits(tmp_path: Path) -> None:
    inner = zipped({"a.txt": b"x" * 400_000})
    compressed = gzip.compress(b"x" * 400_000)
    (tmp_path / "a.zip").write_bytes(zipped({"1.zip": inner, "2.txt.gz": compressed, "3.zip": inner}))
    source = Source(tmp_path / "a.zip", "a.zip")
    assert len(read_file(source, Settings())) == 3
    assert len(read_file(source, Settings(max_expanded_bytes=1_000_000))) == 2
    assert len(read_file(source, Settings(max_expanded_bytes=500_000))) == 1
    assert len(read_file(source, Settings(max_archive_files=4))) == 2


def test_an_archive_that_a_mail_carries_is_read(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"] = "Birds"
    message.set_content("Here they are.")
    for name, files in {"a.zip": zipped({"a.md": b"# Wren"}), "b.tgz": gzip.compress(tarred(FILES))}.items():
        message.add_attachment(files, maintype="application", subtype="zip", filename=name)
    (tmp_path / "m.eml").write_bytes(message.as_bytes())
    assert [each.identifier for each in results(tmp_path)["m.eml"].documents] == [
        "m.eml",
        "m.eml/a.zip/a.md",
        "m.eml/b.tgz/notes/a.md",
        "m.eml/b.tgz/notes/b.txt",
    ]


def test_companions_in_an_archive_say_more_about_their_files(tmp_path: Path) -> None:
    tables = b'[{"url": "a.csv", "dc:title": "Birds"}, {"url": "b.csv", "dc:title": "Birds"}]'
    files = {
        "n.md": b"A heron.",
        "n.md.meta.yaml": b"team: red\n",
        "bad.md": b"A wren.",
        "bad.md.meta.yaml": b"- no map\n",
        "t/a.csv": b"name\nHeron\n",
        "t/b.csv": b"name\nWren\n",
        "t/csv-metadata.json": b'{"@context": "http://www.w3.org/ns/csvw", "tables": %s}' % tables,
        "other.md.meta.yaml": b"team: blue\n",
    }
    (tmp_path / "a.zip").write_bytes(zipped(files))
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        archive.extractall(tmp_path / "folder")
    inside, outside = results(tmp_path / "a.zip")["a.zip"], results(tmp_path / "folder")
    assert {each.identifier: each.content_hash for each in inside.documents} == {
        f"a.zip/{name.removeprefix('folder/')}": each.content_hash
        for name, result in outside.items()
        for each in result.documents
    }
    by_name = {each.identifier: each for each in inside.documents}
    assert [(each.key, each.value) for each in by_name["a.zip/n.md"].metadata] == [("team", "red")]
    assert by_name["a.zip/t/a.csv"].title == by_name["a.zip/t/b.csv"].title == "Birds"
    assert [each.identifier for each in inside.left_out] == ["a.zip/bad.md"]
