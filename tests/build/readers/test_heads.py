"""Which rows of a table name its columns: shapes of tables as people make them."""

from __future__ import annotations

import pytest
from build.readers.office_files import workbook
from build.readers.reading import read

from sage_ld.build.readers.heads import HeadRow, head_count, is_form
from sage_ld.foundation.errors import LimitError
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
    ("one row", ["Name|Age"], 0),
    ("nothing", [], 0),
]


@pytest.mark.parametrize(("rows", "heads"), [each[1:] for each in SHAPES], ids=[each[0] for each in SHAPES])
def test_rows_that_name_the_columns_are_found(rows, heads):
    assert head_count([HeadRow(row.split("|")) for row in rows]) == heads


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
]


@pytest.mark.parametrize(("text", "shown"), [each[1:] for each in FILES], ids=[each[0] for each in FILES])
def test_csv_files_are_read_by_their_heads(tmp_path, text, shown):
    assert read(tmp_path, "a.csv", text).text == shown


def test_rows_of_another_length_are_warned_of_by_their_lines(tmp_path):
    [warning] = read(tmp_path, "a.csv", "Fish,Weight\nCarp,2\nPike,3,old\nTench\n").warnings
    assert "2 rows have more or fewer cells than the first (lines 3, 4)" in warning


def test_one_wide_row_does_not_widen_all_others_without_limit(tmp_path):
    rows = "a,b\n" * 9 + ",".join("x" * 400)
    with pytest.raises(LimitError, match="3,582 cells"):
        read(tmp_path, "a.csv", rows, Settings(max_span_cells=1_000))
