"""What of a file is no text: codes of terminals; and RDF that the standards allow and a parser refuses."""

from __future__ import annotations

import json

import pytest
from build.readers.reading import read
from pyoxigraph import Literal

from sage_ld.foundation.errors import InputError

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("\x1b[31mred alert\x1b[0m", "red alert"),
        ("\x1b[1;32;40mok\x1b[m done", "ok done"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b[2K\x1b[1Gline", "line"),
        ("\x1b]8;;https://e.org\x1b\\link\x1b]8;;\x1b\\", "link"),
    ],
)
def test_codes_of_a_terminal_are_no_text(tmp_path, output, shown):
    cell = {"cell_type": "code", "source": "run()", "outputs": [{"output_type": "stream", "text": output}]}
    assert read(tmp_path, "a.ipynb", json.dumps({"cells": [cell]})).text == f"run()\n\n{shown}"
    assert read(tmp_path, "a.txt", output).text == shown
    assert read(tmp_path, "a.log", output).text == shown


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a.rst", "ebb\n  falling tide\n\nflood\n  rising tide\n", "ebb|falling tide|flood|rising tide"),
        (
            "b.rst",
            "Tides.\n\n:ebb: falling tide\n:flood: rising tide\n",
            "Tides.||ebb: falling tide|flood: rising tide",
        ),
        ("c.rst", "-a         all tides\n-o, --out=FILE  a file\n", "-a: all tides|-o, --out=FILE: a file"),
        (
            "a.html",
            "<dl><dt>ebb</dt><dd>falling tide</dd><dt>flood<dd>rising tide</dl>",
            "ebb|falling tide|flood|rising tide",
        ),
        (
            "a.tex",
            r"\begin{description}\item[ebb] falling tide \item[flood] rising tide\end{description}",
            "ebb falling tide|flood rising tide",
        ),
        ("b.tex", r"\begin{itemize}\item[2a)] the keel \item the mast\end{itemize}", "2a) the keel|the mast"),
        ("a.md", "ebb\n: falling tide\n", "ebb : falling tide"),
    ],
)
def test_terms_and_definitions_stand_apart(tmp_path, name, content, shown):
    assert read(tmp_path, name, content).text.replace("\n", "|") == shown


@pytest.mark.parametrize("tag", ['xml:lang=""', "xml:lang=''", 'xml:lang = ""'])
def test_an_empty_tag_says_that_a_literal_has_no_language(tmp_path, tag):
    text = (
        f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="http://e/" xml:lang="en">'
        '<rdf:Description rdf:about="http://e/a">'
        f'<e:name>in English</e:name><e:name {tag}>xml:lang="" in none</e:name></rdf:Description></rdf:RDF>'
    )
    found = {each[2] for each in read(tmp_path, "a.rdf", text).statements}
    assert found == {Literal("in English", language="en"), Literal('xml:lang="" in none')}


@pytest.mark.parametrize(
    "context",
    [
        "https://schema.org",
        "https://schema.org/",
        "http://schema.org",
        ["https://schema.org", {"e": "http://e/"}],
    ],
)
def test_json_ld_of_schema_org_is_read_with_the_context_in_the_package(tmp_path, context):
    data = {"@context": context, "@id": "http://e/a", "@type": "Person", "name": "Ilse"}
    document = read(tmp_path, "a.jsonld", json.dumps(data))
    assert "https://schema.org/name" in {str(predicate.value) for _, predicate, _ in document.statements}


def test_another_context_is_named_with_the_remedy(tmp_path):
    with pytest.raises(
        InputError, match=r"https://e/c does not come .* contexts as e/c.jsonld, list its address"
    ):
        read(tmp_path, "a.jsonld", '{"@context": "https://e/c", "name": "x"}')


@pytest.mark.parametrize(
    ("level", "read_as"),
    [(1, 1), (3, 3), ("2", 2), (6, 6), (7, 1), (0, 1), ("9" * 5_000, 1), (10**30, 1), (None, 1), (2.5, 1)],
)
def test_a_heading_of_an_old_notebook_has_a_level(tmp_path, level, read_as):
    cells = [{"cell_type": "heading", "level": level, "source": "H"}, {"cell_type": "code", "input": "x"}]
    document = read(tmp_path, "a.ipynb", json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}))
    assert [(each.name, each.level) for each in document.sections] == [("H", read_as)]
