"""Microdata and RDFa in the markup of a web page, as values of JSON-LD, by extruct (the extra `web`).

Its extractors for these two need no network; extruct is loaded only for a page that has such markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from sage_ld.build.readers.characters import one_line
from sage_ld.foundation import extras
from sage_ld.foundation.errors import UnavailableError

_MICRODATA: Final = etree.XPath("boolean(//*[@itemscope and @itemtype])")
_RDFA: Final = etree.XPath("boolean(//*[@typeof or @vocab or (@property and not(self::meta))])")
_NOT_DATA: Final = ("http://www.w3.org/ns/rdfa#", "http://www.w3.org/1999/xhtml/vocab#", "http://ogp.me/ns")
_SCHEMA_ORG: Final = ("http://schema.org/", "https://schema.org/")


def markup_data(root: etree._Element, name: str, base: str, warnings: list[str]) -> Iterator[Any]:
    """The values of JSON-LD that the markup of a page makes; what cannot be read adds to `warnings`."""
    for kind, present, read in (("microdata", _MICRODATA, _microdata), ("RDFa", _RDFA, _rdfa)):
        if not present(root):
            continue
        try:
            yield from read(etree.tostring(root, encoding="unicode", method="html"), base)
        except UnavailableError as error:
            warnings.append(f"{name}: its {kind} was left out: {error}")
        except Exception as error:  # the library has no error of its own for what it cannot read
            warnings.append(
                f"{name}: its {kind} was left out: {one_line(str(error)) or type(error).__name__}"
            )


def _microdata(page: str, base: str) -> Iterator[Any]:
    extractor = extras.load("extruct.w3cmicrodata", extras.WEB).MicrodataExtractor(strict=True)
    for item in extractor.extract(page, base_url=base):
        yield _node(item)


def _node(item: Any) -> Any:
    """A node of JSON-LD for an item; names are dropped where no type gives them a vocabulary."""
    if isinstance(item, list):
        return [_node(each) for each in item]
    if not isinstance(item, dict):
        return item
    types = item.get("type", [])
    node: dict[str, Any] = {"@context": _context(types[0]) if types else {}, "@type": types}
    if "id" in item:
        node["@id"] = item["id"]
    return node | {name: _node(each) for name, each in item.get("properties", {}).items() if name[:1] != "@"}


def _context(kind: str) -> Any:
    if kind.startswith(_SCHEMA_ORG):
        return "https://schema.org"
    return {"@vocab": kind[: max(kind.rfind("/"), kind.rfind("#")) + 1]}


def _rdfa(page: str, base: str) -> Iterator[Any]:
    extractor = extras.load("extruct.rdfa", extras.WEB).RDFaExtractor()
    yield [
        {name: each for name, each in node.items() if not name.startswith(_NOT_DATA)}
        for node in extractor.extract(page, base_url=base, expanded=True)
        if not any(each.startswith(_NOT_DATA) for each in node.get("@type", ()))
    ]
