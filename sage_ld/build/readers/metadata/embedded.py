"""RDF that a web page embeds: its statements, and those about the page itself as metadata of the document.

Contexts come from `sage_ld.build.readers.contexts`. `http://schema.org/` becomes `https://schema.org/`, so
that one term has one IRI. What cannot be read is counted in what was passed over, and a warning says why.

Extruct's extractors of microdata and RDFa need no network; it is loaded only for a page that has such markup.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from lxml import etree
from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    parse,
)

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.companions import combined_hash
from sage_ld.build.readers.contexts import ContextError, ContextLoader
from sage_ld.build.readers.data.json_values import parse_json
from sage_ld.build.readers.json_ld import check_scoped_contexts, expanded
from sage_ld.build.readers.metadata.properties import dated, limited
from sage_ld.build.readers.rdf import Relabel
from sage_ld.build.readers.shown import UNREAD_DATA
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.model import Document, Property
from sage_ld.foundation.settings import Settings

_MICRODATA: Final = etree.XPath("boolean(//*[@itemscope and @itemtype])")
_ADDRESSES: Final = {
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    "object": "data",
}
"""The attribute of each element whose value is an address (HTML, §5.2.4)."""
_LANGUAGE: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_HTML: Final = "text/html"
_RDFA: Final = etree.XPath("boolean(//*[@typeof or @vocab or (@property and not(self::meta))])")
_NOT_DATA: Final = ("http://www.w3.org/ns/rdfa#", "http://www.w3.org/1999/xhtml/vocab#", "http://ogp.me/ns")
_SCHEMA_ORG_NAMESPACES: Final = ("http://schema.org/", "https://schema.org/")


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
    for item in _microdata_extractor()(strict=True).extract(page, base_url=base):
        yield _node(item)


@cache
def _microdata_extractor() -> Any:
    """The class of extruct's extractors whose values keep what their elements say of them."""
    library = extras.load("extruct.w3cmicrodata", extras.WEB)

    class Extractor(library.MicrodataExtractor):  # type: ignore[misc, name-defined]  # loaded by name
        def _extract_property_value(self, node: etree._Element, *given: Any, **more: Any) -> Any:
            value = super()._extract_property_value(node, *given, **more)
            return _Value(_term(node, value)) if isinstance(value, str) else value

    return Extractor


class _Value(dict[str, str]):
    """A value of JSON-LD that is no item."""


def _term(element: etree._Element, value: str) -> dict[str, str]:
    """The IRI or literal of a property's element (Microdata to RDF, W3C Interest Group Note 2014)."""
    attribute = _ADDRESSES.get(str(element.tag))
    if attribute and element.get(attribute):
        return {"@id": value}
    if element.tag == "time" and (stated := dated("", value)) is not None:
        return {"@value": stated.value, "@type": v.XSD + stated.datatype}
    around = (each.get("lang") for each in (element, *element.iterancestors()))
    language = next((each for each in around if each is not None), "")
    known = element.tag not in ("data", "meter") and _LANGUAGE.fullmatch(language)
    return {"@value": value, "@language": language} if known else {"@value": value}


def _node(item: Any) -> Any:
    """A node of JSON-LD for an item; names are dropped where no type gives them a vocabulary."""
    if isinstance(item, list):
        return [_node(each) for each in item]
    if isinstance(item, _Value) or not isinstance(item, dict):
        return item
    types = item.get("type", [])
    node: dict[str, Any] = {"@context": _context_of(types[0]) if types else {}, "@type": types}
    if "id" in item:
        node["@id"] = item["id"]
    return node | {name: _node(each) for name, each in item.get("properties", {}).items() if name[:1] != "@"}


def _context_of(kind: str) -> Any:
    if kind.startswith(_SCHEMA_ORG_NAMESPACES):
        return "https://schema.org"
    return {"@vocab": kind[: max(kind.rfind("/"), kind.rfind("#")) + 1]}


def _rdfa(page: str, base: str) -> Iterator[Any]:
    """The nodes of a page by HTML+RDFa 1.1, which extruct's own class reads as XML, without `lang`."""
    extras.load("extruct.rdfa", extras.WEB)  # with prefixes that pages use and do not declare
    from extruct.utils import parse_xmldom_html  # type: ignore[import-untyped]  # these two have no types
    from pyRdfa import Options, pyRdfa  # type: ignore[import-untyped]
    from rdflib import Graph

    processor = pyRdfa(Options(vocab_expansion=False, embedded_rdf=False), base=base, media_type=_HTML)
    graph = processor.graph_from_DOM(parse_xmldom_html(page, "utf-8"), graph=Graph(), pgraph=Graph())
    yield [
        {name: each for name, each in node.items() if not name.startswith(_NOT_DATA)}
        for node in json.loads(graph.serialize(format="json-ld", auto_compact=False))
        if not any(each.startswith(_NOT_DATA) for each in node.get("@type", ()))
    ]


Node: TypeAlias = NamedNode | BlankNode
Statement: TypeAlias = tuple[Node, NamedNode, NamedNode | BlankNode | Literal]

_INSECURE: Final = re.compile(r"http://(?:www\.)?schema\.org/", re.ASCII)
_PAGES: Final = frozenset(
    v.SCHEMA + name
    for name in (
        "WebPage",
        "Article",
        "NewsArticle",
        "BlogPosting",
        "TechArticle",
        "ScholarlyArticle",
        "Report",
    )
)
_NOT_STATED: Final = frozenset(
    v.SCHEMA + name for name in ("mainEntityOfPage", "isPartOf", "hasPart", "breadcrumb", "potentialAction")
) | {v.TYPE}
_ADDRESS: Final = (v.URL, v.SCHEMA + "mainEntityOfPage")


_MOST_ALIKE: Final = 6
"""Blank nodes that look alike and point at each other, of which there are so many orders."""


@dataclass(slots=True)
class _EmbeddedData:
    """The data embedded in one page, with a key for the labels of its blank nodes."""

    key: str
    loader: ContextLoader
    parts: int = 0
    statements: dict[Statement, None] = field(default_factory=dict)
    reserved: int = 0
    warnings: list[str] = field(default_factory=list)


def with_embedded(document: Document, root: etree._Element, settings: Settings) -> Document:
    """The document with the statements that its page embeds, and those about the page as metadata."""
    scripts = [_script(each) for each in root.iter("script") if _is_json_ld(each)]
    loader = ContextLoader(f"{document.identifier}: its JSON-LD", settings)
    found = _EmbeddedData(f"{document.identifier}\0{document.content_hash}", loader)
    base = document.url or "file:///" + quote(document.identifier)
    for text in scripts:
        _add_json_ld(text, f"{document.identifier}: its JSON-LD", base, found, settings)
    for value in markup_data(root, document.identifier, base, found.warnings):
        try:
            _add(value, f"{document.identifier}: its markup", base, found)
        except InputError as error:
            found.warnings.append(f"{error}; it was left out")
    if not found.statements and not found.warnings:
        return document
    pages = _pages(found.statements, document.url)
    stated = limited(_properties(found.statements, pages), document.identifier, settings)
    types = (each[2].value for each in found.statements if each[0] in pages and each[1].value == v.TYPE
             and isinstance(each[2], NamedNode) and each[2].value in _PAGES)  # fmt: skip
    return replace(
        document,
        statements=tuple(found.statements),
        reserved=found.reserved,
        metadata=(*document.metadata, *stated),
        types=tuple(dict.fromkeys((*document.types, *types))),
        content_hash=combined_hash(document.content_hash, loader.companions.values()),
        warnings=(*document.warnings, *found.warnings),
        passed_over=_with_unread(document.passed_over, len(found.warnings)),
    )


def _with_unread(passed_over: Sequence[tuple[str, int]], count: int) -> tuple[tuple[str, int], ...]:
    """The kinds that were passed over, with the number of blocks of data that could not be read."""
    return tuple(sorted((*passed_over, *([(UNREAD_DATA, count)] if count else []))))


def _is_json_ld(element: etree._Element) -> bool:
    return element.get("type", "").partition(";")[0].strip().lower() == "application/ld+json"


def _script(element: etree._Element) -> str:
    return (element.text or "").strip().removeprefix("<!--").removesuffix("-->").strip()


def _add_json_ld(text: str, name: str, base: str, found: _EmbeddedData, settings: Settings) -> None:
    try:
        parse_json(text, name, settings)  # refuses what is nested too deeply
        check_scoped_contexts(text.encode("utf-8", "replace"), name, settings.max_json_values)
        _add(json.loads(text), name, base, found)
    except ContextError as error:  # which says what to do
        found.warnings.append(f"{error}; it was left out")
    except InputError as error:
        found.warnings.append(f"{str(error).partition(';')[0]}; it was left out")


def _add(value: Any, name: str, base: str, embedded: _EmbeddedData) -> None:
    """Takes the statements of a JSON-LD value. Raises InputError for an invalid one."""
    text = json.dumps(expanded(value, base, embedded.loader))
    try:
        quads = _ordered(parse(text, RdfFormat.JSON_LD, base_iri=base))
    except (SyntaxError, ValueError, OSError) as error:
        raise InputError(f"{name}: {one_line(str(error))}; correct it there") from None
    embedded.parts += 1  # each part has blank nodes of its own
    label = Relabel(hashlib.sha256(f"{embedded.key}\0{embedded.parts}".encode()).hexdigest()[:20])
    for quad in quads:
        terms = [_normal(each) for each in (quad.subject, quad.predicate, quad.object)]
        if any(isinstance(each, NamedNode) and each.value.startswith(v.SAGE) for each in terms):
            embedded.reserved += 1
            continue
        subject, predicate, target = (label(each) for each in terms)
        # a parsed quad has no triple as its subject, and `label` returns a term of the same kind
        embedded.statements[subject, predicate, _dated(predicate, target)] = None  # type: ignore[index]


def _ordered(quads: Iterable[Quad]) -> list[Quad]:
    """The triples in an order that follows from them: extruct gives the nodes of RDFa in any order."""
    listed = [Quad(each.subject, each.predicate, each.object) for each in quads]
    _check_symmetry(listed)
    dataset = Dataset(listed)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return sorted(dataset, key=str)


def _check_symmetry(quads: Sequence[Quad]) -> None:
    """Raises ValueError where many blank nodes look alike and point at each other.

    The time to put them in order grows exponentially with how many they are (RDF Dataset Canonicalization,
    section 7.1).
    """
    looks: dict[BlankNode, list[str]] = defaultdict(list)
    for quad in quads:
        if isinstance(quad.subject, BlankNode):
            looks[quad.subject].append(f"{quad.predicate} {_masked(quad.object)}")
    alike: dict[str, set[BlankNode]] = defaultdict(set)
    for blank, look in looks.items():
        alike["\n".join(sorted(look))].add(blank)
    groups = [each for each in alike.values() if len(each) > _MOST_ALIKE]
    for quad in quads:
        if isinstance(quad.object, BlankNode) and any({quad.subject, quad.object} <= each for each in groups):
            raise ValueError(f"more than {_MOST_ALIKE} blank nodes that look alike point at each other")


def _masked(term: object) -> str:
    return "_:" if isinstance(term, BlankNode) else str(term)


def _normal(term: Any) -> Any:
    """The term with the IRI that schema.org's terms have here."""
    if isinstance(term, NamedNode) and _INSECURE.match(term.value):
        return NamedNode(_INSECURE.sub(v.SCHEMA, term.value, count=1))
    return term


def _dated(predicate: Any, term: Any) -> Any:
    """The literal with its datatype where a property of schema.org is a date or time."""
    name = predicate.value.removeprefix(v.SCHEMA)
    if isinstance(term, Literal) and (term.language or term.datatype.value == v.XSD + "string") and (
        "date" in name.lower() or name.endswith("Time")
    ):  # fmt: skip
        stated = dated("", term.value)
        return Literal(stated.value, datatype=NamedNode(v.XSD + stated.datatype)) if stated else term
    return term


def _pages(statements: dict[Statement, None], url: str | None) -> set[Node]:
    """The nodes that stand for the page: those with its address, else the only page or article there is."""
    addressed = {each[0] for each in statements if url and _has_address(each, url)}
    kinds = {each[0] for each in statements if each[1].value == v.TYPE and _value(each[2]) in _PAGES}
    return addressed or (kinds if len(kinds) == 1 else set())


def _has_address(statement: Statement, url: str) -> bool:
    subject, predicate, target = statement
    return _value(subject) == url or (predicate.value in _ADDRESS and _value(target) == url)


def _value(term: object) -> str:
    return term.value if isinstance(term, NamedNode | Literal) else ""


def _properties(statements: dict[Statement, None], pages: set[Node]) -> Iterator[Property]:
    """The properties of the page: literals, IRIs, and the names of nodes."""
    names: dict[Node, str] = {}
    for subject, predicate, target in statements:
        if predicate.value == v.NAME and isinstance(target, Literal):
            names.setdefault(subject, target.value)
    for subject, predicate, target in statements:
        if subject not in pages or predicate.value in _NOT_STATED or not _value(predicate):
            continue
        if isinstance(target, Literal):
            datatype = target.datatype.value.removeprefix(v.XSD)
            known = target.language is None and ":" not in datatype
            yield Property(predicate.value, target.value, datatype if known else "string", target.language)
        elif target in names:
            yield Property(predicate.value, names[target])
        elif isinstance(target, NamedNode):
            yield Property(predicate.value, target.value, "anyURI")
