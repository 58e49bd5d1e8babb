"""Programs: classes and functions are sections, with the comments and decorators above them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.plain import paragraphs
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings


@dataclass(frozen=True, slots=True)
class Grammar:
    """A programming language: the package of its tree-sitter grammar, and the function that gives it."""

    module: str
    function: str
    media_type: str
    suffixes: tuple[str, ...]


GRAMMARS: Final = (
    Grammar("tree_sitter_python", "language", "text/x-python", (".py", ".pyi")),
    Grammar("tree_sitter_javascript", "language", "text/javascript", (".js", ".mjs", ".cjs", ".jsx")),
    Grammar("tree_sitter_typescript", "language_typescript", "text/x-typescript", (".ts", ".mts", ".cts")),
    Grammar("tree_sitter_typescript", "language_tsx", "text/x-typescript", (".tsx",)),
    Grammar("tree_sitter_java", "language", "text/x-java", (".java",)),
    Grammar("tree_sitter_go", "language", "text/x-go", (".go",)),
    Grammar("tree_sitter_rust", "language", "text/x-rust", (".rs",)),
    Grammar("tree_sitter_c", "language", "text/x-c", (".c", ".h")),
    Grammar("tree_sitter_cpp", "language", "text/x-c++", (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx")),
    Grammar("tree_sitter_c_sharp", "language", "text/x-csharp", (".cs",)),
    Grammar("tree_sitter_ruby", "language", "text/x-ruby", (".rb",)),
    Grammar("tree_sitter_php", "language_php", "text/x-php", (".php",)),
    Grammar("tree_sitter_bash", "language", "text/x-shellscript", (".sh", ".bash")),
)
_BY_SUFFIX: Final[Mapping[str, Grammar]] = {suffix: each for each in GRAMMARS for suffix in each.suffixes}

# The kinds of node are those of the grammars, which have several names for the same.
_CONTAINERS: Final = frozenset(
    {"class_definition", "class_declaration", "abstract_class_declaration", "class", "class_specifier"}
    | {"struct_specifier", "struct_item", "struct_declaration", "enum_specifier", "enum_item"}
    | {
        "enum_declaration",
        "interface_declaration",
        "trait_item",
        "trait_declaration",
        "impl_item",
        "mod_item",
    }
    | {"module", "internal_module", "namespace_definition", "namespace_declaration", "record_declaration"}
    | {"type_spec", "annotation_type_declaration", "singleton_class"}
)
_FUNCTIONS: Final = frozenset(
    {"function_definition", "function_declaration", "function_item", "generator_function_declaration"}
    | {"method_definition", "method_declaration", "constructor_declaration", "destructor_declaration"}
    | {"method", "singleton_method", "macro_definition", "function_signature", "local_function_statement"}
)
_HOLDING_FUNCTION: Final = frozenset({"variable_declarator"})
"""Nodes that are functions if their value is one."""
_FUNCTION_VALUES: Final = frozenset({"arrow_function", "function_expression", "generator_function"})
_WRAPPERS: Final = frozenset(
    {"decorated_definition", "export_statement", "ambient_declaration", "template_declaration"}
    | {"lexical_declaration", "variable_declaration", "type_declaration", "expression_statement"}
)
"""Nodes around one definition, which belong to it."""
_BODIES: Final = frozenset(
    {"block", "class_body", "declaration_list", "body_statement", "field_declaration_list", "interface_body"}
    | {"enum_body", "enum_body_declarations", "statement_block", "if_statement", "linkage_specification"}
    | {"preproc_if", "preproc_ifdef", "preproc_else", "file_scoped_namespace_declaration", "try_statement"}
    | {"enum_class_body"}
)
"""Nodes in which definitions stand side by side."""
_COMMENTS: Final = frozenset({"comment", "line_comment", "block_comment", "attribute_item"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A class or a function: its qualified name, and its lines, counted from 0, both inclusive."""

    name: str
    first: int
    last: int
    inner: tuple[Definition, ...] = ()


def read_source_code(source: Source, settings: Settings) -> Iterator[Document]:
    """One document, its title the file's name; a program with errors is read as far as it is understood.

    Raises UnavailableError if the extra `code` is not installed.
    """
    data = source.read(settings)
    grammar = _BY_SUFFIX[source.suffix]
    text = decode(data, source.identifier)
    builder = DocumentBuilder(source.identifier, settings)
    lines = text.split("\n")
    _add(builder, lines, definitions(text, grammar), 0, len(lines) - 1, 1)
    yield file_document(builder, data, source.names[1], grammar.media_type, v.SCHEMA + "SoftwareSourceCode")


def definitions(text: str, grammar: Grammar) -> tuple[Definition, ...]:
    """The outermost classes and functions of a program, in the order of its text."""
    tree_sitter = extras.load("tree_sitter", extras.CODE)
    language = getattr(extras.load(grammar.module, extras.CODE), grammar.function)()
    tree = tree_sitter.Parser(tree_sitter.Language(language)).parse(text.encode("utf-8", "surrogatepass"))
    return tuple(_within(tree.root_node.children, ""))


def _within(nodes: Sequence[Any], around: str) -> Iterator[Definition]:
    """The definitions among nodes that stand side by side, each with the comments right above it."""
    comments: int | None = None
    end = -2
    for node in nodes:
        first = node.start_point[0]
        if node.type in _COMMENTS:
            comments = first if comments is None or first > end + 1 else comments
            end = node.end_point[0] - (node.end_point[1] == 0)
            continue
        above = comments if comments is not None and first <= end + 1 else first
        for each in _definitions(node, around):
            yield replace(each, first=above) if each.first == first else each
        comments = None


def _definitions(node: Any, around: str) -> Iterator[Definition]:
    """The definitions that a node is, or holds."""
    if not node.is_named:  # a keyword, such as `class`
        return
    if node.type in _CONTAINERS or _is_function(node):
        yield _definition(node, around)
    elif node.type in _WRAPPERS:
        inner = [each for child in node.children for each in _definitions(child, around)]
        first, last = node.start_point[0], node.end_point[0]
        yield from ([replace(inner[0], first=first, last=last)] if len(inner) == 1 else inner)
    elif node.type in _BODIES:
        yield from _within(node.children, around)


def _is_function(node: Any) -> bool:
    if node.type in _HOLDING_FUNCTION:
        value = node.child_by_field_name("value")
        return value is not None and value.type in _FUNCTION_VALUES
    return node.type in _FUNCTIONS


def _definition(node: Any, around: str) -> Definition:
    name = ".".join(part for part in (around, _name(node)) if part)
    inner = tuple(_within(node.children, name)) if node.type in _CONTAINERS else ()
    return Definition(name, node.start_point[0], node.end_point[0], inner)


def _name(node: Any) -> str:
    """The name that a definition gives: of an implementation its type, of a C function its declarator's."""
    named = next(filter(None, map(node.child_by_field_name, ("name", "declarator", "type"))), None)
    while named is not None and (inner := named.child_by_field_name("declarator")) is not None:
        named = inner
    receiver = node.child_by_field_name("receiver")  # Go
    parts = [receiver.text.decode().strip("()").split()[-1].lstrip("*")] if _has_type(receiver) else []
    return ".".join([*parts, "" if named is None else " ".join(named.text.decode().split())])


def _has_type(receiver: Any) -> bool:
    return receiver is not None and bool(receiver.text.decode().strip("() \n\t"))


def _add(
    builder: DocumentBuilder,
    lines: Sequence[str],
    defined: Sequence[Definition],
    first: int,
    last: int,
    level: int,
) -> None:
    """Adds some lines: those of each definition as a section, those between as they are."""
    at = first
    for each in defined:
        if each.first < at:  # it begins in a line in which another one ends
            continue
        _add_lines(builder, lines, at, each.first - 1)
        builder.at(PlaceKind.LINE, each.first + 1)
        builder.heading(each.name, level)
        _add(builder, lines, each.inner, each.first, each.last, level + 1)
        builder.end_section(level)
        at = each.last + 1
    _add_lines(builder, lines, at, last)


def _add_lines(builder: DocumentBuilder, lines: Sequence[str], first: int, last: int) -> None:
    for line, paragraph in paragraphs("\n".join(lines[first : last + 1])):
        builder.at(PlaceKind.LINE, first + line, first + line + paragraph.count("\n"))
        builder.prose(paragraph)


SOURCE_CODE = Reader(
    "source code",
    {suffix: each.media_type for each in GRAMMARS for suffix in each.suffixes},
    read_source_code,
    text=True,
    may_be_empty=True,
)
