"""Text in pictures and on scanned pages, read by OCR where a run asks for it."""

from __future__ import annotations

import io
import shutil
from email.message import EmailMessage
from pathlib import Path

import pytest
import rapidocr
import reportlab
from build.readers.reading import read, read_all
from PIL import Image, ImageDraw, ImageFont

from sage_ld import KnowledgeGraph
from sage_ld.build.readers.reading import read_paths
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

pytestmark = pytest.mark.slow
FONT = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
LINES = ("Delivery note 4711", "Gasket KQ-5521, 12 pieces", "Straße 5, Köln, 83 kg")


def picture(*lines: str, form: str = "PNG", frames: int = 1) -> bytes:
    """A picture with lines of black text."""
    made = Image.new("RGB", (900, 90 + 60 * len(lines)), "white")
    draw = ImageDraw.Draw(made)
    for number, line in enumerate(lines):
        draw.text((40, 40 + 60 * number), line, fill="black", font=ImageFont.truetype(FONT, 32))
    out = io.BytesIO()
    more = {"save_all": True, "append_images": [made] * (frames - 1)} if form in ("TIFF", "PDF") else {}
    made.save(out, form, **more)
    return out.getvalue()


@pytest.mark.parametrize(("name", "form"), [("a.png", "PNG"), ("a.jpg", "JPEG"), ("a.tiff", "TIFF")])
def test_a_picture_is_the_text_in_it(tmp_path: Path, name: str, form: str) -> None:
    document = read(tmp_path, name, picture(*LINES, form=form), Settings(ocr=True))
    assert "Gasket KQ-5521, 12 pieces" in document.text
    assert "Köln, 83 kg" in document.text


def test_a_scanned_page_is_read_and_the_others_keep_their_text(tmp_path: Path) -> None:
    document = read(tmp_path, "a.pdf", picture(*LINES, form="PDF", frames=2), Settings(ocr=True))
    assert [
        place.first for place in document.places if "KQ-5521" in document.text[place.begin : place.end]
    ] == [1, 2]


def test_without_ocr_a_picture_is_skipped_and_named(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(picture(*LINES))
    (in_folder,) = read_paths([tmp_path], Settings())
    assert (in_folder.identifier, in_folder.skipped) == ("a.png", "a picture, whose text is read with --ocr")
    (named,) = read_paths([tmp_path / "a.png"], Settings())
    assert str(named.error) == "a.png: a picture, whose text is read with --ocr"


def test_the_model_of_another_script_is_a_file_that_the_reading_process_opens(tmp_path: Path) -> None:
    """RapidOCR's own model, under another name: what it reads is what it read."""
    [own] = Path(rapidocr.__file__).parent.glob("models/*_rec_*.onnx")
    model = tmp_path / "models" / "other.onnx"
    model.parent.mkdir()
    shutil.copy(own, model)
    (tmp_path / "a.png").write_bytes(picture(*LINES))
    (there,) = read_paths([tmp_path / "a.png"], Settings(ocr=True, ocr_model=str(model)))
    assert "KQ-5521" in there.documents[0].text
    (missing,) = read_paths([tmp_path / "a.png"], Settings(ocr=True, ocr_model=f"{model}.gone"))
    assert "the setting ocr_model: no file" in str(missing.error)


def test_a_picture_in_a_mail(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"] = "The note"
    message.set_content("See the picture.")
    message.add_attachment(picture(*LINES), maintype="image", subtype="png", filename="note.png")
    documents = read_all(tmp_path, "a.eml", message.as_bytes(), Settings(ocr=True))
    assert "KQ-5521" in documents[1].text


@pytest.mark.parametrize(
    ("data", "settings", "error", "message"),
    [
        (b"no picture", Settings(ocr=True), InputError, "the picture is damaged"),
        (picture(*LINES)[:200], Settings(ocr=True), InputError, "the picture is damaged"),
        (picture(" "), Settings(ocr=True), InputError, "no text was found in the picture"),
        (picture(*LINES), Settings(ocr=True, max_picture_pixels=1_000), LimitError, "max_picture_pixels"),
    ],
)
def test_pictures_that_cannot_be_read(
    tmp_path: Path, data: bytes, settings: Settings, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read(tmp_path, "a.png", data, settings)


def test_more_pages_than_ocr_may_read(tmp_path: Path) -> None:
    settings = Settings(ocr=True, max_ocr_pages=2)
    for name, form in (("a.tiff", "TIFF"), ("a.pdf", "PDF")):
        with pytest.raises(LimitError, match="max_ocr_pages"):
            read(tmp_path, name, picture("x", form=form, frames=3), settings)


def test_what_ocr_has_read_stays_when_a_later_run_does_not_ask_for_it(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.png").write_bytes(picture(*LINES))
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    assert graph.ingest(files, ocr=True).added == 1
    summary = graph.ingest(files, sync=True)
    assert (summary.removed_documents, list(summary.skipped.values())) == ([], [["a.png"]])
    graph.close()
