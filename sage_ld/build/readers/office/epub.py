"""E-books (`.epub`): EPUB 2 and 3. The chapters are read as HTML, in the order of the book's spine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import unquote, urlsplit

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode, one_line
from sage_ld.build.readers.codings import recoded
from sage_ld.build.readers.html import add_html, parse_html
from sage_ld.build.readers.metadata.facts import Facts, document_with_facts, facts
from sage_ld.build.readers.office.ooxml import attribute, child, children, local, text_of
from sage_ld.build.readers.office.package import Package, check_entities
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document, Property
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {".epub": "application/epub+zip"}
_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_PAGES: Final = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_FIELDS: Final = {
    "title": "title",
    "description": "description",
    "language": "language",
    "subject": "keywords",
}
_CORE: Final = ("creator", "contributor", "publisher", "date", "identifier", "rights", "type", "source")


def read_epub(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its metadata, else the first heading of the highest level.

    A chapter that does not begin with a heading has its name in the table of contents for one. Links within
    the book lead to this document.
    """
    package = Package(source, settings)
    book = _Book(package)
    builder = DocumentBuilder(source.identifier, settings)
    for member in book.chapters:
        _add_chapter(builder, package, book, member, settings)
    yield document_with_facts(
        builder,
        book.stated,
        settings,
        title=builder.first_heading or source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "Book",
    )


class _Book:
    """The content of the package document: the chapters, their names, the metadata."""

    def __init__(self, package: Package) -> None:
        member = _package_document(package)
        root = package.xml(member)
        self._folder = posixpath.dirname(member)
        self.items = {attribute(each, "id"): each for each in children(child(root, "manifest"), "item")}
        spine = child(root, "spine")
        listed = (self.items.get(attribute(each, "idref")) for each in children(spine, "itemref"))
        self.chapters = list(dict.fromkeys(self._member(each) for each in listed if _is_page(each)))
        self.stated = _facts(child(root, "metadata"))
        self.names = self._names(package, "" if spine is None else attribute(spine, "toc"))
        _check_encryption(package, self.chapters)

    def _member(self, item: etree._Element | None) -> str:
        return _join(self._folder, "" if item is None else attribute(item, "href"))

    def _names(self, package: Package, contents: str) -> Mapping[str, str]:
        """The names of the chapters: those of EPUB 3's navigation, else of EPUB 2's."""
        navigation = next(
            (x for x in self.items.values() if "nav" in attribute(x, "properties").split()), None
        )
        item = navigation if navigation is not None else self.items.get(contents)
        member = self._member(item)
        if item is None or member not in package:
            return {}
        root = package.xml(member)
        pairs = _links(root) if navigation is not None else _points(root)
        names: dict[str, str] = {}
        for target, name in pairs:
            names.setdefault(_join(posixpath.dirname(member), target), one_line(name))
        return names


def _package_document(package: Package) -> str:
    if _CONTAINER not in package:
        raise InputError(f"{package.name}: not an e-book ({_CONTAINER} is missing); check its format")
    root = next(package.xml(_CONTAINER).iter("{*}rootfile"), None)
    if root is None:
        raise InputError(f"{package.name}: {_CONTAINER} names no package document; save the file again")
    return attribute(root, "full-path")


def _check_encryption(package: Package, chapters: list[str]) -> None:
    """Raises InputError where chapters are encrypted; fonts may be."""
    if _ENCRYPTION in package:
        references = package.xml(_ENCRYPTION).iter("{*}CipherReference")
        if any(_join("", attribute(each, "URI")) in chapters for each in references):
            raise InputError(f"{package.name}: is copy-protected; get a copy without protection")


def _is_page(item: etree._Element | None) -> bool:
    return (
        item is not None
        and attribute(item, "media-type") in _PAGES
        and "nav" not in attribute(item, "properties").split()
    )


def _join(folder: str, reference: str) -> str:
    """The member that a reference without its fragment leads to."""
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/")


def _links(root: etree._Element) -> Iterator[tuple[str, str]]:
    navigation = next((x for x in root.iter("{*}nav") if attribute(x, "type") in ("toc", "")), None)
    for each in () if navigation is None else navigation.iter("{*}a"):
        yield attribute(each, "href"), text_of(each)


def _points(root: etree._Element) -> Iterator[tuple[str, str]]:
    for each in root.iter("{*}navPoint"):
        content, label = child(each, "content"), child(each, "navLabel")
        if content is not None and label is not None:
            yield attribute(content, "src"), text_of(label)


def _facts(metadata: etree._Element | None) -> Facts:
    return facts(_properties(metadata) if metadata is not None else ())


def _properties(metadata: etree._Element) -> Iterator[Property]:
    """Dublin Core; of other properties the time of the last change (EPUB 3.3, §5.5.5)."""
    for each in metadata:
        name, text = local(each), text_of(each)
        if name in _FIELDS:
            yield Property(_FIELDS[name], text.replace(",", " ") if name == "subject" else text)
        elif name in _CORE:
            yield Property(name, text)
        elif attribute(each, "property") == "dcterms:modified":
            yield Property("modified", text)


def _add_chapter(
    builder: DocumentBuilder, package: Package, book: _Book, member: str, settings: Settings
) -> None:
    root = _page(package, member, settings)
    if root is None:
        return
    chapters = frozenset(book.chapters)
    for anchor in root.iter("a"):
        href = anchor.get("href", "")
        if not text_of(anchor).strip():  # a mark that others link to, such as a line of code
            anchor.set("href", "")
        elif href and not _scheme(href) and _join(posixpath.dirname(member), href) in chapters:
            anchor.set("href", f"#{href.partition('#')[2]}")
    if (name := book.names.get(member)) and not _begins_with_heading(root):
        builder.heading(name, 1)
    add_html(builder, root, settings)


def _scheme(reference: str) -> str:
    """The scheme of a reference; empty for a relative one, or one that cannot be parsed."""
    try:
        return urlsplit(reference).scheme
    except ValueError:
        return ""


def _page(package: Package, member: str, settings: Settings) -> etree._Element | None:
    """The root of a chapter: parsed as XML, else as HTML."""
    data = package.read(member)
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:  # an entity of HTML such as &nbsp;, or no XML at all
        name = f"{package.name}: {member}"
        return parse_html(decode(recoded(data, name, ".xhtml").data, name), name, settings)
    check_entities(root, f"{package.name}: {member}")
    for element in root.iter(etree.Element):
        element.tag = local(element)
    return root


def _begins_with_heading(root: etree._Element) -> bool:
    """Whether no text stands before the first heading of a page."""
    body = next(root.iter("body"), root)
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if event == "start" and element.tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            return True
        if ((element.text if event == "start" else element.tail) or "").strip():
            return False
    return False


EPUB = Reader("e-books", _MEDIA_TYPES, read_epub, packed=True)
