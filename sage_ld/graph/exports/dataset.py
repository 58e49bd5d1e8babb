"""The description of a graph as a data set: what its settings say of it, in DCAT 3 and in schema.org's terms.

It has the mandatory and recommended properties of a dataset in DCAT-AP 3 that settings can say, with the
classes of their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.rdf_values import is_iri
from sage_ld.foundation.settings import Settings

_WKT: Final = NamedNode("http://www.opengis.net/ont/geosparql#wktLiteral")
_GEOMETRY: Final = re.compile(r"(POINT|POLYGON|MULTIPOLYGON|ENVELOPE)\s*\(.*\)", re.IGNORECASE)
_DATES: Final = {
    "gYear": re.compile(r"-?\d{4}"),
    "gYearMonth": re.compile(r"-?\d{4}-\d\d"),
    "date": re.compile(r"-?\d{4}-\d\d-\d\d"),
}
_OPEN: Final = ("", "..")


@dataclass(frozen=True, slots=True)
class Subject:
    """Makes the triples of one subject."""

    name: str

    def iri(self, predicate: str, value: str) -> Triple:
        """A statement with a resource."""
        return Triple(NamedNode(self.name), NamedNode(predicate), NamedNode(value))

    def typed(self, predicate: str, value: str, kind: str) -> Iterator[Triple]:
        """A statement with a resource, and the class of that, which DCAT-AP's shapes ask for."""
        yield self.iri(predicate, value)
        yield Subject(value).iri(v.TYPE, kind)

    def text(self, predicate: str, value: str, datatype: str | None = None) -> Triple:
        """A statement with a literal."""
        kind = None if datatype is None else NamedNode(datatype)
        return Triple(NamedNode(self.name), NamedNode(predicate), Literal(value, datatype=kind))

    def count(self, predicate: str, value: int) -> Triple:
        """A statement with a number."""
        return Triple(NamedNode(self.name), NamedNode(predicate), Literal(value))

    def part(self, *names: str) -> Subject:
        """A resource of the description itself, named after the dataset."""
        return Subject(f"{self.name}#{'-'.join(quote(name, safe='') for name in names)}")


@dataclass(frozen=True, slots=True)
class DatasetDescription:
    """The words of a publisher about a graph; empty where the settings have none."""

    title: str
    description: str
    license: str = ""
    publisher: str = ""
    publisher_url: str = ""
    homepage: str = ""
    contact: str = ""
    keywords: tuple[str, ...] = ()
    spatial: str = ""
    """The IRI of a place, or a geometry in WKT."""
    temporal: tuple[str, str] = ("", "")
    """First and last year, month or day; each may be empty."""

    @classmethod
    def of(cls, settings: Settings) -> DatasetDescription:
        """The description that settings give. Raises InputError for a value that says no such thing."""
        for name in ("license", "publisher_url", "homepage", "contact"):
            _check_iri(f"dataset_{name}", getattr(settings, f"dataset_{name}"))
        if not _GEOMETRY.fullmatch(settings.dataset_spatial):
            _check_iri("dataset_spatial", settings.dataset_spatial, " or a geometry such as POINT(7.4 46.9)")
        return cls(
            settings.dataset_title,
            settings.dataset_description,
            settings.dataset_license,
            settings.dataset_publisher,
            settings.dataset_publisher_url,
            settings.dataset_homepage,
            settings.dataset_contact,
            tuple(filter(None, map(str.strip, settings.dataset_keywords.split(",")))),
            settings.dataset_spatial,
            _interval(settings.dataset_temporal),
        )

    def triples(self, about: Subject) -> Iterator[Triple]:
        """The statements about a dataset, in a fixed order."""
        for kind in (v.DCAT + "Dataset", v.SCHEMA + "Dataset"):
            yield about.iri(v.TYPE, kind)
        for name, value in (("title", self.title), ("description", self.description)):
            yield about.text(v.DCTERMS + name, value)
            yield about.text(v.NAME if name == "title" else v.DESCRIPTION, value)
        if self.license:
            yield from about.typed(v.DCTERMS + "license", self.license, v.DCTERMS + "LicenseDocument")
            yield about.iri(v.SCHEMA + "license", self.license)
        if self.homepage:
            yield from about.typed(v.DCAT + "landingPage", self.homepage, v.FOAF + "Document")
            for term in (v.FOAF + "homepage", v.URL):
                yield about.iri(term, self.homepage)
        for keyword in self.keywords:
            yield about.text(v.DCAT + "keyword", keyword)
            yield about.text(v.KEYWORDS, keyword)
        yield from self._people(about)
        yield from self._extent(about)

    def _people(self, about: Subject) -> Iterator[Triple]:
        if self.publisher or self.publisher_url:
            agent = Subject(self.publisher_url) if self.publisher_url else about.part("publisher")
            for term in (v.DCTERMS + "publisher", v.SCHEMA + "publisher"):
                yield about.iri(term, agent.name)
            for kind in (v.FOAF + "Agent", v.SCHEMA + "Organization"):
                yield agent.iri(v.TYPE, kind)
            for term in (v.FOAF + "name", v.NAME):
                yield agent.text(term, self.publisher or self.publisher_url)
        if self.contact:
            contact = about.part("contact")
            yield about.iri(v.DCAT + "contactPoint", contact.name)
            yield contact.iri(v.TYPE, v.VCARD + "Kind")
            yield contact.text(v.VCARD + "fn", self.publisher or self.title)
            kind = "hasEmail" if self.contact.startswith("mailto:") else "hasURL"
            yield contact.iri(v.VCARD + kind, self.contact)

    def _extent(self, about: Subject) -> Iterator[Triple]:
        if self.spatial:
            is_place = is_iri(self.spatial)
            place = Subject(self.spatial) if is_place else about.part("spatial")
            yield about.iri(v.DCTERMS + "spatial", place.name)
            yield about.iri(v.SCHEMA + "spatialCoverage", place.name)
            yield place.iri(v.TYPE, v.DCTERMS + "Location")
            yield place.iri(v.TYPE, v.SCHEMA + "Place")
            if not is_place:
                term = "centroid" if self.spatial.upper().startswith("POINT") else "bbox"
                yield place.text(v.DCAT + term, self.spatial, _WKT.value)
        if any(self.temporal):
            period = about.part("temporal")
            yield about.iri(v.DCTERMS + "temporal", period.name)
            yield period.iri(v.TYPE, v.DCTERMS + "PeriodOfTime")
            for term, date in zip(("startDate", "endDate"), self.temporal, strict=True):
                if date:
                    yield period.text(v.DCAT + term, date, v.XSD + _kind_of_date(date))
            first, last = (each or ".." for each in self.temporal)
            yield about.text(v.SCHEMA + "temporalCoverage", f"{first}/{last}")


def _check_iri(name: str, value: str, more: str = "") -> None:
    if value and not is_iri(value):
        raise InputError(f"{name}: {value[:100]!r} is not an absolute IRI; give one, such as https://…{more}")


def _interval(text: str) -> tuple[str, str]:
    """The two ends of `1987/2026`; an open end is empty or `..`. One year, month or day is both."""
    first, slash, last = (part.strip() for part in text.partition("/"))
    ends = tuple("" if each in _OPEN else each for each in (first, last if slash else first))
    for each in filter(None, ends):
        if not _kind_of_date(each):
            raise InputError(
                f"dataset_temporal: {each[:40]!r} is not a year, month or day (ISO 8601); "
                "give an interval such as 1987/2026 or 1987-05-01/.."
            )
    return ends[0], ends[1]


def _kind_of_date(text: str) -> str:
    """The data type of a year, month or day; empty for another text.

    >>> _kind_of_date("1987"), _kind_of_date("1987-05-01"), _kind_of_date("May")
    ('gYear', 'date', '')
    """
    return next((name for name, form in _DATES.items() if form.fullmatch(text)), "")
