"""PDF: what a page shows, as reportlab draws it, is what its document says."""

from __future__ import annotations

from pathlib import Path

import pypdfium2.raw as pdfium
import pytest
from build.readers.pdf_pages import LOREM, annotated, drawn, flowing, lines, tables, text
from build.readers.reading import pdf, read
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

from sage_ld.foundation.settings import Settings


def test_headings_are_what_is_larger_than_the_text(tmp_path: Path) -> None:
    data = flowing(
        text("Harbours", "Title"),
        text("Old ones", "Heading1"),
        text(LOREM * 3),
        text("Of stone", "Heading2"),
        text(LOREM * 3),
        text("New ones", "Heading1"),
        text(LOREM * 3),
    )
    document = read(tmp_path, "a.pdf", data)
    named = {section.name: section for section in document.sections}
    assert list(named) == ["Harbours", "Old ones", "Of stone", "New ones"]
    assert named["Of stone"].level > named["Old ones"].level == named["New ones"].level
    assert document.sections[named["Of stone"].parent].name == "Old ones"


def test_headings_are_those_of_the_outline(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for number, (title, level) in enumerate([("Motion", 0), ("Along a line that goes", 1), ("Heat", 0)]):
            canvas.bookmarkPage(str(number))
            canvas.addOutlineEntry(title, str(number), level)
            lines(canvas, 72, 700, title, font="Helvetica-Bold")
            lines(canvas, 72, 650, "A pull of 3 kN.", "Larger text beside it.")
            lines(canvas, 72, 600, "No heading", size=16)
            canvas.showPage()

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert [(each.name, each.level) for each in document.sections] == [
        ("Motion", 1),
        ("Along a line that goes", 2),
        ("Heat", 1),
    ]


def test_a_large_sign_or_an_address_in_another_font_makes_no_heading(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 760, "Sums of numbers", size=18, font="Helvetica-Bold")
        for number, sign in enumerate(("\u2022", "x")):
            lines(canvas, 72, 700 - 60 * number, sign, size=22)
            lines(
                canvas, 86, 700 - 60 * number, "The sum is taken over all of the numbers", *[LOREM[:80]] * 2
            )
        lines(
            canvas,
            72,
            560,
            "See (https://example.org/a/long/address/of/a/page) for",
            LOREM[:80],
            font="Courier",
        )
        lines(canvas, 72, 520, "X", size=22)

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert [section.name for section in document.sections] == ["Sums of numbers"]


def test_the_outline_may_leave_out_the_numbers_of_headings(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for number, (title, shown) in enumerate([("Motion", "1 Motion"), ("Heat", "Chapter 2. Heat")]):
            canvas.bookmarkPage(str(number))
            canvas.addOutlineEntry(title, str(number), 0)
            lines(canvas, 72, 700, shown, "A pull of 3 kN.")
            canvas.showPage()

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert [section.name for section in document.sections] == ["1 Motion", "Chapter 2. Heat"]


def test_fonts_of_tex_without_unicode_keep_ligatures_dashes_and_bullets(tmp_path: Path) -> None:
    font = "<</Type/Font/Subtype/Type3/FontBBox[0 0 750 750]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<<>>"
    font += f"/Encoding<</Differences[0 {' '.join(f'/a{n}' for n in range(256))}]>>"
    font += f"/FirstChar 0/LastChar 255/Widths[{' '.join(['500'] * 256)}]>>"
    data = pdf(r"\210 de\034ned e\033ects, 50\02559", font=font)
    assert read(tmp_path, "a.pdf", data).text.endswith("• defined effects, 50–59")


def test_a_wide_blank_before_a_number_ends_no_paragraph(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        before = "The harbour of the town of Hask was built of stone in the year"
        lines(canvas, 72, 700, before, "the owners of ships.")
        x = 72 + canvas.stringWidth(before) + 7  # as wide as a blank of a justified line can be
        canvas.drawString(x, 700, "1931 by the town and by")

    assert "1931 by the town and by the owners of ships." in read(tmp_path, "a.pdf", drawn(draw)).text


def test_text_that_hangs_beside_a_term_is_one_paragraph(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 700, "lift:")
        lines(
            canvas,
            110,
            700,
            "The mass that the crane lifts, in the unit that is set",
            "as long as it stands.",
        )
        lines(canvas, 72, 660, "reach:")
        lines(canvas, 110, 660, "The length of the arm of the crane, as long as it is", "not folded in.")

    written = read(tmp_path, "a.pdf", drawn(draw)).text
    assert "lift: The mass that the crane lifts, in the unit that is set as long as it stands." in written
    assert "reach: The length of the arm of the crane, as long as it is not folded in." in written


def test_headers_and_footers_are_left_out_and_counted(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for number in range(1, 5):
            lines(canvas, 72, 800, "Annual report of the harbour")
            lines(canvas, 72, 600, f"Ship {number} came in.")
            lines(canvas, 300, 30, f"Page {number + 10}")
            canvas.showPage()

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert "Annual report" not in document.text
    assert "Page 11" not in document.text
    assert "Ship 4 came in." in document.text
    assert dict(document.passed_over)["header or footer"] == 8
    assert {(place.first, place.printed) for place in document.places} == {
        (n, f"{n + 10}") for n in range(1, 5)
    }


def test_a_line_with_the_number_of_its_page_is_a_header_or_a_footer(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for number, town in enumerate(("Hask", "Wren", "Lund", "Ost"), 7):
            if number > 7:
                lines(canvas, 72, 790, f"The town of {town}")
                lines(canvas, 500, 790, f"{number}")
            lines(canvas, 72, 600, f"Ship {number} came in.")
            if number == 7:
                lines(canvas, 290, 150, f"{number}")
            canvas.showPage()

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert "The town" not in document.text
    assert {(place.first, place.printed) for place in document.places} == {
        (number, f"{number + 6}") for number in range(1, 5)
    }
    assert dict(document.passed_over) == {"header or footer": 7}


@pytest.mark.parametrize("across", [False, True], ids=["column by column", "line by line"])
def test_columns_are_read_one_after_the_other(tmp_path: Path, *, across: bool) -> None:
    left = [f"left line {n} of the first long column" for n in range(8)]
    right = [f"right line {n} of the second long column" for n in range(8)]

    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 760, "A title over both of the columns of this page", size=18)
        if across:
            for number in range(8):
                lines(canvas, 60, 700 - 13 * number, left[number])
                lines(canvas, 320, 700 - 13 * number, right[number])
        else:
            lines(canvas, 60, 700, *left)
            lines(canvas, 320, 700, *right)

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert document.text.index("left line 7") < document.text.index("right line 0")
    assert "left line 0 of the first long column left line 1" in document.text


def test_a_table_with_lines_around_its_cells(tmp_path: Path) -> None:
    rows = [
        ["Pump", "Flow", "", "Price"],
        ["", "Least", "Most", ""],
        ["KQ-5521", "12", "25", "1,250.00"],
        ["KQ-5522, with a\nlonger name", "14", "31", "1,400.00"],
    ]
    style = [
        ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
        ("SPAN", (1, 0), (2, 0)),
        ("SPAN", (0, 0), (0, 1)),
    ]
    style.append(("SPAN", (3, 0), (3, 1)))
    document = read(
        tmp_path, "a.pdf", flowing(text(LOREM), Table(rows, style=TableStyle(style)), text(LOREM))
    )
    (table,) = tables(document)
    assert table.columns == ("Pump", "Flow Least", "Flow Most", "Price")
    assert table.rows[1] == ("KQ-5522, with a longer name", "14", "31", "1,400.00")
    assert document.text.count("The harbour was built") == 2


def test_a_table_without_lines(tmp_path: Path) -> None:
    rows = [
        ["In thousands", "2023", "2022"],
        ["Revenue", "105,000", "98,200"],
        ["Cost of sales", "(61,300)", "(58,900)"],
        ["Other income of the\nharbour and its tugs", "1,200", "900"],
        ["Result", "44,900", "40,200"],
    ]
    document = read(tmp_path, "a.pdf", flowing(text(LOREM), Table(rows), text(LOREM)))
    (table,) = tables(document)
    assert table.columns == ("In thousands", "2023", "2022")
    assert table.rows[0] == ("Revenue", "105,000", "98,200")
    assert ("Result", "44,900", "40,200") in table.rows


def printed(canvas: Canvas, y: float, *texts: str) -> None:
    """Lines as a statistical program prints them, the first at `y` points from the bottom."""
    lines(canvas, 72, y, *texts, size=8, font="Courier")


def test_the_names_of_columns_stand_over_numbers_that_end_where_they_do(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        printed(
            canvas,
            700,
            "          vars   n   mean     sd median trimmed kurtosis   se",
            "gender       1 700   1.65   0.48      2    1.68    -1.62 0.02",
            "age          2 700  25.59   9.50     22   23.86     2.42 0.36",
            "education    3 687 610.22 115.64    620  617.25    -0.02 4.41",
        )

    (table,) = tables(read(tmp_path, "a.pdf", drawn(draw)))
    assert table.columns[1:] == ("vars", "n", "mean", "sd", "median", "trimmed", "kurtosis", "se")
    assert table.rows[2] == ("education", "3", "687", "610.22", "115.64", "620", "617.25", "-0.02", "4.41")


def test_a_line_across_a_printout_ends_a_table(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        printed(
            canvas,
            700,
            "Group: 1",
            "          vars   n   mean    sd",
            "gender       1 247   1.00  0.00",
            "age          2 247  25.86  9.74",
            "-------------------------------------",
            "Group: 2",
            "          vars   n   mean    sd",
            "--------- ---- --- ------ -----",
            "gender       1 453   2.00  0.00",
            "age          2 453  25.45  9.37",
        )

    first, second = tables(read(tmp_path, "a.pdf", drawn(draw)))
    assert first.columns[1:] == second.columns[1:] == ("vars", "n", "mean", "sd")
    assert first.rows == (("gender", "1", "247", "1.00", "0.00"), ("age", "2", "247", "25.86", "9.74"))
    assert second.rows == (("gender", "1", "453", "2.00", "0.00"), ("age", "2", "453", "25.45", "9.37"))


def test_the_caption_of_a_table_is_its_own(tmp_path: Path) -> None:
    rows = [["Town", "People"], ["Hask", "9,500"], ["Wren", "4,100"], ["Lund", "3,900"]]
    document = read(tmp_path, "a.pdf", flowing(text(LOREM), text("Table 4: People of towns"), Table(rows)))
    assert [table.caption for table in tables(document)] == ["Table 4: People of towns"]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("The dam is 25<super>2</super> metres long.", "The dam is 25 [2] metres long."),
        ("An area of 40 m<super>2</super>.", "An area of 40 m²."),
        ("About 4 × 10<super>6</super> tons.", "About 4 × 10^6 tons."),
        ("Water is H<sub>2</sub>O.", "Water is H2O."),
        ("On the 21<super>st</super> of May.", "On the 21st of May."),
        ("It weighs 83<super>†</super> kg.", "It weighs 83 [†] kg."),
    ],
)
def test_raised_text_makes_no_other_number(tmp_path: Path, shown: str, expected: str) -> None:
    assert expected in read(tmp_path, "a.pdf", flowing(text(shown))).text


@pytest.mark.parametrize(
    ("mark", "note"),
    [
        ("1", "without hedgehogs"),
        ("2", "Without those that were sold."),
        ("12", "see page 4"),
        ("3", "9,500 in 1931"),
        ("4", "ibid."),
    ],
)
def test_the_raised_number_of_a_note_stands_before_its_text(tmp_path: Path, mark: str, note: str) -> None:
    shown = flowing(text(LOREM), text(f"<super>{mark}</super> {note}"))
    assert read(tmp_path, "a.pdf", shown).text.endswith(f"\n\n[{mark}] {note}")


def test_the_text_of_a_note_close_below_a_paragraph_is_one_of_its_own(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 700, "Ticks were found on 137 of 512 dogs and", "on cats last summer in the hills.")
        lines(canvas, 72, 678, "1", size=6)
        lines(canvas, 80, 674, "without hedgehogs and mice")

    assert read(tmp_path, "a.pdf", drawn(draw)).text.endswith("hills.\n\n[1] without hedgehogs and mice")


def test_the_fields_of_a_form_stand_beside_their_labels(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        for y, label, checked in ((700, "Vegetarian", True), (680, "Vegan", False)):
            lines(canvas, 100, y, label)
            form.checkbox(name=label, x=80, y=y - 3, size=12, checked=checked)
        lines(canvas, 80, 640, "Name of the guest:")
        form.textfield(name="guest", x=200, y=634, width=150, height=18, value="Otto Wren")
        lines(canvas, 80, 600, "Country:")
        options = ["Norway", "Denmark"]
        form.choice(name="country", x=200, y=594, width=150, height=18, value="Denmark", options=options)
        form.textfield(name="town", tooltip="Town", x=200, y=500, width=150, height=18, value="Hask")

    written = read(tmp_path, "a.pdf", drawn(draw)).text
    assert "☒ Vegetarian" in written
    assert "☐ Vegan" in written
    assert "Name of the guest: Otto Wren" in written
    assert "Country: Denmark" in written
    assert "Town: Hask" in written


def test_the_data_of_an_xfa_form_are_a_record(tmp_path: Path) -> None:
    data = '<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form>'
    data += "<guest>Otto Wren</guest><nights>3</nights></form></xfa:data></xfa:datasets>"
    document = read(tmp_path, "a.pdf", pdf("Please wait", xfa=data))
    assert document.text.endswith("guest: Otto Wren\nnights: 3")


def test_links_keep_their_place(tmp_path: Path) -> None:
    data = flowing(
        text('See <link href="https://example.org/wren">Otto Wren</link> and <link href="b.pdf">b</link>.')
    )
    document = read(tmp_path, "a.pdf", data)
    first, second = document.links
    assert (first.text, first.target) == ("Otto Wren", "https://example.org/wren")
    assert (second.text, second.target) == ("b", "b.pdf")


def test_text_that_is_struck_out_is_left_out_and_counted(tmp_path: Path) -> None:
    data = drawn(lambda canvas: lines(canvas, 72, 700, "The fee is 40 euros.", "It was 30 before."))
    struck = annotated(data, pdfium.FPDF_ANNOT_STRIKEOUT, (70, 684, 200, 696))
    document = read(tmp_path, "a.pdf", struck)
    assert document.text == "Page 1\n\nThe fee is 40 euros."
    assert dict(document.passed_over) == {"struck-out text": 4}


def test_comments_and_text_that_was_typed_onto_a_page(tmp_path: Path) -> None:
    data = drawn(lambda canvas: lines(canvas, 72, 700, "Name of the guest:"))
    typed = annotated(data, pdfium.FPDF_ANNOT_FREETEXT, (180, 698, 250, 710), "Otto Wren")
    written = read(tmp_path, "a.pdf", typed).text
    assert "Name of the guest: Otto Wren" in written
    noted = annotated(data, pdfium.FPDF_ANNOT_TEXT, (300, 600, 320, 620), "Ask him for his passport.")
    assert read(tmp_path, "b.pdf", noted).text.endswith("Ask him for his passport.")


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_page_is_read_as_it_is_turned(tmp_path: Path, rotation: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(rotation)
        width, height = A4 if rotation == 180 else A4[::-1]  # reportlab turns the page's box with it
        if rotation == 90:
            canvas.translate(width, 0)
        elif rotation == 180:
            canvas.translate(width, height)
        elif rotation == 270:
            canvas.translate(0, height)
        canvas.rotate(rotation)
        lines(canvas, 72, 400, "The crane lifts nine tons", "and was built in 1931.")

    expected = "The crane lifts nine tons and was built in 1931."
    assert expected in read(tmp_path, "a.pdf", drawn(draw)).text


def test_text_that_runs_up_the_page_is_one_line(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 200, 700, "Level text.")
        canvas.rotate(90)
        lines(canvas, 200, -100, "The crane lifts nine tons.")

    written = read(tmp_path, "a.pdf", drawn(draw)).text
    assert "The crane lifts nine tons." in written
    assert "Level text." in written


def test_what_nobody_sees_is_left_out_and_counted(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 700, "Seen by all.")
        lines(canvas, 72, -50, "Off the page.")
        lines(canvas, 72, 600, "Too small.", size=0.4)
        canvas.showPage()
        canvas.showPage()
        canvas.rect(10, 10, 50, 50)
        canvas.showPage()

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert document.text == "Page 1\n\nSeen by all."
    assert dict(document.passed_over) == {"hidden text": 5, "page without text": 2}


def test_white_text_on_white_is_left_out_and_on_an_area_of_colour_is_read(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 700, "Seen by all.")
        canvas.setFillGray(0.1)
        canvas.rect(60, 590, 300, 30, stroke=0, fill=1)
        canvas.setFillGray(1)
        lines(canvas, 72, 600, "White on black.")
        lines(canvas, 72, 500, "White on paper.")
        canvas.setFillGray(1)
        canvas.rect(60, 390, 300, 30, stroke=1, fill=1)
        lines(canvas, 72, 400, "White in a frame.")
        canvas.setFillColorRGB(0, 0, 0, alpha=0)
        lines(canvas, 72, 300, "Transparent.")
        canvas.showPage()

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert document.text == "Page 1\n\nSeen by all.\n\nWhite on black."
    assert dict(document.passed_over) == {"hidden text": 8}
    assert document.passed_over_places == (("hidden text", ("page 1",)),)


def test_a_word_cut_at_the_end_of_a_line_keeps_its_end(tmp_path: Path) -> None:
    data = drawn(lambda canvas: lines(canvas, 72, 700, "The light-", "house of Hask."))
    assert "The light-\nhouse of Hask." in read(tmp_path, "a.pdf", data).text


def test_a_table_of_contents_is_no_table(tmp_path: Path) -> None:
    entries = [f"{n}. A chapter {'. ' * 30} {n * 4}" for n in range(1, 8)]
    document = read(tmp_path, "a.pdf", drawn(lambda canvas: lines(canvas, 72, 700, *entries)))
    assert not tables(document)
    assert "3. A chapter … 12" in document.text


def test_too_much_text_is_refused_before_all_pages_are_read(tmp_path: Path) -> None:
    data = flowing(*[text(LOREM)] * 40)
    with pytest.raises(Exception, match="max_text_length"):
        read(tmp_path, "a.pdf", data, Settings(max_text_length=1_000))


def test_annotations_without_text_are_counted_with_their_page(tmp_path: Path) -> None:
    data = pdf("Seen.", "More.")
    for kind in (pdfium.FPDF_ANNOT_STAMP, pdfium.FPDF_ANNOT_FILEATTACHMENT, pdfium.FPDF_ANNOT_HIGHLIGHT):
        data = annotated(data, kind, (1, 1, 20, 20))
    document = read(tmp_path, "a.pdf", data)
    assert document.passed_over == (("attached file", 1), ("drawing", 1))
    assert document.passed_over_places == (("attached file", ("page 1",)), ("drawing", ("page 1",)))
