"""Front matter in YAML and TOML: types, nesting, and input that is hostile or no front matter at all."""

from __future__ import annotations

import pytest
from build.readers.reading import read

from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Property
from sage_ld.foundation.settings import Settings

YAML = """---
title: Heron
team: red
year: 2024
price: 1.50
ratio: 1e-3
ready: true
country: NO
code: 007
at: 12:30
quoted: "2024"
date: 2024-05-01
seen: 2024-05-01 10:30:00 +02:00
nothing: ~
tags: [birds, prizes]
author: {name: Ada, born: 1815}
---
# A heading

Text.
"""
TOML = """+++
title = "Heron"
year = 2024
price = 1.5
ready = true
date = 2024-05-01
seen = 2024-05-01T10:30:00+02:00
tags = ["birds", "prizes"]
[author]
name = "Ada"
+++
Text.
"""


def stated(text: str) -> list[tuple[str, str, str]]:
    return [(each.key, each.value, each.datatype) for each in text]


def test_yaml_keeps_types_nesting_and_lists(tmp_path):
    document = read(tmp_path, "a.md", YAML)
    assert document.title == "Heron"
    assert document.text == "A heading\n\nText."
    assert stated(document.metadata) == [
        ("team", "red", "string"),
        ("year", "2024", "integer"),
        ("price", "1.50", "decimal"),
        ("ratio", "1e-3", "double"),
        ("ready", "true", "boolean"),
        ("country", "NO", "string"),
        ("code", "007", "string"),
        ("at", "12:30", "string"),
        ("quoted", "2024", "string"),
        ("date", "2024-05-01", "date"),
        ("seen", "2024-05-01T10:30:00+02:00", "dateTime"),
        ("tags", "birds", "string"),
        ("tags", "prizes", "string"),
        ("author.name", "Ada", "string"),
        ("author.born", "1815", "integer"),
    ]


def test_toml_keeps_them_too(tmp_path):
    document = read(tmp_path, "a.md", TOML)
    assert (document.title, document.text) == ("Heron", "Text.")
    assert stated(document.metadata) == [
        ("year", "2024", "integer"),
        ("price", "1.5", "decimal"),
        ("ready", "true", "boolean"),
        ("date", "2024-05-01", "date"),
        ("seen", "2024-05-01T10:30:00+02:00", "dateTime"),
        ("tags", "birds", "string"),
        ("tags", "prizes", "string"),
        ("author.name", "Ada", "string"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\ntitle: [open\n---\nText.", "not valid YAML: "),
        ("---\ntitle: Heat: a film\n---\nText.", "mapping values are not allowed"),
        ("---\na: *nowhere\n---\nText.", "not valid YAML: "),
        ("---\n? [a, b]\n: c\n---\nText.", "a key that is a list or a map"),
        ("+++\ntitle = \n+++\nText.", "not valid TOML: "),
    ],
)
def test_what_is_no_yaml_stays_text_and_is_reported(tmp_path, text, reason):
    document = read(tmp_path, "a.md", text)
    assert document.metadata == ()
    assert document.text.endswith("Text.")
    assert "title" in document.text or "nowhere" in document.text or "[a, b]" in document.text
    [warning] = document.warnings
    assert warning.startswith("a.md: ")
    assert reason in warning
    assert warning.endswith("the front matter was kept as text")


def test_a_thematic_break_is_no_front_matter(tmp_path):
    document = read(tmp_path, "a.md", "---\nThe quay is of stone.\n\n---\nMore.")
    assert document.warnings == ()
    assert "The quay is of stone." in document.text


def test_empty_front_matter_says_nothing(tmp_path):
    document = read(tmp_path, "a.md", "---\n# nothing yet\n---\nText.")
    assert (document.text, document.metadata, document.warnings) == ("Text.", (), ())


def aliases(count: int) -> str:
    lines = "\n".join(f"key{n}: *team" for n in range(count))
    return f"---\nteam: &team red\n{lines}\n---\nText."


def test_a_thousand_aliases_are_a_thousand_values(tmp_path):
    metadata = read(tmp_path, "a.md", aliases(1000)).metadata
    assert len(metadata) == 1001
    assert {each.value for each in metadata} == {"red"}


def test_aliases_count_each_time_toward_the_limit(tmp_path):
    with pytest.raises(LimitError, match="max_metadata_values"):
        read(tmp_path, "a.md", aliases(1000), Settings(max_metadata_values=1000))


NESTED = "\n".join(
    ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 99))]
)
MERGED = "\n".join(
    ["a0: &a0 {k: v}", *(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 99))]
)


@pytest.mark.parametrize(
    ("yaml", "setting"),
    [
        (NESTED, "max_metadata_values"),
        ("a: &a [*a, *a]", "max_"),
        ("a: &a {b: *a}", "max_json_depth"),
        ("a: " + "[" * 500 + "]" * 500, "max_json_depth"),
        ("a: " + "x" * 5_000_000, "max_metadata_length"),
    ],
)
def test_bombs_meet_a_limit(tmp_path, yaml, setting):
    with pytest.raises(LimitError, match=setting):
        read(tmp_path, "a.md", f"---\n{yaml}\n---\nText.")


def test_merged_maps_are_followed_once(tmp_path):
    metadata = read(tmp_path, "a.md", f"---\n{MERGED}\n---\nText.").metadata
    assert len(metadata) < 100
    text = "---\nbase: &base {team: red, year: 1}\nown: {<<: *base, year: 2}\n---\nText."
    assert stated(read(tmp_path, "b.md", text).metadata)[2:] == [
        ("own.team", "red", "string"),
        ("own.year", "2", "integer"),
    ]


def test_a_tag_constructs_nothing(tmp_path):
    text = '---\na: !!python/object/apply:os.system ["echo"]\nb: !!str 5\nc: !!int "5"\n---\nText.'
    assert stated(read(tmp_path, "a.md", text).metadata) == [
        ("a", "echo", "string"),
        ("b", "5", "string"),
        ("c", "5", "integer"),
    ]


def test_members_of_json_lines_are_metadata_and_strings_stay_text(tmp_path):
    line = (
        '{"_id": "1", "title": "T", "text": "Body.", "team": "red", "year": 1995, "price": 1.50, "ok": true, '
        '"none": null, "tags": ["a", "b"], "metadata": {"page": 3, "loc": {"line": 4}, "team": "blue"}}'
    )
    document = read(tmp_path, "a.jsonl", line)
    assert document.text == "Body.\n\nteam: red\ntags: a, b"
    assert set(document.metadata) == {
        Property("page", "3", "integer"),
        Property("loc.line", "4", "integer"),
        Property("team", "red"),
        Property("team", "blue"),
        Property("year", "1995", "integer"),
        Property("price", "1.50", "decimal"),
        Property("ok", "true", "boolean"),
        Property("tags", "a"),
        Property("tags", "b"),
    }


def test_metadata_of_json_lines_has_the_limits_and_names_the_line(tmp_path):
    line = f'{{"_id": "1", "text": "Body.", "numbers": [{", ".join("1" * 300)}]}}'
    with pytest.raises(LimitError, match=r"a\.jsonl: line 1: its metadata: 101 values.*max_metadata_values"):
        read(tmp_path, "a.jsonl", line, Settings(max_metadata_values=100))
