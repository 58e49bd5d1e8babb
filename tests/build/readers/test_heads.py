"""Which rows of a table name its columns: shapes of tables as people make them."""

from __future__ import annotations

import pytest
from build.readers.office_files import workbook
from build.readers.reading import read

from sage_ld.build.chunkers.places import PlaceFinder
from sage_ld.build.readers.heads import HeadRow, head_count, head_names, is_form
from sage_ld.build.readers.section_rows import section_rows
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Table
from sage_ld.foundation.settings import Settings

SHAPES: list[tuple[str, list[str], int]] = [
    ("texts over texts", ["Name|Instrument", "Mira|cello", "Isolde|viola"], 1),
    ("texts over numbers", ["Item|Price", "Tea|3.50", "Coffee|4"], 1),
    ("a word among numbers", ["Item|Price", "Tea|3.50", "Water|free", "Coffee|4"], 1),
    ("a date among words", ["Item|Status", "Tea|open", "Water|2024-01-01", "Coffee|closed"], 1),
    ("one unit", ["Part|Weight", "Pump|83 kg", "Valve|11 kg"], 1),
    ("two units", ["Part|Size", "Pump|83 kg", "Valve|11 kW"], 1),
    ("currencies", ["Item|Price", "Tea|€ 3.50", "Coffee|€ 4"], 1),
    ("years in a column", ["Name|Year", "A|1999", "B|2001"], 1),
    ("years as names", ["Country|2019|2020", "Norway|5|6", "Sweden|7|8"], 1),
    ("years as names, nothing above the labels", ["|2019|2020", "Norway|5|6"], 1),
    ("spans of years", ["Club|2019/20|2020/21", "Reds|5|6"], 1),
    ("days as names", ["Shop|2024-01-01|2024-02-01", "Osmere|21|22"], 1),
    ("days as a German writes them", ["Wache|6.5.2024|7.5.2024", "Ann|früh|spät"], 1),
    ("months as names", ["|Jan|Feb|Mar", "Rent|5|6|7"], 1),
    ("months with years", ["Item|Jan 2024|Feb 2024", "Rent|5|6"], 1),
    ("weekdays", ["Day|Mon|Tue", "1|x|y", "2|z|w"], 1),
    ("quarters", ["Shop|Q1|Q2|Q3", "Hask|4|5|6"], 1),
    ("rooms by number", ["Room|101|102|103", "Beds|2|3|2"], 1),
    ("weeks by number", ["Team|1|2|3|4", "Reds|4|0|7|1"], 1),
    ("tens as names", ["Age|10|20|30", "Share|0.2|0.5|0.9"], 1),
    ("metric and value", ["Metric|Value", "Founded|1987", "Revenue|1,200 kr"], 1),
    ("Merkmal und Wert", ["Merkmal|Wert", "Baujahr|1987", "Gewicht|83 kg"], 1),
    ("three columns of texts", ["Name|Town|Trade", "Ann|Oslo|smith", "Bob|Rome|cook"], 1),
    ("identifiers", ["No|Part", "KQ-5521|Gasket", "KQ-5522|Bolt"], 1),
    ("percent", ["Party|Share", "Left|12%", "Right|40%"], 1),
    ("thousands", ["Town|People", "Oslo|700,000", "Rome|2,800,000"], 1),
    ("thousands as in Germany", ["Ort|Einwohner", "Köln|1.085.664", "Bonn|330.579"], 1),
    ("thousands as in France", ["Ville|Habitants", "Lyon|522 250", "Nice|343 000"], 1),
    ("negative numbers", ["Day|Change", "Mon|-3.5", "Tue|+2"], 1),
    ("numbers in parentheses", ["Item|Balance", "Rent|(300)", "Food|(20)"], 1),
    ("times", ["Train|Leaves", "R1|08:15", "R2|09:40"], 1),
    ("a column of notes", ["Item|Price|Note", "Tea|3|", "Coffee|4|hot"], 1),
    ("an empty first cell", ["|Weight|Height", "Ann|60|170", "Bob|80|180"], 1),
    ("long labels", ["What the applicant has to show|Where", "The lease|desk 3", "The key|desk 4"], 1),
    ("yes and no", ["Ship|Insured", "Heron|yes", "Gull|no"], 1),
    ("a single row below", ["Name|Age", "Bob|31"], 1),
    ("addresses", ["Name|E-mail", "Ann|ann@e.org", "Bob|bob@e.org"], 1),
    ("Japanese", ["品名|価格", "お茶|300", "水|100"], 1),
    ("Russian", ["Имя|Возраст", "Анна|30", "Борис|41"], 1),
    ("numbers alone", ["1|5", "2|6"], 0),
    ("labels over numbers without a head", ["Norway|5|6", "Sweden|7|8"], 0),
    ("rows that count", ["1|Alice|30", "2|Bob|31"], 0),
    ("days without a head", ["2024-01-01|5", "2024-01-02|6"], 0),
    ("years without a head", ["1999|Blow", "2001|Chocolat"], 0),
    ("prices without a head", ["Tea|3.50|2", "Coffee|4.00|3"], 0),
    ("percent without a head", ["Left|12%|4", "Right|40%|9"], 0),
    ("a form of several kinds", ["Maker|Halvorsen", "Power|11 kW", "Inspected on|12 March 2024"], 0),
    ("a form with years", ["Founded|1987", "Revenue|1,200 kr", "Seat|Oslo"], 0),
    ("a form with colons", ["Name:|Bob", "Town:|Oslo"], 0),
    ("a form with colons as in Chinese", ["姓名：|张三", "城市：|北京"], 0),
    ("a form with four kinds", ["Model|P-12", "Weight|83 kg", "Year|2019", "Price|€ 950"], 0),
    ("two levels with empty cells", ["Day|Opens|", "|Summer|Winter", "Mon|8|9", "Tue|7|8"], 2),
    ("two levels of words", ["Day|Opens|", "|Summer|Winter", "Mon|early|late", "Tue|late|never"], 2),
    ("two groups", ["|Costs||Sales|", "|2023|2024|2023|2024", "Hask|1|2|3|4", "Yarm|5|6|7|8"], 2),
    ("groups over all columns", ["Costs||Sales|", "Rent|Wage|Cash|Card", "1|2|3|4", "5|6|7|8"], 2),
    ("a column without a name", ["Name|Phone|", "Ann|555|x", "Bob|556|"], 1),
    ("a row without a label", ["Name|City|", "|Rome|Italy", "|Oslo|Norway"], 1),
    ("a second row of numbers", ["Day|Opens|", "|8|9", "Mon|8|9"], 1),
    ("one row", ["Name|Age"], 0),
    ("nothing", [], 0),
]


@pytest.mark.parametrize(("rows", "heads"), [each[1:] for each in SHAPES], ids=[each[0] for each in SHAPES])
def test_rows_that_name_the_columns_are_found(rows, heads):
    assert head_count([HeadRow(row.split("|")) for row in rows]) == heads


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (["Day|Opens|", "|Summer|Winter"], ["Day", "Opens Summer", "Opens Winter"]),
        (
            ["|Costs||Sales|", "|2023|2024|2023|2024"],
            ["", *(f"{a} {b}" for a in ("Costs", "Sales") for b in (2023, 2024))],
        ),
        (["Day|Opens|Opens", "Day|Summer|Winter"], ["Day", "Opens Summer", "Opens Winter"]),
        (["Year||Apps", "|Club|Apps"], ["Year", "Club", "Apps"]),
        ([], []),
    ],
)
def test_texts_of_a_head_stand_above_each_other(rows, names):
    assert head_names([row.split("|") for row in rows], len(names)) == names


SECTIONS: list[tuple[str, list[str], list[int]]] = [
    ("labels come again", ["North|", "Rent|6", "Tax|1", "South|", "Rent|9", "Tax|2"], [0, 3]),
    ("colons", ["North:|", "Rent|6", "South:|", "Wage|9"], [0, 2]),
    ("three columns", ["North||", "Rent|6|x", "South||", "Wage|9|y"], [0, 2]),
    ("one of them alone", ["North||", "Rent|6|x", "Wage|9|y"], []),
    ("people without a number", ["Ann|", "Bob|555", "Carl|", "Dora|556"], []),
    ("people without anything", ["Bob|555|x", "Ann||", "Carl|556|y", "Dora||", "Eve|557|z"], []),
    ("one below another", ["North||", "Costs||", "Rent|6|x", "South||", "Rent|7|x"], []),
    ("one at the end", ["North||", "Rent|6|x", "South||"], []),
    ("the same twice", ["North||", "Rent|6|x", "North||", "Wage|6|x"], []),
    ("years", ["2023||", "Rent|6|x", "2024||", "Rent|6|x"], []),
    ("nothing", [], []),
]


@pytest.mark.parametrize(
    ("rows", "heads"), [each[1:] for each in SECTIONS], ids=[each[0] for each in SECTIONS]
)
def test_rows_that_head_others_are_found_by_evidence(rows, heads):
    assert sorted(section_rows([row.split("|") for row in rows])) == heads


UNLIKELY: list[tuple[str, list[str], int]] = [
    ("texts that differ in nothing", ["Alice|Oslo", "Bob|Rome"], 0),
    ("texts over numbers", ["Name|Age", "Bob|31", "Ann|40"], 1),
    ("texts over years", ["Film|Year", "Blow|1999"], 1),
    ("texts over some numbers", ["Name|Age", "Bob|31", "Ann|unknown", "Eve|unknown", "Ida|unknown"], 0),
    ("a layout of texts", ["Home|About", "Contact|Imprint"], 0),
]


@pytest.mark.parametrize(
    ("rows", "heads"), [each[1:] for each in UNLIKELY], ids=[each[0] for each in UNLIKELY]
)
def test_where_no_head_is_likely_it_has_to_differ(rows, heads):
    assert head_count([HeadRow(row.split("|")) for row in rows], likely=False) == heads


@pytest.mark.parametrize(
    ("rows", "form"),
    [
        (["Maker|Halvorsen", "Power|11 kW", "Year|2024"], True),
        (["Name:|Bob", "Town:|Oslo"], True),
        (["Part|Weight", "Pump|83 kg", "Valve|11 kg"], False),
        (["Metric|Value", "Founded|1987", "Revenue|1,200 kr", "Price|€ 4"], False),
        (["a|b|c", "d|1|2019"], False),
        (["Tea|1987", "Tea|4 kg", "Tea|Oslo"], False),
    ],
)
def test_labels_and_values_beside_each_other_are_a_form(rows, form):
    assert is_form([HeadRow(row.split("|")) for row in rows]) is form


def page(rows: str) -> str:
    return f"<table>{rows}</table>"


PAGES: list[tuple[str, str, str]] = [
    (
        "section rows",
        "<tr><th>Item<th>2023<tr><th colspan=2>North<tr><td>Rent<td>4<tr><th colspan=2>South"
        "<tr><td>Rent<td>6",
        "Section: North; Item: Rent; 2023: 4\nSection: South; Item: Rent; 2023: 6",
    ),
    (
        "section rows of plain cells",
        "<tr><th>Item<th>2023<tr><td colspan=2>North<tr><td>Rent<td>4<tr><td>Tax<td>5",
        "Section: North; Item: Rent; 2023: 4\nSection: North; Item: Tax; 2023: 5",
    ),
    (
        "a title above",
        "<tr><th colspan=2>Wages in crowns<tr><th>Who<th>Wage<tr><td>Ann<td>4",
        "Who: Ann; Wage: 4",
    ),
    (
        "a note below",
        "<tr><th>Who<th>Wage<tr><td>Ann<td>4<tr><td colspan=2>Source: the harbour",
        "Who: Ann; Wage: 4\n\nSource: the harbour",
    ),
    (
        "the head again in the middle",
        "<tr><th>Who<th>Wage<tr><td>Ann<td>4<tr><th>Who<th>Wage<tr><td>Bob<td>5",
        "Who: Ann; Wage: 4\nWho: Bob; Wage: 5",
    ),
    (
        "two levels",
        "<tr><th rowspan=2>Day<th colspan=2>Opens<tr><th>Summer<th>Winter<tr><td>Mon<td>8<td>9",
        "Day: Mon; Opens Summer: 8; Opens Winter: 9",
    ),
    (
        "two levels of plain cells",
        "<tr><td rowspan=2>Day<td colspan=2>Opens<tr><td>Summer<td>Winter<tr><td>Mon<td>8<td>9"
        "<tr><td>Tue<td>7<td>8",
        "Day: Mon; Opens Summer: 8; Opens Winter: 9\nDay: Tue; Opens Summer: 7; Opens Winter: 8",
    ),
    (
        "three levels",
        "<thead><tr><th rowspan=3>Day<th colspan=2>Opens<tr><th colspan=2>2024<tr><th>Summer<th>Winter"
        "<tbody><tr><td>Mon<td>8<td>9",
        "Day: Mon; Opens 2024 Summer: 8; Opens 2024 Winter: 9",
    ),
    (
        "plain cells over numbers",
        "<tr><td>Who<td>Wage<tr><td>Ann<td>4<tr><td>Bob<td>5",
        "Who: Ann; Wage: 4\nWho: Bob; Wage: 5",
    ),
    (
        "plain cells that say no names",
        "<tr><td>Ann<td>Oslo<tr><td>Bob<td>Rome",
        "column 1: Ann; column 2: Oslo\ncolumn 1: Bob; column 2: Rome",
    ),
    (
        "labels that are headers",
        "<tr><th>Maker<td>Halvorsen<tr><th>Power<td>11 kW<tr><th>Year<td>2024",
        "Maker: Halvorsen\nPower: 11 kW\nYear: 2024",
    ),
]


@pytest.mark.parametrize(("rows", "shown"), [each[1:] for each in PAGES], ids=[each[0] for each in PAGES])
def test_tables_of_pages_are_read_by_their_heads(tmp_path, rows, shown):
    assert read(tmp_path, "a.html", page(rows)).text.removeprefix("Wages in crowns\n\n") == shown


SHEETS: list[tuple[str, list[list[object]], str]] = [
    (
        "a form",
        [["Maker", "Halvorsen"], ["Power", "11 kW"], ["Year", 2024]],
        "Maker: Halvorsen\nPower: 11 kW\nYear: 2024",
    ),
    ("a title, then a head", [["Wages"], ["Who", "Wage"], ["Ann", 4]], "Wages\n\nWho: Ann; Wage: 4"),
    ("years", [["Shop", 2023, 2024], ["Hask", 9, 4]], "Shop: Hask; 2023: 9; 2024: 4"),
    ("weeks", [["Team", 1, 2, 3], ["Reds", 4, 0, 7]], "Team: Reds; 1: 4; 2: 0; 3: 7"),
    ("numbers alone", [[1, 2], [3, 5]], "A: 1; B: 2\nA: 3; B: 5"),
    (
        "labels over numbers without a head",
        [["Ann", 5, 7], ["Bob", 6, 9]],
        "A: Ann; B: 5; C: 7\nA: Bob; B: 6; C: 9",
    ),
]


@pytest.mark.parametrize(("rows", "shown"), [each[1:] for each in SHEETS], ids=[each[0] for each in SHEETS])
def test_sheets_are_read_by_their_heads(tmp_path, rows, shown):
    def fill(book):
        for row in rows:
            book.active.append(row)

    assert read(tmp_path, "a.xlsx", workbook(fill)).text.partition("\n\n")[2] == shown


FILES: list[tuple[str, str, str]] = [
    ("sep=", "sep=;\nFish;Weight\nCarp;2,25\n", "Fish: Carp; Weight: 2,25"),
    ("sep= with a tab", "sep=\t\nFish\tWeight\nCarp\t2\n", "Fish: Carp; Weight: 2"),
    (
        "lines before",
        "Harbour of Hask\nReport of 2024\n\nFish;Weight\nCarp;2\nPike;3\n",
        "Harbour of Hask\nReport of 2024\n\nFish: Carp; Weight: 2\nFish: Pike; Weight: 3",
    ),
    (
        "no head",
        "1,Alice,30\n2,Bob,31\n",
        "column 1: 1; column 2: Alice; column 3: 30\ncolumn 1: 2; column 2: Bob; column 3: 31",
    ),
    (
        "a short row",
        "Fish,Weight,Note\nCarp,2\nPike,3,old\n",
        "Fish: Carp; Weight: 2\nFish: Pike; Weight: 3; Note: old",
    ),
    ("a row with more", "Fish,Weight\nCarp,2,,\nPike,3\n", "Fish: Carp; Weight: 2\nFish: Pike; Weight: 3"),
    ("years", "Country,2019,2020\nNorway,5,6\n", "Country: Norway; 2019: 5; 2020: 6"),
    ("a form", "Maker,Halvorsen\nPower,11 kW\nYear,2024\n", "Maker: Halvorsen\nPower: 11 kW\nYear: 2024"),
    ("texts", "Name,Town\nAnn,Oslo\n", "Name: Ann; Town: Oslo"),
    (
        "two levels",
        "Day,Opens,\n,Summer,Winter\nMon,8,9\nTue,7,8\n",
        "Day: Mon; Opens Summer: 8; Opens Winter: 9\nDay: Tue; Opens Summer: 7; Opens Winter: 8",
    ),
]


@pytest.mark.parametrize(("text", "shown"), [each[1:] for each in FILES], ids=[each[0] for each in FILES])
def test_csv_files_are_read_by_their_heads(tmp_path, text, shown):
    assert read(tmp_path, "a.csv", text).text == shown


SECTIONED = [["Item", "Cost"], ["North", ""], ["Rent", "6"], ["Tax", "1"], ["South", ""], ["Rent", "9"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "\n".join(",".join(row) for row in SECTIONED)),
        ("a.md", "\n".join(f"| {' | '.join(row)} |" for row in [SECTIONED[0], ["---"] * 2, *SECTIONED[1:]])),
        (
            "a.rst",
            ".. list-table::\n   :header-rows: 1\n\n"
            + "".join(f"   * - {a}\n     - {b}\n" for a, b in SECTIONED),
        ),
        ("a.html", page("".join(f"<tr><td>{a}<td>{b}" for a, b in SECTIONED))),
    ],
)
def test_rows_below_one_that_heads_them_have_its_text(tmp_path, name, text):
    lines = read(tmp_path, name, text).text.split("\n")
    assert [each for each in lines if each] == [
        "Section: North; Item: Rent; Cost: 6",
        "Section: North; Item: Tax; Cost: 1",
        "Section: South; Item: Rent; Cost: 9",
    ]


def sections_above_each_other(book) -> None:
    for row in (["Item", "Cost"], ["Pumps"], ["Small"], ["Tarn", 6], ["Valves"], ["Cock", 9]):
        book.active.append(row)
    for number in (2, 3, 5):
        book.active.merge_cells(f"A{number}:B{number}")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.html",
            page(
                "<tr><th>Item<th>Cost<tr><td colspan=2>Pumps<tr><td colspan=2><a href=s>Small</a>"
                "<tr><td>Tarn<td>6<tr><td colspan=2>Valves<tr><td>Cock<td>9"
            ),
        ),
        ("a.xlsx", workbook(sections_above_each_other)),
    ],
)
def test_sections_that_follow_each_other_head_the_rows_below_together(tmp_path, name, content):
    lines = read(tmp_path, name, content).text.split("\n")
    assert [each for each in lines if "Section" in each] == [
        "Section: Pumps — Small; Item: Tarn; Cost: 6",
        "Section: Valves; Item: Cock; Cost: 9",
    ]


def test_a_row_below_a_section_keeps_its_number(tmp_path):
    document = read(tmp_path, "a.csv", "\n".join(",".join(row) for row in SECTIONED))
    places = PlaceFinder(document)
    at = document.text.index("Section: South")
    assert places.of(at, at + 10) == "row 5"


def test_merged_cells_of_a_sheet_head_the_rows_below(tmp_path):
    def fill(book):
        for row in (["Item", "Cost"], ["North"], ["Rent", 6], ["South"], ["Wage", 9]):
            book.active.append(row)
        book.active.merge_cells("A2:B2")
        book.active.merge_cells("A4:B4")

    text = read(tmp_path, "a.xlsx", workbook(fill)).text
    assert "Section: North; Item: Rent; Cost: 6" in text
    assert "Section: South; Item: Wage; Cost: 9" in text


def test_tables_beside_each_other_are_two(tmp_path):
    def fill(book):
        for row in (
            ["Item", "Cost", None, None, None],
            ["Rent", 6, None, "Name", "Age"],
            ["Tax", 1, None, "Ann", 31],
            ["Heat", 2, None, "Bob", 40],
        ):
            book.active.append(row)

    document = read(tmp_path, "a.xlsx", workbook(fill))
    first, second = (each for each in document.blocks if isinstance(each, Table))
    assert (first.columns, len(first.rows)) == (("Item", "Cost"), 3)
    assert (second.columns, second.rows) == (("Name", "Age"), (("Ann", "31"), ("Bob", "40")))
    assert PlaceFinder(document).of(second.begin, second.end) == "Sheet!D3:E4"


def test_a_column_left_empty_does_not_divide_a_table(tmp_path):
    def fill(book):
        for row in (
            ["Item", "Cost", None, "Note", "By"],
            ["Rent", 6, None, "x", "Ann"],
            ["Tax", 1, None, "y", "Bob"],
        ):
            book.active.append(row)

    [table] = (each for each in read(tmp_path, "a.xlsx", workbook(fill)).blocks if isinstance(each, Table))
    assert len(table.columns) == 4


def test_notes_above_a_sheet_s_table_are_no_head(tmp_path):
    def fill(book):
        rows = (
            ["Report of", "2024", None, None],
            ["by Ann", None, "draft", None],
            ["Item", "Cost", "Tax", "Sum"],
        )
        for row in (*rows, ["Rent", 6, 1, 7], ["Heat", 2, 1, 3], ["Light", 2, 1, 3]):
            book.active.append(row)

    text = read(tmp_path, "a.xlsx", workbook(fill)).text
    assert "Report of; 2024" in text
    assert "Item: Rent; Cost: 6; Tax: 1; Sum: 7" in text


def test_rows_of_another_length_are_warned_of_by_their_lines(tmp_path):
    [warning] = read(tmp_path, "a.csv", "Fish,Weight\nCarp,2\nPike,3,old\nTench\n").warnings
    assert "2 rows have more or fewer cells than the first (lines 3, 4)" in warning


def test_one_wide_row_does_not_widen_all_others_without_limit(tmp_path):
    rows = "a,b\n" * 9 + ",".join("x" * 400)
    with pytest.raises(LimitError, match="3,582 cells"):
        read(tmp_path, "a.csv", rows, Settings(max_span_cells=1_000))


def in_html(rows: list[str], head: str = "td") -> str:
    """A table of a page, whose first row has cells of this tag."""
    lines = [
        "<tr>" + "".join(f"<{head if number == 0 else 'td'}>{text}" for text in row.split("|"))
        for number, row in enumerate(rows)
    ]
    return f"<table>{''.join(lines)}</table>"


def in_rst(rows: list[str], head: str = "") -> str:
    """A table of reStructuredText, whose first row is marked as its head or not."""
    lines = [" ".join(f"{text:5}" for text in row.split("|")) for row in rows]
    border = "===== ====="
    return "\n".join([border, lines[0], *([border] if head else []), *lines[1:], border, ""])


def in_rtf(rows: list[str]) -> str:
    """A table of rich text."""
    cells = [row.replace("|", r"\cell ") for row in rows]
    made = "".join(r"\trowd\cellx1000\cellx2000 " + each + r"\cell\row" for each in cells)
    return r"{\rtf1\ansi " + made + r"\pard\par}"


def in_tex(rows: list[str]) -> str:
    """A table of LaTeX."""
    lines = r" \\ ".join(row.replace("|", " & ") for row in rows)
    return r"\begin{tabular}{ll}" + lines + r"\end{tabular}"


REPEATED = ["Name|Place", "Ann|Oslo", "Name|Place", "Bob|Bergen", "Bob|Bergen"]
SAME = ["same|same"] * 4


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("a.rst", in_rst(REPEATED), REPEATED),
        ("a.rtf", in_rtf(REPEATED), REPEATED),
        ("a.tex", in_tex(REPEATED), REPEATED),
        ("a.html", in_html(REPEATED), REPEATED),
        ("a.rst", in_rst(SAME), SAME),
        ("a.tex", in_tex(["a|b", "a|b", "c|d"]), ["a|b", "a|b", "c|d"]),
        ("a.rtf", in_rtf(["x|y"] * 3 + ["z|5"]), ["x|y"] * 3 + ["z|5"]),
    ],
)
def test_rows_that_equal_a_head_which_is_a_guess_are_kept(tmp_path, name, content, rows):
    document = read(tmp_path, name, content)
    [table] = document.blocks
    texts = [tuple(row.split("|")) for row in rows]
    assert list(table.rows) in (texts, texts[1:])
    assert not document.passed_over


@pytest.mark.parametrize(
    ("name", "content", "header"),
    [
        ("a.html", in_html(REPEATED, "th"), "auto"),
        ("a.html", in_html(REPEATED), "1"),
        ("a.rst", in_rst(REPEATED, "head"), "auto"),
        ("a.rst", in_rst(REPEATED), "1"),
        ("a.tex", in_tex(REPEATED), "1"),
        ("a.rtf", in_rtf(REPEATED), "1"),
    ],
)
def test_rows_that_repeat_a_head_which_is_marked_or_stated_are_left_out_and_counted(
    tmp_path, name, content, header
):
    document = read(tmp_path, name, content, Settings(header=header))
    [table] = document.blocks
    assert table.columns == ("Name", "Place")
    assert table.rows == (("Ann", "Oslo"), ("Bob", "Bergen"), ("Bob", "Bergen"))
    assert document.passed_over == (("repeated table head", 1),)


ROWS_OF_SHEETS = {
    "a head of two rows beside one of one": (
        [
            ["Line", "Depth", None, None, "Guide", "Room"],
            [None, "low", "high", None, "Pavel", "B 1"],
            ["North", 8, 12, None, "Hanne", "B 2"],
            ["South", 9, 13, None, "Ida", "B 3"],
        ],
        ["Line: North; Depth low: 8; Depth high: 12", "Guide: Pavel; Room: B 1"],
    ),
    "tables with captions below each other": (
        [["Boats"], ["Name", "Berths"], ["Auk", 4], ["Skua", 6], ["Carts"], ["Name", "Berths"], ["Hob", 2]],
        ["Name: Skua; Berths: 6", "Carts", "Name: Hob; Berths: 2"],
    ),
    "labels above a table, and a note below": (
        [
            ["Buyer", "Moss Ltd"],
            ["Ordered", "2026-02-01"],
            ["Currency", "EUR"],
            [],
            ["No", "Part", "Price", "Least"],
            [1, "Valve", 12.5, 5],
            [2, "Pump", 3, 10],
            [],
            ["Valid until", "30 April 2026"],
        ],
        ["Buyer: Moss Ltd", "No: 2; Part: Pump; Price: 3; Least: 10", "Valid until; 30 April 2026"],
    ),
    "units below the names": (
        [["Year", "Income", "Staff"], [None, "k£", "heads"], [2023, 645, 11], [2024, 696, 12]],
        ["Year: 2023; Income k£: 645; Staff heads: 11"],
    ),
}


@pytest.mark.parametrize(("rows", "lines"), ROWS_OF_SHEETS.values(), ids=ROWS_OF_SHEETS)
def test_a_sheet_is_cut_into_its_tables(tmp_path, rows, lines):
    def fill(book):
        for row in rows:
            book.active.append(row)

    text = read(tmp_path, "a.xlsx", workbook(fill)).text.split("\n")
    assert [line for line in text if line in lines] == lines


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "Prices, from May\n\nPart;Price;Share\nPump;12,80;5 %\nSeal, thin;1.045,00;12,5 %\n",
            "Part: Pump",
        ),
        ("Part;Price, net;Count, all\nPump;12,80;5\nValve;9,45;7\n", "Part: Pump; Price, net: 12,80"),
        ("Part,Note\nPump,a; b; c\nValve,d; e\n", "Part: Pump; Note: a; b; c"),
        ("Part\tSize, mm\nPump\t3,5\nValve\t4,5\n", "Part: Pump; Size, mm: 3,5"),
        ("Part|Note, short|Price\nPump|x, y|3\nValve|z|4\n", "Part: Pump; Note, short: x, y; Price: 3"),
        ('"Part","Price"\n"Pump, red","3"\n"Valve","4"\n', "Part: Pump, red; Price: 3"),
    ],
)
def test_the_delimiter_is_what_cuts_all_rows_alike(tmp_path, text, line):
    assert line in read(tmp_path, "a.csv", text).text


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([("Drug", "Strength"), ("A", "5 mg"), ("B", "250 µg"), ("C", "1 g")], 1),
        ([("Job", "Takes"), ("Paint", "45 min"), ("Dry", "2 h"), ("Sand", "3 days")], 1),
        ([("Part", "Price"), ("Pump", "£ 3"), ("Valve", "4 €"), ("Seal", "5 USD")], 1),
        ([("Maker", "Moss"), ("Power", "11 kW"), ("Mass", "83 kg"), ("Length", "3 m")], 0),
        ([("", "Mon", "Tue"), ("Ann", "early", "late"), ("Bob", "off", "early")], 1),
        ([("", "Mon", "Tue"), ("Ann", "early", "late"), ("", "off", "early")], 0),
    ],
)
def test_units_of_one_kind_and_crossed_names_say_what_is_a_head(rows, count):
    assert head_count([HeadRow(row) for row in rows], likely=bool(rows[0][0])) == count
