"""One bad file never stops the others: each kind of bad file, and what is said of it."""

import gzip
import os

import pytest
from build.readers.reading import pdf, read, results

from sage_ld.build.readers import Source, read_file
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

ENTITY = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><r>&b;</r>'
EXTERNAL = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'
RDF_XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
NESTED_ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))

BAD = {
    "broken UTF-8": ("a.txt", b"good \xff bad", "byte 0xff at offset 5 is not UTF-8"),
    "broken UTF-8 after a mark": ("a.md", b"\xef\xbb\xbfab\xc3", "byte 0xc3 at offset 5"),
    "UTF-16 cut short": ("a.txt", "text".encode("utf-16")[:-1], "at offset 8 is not UTF-16-LE"),
    "UTF-16 without a mark": ("a.txt", "text".encode("utf-16-le"), "NUL at character 1"),
    "a picture named .txt": ("a.txt", b"\x89PNG\r\n\x1a\n\0\0", "byte 0x89 at offset 0 is not UTF-8"),
    "zeros named .txt": ("a.txt", bytes(100), "NUL at character 0"),
    "an empty file": ("a.txt", b"", "empty, no text was found"),
    "a file of blanks": ("a.md", b" \n\n\t\n", "empty, no text was found"),
    "an empty page": ("a.html", b"<html><body></body></html>", "empty, no text was found"),
    "nothing for a page": ("a.html", b"", "empty, no text was found"),
    "an empty table": ("a.csv", b"a,b\n", "empty, no text was found"),
    "no lines": ("a.jsonl", b"\n", "empty, it has no line"),
    "an empty object": ("a.json", b"{}", "empty, no text was found"),
    "no triples": ("a.ttl", b"# nothing", "empty, no text was found"),
    "a line that is no JSON": (
        "a.jsonl",
        b'{"_id": "1", "text": "x"}\n\n{"_id": }\n',
        "line 3: not valid JSON",
    ),
    "a line that is no object": ("a.jsonl", b'{"a": 1}\n[2]\n', "line 2 is not a JSON object"),
    "a line without _id": ("a.jsonl", b'{"_id": "1", "text": "x"}\n{"text": "y"}\n', "line 2 has no _id"),
    "an _id twice": (
        "a.jsonl",
        b'{"_id": 1, "text": "x"}\n{"_id": "1", "text": "y"}',
        "line 2 has the same _id, '1', as line 1",
    ),
    "CSV with a quote left open": ("a.csv", b'a,b\n1,"2\n', "line 2: unexpected end of data"),
    "broken JSON": ("a.json", b'{"a":\n ]}', r"not valid JSON: Expecting value \(line 2, column 2\)"),
    "XML entities": ("a.xml", ENTITY.encode(), "declares an entity"),
    "XML external entities": ("a.xml", EXTERNAL.encode(), "declares an entity"),
    "broken XML": ("a.xml", b"<a>\n<b></a>", r"not valid XML: mismatched tag \(line 2, column 6\)"),
    "XML in an unknown encoding": (
        "a.xml",
        b'<?xml version="1.0" encoding="x-y"?><a/>',
        "a.xml: not valid XML|encoding",
    ),
    "RDF/XML entities": (
        "a.rdf",
        f'<!DOCTYPE r [<!ENTITY e0 "aaaaaaaaaa">{NESTED_ENTITIES}]>{RDF_XML}&e9;</rdf:RDF>'.encode(),
        "amplification",
    ),
    "RDF/XML external entities": (
        "a.owl",
        f'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>{RDF_XML}&x;</rdf:RDF>'.encode(),
        "refers to another file",
    ),
    "broken Turtle": ("a.ttl", b"@prefix : <http://e/> .\n:a :b :c .\n:a :b ,\n", "no RDF: line 3 column 7"),
    "a line break in an IRI": ("a.ttl", b"<http://e/a\n> <http://e/b> 1 .", "no RDF: .*line 1.*Invalid IRI"),
    "broken N-Quads": ("a.nq", b"<http://e/a> <http://e/b> <http://e/c> .\n<http://e/a> .\n", "line 2"),
    "broken JSON-LD": ("a.jsonld", b'{"@id": "http://e/",\n "b": }', "line 2"),
    "JSON-LD with a remote context": (
        "a.jsonld",
        b'{"@context": "https://e/", "b": 1}',
        "context https://e/ does not come",
    ),
    "gzip that is none": ("a.txt.gz", b"plain", "broken gzip"),
    "gzip cut short": ("a.txt.gz", gzip.compress(b"text" * 99)[:-9], "broken gzip"),
    "a PDF without text": ("a.pdf", pdf(""), "no text on any of its 1 pages; read it with --ocr"),
    "damaged PDF": ("a.pdf", b"%PDF-1.4 and no more", "the PDF is damaged"),
    "no PDF": ("a.pdf", b"a letter", r"not a PDF \(it does not begin with %PDF-\); check its format"),
}


@pytest.mark.parametrize(("name", "content", "message"), BAD.values(), ids=BAD)
def test_a_bad_file_is_an_error_that_names_file_and_place(tmp_path, name, content, message):
    (tmp_path / "good.txt").write_text("A good file.")
    (tmp_path / name).write_bytes(content)
    found = results(tmp_path)
    assert found["good.txt"].documents[0].text == "A good file."
    assert found[name].documents == ()
    with pytest.raises(InputError, match=message) as caught:
        raise found[name].error
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)


DEEP = {
    "a.json": "[" * 10_000 + "]" * 10_000,
    "b.json": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "a.jsonl": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "a.jsonld": '{"http://e/p":' * 10_000 + "1" + "}" * 10_000,
    "a.xml": "<a>" * 10_000 + "</a>" * 10_000,
    "a.rdf": RDF_XML + "<rdf:li>" * 10_000 + "</rdf:li>" * 10_000 + "</rdf:RDF>",
    "a.ttl": "<http://e/a> <http://e/b> "
    + "<<( <http://e/a> <http://e/b> " * 10_000
    + "1"
    + " )>>" * 10_000
    + ".",
    "hidden.ttl": "<http://e/a> <http://e/b> " + "<<( # )>>\n<http://e/a> <http://e/b> " * 10_000,
    "escaped.ttl": "@prefix e: <http://e/> . e:a e:b " + "<<( e:a\\# e:b <<( e:a e:b\n" * 5_000,
}


@pytest.mark.parametrize("name", DEEP)
def test_what_is_nested_deep_is_over_a_limit(tmp_path, name):
    with pytest.raises(LimitError, match=r"nested deeper than 200 levels.*max_json_depth"):
        read(tmp_path, name, DEEP[name])


def test_signs_of_triple_terms_in_texts_are_not_counted(tmp_path):
    texts = ('"<<("', "'''<<(\n<<('''", '"""\\"<<("""')
    content = "".join(f"<http://e/{n}> <http://e/b> {', '.join(texts)} .\n" for n in range(300))
    assert len(read(tmp_path, "a.ttl", content).statements) == 900


def test_a_depth_at_the_limit_is_read(tmp_path):
    assert read(tmp_path, "a.json", "[" * 200 + "1" + "]" * 200).text == "1"
    with pytest.raises(LimitError):
        read(tmp_path, "a.json", "[" * 201 + "1" + "]" * 201)


def test_html_deeper_than_its_parser_goes_is_an_error_and_not_half_a_page(tmp_path):
    assert read(tmp_path, "a.html", "<div>" * 2_000 + "inside" + "</div>" * 2_000).text == "inside"
    with pytest.raises(LimitError, match="nested deeper than the 2,048 levels"):
        read(tmp_path, "a.html", "<div>" * 10_000 + "inside" + "</div>" * 10_000)


def test_a_gzip_that_expands_without_end_is_over_a_limit(tmp_path):
    bomb = gzip.compress(bytes(2_000_000))
    assert len(bomb) < 5_000
    with pytest.raises(LimitError, match=r"expands to more than 1,000,000 bytes.*max_expanded_bytes"):
        read(tmp_path, "a.txt.gz", bomb, Settings(max_expanded_bytes=1_000_000))


def test_a_file_over_the_size_limit(tmp_path):
    with pytest.raises(LimitError, match=r"a.txt: 11 bytes, the limit is 10; .*max_file_bytes"):
        read(tmp_path, "a.txt", "x" * 11, Settings(max_file_bytes=10))


def test_more_documents_than_the_limit(tmp_path):
    lines = "".join(f'{{"_id": "{n}", "text": "x"}}\n' for n in range(3))
    with pytest.raises(LimitError, match="3 documents, the limit is 2"):
        read(tmp_path, "a.jsonl", lines, Settings(max_documents_per_file=2))


def test_more_pages_than_the_limit(tmp_path):
    with pytest.raises(LimitError, match="2 pages, the limit is 1"):
        read(tmp_path, "a.pdf", pdf("one", "two"), Settings(max_pdf_pages=1))


def test_an_identifier_over_the_limit(tmp_path):
    with pytest.raises(LimitError, match="an identifier: 30 characters, the limit is 20"):
        read(tmp_path, "a.jsonl", f'{{"_id": "{"x" * 30}", "text": "x"}}', Settings(max_identifier_length=20))


def test_what_the_system_cannot_open_is_an_error(tmp_path):
    (tmp_path / "dangling.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    found = results(tmp_path, tmp_path / "missing.txt")
    assert "the link leads to nothing" in str(found["dangling.txt"].error)
    assert "cannot be read: Too many levels of symbolic links" in str(found["loop.txt"].error)
    assert "not a regular file" in str(found["pipe.txt"].error)
    assert "there is no such file or folder" in str(found["missing.txt"].error)


def test_a_folder_is_not_read_as_a_file(tmp_path):
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(InputError, match=r"folder.txt: not a regular file"):
        read_file(Source(tmp_path / "folder.txt", "folder.txt"), Settings())


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads whatever the permissions say")
def test_unreadable_permissions_are_an_error(tmp_path):
    (tmp_path / "closed").mkdir()
    for name in ("secret.txt", "closed/inner.txt"):
        (tmp_path / name).write_text("text")
    (tmp_path / "secret.txt").chmod(0)
    (tmp_path / "closed").chmod(0)
    found = results(tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert "cannot be read: Permission denied" in str(found["secret.txt"].error)
    assert "cannot be read: Permission denied" in str(found["closed"].error)
