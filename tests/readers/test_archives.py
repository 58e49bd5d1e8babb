"""Archives are folders: what each file in them gives, what is named and left out, and what is refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from readers.reading import results

from sage_ld.errors import InputError, LimitError
from sage_ld.graph import KnowledgeGraph
from sage_ld.readers import LeftOut, Source, read_file
from sage_ld.settings import Settings

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
        f"{name}/inner.zip", f"{name}/inner.zip: an archive in another one; unpack it", True
    )
    assert broken.failed
    assert broken.reason.startswith(f"{name}/notes/broken.json: not valid JSON")
    assert picture == LeftOut(f"{name}/notes/picture.png", "unknown kind .png")


def test_an_ingest_reports_the_files_of_an_archive_and_follows_its_links(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.zip").write_bytes(FORMS["a.zip"])
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    summary = graph.ingest(folder)
    assert (summary.added, summary.skipped) == (2, {"unknown kind .png": ["a.zip/notes/picture.png"]})
    assert [name for name, _ in summary.failed] == ["a.zip/inner.zip", "a.zip/notes/broken.json"]
    ask = "PREFIX sage: <https://w3id.org/sage-ld#> ASK { GRAPH ?graph { ?chunk sage:linksTo ?document } }"
    assert bool(graph.snapshot().store.query(ask))
    assert graph.ingest(folder).unchanged == 2


@pytest.mark.parametrize("path", ["../a.txt", "x/../../a.txt", "/etc/a.txt"])
@pytest.mark.parametrize(("name", "pack"), [("a.zip", zipped), ("a.tar", tarred)])
def test_a_path_that_leads_out_of_an_archive_is_refused(tmp_path: Path, name: str, pack, path: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / name).write_bytes(pack({path: b"text"}))
    with pytest.raises(InputError, match=r"leads out of it; pack it anew"):
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
        ("a.zip", b"PK\x03\x04 no archive", "a damaged archive"),
        ("a.zip", FORMS["a.zip"][:-30], "a damaged archive"),
        ("a.tar", b"no archive at all" * 100, "a damaged archive"),
        ("a.tgz", FORMS["a.tgz"][:-30], "a damaged archive"),
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
    with pytest.raises(InputError, match="needs a password; pack it without one"):
        read_file(Source(tmp_path / "a.zip", "a.zip"), Settings())
