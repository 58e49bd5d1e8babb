"""reStructuredText: its sections, paragraphs, lists, tables and literal blocks, with links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode, one_line
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.grid import Cell, Row, add_grid
from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.list_numbers import written
from sage_ld.build.readers.positions import Position
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document, PlaceKind, Property
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "text/x-rst"
_PARSER_SETTINGS: Final = {
    "_disable_config": True,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,  # nothing is printed
    "halt_level": 5,  # nothing but a fault of the parser ends it
    "syntax_highlight": "none",
    "line_length_limit": 1 << 30,  # what docutils guards by it, the limits of marks and substitutions do
}
_BEFORE_SUBSTITUTIONS: Final = 219
"""The priority of a transform that runs just before docutils' own, of 220."""
_POSITIONS: Final = {
    "superscript": Position.RAISED,
    "subscript": Position.LOWERED,
}
_EXPLICIT: Final = re.compile(r"^[ \t]*\.\. ", re.MULTILINE)
_BORDER: Final = re.compile(r"^[ \t]*(\+[-=+]+)", re.MULTILINE)
_MARKS: Final = "*`|_:"
_OVERVIEWS: Final = frozenset({"Contents", "SectNum", "TargetNotes"})
"""Transforms of docutils that walk over the whole file for each directive."""
_ROLE: Final = re.compile(r":[\w:+.-]+:`(?P<text>[^`<]*?)\s*(?:<(?P<target>[^`>]*)>)?`")
_DIRECTIVE: Final = re.compile(r"\A\.\. [\w:+.-]+::[ \t]*(?P<argument>[^\n]*)\n?(?P<body>.*)\Z", re.DOTALL)
_OPTION: Final = re.compile(r"^[ \t]*:[\w-]+:[^\n]*\n?", re.MULTILINE)


def read_restructured_text(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is its first heading of the highest level.

    Directives and roles that docutils does not know, such as those of Sphinx, give their text. Files that it
    includes are not read.
    """
    data = source.read(settings)
    tree = _parsed(decode(data, source.identifier), source.identifier, settings)
    builder = DocumentBuilder(source.identifier, settings)
    page = _RstPage(builder)
    page.add(tree, 0)
    document = file_document(
        builder, data, builder.first_heading or source.stem, MEDIA_TYPE, v.SCHEMA + "TextDigitalDocument"
    )
    yield replace(document, metadata=tuple(page.metadata))


def _parsed(text: str, name: str, settings: Settings) -> Any:
    _check_lines(text, name, settings)
    core = extras.load("docutils.core", extras.CODE)
    utils = extras.load("docutils.utils", extras.CODE)
    standalone: Any = extras.load("docutils.readers.standalone", extras.CODE)
    transforms: Any = extras.load("docutils.transforms", extras.CODE)
    rst: Any = extras.load("docutils.parsers.rst", extras.CODE)

    class _ExpansionCheck(transforms.Transform):  # type: ignore[misc]  # docutils is loaded when it is needed
        """A look at what docutils is going to expand, just before it begins."""

        default_priority = _BEFORE_SUBSTITUTIONS

        def apply(self) -> None:
            _check_overviews(self.document, name, settings.max_rst_overviews)
            limit = settings.max_rst_substitutions
            if _substitutions(self.document, limit) > limit:
                raise LimitError(
                    f"{name}: more than {limit:,} substitutions, those inside others counted each time; "
                    "split it or raise the setting max_rst_substitutions"
                )

    class _CheckingReader(standalone.Reader):  # type: ignore[misc]
        """Docutils' reader of a file by itself, with that look."""

        def get_transforms(self) -> list[Any]:
            return [*super().get_transforms(), _ExpansionCheck]

    try:
        return core.publish_doctree(
            text,
            source_path=name,
            reader=_CheckingReader(),
            parser=rst.Parser(inliner=_inliner(name, settings.max_rst_marks)),
            settings_overrides=_PARSER_SETTINGS,
        )
    except (utils.SystemMessage, ValueError) as error:
        raise InputError(
            f"{name}: not readable as reStructuredText ({one_line(str(error))}); correct it"
        ) from None


def _check_lines(text: str, name: str, settings: Settings) -> None:
    """Raises LimitError for more directives, or a wider grid table, than docutils reads in good time."""
    if (count := len(_EXPLICIT.findall(text))) > (limit := settings.max_rst_directives):
        raise LimitError.of(f"{name}: lines that begin with ..", count, limit, "lines", "max_rst_directives")
    columns = max((border.count("+") for border in _BORDER.findall(text)), default=1) - 1
    if columns > (limit := settings.max_table_columns):
        raise LimitError.of(f"{name}: a grid table", columns, limit, "columns", "max_table_columns")


def _inliner(name: str, limit: int) -> Any:
    """Docutils' parser of the running text of a paragraph, which refuses one with more marks than `limit`.

    It looks for the end of each mark up to the end of the paragraph.
    """
    states: Any = extras.load("docutils.parsers.rst.states", extras.CODE)
    inliner = states.Inliner()
    parse = inliner.parse

    def parse_within_limit(text: str, *more: Any) -> Any:
        if len(text) > limit and (marks := sum(map(text.count, _MARKS))) > limit:
            what = f"{name}: marks (*, `, |, _, :) in one paragraph"
            raise LimitError.of(what, marks, limit, "marks", "max_rst_marks")
        return parse(text, *more)

    inliner.parse = parse_within_limit  # its class cannot be extended: docutils reads its variables
    return inliner


def _check_overviews(tree: Any, name: str, limit: int) -> None:
    """Raises LimitError for more directives than `limit` that walk over the whole file."""
    pending = tree.findall(lambda node: node.tagname == "pending")
    count = sum(each.transform.__name__ in _OVERVIEWS and "local" not in each.details for each in pending)
    if count > limit:
        what = f"{name}: directives that list or number all of it (contents, sectnum, target-notes)"
        raise LimitError.of(what, count, limit, "directives", "max_rst_overviews")


def _substitutions(tree: Any, limit: int) -> int:
    """The number of references to substitutions once all are expanded; it stops counting above `limit`.

    A reference in a definition counts as often as that is expanded. One that comes back to itself counts
    once: docutils refuses it.
    """
    names = {name.lower(): definition for name, definition in tree.substitution_defs.items()}
    inner = {
        name: [each["refname"].lower() for each in _references(definition)]
        for name, definition in names.items()
    }
    counts: dict[str, int] = {}

    def count(name: str) -> int:
        if name not in counts:
            counts[name] = 1
            counts[name] = min(limit, 1 + sum(map(count, inner.get(name, ()))))
        return counts[name]

    total = 0
    for each in _references(tree):
        total += count(each["refname"].lower())
        if total > limit:
            break
    return total


def _references(tree: Any) -> list[Any]:
    return list(tree.findall(lambda node: node.tagname == "substitution_reference"))


class _RstPage:
    """The walk over docutils' tree, whose nodes are named by the tags of its DTD."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self.metadata: list[Property] = []

    def add(self, node: Any, level: int) -> None:
        """Adds what stands in a node, at a level of sections."""
        for child in node.children:
            if child.tagname == "section":
                self.add(child, level + 1)
            else:
                self._block(child, level)

    def _block(self, node: Any, level: int) -> None:
        if node.line:
            self._builder.at(PlaceKind.LINE, node.line)
        if (handle := self._HANDLERS.get(node.tagname)) is not None:
            handle(self, node, level)
        elif any(child.tagname in _HOLDERS for child in node.children):  # a note, a figure, a block quote
            self.add(node, level)
        else:
            self._builder.prose(_inline([node]))

    def _title(self, node: Any, level: int) -> None:
        self._builder.heading(_inline([node]), level)

    def _list(self, node: Any, _level: int) -> None:
        line = InlineBuilder()
        _write_list(line, node)
        self._builder.prose(line.finish())

    def _table(self, node: Any, _level: int) -> None:
        rows = [
            Row(tuple(_cell(cell) for cell in row.children), in_head=row.parent.tagname == "thead")
            for row in _rows(node)
        ]
        caption = next((child.astext() for child in node.children if child.tagname == "title"), "")
        add_grid(self._builder, rows, caption)

    def _verbatim(self, node: Any, _level: int) -> None:
        self._builder.prose(node.astext().strip("\n"))

    def _fields(self, node: Any, level: int) -> None:
        """Fields before all text say something of the document; others are a list."""
        pairs = [
            (field.children[0].astext(), one_line(field.children[1].astext())) for field in node.children
        ]
        if self._builder.only_headings:
            self.metadata += [Property(name, value) for name, value in pairs if value]
        else:
            self._builder.prose("\n".join(f"{name}: {value}" for name, value in pairs))

    def _options(self, node: Any, _level: int) -> None:
        """Options of a program, each with what it does in its line."""
        pairs = [map(one_line, (child.astext() for child in item.children)) for item in node.children]
        self._builder.prose("\n".join(map(": ".join, pairs)))

    def _message(self, node: Any, _level: int) -> None:
        """An unknown directive: its argument and its text."""
        for child in node.children:
            if child.tagname == "literal_block" and (directive := _DIRECTIVE.match(child.astext())):
                self._builder.prose(directive["argument"])
                self._builder.prose(_dedented(_OPTION.sub("", directive["body"])))

    def _nothing(self, _node: Any, _level: int) -> None:
        """Skips a node that is not part of the text."""

    _HANDLERS: Final[Mapping[str, Callable[[_RstPage, Any, int], None]]] = {
        "title": _title,
        "bullet_list": _list,
        "enumerated_list": _list,
        "definition_list": _list,
        "table": _table,
        "literal_block": _verbatim,
        "doctest_block": _verbatim,
        "math_block": _verbatim,
        "field_list": _fields,
        "option_list": _options,
        "system_message": _message,
        "comment": _nothing,
        "target": _nothing,
        "substitution_definition": _nothing,
        "image": _nothing,
    }


_HOLDERS: Final = frozenset(
    {"paragraph", "bullet_list", "enumerated_list", "definition_list", "table", "literal_block", "section"}
)
"""Nodes that stand beside each other, and do not run on in a line."""


_PARTS: Final = frozenset({"list_item", "definition_list_item", "definition", "term"})
"""Nodes of lists that have lines of their own."""
_LIST_STYLES: Final = {
    "arabic": "decimal",
    "loweralpha": "lowerLetter",
    "upperalpha": "upperLetter",
    "lowerroman": "lowerRoman",
    "upperroman": "upperRoman",
}


def _rows(table: Any) -> list[Any]:
    """The rows of a table, those of its head first."""
    groups = [child for child in table.children if child.tagname == "tgroup"]
    parts = [part for group in groups for part in group.children if part.tagname in ("thead", "tbody")]
    return [row for part in parts for row in part.children]


def _cell(entry: Any) -> Cell:
    spans = entry.get("morecols", 0) + 1, entry.get("morerows", 0) + 1
    return Cell(_inline([entry], single_line=True), False, *spans)


def _write_list(line: InlineBuilder, node: Any) -> None:
    """The items of a list, one below the other, those of lists in it among them."""
    begin = node.attributes.get("start", 1)
    for number, child in enumerate(node.children, begin):
        if child.tagname == "list_item" and node.tagname == "enumerated_list":
            style = _LIST_STYLES.get(node["enumtype"], "decimal")
            line.newline()
            line.write(f"{node['prefix']}{written(number, style)}{node['suffix']} ")
            _write_item(line, child)
        elif any(inner.tagname in _HOLDERS or inner.tagname in _PARTS for inner in child.children):
            _write_list(line, child)
        else:
            line.newline()
            _write(line, child)


def _write_item(line: InlineBuilder, item: Any) -> None:
    """An item whose number is written: its first paragraph goes on in that line."""
    first = item.children[0] if item.children else None
    if first is not None and first.tagname == "paragraph":
        _write(line, first)
        item = item.copy() if len(item.children) == 1 else _rest(item)
    _write_list(line, item)


def _rest(item: Any) -> Any:
    """An item without its first paragraph."""
    rest = item.deepcopy()
    del rest[0]
    return rest


def _inline(nodes: Sequence[Any], *, single_line: bool = False) -> Inline:
    line = InlineBuilder(single_line=single_line)
    for node in nodes:
        _write(line, node)
    return line.finish()


def _write(line: InlineBuilder, node: Any) -> None:
    if not node.children:
        line.write(node.astext() if node.tagname == "#text" else "")
        return
    target = node.attributes.get("refuri") if node.tagname == "reference" else None
    if node.tagname == "problematic":
        _write_role(line, node.astext())
    elif target:
        line.open_link(target)
        for child in node.children:
            _write(line, child)
        line.close_link()
    elif node.tagname == "footnote_reference":  # also after a blank, as the markup wants it
        line.write(f" [{node.astext()}]")
    elif node.tagname != "target":
        with line.placed(_POSITIONS.get(node.tagname)):
            for child in node.children:
                _write(line, child)


def _write_role(line: InlineBuilder, text: str) -> None:
    """Writes an unknown role: its text, and its target, which is a link if it is the role `doc`."""
    role = _ROLE.fullmatch(text)
    if role is None:
        line.write(text)
    elif text.startswith(":doc:"):
        line.open_link((role["target"] or role["text"]) + ".rst")
        line.write(role["text"])
        line.close_link()
    else:
        line.write(role["text"] or role["target"] or "")


def _dedented(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip("\n").split("\n"))


RESTRUCTURED_TEXT = Reader(
    "reStructuredText", {".rst": MEDIA_TYPE, ".rest": MEDIA_TYPE}, read_restructured_text, text=True
)
