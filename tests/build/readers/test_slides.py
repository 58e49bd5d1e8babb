"""Presentations: a section a slide, with its tables, links and notes."""

from __future__ import annotations

from build.readers.office_files import odf, slides
from build.readers.reading import read
from pptx.util import Inches

from sage_ld.build.chunkers.places import PlaceFinder


def _fill(presentation):
    first = presentation.slides.add_slide(presentation.slide_layouts[1])
    first.shapes.title.text = "Films"
    body = first.placeholders[1].text_frame
    body.text = "Cotten"
    run = body.add_paragraph().add_run()
    run.text = "Welles"
    run.hyperlink.address = "https://e.org/welles"
    first.notes_slide.notes_text_frame.text = "Say it slowly."
    second = presentation.slides.add_slide(presentation.slide_layouts[5])
    table = second.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    for cell, text in zip(table.iter_cells(), ("Year", "Title", "1949", "The Third Man"), strict=True):
        cell.text = text
    presentation.core_properties.author = "Ann"
    presentation.core_properties.title = ""


def test_a_presentation_has_a_section_for_each_slide(tmp_path):
    document = read(tmp_path, "a.pptx", slides(_fill))
    assert document.text.split("\n\n") == [
        "Films",
        "Cotten\nWelles",
        "Say it slowly.",
        "Slide 2",
        "Year: 1949; Title: The Third Man",
    ]
    places = PlaceFinder(document)
    assert [places.of(each.begin, each.end) for each in document.blocks] == ["slide 1", "slide 1", "slide 2"]
    assert [(each.target, each.text) for each in document.links] == [("https://e.org/welles", "Welles")]
    assert document.title == "Films"


def test_an_opendocument_presentation_is_read_likewise(tmp_path):
    frame = (
        '<draw:frame presentation:class="{}"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
    )
    notes = f"<presentation:notes>{frame.format('notes', 'Say it slowly.')}</presentation:notes>"
    pages = (
        f"<draw:page>{frame.format('title', 'Films')}{frame.format('outline', 'Cotten')}{notes}</draw:page>"
    )
    document = read(tmp_path, "a.odp", odf(f"<office:presentation>{pages}</office:presentation>"))
    assert document.text.split("\n\n") == ["Films", "Cotten", "Say it slowly."]
    assert PlaceFinder(document).of(0, len(document.text)) == "slide 1"
