"""Sixty facts about invented places, each with a shape that is easily read wrong, and how to ask for them.

A sentence has marks: `25{note:2}` is 25 with the mark of a note, `10{sup:6}` a power, `{frac:3/4}` a
fraction, `{del:14}` struck out, `{hid:…}` hidden, `{tick:1}` a box that is ticked, `{shy:}` a soft hyphen,
`{cut:}` the end of a line inside a word. The writers of the formats turn them into what the format has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

_MARK: Final = re.compile(r"\{(\w+):([^}]*)\}")
TICKED: Final = r"(?:☒|☑|✓|✔|\[[xX]\])"
UNTICKED: Final = r"(?:☐|\[ \])"


@dataclass(frozen=True)
class Fact:
    """A fact: how it is asked for, what a passage with it matches and must not match, its row in SQL."""

    kind: str
    question: str
    right: str
    wrong: str = ""
    sentence: str = ""
    row: str = ""
    value: float | None = None
    """The number in the row whose name is `row`, where it is one that SQL counts."""
    year: str = ""
    """The folder of the file that it stands in."""


@dataclass(frozen=True)
class Cell:
    """A cell: the text that is shown, its number or date, how many columns it spans, its number format."""

    text: str
    value: float | date | None = None
    span: int = 1
    number_format: str = ""


@dataclass(frozen=True)
class Grid:
    """A table: its name, its kind of fact, the rows of its head, and the others."""

    name: str
    kind: str
    head: tuple[tuple[Cell, ...], ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(sum(cell.span for cell in row) for row in self.head)


def pieces(sentence: str) -> Iterator[tuple[str, str]]:
    """The pieces of a sentence, each with its kind; that of plain text is empty.

    >>> list(pieces("It is 25{note:2} long"))
    [('', 'It is 25'), ('note', '2'), ('', ' long')]
    """
    at = 0
    for match in _MARK.finditer(sentence):
        if match.start() > at:
            yield "", sentence[at : match.start()]
        yield match[1], match[2]
        at = match.end()
    if at < len(sentence):
        yield "", sentence[at:]


PLAIN_MARKS: Final[Mapping[str, Callable[[str], str]]] = {
    "note": "[{}]".format,
    "sup": "^{}".format,
    "frac": "{}".format,
    "del": lambda text: "",
    "hid": lambda text: "",
    "tick": lambda text: "☒" if text == "1" else "☐",
    "shy": lambda text: "\u00ad",
    "cut": lambda text: "",
}
"""How plain text says what it has no form for."""


def marked(
    sentence: str,
    marks: Mapping[str, Callable[[str], str]] = PLAIN_MARKS,
    escape: Callable[[str], str] = str,
) -> str:
    """A sentence with its marks as a format writes them; plainly those that it has none for.

    >>> marked("10{sup:6} of {del:14} 9", {"sup": "<sup>{}</sup>".format})
    '10<sup>6</sup> of  9'
    """
    written = {**PLAIN_MARKS, **marks}
    return "".join(escape(text) if not kind else written[kind](text) for kind, text in pieces(sentence))


def _positions() -> Iterator[Fact]:
    """The facts whose values stand above, below or behind other text."""
    for place, arches in (("Amble", 17), ("Bryn", 23), ("Corse", 31)):
        sentence = f"The bridge at {place} has {arches} arches."
        yield Fact(
            "plain",
            f"How many arches has the bridge at {place}?",
            rf"{place} has {arches} arches",
            "",
            sentence,
        )
    for place, long, note in (("Osmere", 25, 2), ("Tarrow", 48, 3), ("Halden", 67, 1)):
        yield Fact(
            "note",
            f"How many metres long is the dam of {place}?",
            rf"{place} is {long}\b",
            rf"{long}{note}",
            f"The dam of {place} is {long}{{note:{note}}} metres long.",
        )
    for place, first, power in (("Quern", 4, 6), ("Ysper", 7, 9), ("Zell", 3, 5)):
        digit = "⁰¹²³⁴⁵⁶⁷⁸⁹"[power]
        yield Fact(
            "power",
            f"How many litres does the tank of {place} hold?",
            rf"{first} × 10\s?\$?(?:\^\s?[{{(]?{power}|{digit})",
            rf"10{power}\b",
            f"The tank of {place} holds {first} × 10{{sup:{power}}} litres.",
        )
    for place, part in (("Dunmere", "3/4"), ("Eskdale", "2/3"), ("Fenwick", "5/8")):
        above, below = part.split("/")
        sign = {"3/4": "¾", "2/3": "⅔", "5/8": "⅝"}[part]
        yield Fact(
            "fraction",
            f"How much of a spoon is the dose at {place}?",
            rf"{above}\s?[/⁄∕]\s?{below}|{sign}|frac\{{{above}\}}\{{{below}\}}",
            rf"\b{above}{below}\b",
            f"The dose at {place} is {{frac:{part}}} of a spoon.",
        )


def _shown() -> Iterator[Fact]:
    """The facts of which a program shows a part, or a sign."""
    for place, old, new in (("Gorse", 14, 9), ("Hythe", 52, 46), ("Iver", 77, 61)):
        yield Fact(
            "struck",
            f"How many crowns does an adult pay at {place}?",
            rf"{new} crowns",
            rf"\b{old}\b",
            f"An adult at {place} pays {{del:{old}}} {new} crowns.",
        )
    for place, under, barrel in (
        ("Jarrow", "the mat", 88),
        ("Kelso", "the pump", 93),
        ("Lorne", "the bench", 71),
    ):
        yield Fact(
            "hidden",
            f"Where is the key of {place}?",
            rf"{place} is under {under}",
            f"barrel {barrel}",
            f"The key of {place} is under {under}.{{hid: The draft said barrel {barrel}.}}",
        )
    for thing, state in (("ladder", 1), ("hoist", 0), ("crane", 1)):
        box = TICKED if state else UNTICKED
        other = UNTICKED if state else TICKED
        yield Fact(
            "tick",
            f"Is the {thing} of Moss approved?",
            rf"{box}[^\n☐☒]*{thing} of Moss|{thing} of Moss is approved\W*{box}",
            rf"{other}[^\n☐☒]*{thing} of Moss",
            f"{{tick:{state}}} The {thing} of Moss is approved.",
        )


def _words() -> Iterator[Fact]:
    """The facts whose words are cut, or have a number that the program makes."""
    for begin, end, year in (("light", "house", 1811), ("wind", "mill", 1723), ("brew", "ery", 1904)):
        yield Fact(
            "soft hyphen",
            f"{begin}{end}",
            rf"{begin}\u00ad?{end} opened in {year}",
            "",
            f"The {begin}{{shy:}}{end} opened in {year}.",
        )
    for begin, end, day in (
        ("thunder", "storm", "Monday"),
        ("corpo", "ration", "Tuesday"),
        ("earth", "quake", "Friday"),
    ):
        yield Fact(
            "line's end",
            f"{begin}{end}",
            rf"{begin}-?\s*{end} came on a {day}",
            "",
            f"The {begin}{{cut:}}{end} came on a {day}.",
        )
    for number, (who, what) in enumerate((("tenant", "rent"), ("owner", "repairs"), ("lodger", "coal")), 1):
        yield Fact(
            "numbered",
            f"What does the {who} of Nore pay?",
            rf"\b{number}[.)]\)?\s*The {who} of Nore pays",
            "",
            f"The {who} of Nore pays the {what}.",
        )


def _beside() -> Iterator[Fact]:
    """The facts that stand beside the text: in boxes, remarks, and the names of folders."""
    for place, day in (("Oxley", 9), ("Pendle", 12), ("Rowan", 27)):
        sentence = f"The final at {place} is on {day} June."
        yield Fact(
            "boxed",
            f"On which day of June is the final at {place}?",
            rf"{place} is on {day} June",
            "",
            sentence,
        )
    for place, depth in (("Selby", 13), ("Thirsk", 21), ("Ulver", 34)):
        sentence = f"The well of {place} is {depth} fathoms deep."
        yield Fact(
            "remark",
            f"How many fathoms deep is the well of {place}?",
            rf"{place} is {depth} fathoms",
            "",
            sentence,
        )
    for year, toll in (("2021", 11), ("2022", 12), ("2023", 15)):
        sentence = f"The toll at the gate is {toll} crowns."
        yield Fact(
            "folder",
            f"What was the toll at the gate in {year}?",
            rf"is {toll} crowns",
            "",
            sentence,
            year=year,
        )


def _cells() -> Iterator[Fact]:
    """The facts in cells below heads of all shapes."""
    for number in (7, 18, 31):
        yield Fact(
            "row",
            f"What is the length of Wanderer {number}?",
            rf"Wanderer {number}\b[^\n]*Length: {number + 20}\b",
            row=f"Wanderer {number}",
            value=number + 20,
        )
    for day, summer in (("Sunday", 10), ("Monday", 8), ("Thursday", 7)):
        yield Fact(
            "two levels",
            f"When does the museum open in summer on {day}?",
            rf"{day}[^\n]*Opens\W{{1,3}}Summer: {summer}\b",
            row=day,
            value=summer,
        )
    for place, item, cost in (("South", "Rent", 9), ("North", "Heat", 2), ("West", "Light", 5)):
        others = "|".join({"North", "South", "West"} - {place})
        yield Fact(
            "section row",
            f"What is the cost of {item} in the {place}?",
            rf"(?:{place}[^\n]*{item}|{item}[^\n]*{place})[^\n]*\b{cost}\b|{item}[^\n]*\b{cost}\b[^\n]*{place}",
            rf"(?:{others})[^\n]*{item}[^\n]*Cost[^:\n]*: {cost}\b",
            row=item,
            value=cost,
        )
    for shop, sales in (("Vexley", 21), ("Wharram", 34), ("Yarm", 55)):
        yield Fact(
            "dates in head",
            f"What did the shop {shop} sell?",
            rf"{shop}; (?:2024-01(?:-01)?|Jan(?:uary)? 2024): {sales}\b",
            row=shop,
            value=sales,
        )


def _number_cells() -> Iterator[Fact]:
    """The facts whose numbers are shown with more than their digits."""
    for thing, mass, unit in (("Bolt", 83, "kg"), ("Rivet", 7, "kg"), ("Girder", 912, "kg")):
        yield Fact(
            "unit",
            f"What is the mass of the {thing}?",
            rf"{thing}; Mass: {mass} {unit}",
            row=thing,
            value=mass,
        )
    for who, wage in (("Ada Plover", 105_000), ("Ben Crake", 9_500), ("Cleo Rail", 71_000)):
        yield Fact(
            "number as text", f"What is the wage of {who}?", rf"{who}; Wage: {wage:,}", row=who, value=wage
        )
    for town, code in (("Ambry", 501), ("Birk", 92), ("Cawl", 1377)):
        yield Fact(
            "padded", f"What is the post code of {town}?", rf"{town}; Post code: {code:05}\b", rf": {code}\b"
        )


SENTENCES: Final = (*_positions(), *_shown(), *_words(), *_beside())
CELLS: Final = (*_cells(), *_number_cells())
FACTS: Final = SENTENCES + CELLS
KINDS: Final = tuple(dict.fromkeys(fact.kind for fact in FACTS))


def _text(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell(each) for each in texts)


def _number(value: float, number_format: str = "", text: str = "") -> Cell:
    return Cell(text or f"{value:g}", value, 1, number_format)


def _sections() -> Iterator[tuple[Cell, ...]]:
    costs = {"North": (6, 2, 8), "South": (9, 4, 3), "West": (7, 1, 5)}
    for place, values in costs.items():
        yield (Cell(place, None, 2),)
        for item, cost in zip(("Rent", "Heat", "Light"), values, strict=True):
            yield Cell(item), _number(cost)


GRIDS: Final = (
    Grid(
        "Fleet",
        "row",
        (_text("Boat", "Length", "Crew"),),
        tuple((Cell(f"Wanderer {n}"), _number(n + 20), _number(n % 5 + 2)) for n in range(1, 41)),
    ),
    Grid(
        "Museum",
        "two levels",
        ((Cell("Day"), Cell("Opens", None, 2)), _text("", "Summer", "Winter")),
        tuple(
            (Cell(day), _number(summer), _number(winter))
            for day, summer, winter in (("Sunday", 10, 12), ("Monday", 8, 9), ("Thursday", 7, 11))
        ),
    ),
    Grid("Costs", "section row", (_text("Item", "Cost"),), tuple(_sections())),
    Grid(
        "Parts",
        "unit",
        (_text("Part", "Mass"),),
        tuple(
            (Cell(part), _number(mass, '0" kg"', f"{mass} kg"))
            for part, mass in (("Bolt", 83), ("Rivet", 7), ("Girder", 912))
        ),
    ),
    Grid(
        "Sales",
        "dates in head",
        (
            (
                Cell("Shop"),
                Cell("Jan 2024", date(2024, 1, 1), 1, "mmm yyyy"),
                Cell("Feb 2024", date(2024, 2, 1), 1, "mmm yyyy"),
            ),
        ),
        tuple(
            (Cell(shop), _number(first), _number(second))
            for shop, first, second in (("Vexley", 21, 22), ("Wharram", 34, 36), ("Yarm", 55, 51))
        ),
    ),
    Grid(
        "Wages",
        "number as text",
        (_text("Person", "Wage"),),
        tuple(
            _text(who, wage)
            for who, wage in (("Ada Plover", "105,000"), ("Ben Crake", "9,500"), ("Cleo Rail", "71,000"))
        ),
    ),
    Grid(
        "Towns",
        "padded",
        (_text("Town", "Post code"),),
        tuple(
            (Cell(town), _number(code, "00000", f"{code:05}"))
            for town, code in (("Ambry", 501), ("Birk", 92), ("Cawl", 1377))
        ),
    ),
)
"""The tables of the facts in cells."""


def sentences(kind: str) -> list[str]:
    """The sentences of the facts of a kind."""
    return [fact.sentence for fact in SENTENCES if fact.kind == kind]


PROSE_KINDS: Final = tuple(
    kind for kind in dict.fromkeys(fact.kind for fact in SENTENCES) if kind != "folder"
)
"""The kinds of facts in sentences, but for those whose file's folder says a part of them."""
YEARS: Final = {fact.year: fact.sentence for fact in SENTENCES if fact.year}
"""The sentence of the file in each folder."""
