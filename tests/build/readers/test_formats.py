"""Data files, notebooks, programs, reStructuredText and LaTeX, well-formed and not."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from build.readers.reading import read, results

from sage_ld.build.chunkers.places import PlaceFinder
from sage_ld.build.readers.source_code import GRAMMARS
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.model import Document, Property, Prose, Record, Table
from sage_ld.foundation.settings import Settings

SEEDS = Path(__file__).parents[2] / "fuzz" / "seeds"


def seed(folder: Path, kind: str, name: str) -> Document:
    return read(folder, name, (SEEDS / kind / name).read_bytes())


def prose(document: Document) -> list[str]:
    return [document.text[each.begin : each.end] for each in document.blocks if isinstance(each, Prose)]


def tables(document: Document) -> list[Table]:
    return [each for each in document.blocks if isinstance(each, Table)]


def outline(document: Document) -> list[tuple[str, int | None]]:
    return [(each.name, each.parent) for each in document.sections]


def place_of(document: Document, text: str) -> str:
    begin = document.text.index(text)
    return PlaceFinder(document).of(begin, begin + len(text))


# --- YAML and TOML ---------------------------------------------------------------------------------


def test_yaml_gives_records_as_it_writes_them(tmp_path: Path) -> None:
    document = seed(tmp_path, "yaml", "films.yaml")
    assert document.title == "Films"
    heron, tide = [each for each in document.blocks if isinstance(each, Record)][1:]
    assert heron.fields == (
        ("country", "Norway"),
        ("name", "The Golden Heron"),
        ("year", "1987"),
        ("cast", "Tobias Wren; Lucan Amery"),
    )
    assert tide.fields == (("name", "Low Tide"), ("year", "1991"), ("seen", "true"), ("rating", "7.50"))


def test_documents_of_one_yaml_file_are_a_list(tmp_path: Path) -> None:
    document = read(tmp_path, "a.yml", "name: Heron\n---\nname: Tide\n")
    assert [each.name for each in document.blocks if isinstance(each, Record)] == ["Heron", "Tide"]


def test_a_thousand_aliases_of_yaml_are_expanded_up_to_a_limit(tmp_path: Path) -> None:
    flat = "a: &a [1]\nall: [" + ", ".join(["*a"] * 1000) + "]"
    assert read(tmp_path, "a.yaml", flat).text.count("1") >= 1000
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]\n" for n in range(1, 101)
    )
    with pytest.raises(LimitError, match=r"^b\.yaml: more than 10,000 values .* setting max_yaml_values$"):
        read(tmp_path, "b.yaml", bomb, Settings(max_yaml_values=10_000))


def test_an_alias_of_yaml_inside_itself_is_nested_too_deeply(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^a\.yaml: "):
        read(tmp_path, "a.yaml", "a: &a [*a]")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.yaml", "a: [1, 2", r"not valid YAML: .* \(line 2, column 1\); correct it there"),
        ("a.yaml", "a: !!python/object:os.system x", "."),
        ("a.toml", "a = ", "not valid TOML: .*; correct it there"),
        ("a.ipynb", "[]", "not a notebook"),
        ("a.ipynb", '{"cells": 3}', "not a notebook"),
        ("a.tex", r"\begin{document} \end{other}", "the file is empty"),
        ("a.parquet", "PAR1", "not a complete parquet file"),
        ("a.arrow", "ARROW1", "not a complete arrow file"),
        ("a.py", "", "the file is empty"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    if "python/object" in content:  # tags name classes, which are never looked up
        assert "x" in read(tmp_path, name, content).text
        return
    with pytest.raises(InputError, match=rf"^{name}: .*{message}"):
        read(tmp_path, name, content)


def test_toml_gives_records_with_dates_as_written(tmp_path: Path) -> None:
    document = seed(tmp_path, "toml", "films.toml")
    assert document.title == "Films"
    own, film = (each for each in document.blocks if isinstance(each, Record))
    assert own.fields == (("title", "Films"), ("seen", "2024-05-01"))
    assert ("made.at", "1987-05-01T12:00:00+00:00") in film.fields


# --- notebooks -------------------------------------------------------------------------------------


def test_a_notebook_gives_its_cells_and_what_they_put_out(tmp_path: Path) -> None:
    document = seed(tmp_path, "notebook", "film.ipynb")
    assert document.title == "Films"
    assert outline(document) == [("The Golden Heron", None)]
    assert prose(document) == [
        "A film by Wren.",
        "year = 1987\nprint(year)",
        "1987",
        "1987",
        "ValueError: no film",
    ]
    assert document.links[0].target == "wren.md"
    assert place_of(document, "ValueError") == "cell 2"


def test_of_a_large_output_the_beginning_is_read(tmp_path: Path) -> None:
    lines = "x" * 1000 + "\n"
    output = {"output_type": "stream", "text": [lines] * 50_000}
    cells = [{"cell_type": "code", "source": "run()", "outputs": [output]}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    [document] = results(tmp_path)["a.ipynb"].documents
    assert len(document.text) < 11_000
    assert document.text.endswith("… (50,039,999 more characters)")


def test_a_table_of_a_result_is_a_table(tmp_path: Path) -> None:
    page = (
        "<style>td {}</style><table><tr><th></th><th>Mass</th></tr><tr><th>Bolt</th><td>83</td></tr></table>"
    )
    data = {"text/html": [page], "text/plain": ["      Mass\n", "Bolt    83"]}
    output = {"output_type": "execute_result", "data": data}
    cells = [{"cell_type": "code", "source": "parts", "outputs": [output]}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    assert results(tmp_path)["a.ipynb"].documents[0].text == "parts\n\ncolumn 1: Bolt; Mass: 83"
    data["text/html"] = [page + " " * 40_000]
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    assert results(tmp_path)["a.ipynb"].documents[0].text.endswith("Mass\nBolt    83")


# --- reStructuredText and LaTeX --------------------------------------------------------------------


def test_boxes_of_a_form_are_signs_in_latex(tmp_path: Path) -> None:
    text = r"$\boxtimes$ yes, \Square{} no, $ \square $ never, $x \square y$"
    (tmp_path / "a.tex").write_text(text)
    assert results(tmp_path)["a.tex"].documents[0].text == r"☒ yes, ☐ no, ☐ never, $x \square y$"


def test_restructured_text_gives_sections_lists_tables_and_links(tmp_path: Path) -> None:
    document = seed(tmp_path, "rst", "film.rst")
    assert document.title == "The Golden Heron"
    assert outline(document) == [("The Golden Heron", None), ("Cast", 0)]
    assert document.metadata == (Property("Author", "Tobias Wren"), Property("Date", "2024-01-02"))
    assert prose(document) == [
        "A film of 1987, seen in Bergen and in oslo; see play.",
        "2",
        "With subtitles.",
        "Lucan Amery\nas the keeper\nIda Moen",
        "The score is by Wren.",
        'play("heron")',
    ]
    assert [(each.text, each.target) for each in document.links] == [
        ("Bergen", "bergen.rst"),
        ("oslo", "oslo.rst"),
    ]
    assert [(each.columns, each.rows) for each in tables(document)] == [
        (("Year", "Place"), (("1987", "Bergen"),))
    ]


def test_restructured_text_includes_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    document = read(
        tmp_path, "a.rst", "Before\n\n.. include:: secret.txt\n\n.. raw:: html\n   :file: secret.txt\n"
    )
    assert "the secret" not in document.text


def test_latex_gives_sections_lists_tables_and_links(tmp_path: Path) -> None:
    document = seed(tmp_path, "tex", "film.tex")
    assert document.title == "The Golden Heron"
    assert outline(document) == [("The film", None), ("Places", 0)]
    assert document.metadata == (Property("author", "Tobias Wren"),)
    assert prose(document) == [
        "A film of 1987, seen in Bergen and Oslo, 100% in colour; $x^2$.",
        "A second paragraph with play_it.",
        "Lucan Amery\nIda Moen",
        'play("heron")\n  twice',
        r"\begin{equation} E = m c^2 \end{equation}",
    ]
    assert [(each.text, each.target) for each in document.links] == [("Bergen", "bergen.tex")]
    [table] = tables(document)
    assert (table.caption, table.columns) == ("Where", ("Year", "Place"))
    assert table.rows == (("1987", "Bergen"), ("1988", "Oslo"))
    assert place_of(document, "A second paragraph") == "line 9"


def test_a_caption_of_latex_without_a_table_is_text(tmp_path: Path) -> None:
    content = r"\begin{figure}\includegraphics{a.png}\caption{The \emph{heron}}\end{figure}"
    assert prose(read(tmp_path, "a.tex", content)) == ["The heron"]


def test_latex_includes_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("the secret")
    assert "the secret" not in read(tmp_path, "a.tex", r"Before \input{secret} after").text


# --- programs --------------------------------------------------------------------------------------


def test_classes_and_functions_are_sections_with_the_comments_above(tmp_path: Path) -> None:
    document = seed(tmp_path, "code", "film.py")
    assert document.title == "film.py"
    assert outline(document) == [("Film", None), ("Film.play", 0), ("main", None)]
    film, play, main = document.sections
    assert "# A film\n@frozen\nclass Film(Work):" in document.text[film.begin : film.end]
    assert "print(self.year)" in document.text[play.begin : play.end]
    assert "Film().play()" in document.text[main.begin : main.end]
    assert place_of(document, "    def play(self)") == "line 13"
    assert "".join(document.text.split()).startswith('"""Films."""importos')


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.ts", (SEEDS / "code" / "film.ts").read_text(), ["Film", "play", "Reel", "Reel.spin"]),
        ("a.tsx", "export const App = () => <b/>;\nfunction f() {}", ["App", "f"]),
        ("a.js", "class A { m() {} }\n\nconst f = function () {};\n", ["A", "A.m", "f"]),
        ("b.js", "let plain;\nconst five = 5;\nconst f = () => five;\n", ["f"]),
        (
            "a.java",
            "package x;\npublic class A {\n  int f() { return 1; }\n  static class I {}\n}",
            ["A", "A.f", "A.I"],
        ),
        ("a.go", "package a\ntype S struct{}\nfunc (s *S) Run() {}\nfunc main() {}", ["S", "S.Run", "main"]),
        (
            "a.rs",
            "struct A;\nimpl A {\n  fn new() {}\n}\nmod m {\n fn q() {}\n}",
            ["A", "A", "A.new", "m", "m.q"],
        ),
        ("a.c", "static int *add(int a)\n{ return 0; }\nstruct P { int x; };", ["add", "P"]),
        (
            "a.cpp",
            (SEEDS / "code" / "film.cpp").read_text(),
            ["films", "films.Film", "films.Film.year", "films.play", "films::Film::year"],
        ),
        ("a.cs", "namespace X;\npublic class A {\n  int F() { return 1; }\n}", ["A", "A.F"]),
        ("a.rb", "module M\n  class A\n    def f\n      1\n    end\n  end\nend", ["M", "M.A", "M.A.f"]),
        ("a.php", "<?php\nclass A {\n  public function f() {}\n}\nfunction g() {}", ["A", "A.f", "g"]),
        ("a.sh", "# greets\ngreet() {\n  echo hello\n}\ngreet\n", ["greet"]),
    ],
)
def test_each_language_gives_its_definitions(
    tmp_path: Path, name: str, content: str, expected: list[str]
) -> None:
    document = read(tmp_path, name, content)
    assert [each.name for each in document.sections] == expected
    written = [line.strip() for line in content.split("\n") if line.strip()]
    assert [line for line in written if line not in document.text] == []


def test_every_grammar_is_tried_above() -> None:
    tried = {".py", ".ts", ".tsx", ".js", ".java", ".go", ".rs", ".c", ".cpp", ".cs", ".rb", ".php", ".sh"}
    assert {each.suffixes[0] for each in GRAMMARS} - tried == {".cc"}


def test_a_program_with_errors_is_read_as_far_as_it_is_understood(tmp_path: Path) -> None:
    document = read(tmp_path, "a.py", "def f(:\n    return 1\n\n\ndef g():\n    return 2\n")
    assert "return 1" in document.text
    assert "g" in [each.name for each in document.sections]


# --- Parquet and Arrow -----------------------------------------------------------------------------


def test_parquet_and_arrow_give_one_table_and_its_rows(tmp_path: Path) -> None:
    first, second = seed(tmp_path, "parquet", "films.parquet"), seed(tmp_path, "parquet", "films.arrow")
    assert first.text == second.text
    [table] = tables(first)
    assert table.columns == ("name", "year", "cast")
    assert table.rows == (("The Golden Heron", "1987", "Tobias Wren; Lucan Amery"), ("Low Tide", "1991", ""))
    assert place_of(first, "name: Low Tide; year: 1991") == "row 2"


def test_parquet_is_read_in_the_process_for_files(tmp_path: Path) -> None:
    table = pyarrow.table({"n": list(range(50_000)), "text": ["word"] * 50_000})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet", compression="zstd")
    pyarrow.feather.write_feather(table, tmp_path / "b.feather", compression="lz4")
    found = results(tmp_path)
    assert [found[name].error for name in ("a.parquet", "b.feather")] == [None, None]
    assert len(tables(found["b.feather"].documents[0])[0].rows) == 50_000


def test_a_parquet_file_cut_short_is_an_error(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"n": list(range(1000))}), buffer)
    for share in (0.3, 0.7, 0.99):
        cut = buffer.getvalue()[: int(len(buffer.getvalue()) * share)]
        with pytest.raises(InputError, match=r"^a\.parquet: not a complete parquet file .*; write it again$"):
            read(tmp_path, "a.parquet", cut)


def test_a_table_of_more_text_than_the_limit_is_refused(tmp_path: Path) -> None:
    table = pyarrow.table({"n": ["word" * 100] * 5000})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    assert len(content) < 10_000
    with pytest.raises(LimitError, match="max_text_length"):
        read(tmp_path, "a.parquet", content, Settings(max_text_length=100_000))


# --- without the extras ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "module", "extra"),
    [
        ("parquet", "films.parquet", "pyarrow", "data"),
        ("code", "film.py", "tree_sitter", "code"),
        ("rst", "film.rst", "docutils.core", "code"),
        ("tex", "film.tex", "pylatexenc.latex2text", "code"),
    ],
)
def test_a_missing_library_names_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnavailableError, match=rf"install it with the extra {extra}: pip install"):
        seed(tmp_path, kind, name)
