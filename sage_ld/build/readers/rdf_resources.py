"""RDF resources as records: what a person would write of them, labels in the place of IRIs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias, TypeGuard
from urllib.parse import unquote

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import BETWEEN_VALUES
from sage_ld.build.readers.statements import Statement, Term
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.metadata_terms import name_words
from sage_ld.foundation.rdf_values import is_english

_Values: TypeAlias = dict[str, list[Term]]

LABELS = (
    v.PREF_LABEL,
    v.RDFS + "label",
    v.NAME,
    "http://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    v.DCTERMS + "title",
)
OTHER_LABELS = (
    v.ALT_LABEL,
    v.SCHEMA + "alternateName",
    "http://schema.org/alternateName",
    v.DCTERMS + "alternative",
    "http://xmlns.com/foaf/0.1/nick",
    v.SCHEMA + "legalName",
    "http://schema.org/legalName",
)
"""Properties of further names."""
_LABEL_WORDS = frozenset({"name", "title", "label"})
_STRINGS = frozenset({v.XSD + "string", v.RDF + "langString", v.RDF + "dirLangString"})
_LONG = 200
"""Characters from which a value is a description, which goes to a record's end."""


def add_resources(builder: DocumentBuilder, statements: Iterable[Statement]) -> None:
    """A record for each IRI that has a literal string, in the order of first appearance.

    Its label comes first, then its types, its other fields as the file orders them, long texts last.
    """
    described: dict[Term, _Values] = defaultdict(lambda: defaultdict(list))
    for about, predicate, value in statements:
        described[about][predicate.value].append(value)
    resources = _Resources(described)
    for subject, values in described.items():
        if isinstance(subject, NamedNode) and any(
            _is_text(each) for inner in values.values() for each in inner
        ):
            builder.record(resources.label(subject), resources.fields(subject), subject.value)


def label_of(resource: NamedNode, statements: Iterable[Statement]) -> str:
    """The label of a resource in some statements; the last part of its IRI where they give it none."""
    described: dict[Term, _Values] = {resource: defaultdict(list)}
    for about, predicate, value in statements:
        if about == resource:
            described[resource][predicate.value].append(value)
    return _Resources(described).label(resource)


def local_name(iri: str) -> str:
    """The last part of an IRI, decoded, underscores as blanks.

    >>> local_name("http://example.org/Let_It_Be_(album)"), local_name("http://example.org/AC%2FDC/")
    ('Let It Be (album)', 'AC/DC')
    """
    part = iri.rstrip("/#").replace("#", "/").rpartition("/")[2]
    if part == iri:
        part = iri.rpartition(":")[2] or iri
    return one_line(unquote(part).replace("_", " ")) or iri


def preferred_labels(values: Mapping[str, Sequence[object]]) -> list[Literal]:
    """The labels among a resource's values by property, the best first.

    One in English or in no language comes before one in another; then the order of `LABELS` decides.

    >>> values = {"http://example.org/name": [Literal("Halvorsen")], v.PREF_LABEL: [Literal("HM")]}
    >>> [label.value for label in preferred_labels(values)]
    ['HM', 'Halvorsen']
    """
    stated = (each for name in _label_predicates(values) for each in values[name])
    texts = [each for each in stated if isinstance(each, Literal) and each.value.strip()]
    return sorted(texts, key=lambda each: not is_english(each))


class _Resources:
    """The statements of a file about each resource, and the label of each, computed once."""

    def __init__(self, described: dict[Term, _Values]) -> None:
        self._described = described
        self._labels: dict[Term, str] = {}

    def label(self, term: Term) -> str:
        """The best label that the file gives; else the IRI's last part."""
        if term not in self._labels:
            fallback = local_name(term.value) if isinstance(term, NamedNode) else ""
            labels = preferred_labels(self._described.get(term, {}))
            self._labels[term] = labels[0].value if labels else fallback
        return self._labels[term]

    def fields(self, subject: Term) -> list[tuple[str, str]]:
        """The fields of a record, values of one field on one line."""
        values = self._described[subject]
        labels = _label_predicates(values)
        order = dict.fromkeys([*labels, *({v.TYPE} & values.keys()), *values])
        names = [name for name in order if _is_said(name)]
        names.sort(key=lambda name: any(len(each.value) >= _LONG for each in values[name] if _is_text(each)))
        return [(_field(name), self._shown(values[name])) for name in names]

    def _shown(self, values: list[Term]) -> str:
        return BETWEEN_VALUES.join(dict.fromkeys(text for each in values if (text := self._text(each))))

    def _text(self, term: Term) -> str:
        if isinstance(term, Literal):
            return one_line(term.value)
        if isinstance(term, BlankNode):
            return self.label(term) or ", ".join(self._inner(term))
        if isinstance(term, Triple):
            return f"{self._text(term.subject)} {_field(term.predicate.value)} {self._text(term.object)}"
        return self.label(term)

    def _inner(self, term: BlankNode) -> Iterator[str]:
        """The fields of a resource without a name, one level deep."""
        for name, values in self._described.get(term, {}).items():
            texts = (
                one_line(each.value) if isinstance(each, Literal) else self.label(each)
                for each in values
                if not isinstance(each, Triple)
            )
            if _is_said(name) and (text := ", ".join(filter(None, texts))):
                yield f"{_field(name)}: {text}"


@lru_cache(10_000)
def is_label(predicate: str) -> bool:
    """Whether a property gives names of the first kind: one of `LABELS`, or itself called a name."""
    return predicate in LABELS or local_name(predicate).lower() in _LABEL_WORDS


def _label_predicates(values: Mapping[str, object]) -> list[str]:
    known = [name for name in LABELS if name in values]
    return known + [name for name in values if name not in known and is_label(name)]


def _is_said(predicate: str) -> bool:
    """Whether a predicate belongs in a text: not the machinery of lists and reifiers."""
    return predicate == v.TYPE or not predicate.startswith(v.RDF)


def _field(predicate: str) -> str:
    """The words of a predicate's last part: `releaseDate` as `release date`, `hasURL` as `has URL`."""
    first, *rest = name_words(local_name(predicate))
    return " ".join([first, *(word if word.isupper() else word.lower() for word in rest)])


def _is_text(term: Term) -> TypeGuard[Literal]:
    return isinstance(term, Literal) and term.datatype.value in _STRINGS
