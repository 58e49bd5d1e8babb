"""Texts and slides from before 2007, which LibreOffice reads; made here by it, where it is installed."""

import random
import shutil
import subprocess
from pathlib import Path
from tempfile import gettempdir

import docx
import pptx
import pytest
from build.readers.reading import read, read_all, results
from waiting import PATIENCE

from sage_ld.build.readers.office.legacy import find_libreoffice
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.model import Table
from sage_ld.foundation.settings import Settings

SETTINGS = Settings()
with_libreoffice = pytest.mark.skipif(
    find_libreoffice(SETTINGS) is None or shutil.which("soffice") is None,
    reason="LibreOffice is not installed",
)


def converted(path: Path, suffix: str) -> bytes:
    profile = path.parent / "profile"
    command = ["soffice", "--headless", f"-env:UserInstallation={profile.as_uri()}", "--convert-to", suffix]
    subprocess.run(
        [*command, "--outdir", path.parent, path], check=True, capture_output=True, timeout=PATIENCE
    )
    return path.with_suffix(f".{suffix}").read_bytes()


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("text") / "a.docx"
    document = docx.Document()
    document.core_properties.title = "Pumps"
    document.add_heading("Pump manual", 1)
    document.add_paragraph("The pump weighs 83 kg.")
    table = document.add_table(0, 2)
    for part, weight in (("Part", "Weight"), ("Rotor", "12 kg"), ("Valve", "3 kg")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = part, weight
    run = document.add_paragraph("It turns 10").add_run("6")
    run.font.superscript = True
    gone = document.add_paragraph("Kept. ").add_run("Struck.")
    gone.font.strike = True
    document.save(path)
    return converted(path, "doc")


@pytest.fixture(scope="module")
def slides(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("slides") / "a.pptx"
    presentation = pptx.Presentation()
    for title, line in (("Harbour", "Nine ferries"), ("Fares", "A day costs 12 euros")):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, line
    slide.notes_slide.notes_text_frame.text = "Say hello"
    presentation.save(path)
    return converted(path, "ppt")


@with_libreoffice
def test_a_text(tmp_path, text):
    document = read(tmp_path, "a.doc", text)
    assert (document.title, document.media_type) == ("Pumps", "application/msword")
    assert [section.name for section in document.sections] == ["Pump manual"]
    assert "The pump weighs 83 kg." in document.text
    assert "It turns 10^6" in document.text
    assert "Struck." not in document.text
    assert document.passed_over == (("struck-out text", 1),)
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    assert (table.columns, table.rows[0]) == (("Part", "Weight"), ("Rotor", "12 kg"))
    assert read(tmp_path, "a.doc", text) == document


@with_libreoffice
def test_slides(tmp_path, slides):
    document = read(tmp_path, "a.ppt", slides)
    assert document.media_type == "application/vnd.ms-powerpoint"
    assert [section.name for section in document.sections] == ["Harbour", "Fares"]
    assert document.text == "Harbour\n\nNine ferries\n\nFares\n\nA day costs 12 euros\n\nSay hello"


@with_libreoffice
def test_it_works_in_the_process_that_reads_files_and_leaves_nothing_behind(tmp_path, text):
    (tmp_path / "a.doc").write_bytes(text)
    before = set(Path(gettempdir()).glob("sage-ld-office-*"))
    result = results(tmp_path)["a.doc"]
    assert result.error is None
    assert result.documents[0].title == "Pumps"
    assert set(Path(gettempdir()).glob("sage-ld-office-*")) <= before


@with_libreoffice
def test_what_takes_too_long_or_too_much_is_an_error(tmp_path, text):
    with pytest.raises(LimitError, match=r"a\.doc: stopped after .* reader_timeout"):
        read(tmp_path, "a.doc", text, Settings(reader_timeout=0.1))
    with pytest.raises(InputError, match=r"a\.doc: LibreOffice cannot read it .*; save it as \.docx"):
        read(tmp_path, "a.doc", text, Settings(reader_memory=2**28))
    with pytest.raises(InputError, match=r"a\.doc: "):
        read(tmp_path, "a.doc", text, Settings(max_expanded_bytes=500))


@with_libreoffice
def test_a_file_that_a_document_names_is_not_read(tmp_path):
    (tmp_path / "secret.txt").write_text("harmless")
    source = tmp_path / "a.fodt"
    source.write_text(
        """<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 office:mimetype="application/vnd.oasis.opendocument.text" office:version="1.3"><office:body><office:text>
<text:p>Before</text:p><text:section text:name="s"><text:section-source xlink:type="simple"
 xlink:href="secret.txt"/><text:p>old</text:p></text:section></office:text></office:body></office:document>"""
    )
    content = converted(source, "doc")
    (tmp_path / "secret.txt").write_text("The word is Rhubarb.")
    document = read(tmp_path, "a.doc", content)
    assert "Before" in document.text
    assert "Rhubarb" not in document.text


@with_libreoffice
@pytest.mark.slow
def test_damaged_files_give_documents_or_errors_of_ours(tmp_path, text, slides):
    chance = random.Random(7)
    for number in range(6):
        name, content = (("a.doc", text), ("a.ppt", slides))[number % 2]
        damaged = bytearray(content)
        for _ in range(40):
            damaged[chance.randrange(512, len(damaged))] = chance.randrange(256)
        (tmp_path / name).write_bytes(damaged)
        result = results(tmp_path / name)[name]
        assert result.documents or isinstance(result.error, InputError)


def test_where_libreoffice_is_not_installed_the_error_names_the_remedy(tmp_path):
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    with pytest.raises(UnavailableError, match=r"a\.ppt: .*install it \(.*\), or save it as \.pptx"):
        read(tmp_path, "a.ppt", content, Settings(libreoffice="none"))


def test_another_format_under_an_old_name_is_read_as_what_it_is(tmp_path):
    document = read(tmp_path, "a.doc", r"{\rtf1\ansi The pump weighs 83 kg.\par}")
    assert (document.text, document.media_type) == ("The pump weighs 83 kg.", "application/msword")
    path = tmp_path / "b.docx"
    word = docx.Document()
    word.add_paragraph("Saved under an old name.")
    word.save(path)
    assert read_all(tmp_path, "b.doc", path.read_bytes())[0].text == "Saved under an old name."


@pytest.mark.parametrize("name", ["a.doc", "a.ppt"])
def test_what_is_no_office_file_is_an_error(tmp_path, name):
    with pytest.raises(InputError, match=rf"{name}: no file of Office 97–2003; check its format"):
        read(tmp_path, name, "plain")
