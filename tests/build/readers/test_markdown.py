from build.readers.reading import read

from sage_ld.foundation.model import Prose, Table

PAGE = """\
---
layout: post
title: "Heat: a film"
description: What it is about
lang: en
---

Some *emphasised* text   with `code`,
a [link](part2.md "its title") and <http://example.org/>.

# Plot

A thief.

- one
- two with [a link](two.md)
  - three

```sql
select  *
from films;
```

## Cast

| Actor | Role |
|---|:-:|
| [Al Pacino](pacino.html) | Hanna\\|Vincent |
| Robert De Niro |  |

# Reception

> Good.
"""


def test_headings_are_sections_with_their_tree(tmp_path):
    document = read(tmp_path, "a.md", PAGE)
    assert [(s.name, s.level, s.parent) for s in document.sections] == [
        ("Plot", 1, None),
        ("Cast", 2, 0),
        ("Reception", 1, None),
    ]
    assert [block.section for block in document.blocks] == [None, 0, 0, 0, 1, 2]


def test_front_matter_gives_title_and_metadata_and_is_no_text(tmp_path):
    document = read(tmp_path, "a.md", PAGE)
    assert document.title == "Heat: a film"
    assert [(each.key, each.value) for each in document.metadata] == [
        ("layout", "post"),
        ("description", "What it is about"),
        ("lang", "en"),
    ]
    assert document.text.startswith("Some emphasised text")


def test_without_front_matter_the_first_highest_heading_is_the_title_then_the_name(tmp_path):
    assert read(tmp_path, "a.md", "## Small\n\ntext\n\n# Large\n\n# Other").title == "Large"
    assert read(tmp_path, "notes.md", "text\n\n---\n\nmore").title == "notes"


def test_markup_is_plain_text_lists_are_one_block_and_code_keeps_its_lines(tmp_path):
    document = read(tmp_path, "a.md", PAGE)
    prose = [document.text[b.begin : b.end] for b in document.blocks if isinstance(b, Prose)]
    assert prose == [
        "Some emphasised text with code, a link and http://example.org/.",
        "A thief.",
        "one\ntwo with a link\nthree",
        "select  *\nfrom films;",
        "Good.",
    ]


def test_a_pipe_table_is_a_table_in_its_section_with_its_links(tmp_path):
    document = read(tmp_path, "a.md", PAGE)
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    assert table.columns == ("Actor", "Role")
    assert table.rows == (("Al Pacino", "Hanna|Vincent"), ("Robert De Niro", ""))
    assert document.text[slice(*table.row_spans[0])] == "Actor: Al Pacino; Role: Hanna|Vincent"
    links = [(link.target, link.text, link.row, link.column) for link in document.links]
    assert links == [
        ("part2.md", "link", None, None),
        ("http://example.org/", "http://example.org/", None, None),
        ("two.md", "a link", None, None),
        ("pacino.html", "Al Pacino", 0, "Actor"),
    ]


def test_html_inside_is_read_as_html(tmp_path):
    content = (
        'See <a href="x.html">this</a><br>now.\n\n<table><tr><th>A<tr><td>1</table>\n\n<!-- not this -->'
    )
    document = read(tmp_path, "a.md", content)
    assert document.text == "See this\nnow.\n\nA: 1"
    assert [link.target for link in document.links] == ["x.html"]


def test_a_table_inside_a_list_is_a_table(tmp_path):
    document = read(tmp_path, "a.md", "- before\n\n  | A |\n  |---|\n  | 1 |\n\n- after")
    assert document.text == "before\n\nA: 1\n\nafter"


def test_utf_16_with_a_mark_is_read(tmp_path):
    assert read(tmp_path, "a.md", "# Café".encode("utf-16")).title == "Café"
