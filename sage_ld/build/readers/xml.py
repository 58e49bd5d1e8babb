"""XML: repeated elements as records, mixed text as prose, what stands alone as the document's own record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import BETWEEN_VALUES, file_document, record_name
from sage_ld.build.readers.source import Reader, Source
from sage_ld.build.readers.xml_events import parse_xml
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_MEDIA_TYPE = "application/xml"
_PARAGRAPHS = frozenset({"p", "para", "paragraph"})
_HEADINGS = frozenset({"title", "head", "heading"})


def read_xml(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the root's title or name, else the file's name."""
    data = source.read(settings)
    root = parse_xml(data, source.identifier, settings)
    fields = [(name, text) for name, text in _fields(root) if name in ("title", "name")]
    title = record_name(fields) or source.stem
    builder = DocumentBuilder(source.identifier, settings)
    _add(builder, root, title, 1)
    yield file_document(builder, data, title, _MEDIA_TYPE, v.SCHEMA + "Dataset" if _all_records(root) else "")


def _add(builder: DocumentBuilder, element: Element, title: str, level: int) -> None:
    """An element as prose with headings, or as a record followed by those that it lists."""
    if _mixed(element) or not (len(element) or element.attrib):
        builder.prose(_text(element))
    elif _is_prose(element):
        _add_prose(builder, element, title, level)
    else:
        listed = _listed(element)
        builder.record(title, _fields(element, without=frozenset(map(id, listed))))
        for number, child in enumerate(listed, 1):
            name = record_name(list(_fields(child))) or f"{_local(child.tag)} {number}"
            _add(builder, child, name, level)


def _add_prose(builder: DocumentBuilder, element: Element, title: str, level: int) -> None:
    for child in element:
        if _local(child.tag) in _HEADINGS and not len(child):
            builder.heading(_text(child), level)
        else:
            _add(builder, child, title, level + 1)


def _listed(element: Element) -> list[Element]:
    """The children that become blocks of their own: those whose tag repeats, or that list some themselves."""
    counts = Counter(child.tag for child in element)
    return [
        child
        for child in element
        if len(child) and not _mixed(child) and (counts[child.tag] > 1 or _is_prose(child) or _listed(child))
    ]


def _fields(
    element: Element, path: str = "", without: frozenset[int] = frozenset()
) -> Iterator[tuple[str, str]]:
    """The attributes and inner values of an element, by their path; values of one tag on one line.

    `without` are the ids of children that are left out.
    """
    for name, value in element.attrib.items():
        yield _path(path, name), value
    repeated: dict[str, list[str]] = {}
    for child in element:
        if id(child) in without:
            continue
        where = _path(path, child.tag)
        if len(child) and not _mixed(child):
            yield from _fields(child, where)
        else:
            repeated.setdefault(where, []).append(_text(child))
            yield from ((_path(where, name), value) for name, value in child.attrib.items())
    for where, values in repeated.items():
        yield where, BETWEEN_VALUES.join(value for value in values if value)


def _path(path: str, name: str) -> str:
    return f"{path}.{_local(name)}" if path else _local(name)


def _local(name: str) -> str:
    return str(name).rpartition("}")[2]


def _text(element: Element) -> str:
    return one_line("".join(element.itertext()))


def _mixed(element: Element) -> bool:
    """Whether text stands between the element's children."""
    texts = [element.text, *(child.tail for child in element)]
    return len(element) > 0 and any(text and not text.isspace() for text in texts)


def _is_prose(element: Element) -> bool:
    """Whether the element's children are paragraphs."""
    children = [child for child in element if _local(child.tag) not in _HEADINGS]
    return any(_local(child.tag) in _PARAGRAPHS for child in children) or (
        bool(children) and all(_mixed(child) for child in children)
    )


def _all_records(root: Element) -> bool:
    return not any(_mixed(each) or _is_prose(each) for each in root.iter())


XML = Reader("XML", {".xml": _MEDIA_TYPE}, read_xml, text=True)
