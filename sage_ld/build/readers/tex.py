r"""LaTeX: its sections, paragraphs, lists, tables and code; formulas stay as they are written.

Nothing is executed or included: `\input` and macros that a file defines are not followed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode, one_line
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.grid import MOST_COLUMNS, Cell, Row, add_grid
from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.list_numbers import written
from sage_ld.build.readers.positions import Position
from sage_ld.build.readers.shown import HIDDEN, STRUCK_OUT, TICKED, UNTICKED
from sage_ld.build.readers.source import Reader, Source
from sage_ld.build.readers.tex_hidden import without_hidden
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document, PlaceKind, Property
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "application/x-tex"
_LEVELS: Final = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
}
_FACTS: Final = frozenset({"title", "author", "date", "keywords", "subject"})
_TABLES: Final = frozenset({"tabular", "tabular*", "tabularx", "longtable", "tabulary", "array"})
_VERBATIM: Final = frozenset({"verbatim", "Verbatim", "lstlisting", "minted", "alltt"})
_MARKED_UP: Final = "Highlighting"
"""The environment in which pandoc sets programs, whose words it marks by macros."""
_FORMULAS: Final = frozenset({"equation", "align", "gather", "multline", "eqnarray", "displaymath", "math"})
_LISTS: Final = frozenset({"itemize", "enumerate", "description"})
_NUMBERED: Final = "enumerate"
_LABELS: Final = (("decimal", "{}."), ("lowerLetter", "({})"), ("lowerRoman", "{}."), ("upperLetter", "{}."))
"""The numbers of items by the level of their list."""
_SILENT: Final = frozenset(
    {"label", "ref", "pageref", "cite", "citep", "citet", "maketitle", "tableofcontents", "noalign", "hline"}
    | {"toprule", "midrule", "bottomrule", "cline", "cmidrule", "endlastfoot", "endfoot", "raggedright"}
    | {"centering", "tightlist", "documentclass", "usepackage", "newcommand", "renewcommand", "setlength"}
    | {
        "hypertarget",
        "bibliographystyle",
        "bibliography",
        "includegraphics",
        "real",
        "linewidth",
        "phantomsection",
    }
)
_ARGUMENTS: Final = {
    "href": "{{",
    "url": "{",
    "noalign": "{",
    "caption": "[{",
    "textsuperscript": "{",
    "textsubscript": "{",
    "sout": "{",
    "st": "{",
    "multicolumn": "{{{",
    "cline": "{",
    "cmidrule": "{",
    "keywords": "{",
    "subject": "{",
    "hypertarget": "{{",
    "real": "{",
    **dict.fromkeys(("phantom", "hphantom", "vphantom"), "{"),
    "bibliographystyle": "{",
    "setlength": "{{",
    **dict.fromkeys(_LEVELS, "*[{"),
}
_POSITIONS: Final = {"textsuperscript": Position.RAISED, "textsubscript": Position.LOWERED}
_PASSED_OVER: Final = {
    **dict.fromkeys(("sout", "st"), STRUCK_OUT),
    **dict.fromkeys(("phantom", "hphantom", "vphantom"), HIDDEN),
}
_NEEDING: Final = frozenset({"href", "url", "multicolumn", *_POSITIONS, *_PASSED_OVER})
"""Macros that say nothing without an argument."""
_ENVIRONMENTS: Final = {
    "longtable": "[{",
    "tabularx": "{[{",
    "tabular*": "{[{",
    "tabulary": "{{",
    "minipage": "[{",
    "Highlighting": "[",
    "lstlisting": "[",
    "minted": "[{",
}
_BOXES: Final = {
    **dict.fromkeys(("boxtimes", "XBox", "CheckedBox", "checkedbox"), TICKED),
    **dict.fromkeys(("square", "Square", "Box", "emptybox"), UNTICKED),
}
"""Macros of boxes of a form, in a text or as a formula of its own."""
_SIGNS: Final = {
    "textgreater": ">",
    "textless": "<",
    "textbar": "|",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textquotesingle": "'",
    "textunderscore": "_",
    **_BOXES,
}
"""Macros of single characters that the library leaves out."""
_BRACKET: Final = re.compile(r"\\(?P<macro>[A-Za-z]+|.)\*?\s*\[|(?P<end>\]|\n[ \t]*\n)", re.DOTALL)
"""The beginning of an optional argument, or where one may end: its bracket, the paragraph."""
_OPTIONS: Final = re.compile(r"\A\[[^\]\n]*\]")
_BREAK: Final = re.compile(r"\n[ \t]*\n\s*")


def read_tex(source: Source, settings: Settings) -> Iterator[Document]:
    r"""One document; its title is that of `\title`, else its first heading of the highest level.

    Raises UnavailableError if the extra `code` is not installed, InputError if its braces do not match.
    """
    data = source.read(settings)
    written = decode(data, source.identifier)
    text, hidden = without_hidden(written)
    builder = DocumentBuilder(source.identifier, settings)
    builder.pass_over(HIDDEN, hidden)
    page = _TexPage(builder, _line_begins(written), whole=r"\begin{document}" in text)
    page.add(_parsed(text, source.identifier, settings))
    page.end_paragraph()
    facts = {each.key: each.value for each in page.metadata}
    document = file_document(
        builder,
        data,
        facts.get("title") or builder.first_heading or source.stem,
        MEDIA_TYPE,
        v.SCHEMA + "TextDigitalDocument",
    )
    yield replace(document, metadata=tuple(each for each in page.metadata if each.key != "title"))


def _line_begins(text: str) -> list[int]:
    """The places where the lines of a text begin."""
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _parsed(text: str, name: str, settings: Settings) -> Sequence[Any]:
    """The nodes of what is set, which a whole document has in its environment `document`."""
    walker = extras.load("pylatexenc.latexwalker", extras.CODE)
    macros = extras.load("pylatexenc.macrospec", extras.CODE)
    context = walker.get_default_latex_context_db()
    context.add_context_category(
        "sage-ld",
        prepend=True,
        macros=[macros.std_macro(macro, form) for macro, form in _ARGUMENTS.items()],
        environments=[macros.std_environment(each, form) for each, form in _ENVIRONMENTS.items()],
    )
    _check_brackets(text, name, context, settings.max_tex_brackets)
    try:
        nodes, _, _ = walker.LatexWalker(text, latex_context=context).get_latex_nodes()
    except walker.LatexWalkerError as error:
        raise InputError(
            f"{name}: not readable as LaTeX ({one_line(str(error))[:200]}); correct it"
        ) from None
    return list(nodes)


def _check_brackets(text: str, name: str, context: Any, limit: int) -> None:
    """Raises LimitError where optional arguments are nested deeper than `limit`, or are not closed.

    The parser reads such an argument once for each way in which it could end, which doubles with each level.
    """
    names = {each.macroname for each in context.iter_macro_specs() if "[" in _form(each)}
    depth = 0
    for match in _BRACKET.finditer(text):
        if match["macro"] in names:
            depth += 1
        elif match["end"]:
            depth = max(depth - 1, 0) if match["end"] == "]" else 0
        if depth > limit:
            line = text.count("\n", 0, match.start()) + 1
            raise LimitError(
                f"{name}: optional arguments nested deeper than {limit} levels, or not closed (line {line}); "
                "close them, or raise the setting max_tex_brackets"
            )


def _form(macro: Any) -> str:
    """The arguments of a macro, as pylatexenc writes them: `[` is an optional one."""
    return getattr(macro.args_parser, "argspec", None) or ""


class _TexPage:
    """The paragraph that is being read, and what the preamble says."""

    def __init__(self, builder: DocumentBuilder, lines: Sequence[int], *, whole: bool) -> None:
        self._builder = builder
        self._lines = lines
        self._whole = whole
        self._line = InlineBuilder()
        self._inlines = _Inlines(builder)
        self._caption = ""
        """Of the environment around, until a table has taken it."""
        self.metadata: list[Property] = []

    def add(self, nodes: Sequence[Any]) -> None:
        """Adds what stands in some nodes."""
        for node in nodes:
            name = getattr(node, "macroname", None)
            if name in _LEVELS:
                self._begin(node)
                self._builder.heading(self._inlines.of(_arguments(node)[-1:]), _LEVELS[name])
            elif name in _FACTS and self._builder.empty:
                value = one_line(self._inlines.of(_arguments(node)[-1:]).text)
                self.metadata += [Property(name, value)] if value else []
            elif hasattr(node, "environmentname"):
                self._environment(node)
            elif name == "hypertarget" or (_holds(node) and self._line.empty):  # it may hold sections
                self.add(_arguments(node)[-1:] if name else node.nodelist)
            elif not self._whole:
                self._running(node)

    def end_paragraph(self) -> None:
        """Ends the paragraph, which may be empty."""
        self._builder.prose(self._line.finish())
        self._line = InlineBuilder()

    def _begin(self, node: Any) -> None:
        """Ends the paragraph before a block, and says in which line the block begins."""
        self.end_paragraph()
        self._at(node.pos)

    def _at(self, place: int) -> None:
        """Says that the next block begins at a place of the file."""
        self._builder.at(PlaceKind.LINE, bisect_right(self._lines, place))

    def _environment(self, node: Any) -> None:
        name = node.environmentname
        self._begin(node)
        if name == "document":
            self._whole = False
            self.add(node.nodelist)
            self._whole = True
        elif name in _TABLES:
            self._table(node.nodelist)
        elif name in _VERBATIM:
            self._builder.prose(_verbatim(node))
        elif name == _MARKED_UP:
            self._builder.prose(self._inlines.plain(node.nodelist).strip("\n"))
        elif name.rstrip("*") in _FORMULAS:
            self._builder.prose(one_line(node.latex_verbatim()))
        elif name in _LISTS:
            self._builder.prose(self._inlines.of([node]))
        else:
            self._float(node)
        self.end_paragraph()

    def _float(self, node: Any) -> None:
        """Adds the content of an environment; a caption in it is that of its table, or else text."""
        self._caption = self._inlines.of(_caption(node.nodelist)).text
        self.add(node.nodelist)
        self.end_paragraph()
        self._builder.prose(self._caption)
        self._caption = ""

    def _running(self, node: Any) -> None:
        """Text that runs on; a blank line ends its paragraph."""
        if not hasattr(node, "chars"):
            if self._line.empty:
                self._at(node.pos)
            self._inlines.write(self._line, node)
            return
        at = 0
        for number, gap in enumerate([*_BREAK.finditer(node.chars), None]):
            part = node.chars[at : None if gap is None else gap.start()]
            if number:
                self.end_paragraph()
            if self._line.empty and part.strip():
                self._at(node.pos + at + len(part) - len(part.lstrip()))
            self._line.write(part)
            at = len(node.chars) if gap is None else gap.end()

    def _table(self, nodes: Sequence[Any]) -> None:
        rows = [Row(tuple(map(self._cell, row))) for row in _rows(nodes)]
        rows = [row for row in rows if any(cell.content.text for cell in row.cells)]
        if rows:
            caption = self._inlines.of(_caption(nodes)).text or self._caption
            add_grid(self._builder, rows, caption)
            self._caption = ""

    def _cell(self, nodes: Sequence[Any]) -> Cell:
        """A cell, which spans as many columns as a `multicolumn` in it says."""
        spans = (_arguments(node) for node in nodes if _macro(node) == "multicolumn")
        span = next((_written(arguments[0]) for arguments in spans if arguments), "1")
        columns = min(max(int(span), 1), MOST_COLUMNS) if span.isdecimal() and len(span) < 5 else 1
        return Cell(self._inlines.of(nodes, single_line=True), columns=columns)


class _Inlines:
    """Turns nodes into running text."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._items: list[int | None] = []
        """Of each list that is open the number of its last item; None if it is not numbered."""
        text = extras.load("pylatexenc.latex2text", extras.CODE)
        context = text.get_default_latex_context_db()
        signs = [text.MacroTextSpec(macro, sign) for macro, sign in _SIGNS.items()]
        context.add_context_category("sage-ld", prepend=True, macros=signs)
        context.set_unknown_macro_spec(text.MacroTextSpec("", discard=False))
        self._plain = text.LatexNodes2Text(context, math_mode="verbatim", keep_comments=False)

    def of(self, nodes: Sequence[Any], *, single_line: bool = False) -> Inline:
        """The text of nodes, with its links."""
        line = InlineBuilder(single_line=single_line)
        for node in nodes:
            self.write(line, node)
        return line.finish()

    def plain(self, nodes: Sequence[Any]) -> str:
        """The text of nodes, with its white space."""
        try:
            return str(self._plain.nodelist_to_text(nodes))
        except KeyError:  # a macro without the argument that its text names (pylatexenc 2)
            return "".join(str(each.latex_verbatim()) for each in nodes)

    def _list(self, line: InlineBuilder, node: Any) -> None:
        """Writes the items of a list, with the numbers that LaTeX gives those of an enumeration."""
        self._items.append(0 if node.environmentname == _NUMBERED else None)
        for inner in node.nodelist:
            self.write(line, inner)
        self._items.pop()

    def _label(self, line: InlineBuilder, arguments: Sequence[Any]) -> None:
        """Writes what an item states for its label, else its number if its list has any."""
        if arguments:
            self.write(line, arguments[-1])
            line.write(" ")
        elif self._items and (reached := self._items[-1]) is not None:
            self._items[-1] = reached + 1
            style, form = _LABELS[min(sum(each is not None for each in self._items), len(_LABELS)) - 1]
            line.write(f"{form.format(written(reached + 1, style))} ")

    def _marked(self, line: InlineBuilder, name: str | None, arguments: Sequence[Any]) -> None:
        """Writes what a macro says of its argument: a link, a position, a span; or that it is not shown."""
        if name in _PASSED_OVER:
            self._builder.pass_over(_PASSED_OVER[name])
        elif name in ("href", "url"):
            line.open_link(_written(arguments[0]))
            self.write(line, arguments[-1])
            line.close_link()
        else:
            with line.placed(_POSITIONS.get(name or "")):
                self.write(line, arguments[-1])

    def write(self, line: InlineBuilder, node: Any) -> None:
        """Writes a node on a line."""
        name, arguments = _macro(node), _arguments(node)
        if name in _NEEDING and arguments:
            self._marked(line, name, arguments)
        elif name in ("\\", "item", "newline", "par"):
            line.newline()
            if name == "item":
                self._label(line, arguments)
        elif name in _SILENT or name in _NEEDING or name == "caption":
            return
        elif getattr(node, "environmentname", "") in _LISTS:
            self._list(line, node)
        elif _holds(node):
            for inner in node.nodelist:
                self.write(line, inner)
        else:
            line.write(_box(node) or self.plain([node]))


def _holds(node: Any) -> bool:
    """Whether a node is a group or an environment."""
    return type(node).__name__ in ("LatexGroupNode", "LatexEnvironmentNode")


def _macro(node: Any) -> str | None:
    return getattr(node, "macroname", None)


def _box(node: Any) -> str:
    """The sign of a box, for a formula that has nothing else; empty for other nodes."""
    if type(node).__name__ != "LatexMathNode":
        return ""
    inner = [each for each in node.nodelist if _macro(each) or str(each.latex_verbatim()).strip()]
    return _BOXES.get(_macro(inner[0]) or "", "") if len(inner) == 1 else ""


def _caption(nodes: Sequence[Any]) -> list[Any]:
    """The text of the first caption among nodes."""
    return next((_arguments(node)[-1:] for node in nodes if _macro(node) == "caption"), [])


def _arguments(node: Any) -> list[Any]:
    """The arguments that a macro has, without optional ones that are not there."""
    parsed = getattr(node, "nodeargd", None)
    return [each for each in (parsed.argnlist if parsed else ()) if each is not None]


def _written(node: Any) -> str:
    """The text of an argument as it stands in the file, without its braces."""
    return str(node.latex_verbatim()).strip("{}").replace("\\", "")


def _verbatim(node: Any) -> str:
    """The text between the beginning and the end of an environment, as it stands in the file."""
    text = str(node.latex_verbatim())
    return _OPTIONS.sub("", text[text.index("}") + 1 : text.rindex("\\end")]).strip("\n")


def _rows(nodes: Sequence[Any]) -> Iterator[list[list[Any]]]:
    """The cells of each row, as nodes; of a head that is given twice (longtable) the first."""
    row: list[list[Any]] = [[]]
    skipping = False
    for node in nodes:
        name = _macro(node)
        if name == "endfirsthead":
            skipping = True
        elif name == "endhead":
            skipping, row = False, [[]]
        elif skipping:
            continue
        elif getattr(node, "specials_chars", None) == "&":
            row.append([])
        elif name in ("\\", "tabularnewline"):
            yield row
            row = [[]]
        else:
            row[-1].append(node)
    yield row


TEX = Reader("LaTeX", {".tex": MEDIA_TYPE, ".latex": MEDIA_TYPE}, read_tex, text=True)
