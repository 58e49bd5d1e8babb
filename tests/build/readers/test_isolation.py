"""What a file does to the process that reads it is one line of the report, and the other files are read."""

import gzip
import json
import os
import sys

import pytest
from build.readers.reading import results
from service.processes import commands, parent

from sage_ld.build.readers import Source, read_file, read_paths
from sage_ld.build.readers.wire import decode, encode
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

READER = "sage_ld.build.readers.reader_process"
SMALL = Settings(reader_memory=2**28)
STARTED: list[str] = []


def _note(event, arguments):
    if event == "subprocess.Popen":
        STARTED.append(arguments[1])


def read(folder, settings=SMALL):
    return {each.identifier: each for each in read_paths([folder], settings)}


def crashing():
    """JSON-LD whose terms are defined one by the next: pyoxigraph overflows its stack."""
    terms = {f"t{n}": f"t{n + 1}:" for n in range(100_000)} | {"t100000": "http://e.org/"}
    return json.dumps({"@context": terms, "t0": "x"})


def test_a_file_that_crashes_its_reader_is_one_error(tmp_path):
    (tmp_path / "a.txt").write_text("before")
    (tmp_path / "b.jsonld").write_text(crashing())
    (tmp_path / "c.txt").write_text("after")
    found = read(tmp_path, Settings())
    assert [found[name].documents[0].text for name in ("a.txt", "c.txt")] == ["before", "after"]
    with pytest.raises(InputError, match=r"^b.jsonld: ended the process that read it \(SIG[A-Z]+\): [^\n]+$"):
        raise found["b.jsonld"].error


@pytest.mark.parametrize(
    ("name", "first", "repeated", "count", "last"),
    [("b.csv.gz", b"a,b\n", b"1,2\n", 25_000_000, b""), ("b.json.gz", b"[", b"[],", 33_000_000, b"1]")],
)
def test_a_bomb_of_compressed_data_is_one_error(tmp_path, name, first, repeated, count, last):
    (tmp_path / "a.txt").write_text("before")
    (tmp_path / name).write_bytes(gzip.compress(first + repeated * count + last, 6))
    (tmp_path / "c.txt").write_text("after")
    assert (tmp_path / name).stat().st_size < 200_000
    found = read(tmp_path)
    assert [found[each].documents[0].text for each in ("a.txt", "c.txt")] == ["before", "after"]
    with pytest.raises(
        InputError, match=rf"^{name}: needs more than 268,435,456 bytes of memory; .*reader_memory$"
    ):
        raise found[name].error


def test_a_file_that_takes_too_long_is_one_error(tmp_path):
    (tmp_path / "a.txt").write_text("before")
    (tmp_path / "b.md").write_text("x\n\n" * 10_000_000)
    (tmp_path / "c.txt").write_text("after")
    found = read(tmp_path, Settings(reader_timeout=1))
    assert [found[each].documents[0].text for each in ("a.txt", "c.txt")] == ["before", "after"]
    with pytest.raises(LimitError, match=r"^b.md: stopped after 1 s of reading; .*reader_timeout$"):
        raise found["b.md"].error


def test_one_process_reads_all_files_until_one_ends_it(tmp_path):
    for number in range(40):
        (tmp_path / f"{number:02}.md").write_text(f"# {number}\n\nText.")
    sys.addaudithook(_note)
    assert all(each.documents for each in read(tmp_path).values())
    assert len(STARTED) == 1
    (tmp_path / "10.jsonld").write_text(crashing())
    STARTED.clear()
    assert sum(bool(each.error) for each in read(tmp_path, Settings()).values()) == 1
    assert len(STARTED) == 3  # the file is read again in a fresh one before it is to blame


def processes():
    """The ids of the processes that read files for this one."""
    reading = (number for number, command in commands().items() if READER in command)
    return [number for number in reading if parent(number) == os.getpid()]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("settings", "paragraphs"), [(Settings(), 1_000), (Settings(reader_timeout=0.5), 100_000)]
)
def test_no_process_is_left(tmp_path, settings, paragraphs):
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "b.md").write_text("x\n\n" * paragraphs)
    reading = read_paths([tmp_path], settings)
    assert next(reading).documents
    assert len(processes()) == 1
    next(reading)
    reading.close()
    assert processes() == []


def test_the_process_gives_what_reading_here_gives(tmp_path):
    page = '<html lang=en><h1>A</h1><p><a href="x">b</a><table><tr><th>c<tr><td><a href="y">d</a></table>'
    turtle = '<http://e/a> <http://e/b> "c"@en--ltr, 1, <<( _:x <http://e/p> "q\\n" )>>, _:x .'
    (tmp_path / "a.html").write_text(page)
    (tmp_path / "b.ttl").write_text(turtle)
    (tmp_path / "c.json").write_text('[{"name": "\\ud800 x", "n": 1.10}]')
    found = results(tmp_path)
    for name, result in found.items():
        assert result.documents == read_file(Source(tmp_path / name, name), Settings())
        assert [decode(encode(each)) for each in result.documents] == list(result.documents)


def test_a_fault_of_a_reader_is_an_error_of_the_file(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("text")
    hook = (
        "import sage_ld.build.readers.plain as plain\n"
        "def fail(*_): raise KeyError('x')\n"
        "plain.decode = fail\n"
    )
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(hook)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hook"))
    with pytest.raises(InputError, match=r"a.txt: the reader failed \(KeyError: 'x'\); report it"):
        raise read(tmp_path)["a.txt"].error
