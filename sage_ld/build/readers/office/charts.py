"""Charts and diagrams of office files of ISO/IEC 29500: the values that a chart keeps, as a table."""

from __future__ import annotations

import re

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.office.ooxml import (
    attribute,
    child,
    descend,
    local,
    number_of,
    relationships,
    text_of,
)
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.shown import CHART, DIAGRAM

_CATEGORY = "Category"
_MOST_POINTS = 100_000
_DIGITS = 15
_NUMBER = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,20}")


def add_graphic(builder: DocumentBuilder, package: Package, part: str, graphic: etree._Element) -> bool:
    """Adds the chart or diagram that a graphic of `part` refers to; counts one without values.

    False where it refers to neither.
    """
    links = relationships(package, part)
    for each in graphic.iter("{*}chart", "{*}relIds"):
        key = attribute(each, "id") or attribute(each, "dm")
        link = links.get(key)
        if link is None or link.external or link.target not in package:
            continue
        if local(each) == "chart":
            _add_chart(builder, package.xml(link.target))
        else:
            _add_diagram(builder, package.xml(link.target))
        return True
    return False


def _add_diagram(builder: DocumentBuilder, root: etree._Element) -> None:
    lines = (one_line("".join(map(text_of, each.iter("{*}t")))) for each in root.iter("{*}p"))
    text = "\n".join(filter(None, lines))
    builder.prose(text)
    builder.pass_over(DIAGRAM, not text)


def _add_chart(builder: DocumentBuilder, root: etree._Element) -> None:
    chart = child(root, "chart")
    title = child(chart, "title")
    caption = "" if title is None else one_line(" ".join(text_of(each) for each in title.iter("{*}t")))
    series = list(root.iter("{*}ser"))
    names, rows = _table(series, builder)
    if rows:
        if caption:
            builder.prose(caption)
        builder.table(names, rows, caption)
    else:
        builder.prose(caption)
        builder.pass_over(CHART)


def _table(series: list[etree._Element], builder: DocumentBuilder) -> tuple[list[str], list[list[str]]]:
    """The names of the series, and the values of each category. Raises LimitError over `max_span_cells`."""
    categories: dict[int, str] = {}
    columns: list[tuple[str, dict[int, str]]] = []
    for number, each in enumerate(series, 1):
        own = _points(child(each, "cat")) or _points(child(each, "xVal"))
        is_shared = child(each, "xVal") is None or own.items() <= categories.items() or not categories
        begin = 0 if is_shared else max(categories) + 1  # points of a scatter chart are no others' points
        for place, text in own.items():
            categories.setdefault(begin + place, text)
        title = one_line(" ".join(_points(child(each, "tx")).values()) or f"Series {number}")
        values = _points(child(each, "val")) or _points(child(each, "yVal"))
        sizes = _points(child(each, "bubbleSize"))
        for name, points in ((title, values), *([(f"{title} (size)", sizes)] if sizes else [])):
            columns.append((name, {begin + place: text for place, text in points.items()}))
    places = sorted({place for _, values in columns for place in values} | categories.keys())
    builder.check_area(len(places) * len(columns))
    rows = [
        [categories.get(place, str(place + 1)), *(values.get(place, "") for _, values in columns)]
        for place in places
    ]
    return [_CATEGORY, *(name for name, _ in columns)], rows if columns else []


def _points(element: etree._Element | None) -> dict[int, str]:
    """The values that a chart keeps of cells, by their place; a single value is at 0."""
    if element is None:
        return {}
    points: dict[int, str] = {}
    for each in element.iter("{*}pt"):
        place, value = number_of(attribute(each, "idx")), child(each, "v")
        if value is not None and place < _MOST_POINTS:
            level = _shown(one_line(value.text or ""))
            points[place] = f"{points[place]} {level}" if place in points else level
    if not points and (single := descend(element, "v")) is not None:
        points[0] = one_line(single.text or "")
    return points


def _shown(text: str) -> str:
    """A number with the 15 digits that cells show; other texts as they are."""
    if len(text) <= _DIGITS or not _NUMBER.fullmatch(text):
        return text
    return f"{float(text):.{_DIGITS}g}"
