"""PowerPoint presentations (`.pptx`): PresentationML, ISO/IEC 29500-1, §19. Each slide is a section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import signed_number
from sage_ld.build.readers.grid import MOST_COLUMNS, Cell, Row, add_grid
from sage_ld.build.readers.inline import Inline, InlineBuilder, folded_away
from sage_ld.build.readers.list_numbers import written
from sage_ld.build.readers.metadata.facts import document_with_facts
from sage_ld.build.readers.office.charts import add_graphic
from sage_ld.build.readers.office.ooxml import (
    Relationship,
    attribute,
    child,
    children,
    descend,
    is_hidden,
    link_target,
    local,
    main_part,
    number_of,
    properties,
    related,
    relationships,
)
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.positions import Position
from sage_ld.build.readers.shown import HIDDEN, OBJECT, STRUCK_OUT
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
}
_TITLES: Final = ("title", "ctrTitle")
_LEFT_OUT: Final = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
_WRAPPERS: Final = frozenset({"grpSp", "AlternateContent", "Choice"})
_SHAPES: Final = frozenset({"sp", "grpSp", "graphicFrame", "pic"})


def read_pptx(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else of the first slide that has one.

    The notes of a slide stand at its end; hidden slides are read, and named so; dates, footers and
    numbers of slides are not. Raises LimitError over `max_pdf_pages` slides.
    """
    package = Package(source, settings)
    stated = properties(package)
    builder = DocumentBuilder(source.identifier, settings)
    slides = _slides(package)
    if len(slides) > settings.max_pdf_pages:
        raise LimitError.of(package.name, len(slides), settings.max_pdf_pages, "slides", "max_pdf_pages")
    titles = [_add_slide(builder, package, member, number) for number, member in enumerate(slides, 1)]
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=next(filter(None, titles), "") or source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "PresentationDigitalDocument",
    )


def _slides(package: Package) -> list[str]:
    """The members of the slides, in the order in which they are shown, each once."""
    part = main_part(package)
    targets = relationships(package, part)
    listed = children(child(package.xml(part), "sldIdLst"), "sldId")
    ids = (_relationship_id(each) for each in listed)
    return list(dict.fromkeys(targets[each].target for each in ids if each in targets))


def _relationship_id(element: etree._Element) -> str:
    """The id of an element's relationship, which has an id of its own beside it."""
    return next((str(value) for key, value in element.items() if str(key).endswith("}id")), "")


def _add_slide(builder: DocumentBuilder, package: Package, member: str, number: int) -> str:
    """Adds a slide; returns its title."""
    slide = _Slide(relationships(package, member))
    root = package.xml(member)
    slide.read(descend(root, "cSld", "spTree"))
    notes = related(package, member, "notesSlide")
    builder.at(PlaceKind.SLIDE, number)
    if notes is not None or slide.title is not None or slide.blocks:
        name = slide.title or Inline(f"Slide {number}")
        builder.heading(folded_away(name) if attribute(root, "show") in ("0", "false") else name, 1)
    for block in slide.blocks:
        if isinstance(block, list):
            add_grid(builder, block)
        elif isinstance(block, Inline):
            builder.prose(block)
        elif not add_graphic(builder, package, member, block):
            builder.pass_over(OBJECT)
    builder.pass_over(STRUCK_OUT, slide.struck_out)
    builder.pass_over(HIDDEN, slide.hidden)
    if notes is not None:
        _add_notes(builder, package, notes)
    return slide.title.text if slide.title is not None else ""


def _add_notes(builder: DocumentBuilder, package: Package, member: str) -> None:
    notes = _Slide(relationships(package, member))
    notes.read(descend(package.xml(member), "cSld", "spTree"))
    for block in notes.blocks:
        if isinstance(block, Inline):
            builder.prose(block)


class _Slide:
    """The title and the blocks of a slide, as far as they have been read."""

    def __init__(self, links: Mapping[str, Relationship]) -> None:
        self._links = links
        self.title: Inline | None = None
        self.blocks: list[Inline | list[Row] | etree._Element] = []
        self.struck_out = 0
        """Texts that are struck out, and not among the blocks."""
        self.hidden = 0
        """Shapes with text or pictures that are switched off."""

    def read(self, container: etree._Element | None) -> None:
        """Reads the shapes in a container, in their order."""
        for shape in () if container is None else container:
            name = local(shape)
            if name in _SHAPES and is_hidden(shape):
                self.hidden += 1
            elif name in _WRAPPERS:
                self.read(shape)
            elif name == "sp":
                self._text_shape(shape)
            elif name == "graphicFrame":
                self._frame(shape)
            elif name in ("pic", "cxnSp"):
                self._picture(shape)

    def _text_shape(self, shape: etree._Element) -> None:
        kind = _placeholder(shape)
        content = self._text(child(shape, "txBody"), InlineBuilder())
        if kind in _LEFT_OUT or not content.text.strip():
            return
        if kind in _TITLES and self.title is None:
            self.title = content
        else:
            self.blocks.append(content)

    def _frame(self, shape: etree._Element) -> None:
        """A table; of another graphic what it is called, and the graphic, whose parts are read later."""
        if (table := descend(shape, "graphic", "graphicData", "tbl")) is not None:
            self.blocks.append(self._rows(table))
        else:
            self._picture(shape)
            self.blocks.append(shape)

    def _picture(self, shape: etree._Element) -> None:
        if (description := _description(shape)).strip():
            line = InlineBuilder()
            line.write(description)
            self.blocks.append(line.finish())

    def _text(self, body: etree._Element | None, line: InlineBuilder) -> Inline:
        numbers = SlideNumbers()
        for paragraph in children(body, "p"):
            line.newline()
            if label := numbers.label(child(paragraph, "pPr")):
                line.write(f"{label} ")
            for run in paragraph:
                self._run(line, run)
        return line.finish()

    def _run(self, line: InlineBuilder, run: etree._Element) -> None:
        if local(run) == "br":
            line.newline()
        elif local(run) == "fld" and attribute(run, "type") == "slidenum":
            return
        text = child(run, "t")
        if text is None:
            return
        look = child(run, "rPr")
        if look is not None and attribute(look, "strike") in ("sngStrike", "dblStrike"):
            self.struck_out += 1
            return
        raised = 0 if look is None else signed_number(attribute(look, "baseline"))
        link = child(look, "hlinkClick")
        target = "" if link is None else link_target(self._links, link)
        with line.placed(Position.RAISED if raised > 0 else Position.LOWERED if raised else None):
            if target:
                line.open_link(target)
            line.write(text.text or "")
            if target:
                line.close_link()

    def _rows(self, table: etree._Element) -> list[Row]:
        return [Row(tuple(self._cells(row))) for row in children(table, "tr")]

    def _cells(self, row: etree._Element) -> Iterator[Cell]:
        for cell in children(row, "tc"):
            if attribute(cell, "hMerge") in ("1", "true") or attribute(cell, "vMerge") in ("1", "true"):
                continue
            content = self._text(child(cell, "txBody"), InlineBuilder(single_line=True))
            columns = min(max(number_of(attribute(cell, "gridSpan"), 1), 1), MOST_COLUMNS)
            yield Cell(content, columns=columns, rows=max(number_of(attribute(cell, "rowSpan"), 1), 1))


class SlideNumbers:
    """The numbers that PowerPoint makes for the paragraphs of a text (ISO/IEC 29500-1, §21.1.2.4.1)."""

    def __init__(self) -> None:
        self._reached: dict[int, int] = {}
        """The last number of each level that is open."""

    def label(self, look: etree._Element | None) -> str:
        """The number of the next paragraph; empty where it has none, which begins the count again."""
        level = 0 if look is None else number_of(attribute(look, "lvl"))
        kind = child(look, "buAutoNum")
        self._reached = {each: number for each, number in self._reached.items() if each <= level}
        if kind is None:
            self._reached.pop(level, None)
            return ""
        start = number_of(attribute(kind, "startAt"), 1)
        number = self._reached[level] = self._reached.get(level, start - 1) + 1
        return _with_signs(number, attribute(kind, "type"))


_STYLES: Final = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_SIGNS: Final = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}.", "Minus": "{} -"}


def _with_signs(number: int, kind: str) -> str:
    """A number as a scheme of PowerPoint writes it, such as `alphaLcParenR`: `b)`."""
    text = written(number, next((_STYLES[each] for each in _STYLES if kind.startswith(each)), "decimal"))
    return next((form for end, form in _SIGNS.items() if kind.endswith(end)), "{}").format(text)


def _placeholder(shape: etree._Element) -> str:
    """The kind of placeholder that a shape fills, such as `title`; empty for none."""
    place = next((descend(each, "nvPr", "ph") for each in shape if local(each).startswith("nv")), None)
    return "" if place is None else attribute(place, "type") or "obj"


def _description(shape: etree._Element) -> str:
    named = next((child(each, "cNvPr") for each in shape if local(each).startswith("nv")), None)
    return "" if named is None else attribute(named, "descr")


PPTX = Reader("PowerPoint presentations", _MEDIA_TYPES, read_pptx, packed=True)
