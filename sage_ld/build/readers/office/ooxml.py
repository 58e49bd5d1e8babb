"""Parts of all office formats of ISO/IEC 29500: packages, their relationships, and document properties."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lxml import etree

from sage_ld.build.readers.metadata.facts import Facts, facts
from sage_ld.build.readers.office.package import Package
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Property

_CORE: Final = {  # element of docProps/core.xml -> key; those that are a field of a document have its name
    "title": "title",
    "description": "description",
    "keywords": "keywords",
    "language": "language",
    "modified": "modified",
    "subject": "subject",
    "creator": "creator",
    "lastModifiedBy": "lastModifiedBy",
    "created": "created",
    "category": "category",
    "contentStatus": "contentStatus",
    "identifier": "identifier",
    "version": "version",
}
_APPLICATION: Final = ("Company", "Manager")
_DATATYPES: Final = {  # variant types of custom properties (ISO/IEC 29500-1, §22.4) -> XML Schema
    "i1": "integer",
    "i2": "integer",
    "i4": "integer",
    "i8": "integer",
    "int": "integer",
    "ui1": "integer",
    "ui2": "integer",
    "ui4": "integer",
    "ui8": "integer",
    "uint": "integer",
    "r4": "double",
    "r8": "double",
    "decimal": "double",
    "bool": "boolean",
    "date": "dateTime",
    "filetime": "dateTime",
}


@dataclass(frozen=True, slots=True)
class Relationship:
    """A reference from one part to another, or to something outside the file."""

    kind: str
    """The last part of its type: `hyperlink`, `slide`, `styles`."""
    target: str
    """A member of the archive, or as it is written where it is external."""
    external: bool


def local(element: etree._Element) -> str:
    """The name of an element without its namespace; empty for anything that is not an element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: etree._Element, name: str) -> str:
    """The value of an attribute, by its name without namespace; empty where there is none."""
    for key, value in element.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return ""


def children(element: etree._Element | None, name: str) -> Iterator[etree._Element]:
    """The children of that name without namespace; none of no element."""
    if element is not None:
        yield from (each for each in element if local(each) == name)


def child(element: etree._Element | None, name: str) -> etree._Element | None:
    """The first child of that name without namespace."""
    return next(children(element, name), None)


def descend(element: etree._Element | None, *names: str) -> etree._Element | None:
    """The first child of the first name, in it that of the second, and so on."""
    for name in names:
        element = child(element, name)
    return element


def text_of(element: etree._Element) -> str:
    """All text in an element."""
    return "".join(map(str, element.itertext()))


def number_of(value: str, default: int = 0) -> int:
    """A whole number of at most nine digits that is not negative, else `default`."""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default


def is_on(element: etree._Element | None) -> bool:
    """Whether a switch is there and on (`w:val` is absent, or true)."""
    return element is not None and attribute(element, "val") not in ("0", "false", "off")


def is_hidden(shape: etree._Element | None) -> bool:
    """Whether a shape of a drawing is switched off (`hidden` of its non-visual properties, §20.1.2.2.8)."""
    stated = next(shape.iter("{*}cNvPr", "{*}docPr"), None) if shape is not None else None
    return stated is not None and attribute(stated, "hidden") in ("1", "true")


def relationships(package: Package, part: str) -> Mapping[str, Relationship]:
    """The relationships of a part, by their ids; of the whole package for an empty `part`."""
    folder, name = posixpath.split(part)
    member = posixpath.join(folder, "_rels", f"{name}.rels")
    if member not in package:
        return {}
    return {
        attribute(each, "Id"): Relationship(
            attribute(each, "Type").rpartition("/")[2],
            _target(folder, each),
            attribute(each, "TargetMode") == "External",
        )
        for each in package.xml(member)
        if local(each) == "Relationship"
    }


def _target(folder: str, element: etree._Element) -> str:
    target = attribute(element, "Target")
    if attribute(element, "TargetMode") == "External":
        return target
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def related(package: Package, part: str, kind: str) -> str | None:
    """The member that a part refers to by a relationship of this kind, if it is there."""
    for each in relationships(package, part).values():
        if each.kind == kind and not each.external and each.target in package:
            return each.target
    return None


def main_part(package: Package) -> str:
    """The member with the document itself. Raises InputError where there is none."""
    part = related(package, "", "officeDocument")
    if part is None:
        raise InputError(f"{package.name}: no office document in this archive; check its format")
    return part


def link_target(links: Mapping[str, Relationship], element: etree._Element) -> str:
    """The target of an element with a relationship's id, or with an anchor in this file; empty for none."""
    relationship = links.get(attribute(element, "id"))
    target = relationship.target if relationship is not None and relationship.external else ""
    anchor = attribute(element, "anchor") or attribute(element, "location")
    return f"{target}#{anchor}" if anchor else target


def properties(package: Package) -> Facts:
    """The core, application and custom properties of the file."""
    return facts([*_core(package), *_application(package), *_custom(package)])


def _core(package: Package) -> Iterator[Property]:
    if (member := related(package, "", "core-properties")) is None:
        return
    for each in package.xml(member):
        if (key := _CORE.get(local(each))) and each.text:
            yield Property(key, each.text, "dateTime" if key in ("created", "modified") else "string")


def _application(package: Package) -> Iterator[Property]:
    if (member := related(package, "", "extended-properties")) is None:
        return
    for each in package.xml(member):
        if local(each) in _APPLICATION and each.text:
            yield Property(local(each), each.text)


def _custom(package: Package) -> Iterator[Property]:
    if (member := related(package, "", "custom-properties")) is None:
        return
    for each in package.xml(member):
        for value in each:
            if value.text:
                yield Property(attribute(each, "name"), value.text, _DATATYPES.get(local(value), "string"))
