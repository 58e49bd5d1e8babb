"""The coding of text files: what they state, what is guessed where it is sure, and what is refused."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from build.readers.reading import read

from sage_ld.build.readers.coding_guesses import sure_coding
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph

GERMAN = "Der Müller fährt über die Brücke nach Köln, kauft dort Äpfel und grüßt die Bäckerin in der Straße."
FRENCH = "L'été dernier, la forêt brûlait déjà près de l'église, et le maître de la maison était très ému."
RUSSIAN = "Вчера вечером мы пошли в театр и смотрели новую пьесу, и люди гуляли по улицам города до ночи."
JAPANESE = "昨日の夜、私たちは劇場へ行き、新しい芝居を見ました。天気がよく、人々は夜遅くまで歩いていました。"
CHINESE = "昨天晚上我们去剧院看了一出新戏。天气很好，人们在城市的街道上散步到深夜。这本书在桌子上。"

STATED = {
    "HTML": ("a.html", '<meta charset="windows-1252"><p>Café 3 €</p>', "cp1252", "Café 3 €"),
    "HTML in Shift-JIS": ("a.html", '<meta charset="Shift_JIS"><p>東京の駅</p>', "shift_jis", "東京の駅"),
    "HTML in KOI8-R": (
        "b.htm",
        '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>Москва</p>',
        "koi8-r",
        "Москва",
    ),
    "XML": ("a.xml", '<?xml version="1.0" encoding="windows-1251"?><a><p>Москва</p></a>', "cp1251", "Москва"),
    "XML in GB18030": (
        "a.xml",
        '<?xml version="1.0" encoding="GB18030"?><a><p>北京站</p></a>',
        "gb18030",
        "北京站",
    ),
    "LaTeX": ("a.tex", "\\usepackage[latin1]{inputenc}\nGrüße aus Köln.", "latin-1", "Grüße aus Köln"),
    "LaTeX on a Mac": ("a.tex", "\\usepackage[applemac]{inputenc}\nGrüße.", "mac-roman", "Grüße"),
    "Python": ("a.py", "# -*- coding: koi8-r -*-\ndef f():\n    '''Москва'''\n", "koi8-r", "Москва"),
    "reStructuredText": ("a.rst", ".. coding: gb18030\n\n北京站 is a station.\n", "gb18030", "北京站"),
    "text": ("a.txt", "coding: shift_jis\n東京の駅\n", "shift_jis", "東京の駅"),
    "Latin-1, as programs mean it": ("a.html", '<meta charset="iso-8859-1">3 €', "cp1252", "3 €"),
}


@pytest.mark.parametrize("case", STATED)
def test_a_coding_that_a_file_states_is_believed(case: str, tmp_path: Path) -> None:
    name, text, coding, seen = STATED[case]
    document = read(tmp_path, name, text.encode(coding))
    assert seen in document.text
    assert document.warnings == ()


def test_utf_16_with_its_mark_is_read_in_every_format(tmp_path: Path) -> None:
    for name, text in (
        ("a.csv", "Name;Ort\nMüller;Köln\nMeier;Bonn\n"),
        ("a.xml", '<?xml version="1.0" encoding="UTF-16"?><a><p>Köln</p></a>'),
        ("a.html", "<p>Köln</p>"),
    ):
        assert "Köln" in read(tmp_path, name, text.encode("utf-16")).text


@pytest.mark.parametrize(
    ("text", "coding"),
    [
        *((GERMAN, each) for each in ("cp1252", "latin-1", "mac-roman", "cp850")),
        *((FRENCH, each) for each in ("cp1252", "mac-roman", "cp850")),
        *((RUSSIAN, each) for each in ("cp1251", "koi8-r", "iso8859-5", "cp866")),
        (JAPANESE, "shift_jis"),
        *((CHINESE, each) for each in ("gb18030", "big5")),
    ],
)
def test_a_coding_that_follows_from_the_characters_is_said(text: str, coding: str, tmp_path: Path) -> None:
    data = text.encode(coding, "ignore")
    document = read(tmp_path, "a.txt", data)
    assert document.text == data.decode(coding)
    [warning] = document.warnings
    assert warning.startswith(f"a.txt: read as {sure_coding(data)}, which follows from its characters")


def test_a_guess_that_is_made_is_right_or_none() -> None:
    wrong = []
    for text in (GERMAN, FRENCH, RUSSIAN, JAPANESE, CHINESE):
        for coding in ("cp1252", "mac-roman", "cp850", "cp1251", "koi8-r", "cp866", "shift_jis", "gb18030"):
            for length in range(4, len(text), 7):
                data = text[:length].encode(coding, "ignore")
                guess = "" if data.isascii() else sure_coding(data)
                if guess and data.decode(guess) != data.decode(coding):
                    wrong.append((coding, text[:length], guess))
    assert wrong == []


def test_a_small_digit_inside_a_word_is_no_letter() -> None:
    """In code page 850, 0xFC is a raised 3."""
    text = "Die Brücke über den Fluss wurde aus Stein gebaut, und sie steht für alle, die gehen."
    assert sure_coding(text.encode("cp1252")) == "windows-1252"


def test_the_coding_of_a_long_file_is_guessed_from_a_part_and_holds_for_all(tmp_path: Path) -> None:
    data = b"plain words\n\n" * 20_000 + (GERMAN + "\n\n").encode("cp1252") * 3
    assert read(tmp_path, "a.txt", data).text.endswith(GERMAN)


def test_what_is_not_sure_is_refused_with_the_remedy_which_reads_it(tmp_path: Path) -> None:
    data = "name;town\nZoë;Łódź\n".encode("cp1250", "ignore")
    with pytest.raises(InputError, match="is not UTF-8; convert the file to UTF-8, or state its coding"):
        read(tmp_path, "a.csv", data)
    assert "Zoë" in read(tmp_path, "a.csv", data, replace(Settings(), encoding="windows-1250")).text
    (tmp_path / "a.csv.meta.yaml").write_text("encoding: windows-1250\nteam: red\n")
    document = read(tmp_path, "a.csv", data)
    assert "Zoë" in document.text
    assert [each.key for each in document.metadata] == ["team"]


def test_the_setting_leaves_utf_8_and_what_states_its_coding_alone(tmp_path: Path) -> None:
    settings = replace(Settings(), encoding="koi8-r")
    assert read(tmp_path, "a.txt", "Köln".encode(), settings).text == "Köln"
    name, text, coding, seen = STATED["HTML"]
    assert seen in read(tmp_path, name, text.encode(coding), settings).text


def test_a_file_that_states_another_coding_but_is_utf_8_is_read_as_such(tmp_path: Path) -> None:
    document = read(tmp_path, "a.html", '<meta charset="iso-8859-1"><p>Köln</p>'.encode())
    assert document.text == "Köln"
    assert document.warnings == ("a.html: it states the coding cp1252, but is UTF-8, as which it was read",)


@pytest.mark.parametrize("name", ["punycode", "rot13", "unicode_escape", "klingon"])
def test_an_unknown_coding_is_an_error_that_names_some(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"unknown coding '{name}'; give a name such as windows-1252"):
        read(tmp_path, "a.txt", b"\xe9", replace(Settings(), encoding=name))


def test_a_mail_is_read_in_the_coding_that_fits(tmp_path: Path) -> None:
    head = b"From: a@example.org\nSubject: x\nContent-Type: text/plain%s\nContent-Transfer-Encoding: 8bit\n\n"
    stated = read(tmp_path, "a.eml", head % b"; charset=koi8-r" + RUSSIAN.encode("koi8-r"))
    unstated = read(tmp_path, "b.eml", head % b"" + GERMAN.encode("cp1252"))
    unknown = read(tmp_path, "c.eml", head % b"" + b"good \xff bad")
    assert (RUSSIAN in stated.text, GERMAN in unstated.text) == (True, True)
    assert dict(unknown.passed_over) == {"byte of no known coding": 1}


def test_the_coding_in_the_metadata_counts_for_bytes_alone(tmp_path):
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")) as graph:
        stated = {"encoding": "windows-1252"}
        graph.add(GERMAN, identifier="text", metadata=stated)
        graph.add(GERMAN.encode("cp1252"), identifier="bytes", media_type="text/plain", metadata=stated)
        assert [graph.documents[name].text for name in ("text", "bytes")] == [GERMAN, GERMAN]
