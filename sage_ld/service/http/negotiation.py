"""Content negotiation: the offered format that a client prefers (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sage_ld.foundation.errors import InputError, NotAcceptableError

VERSIONS: Final = ("1.1", "1.2")
_MOST_RANGES = 100


@dataclass(frozen=True, slots=True)
class Offer:
    """A format that a resource comes in."""

    name: str
    """The name by which the code and the parameter `format` know it."""
    media_type: str
    aliases: tuple[str, ...] = ()
    """Other media types by which clients ask for it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The offer taken, and the version of RDF that the client asked for beside it, if any."""

    offer: Offer
    version: str | None


@dataclass(frozen=True, slots=True)
class _Range:
    type: str
    quality: float
    version: str | None

    def closeness(self, offer: Offer) -> int:
        """3 for the type that is sent, 2 for an alias, 1 for `type/*`, 0 for `*/*`, -1 for no match.

        A wildcard means the type that is sent: `text/*` takes no `application/sparql-results+xml`, though
        a client that names `text/xml` gets it.
        """
        if self.type == offer.media_type:
            return 3
        if self.type in offer.aliases:
            return 2
        if self.type == offer.media_type.partition("/")[0] + "/*":
            return 1
        return 0 if self.type == "*/*" else -1


RESULTS: Final = (
    Offer("json", "application/sparql-results+json", ("application/json",)),
    Offer("xml", "application/sparql-results+xml", ("application/xml", "text/xml")),
    Offer("csv", "text/csv"),
    Offer("tsv", "text/tab-separated-values"),
)
BOOLEANS: Final = RESULTS[:2]
GRAPHS: Final = (
    Offer("turtle", "text/turtle", ("application/x-turtle", "application/turtle")),
    Offer("ntriples", "application/n-triples", ("text/plain",)),
    Offer("jsonld", "application/ld+json", ("application/json",)),
    Offer("rdfxml", "application/rdf+xml", ("application/xml", "text/xml")),
)

DATASETS: Final = (
    Offer("trig", "application/trig", ("application/x-trig",)),
    Offer("nquads", "application/n-quads", ("text/x-nquads",)),
    Offer("jsonld", "application/ld+json", ("application/json",)),
)
"""Formats that have named graphs."""


def choose(accept: str | None, offers: Sequence[Offer]) -> Choice:
    """The offer that the header `accept` prefers; of equals, the first. Without a header, the first.

    Raises NotAcceptableError if none is taken, InputError for a version of RDF that there is not.

    >>> choose("text/turtle;q=0.5, application/ld+json", GRAPHS).offer.name
    'jsonld'
    >>> choose("text/turtle;version=1.2", GRAPHS).version
    '1.2'
    """
    if not accept or not accept.strip():
        return Choice(offers[0], None)
    ranges = list(_ranges(accept))
    best, most = Choice(offers[0], None), 0.0
    for offer in offers:
        quality, version = _liking(offer, ranges)
        if quality > most:
            best, most = Choice(offer, version), quality
    if most == 0:
        types = ", ".join(offer.media_type for offer in offers)
        raise NotAcceptableError(f"Accept: {accept[:100]}: not offered here; choose from {types}")
    return best


def checked_version(version: str | None, name: str = "version") -> str | None:
    """`version`, given as the parameter `name`, if it is one of RDF.

    `1.2-basic` is RDF 1.2 without triple terms, which is what 1.1 gives.

    Raises InputError.
    """
    if version == "1.2-basic":
        return "1.1"
    if version is not None and version not in VERSIONS:
        raise InputError(f"{name}={version[:20]!r}: unknown version of RDF; choose from 1.1, 1.2-basic, 1.2")
    return version


def _liking(offer: Offer, ranges: Sequence[_Range]) -> tuple[float, str | None]:
    """The quality and version of the range that names the offer most closely; (0, None) where none does."""
    closest = max(ranges, key=lambda each: (each.closeness(offer), each.quality))
    return (closest.quality, closest.version) if closest.closeness(offer) >= 0 else (0.0, None)


def _ranges(accept: str) -> Iterator[_Range]:
    for element in accept.split(",")[:_MOST_RANGES]:
        media_type, *parameters = (part.strip() for part in element.split(";"))
        values = dict(_parameter(each) for each in parameters)
        yield _Range(
            media_type.lower(), _quality(values.get("q", "1")), checked_version(values.get("version"))
        )


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip().lower(), value.strip().strip('"')


def _quality(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0
