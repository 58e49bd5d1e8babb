"""The format that is sent is the one that the header Accept likes best."""

from __future__ import annotations

import pytest

from sage_ld.foundation.errors import NotAcceptableError
from sage_ld.service.http.negotiation import BOOLEANS, GRAPHS, RESULTS, Offer, choose
from sage_ld.service.http.responses import PAGE


@pytest.mark.parametrize(
    ("accept", "offers", "name"),
    [
        (None, PAGE, "html"),
        ("*/*", GRAPHS, "turtle"),
        ("application/*", PAGE, "ntriples"),
        ("application/*", GRAPHS, "ntriples"),
        ("text/*", RESULTS, "csv"),
        ("text/*", GRAPHS, "turtle"),
        ("text/xml", RESULTS, "xml"),
        ("application/json", GRAPHS, "jsonld"),
        ("application/xhtml+xml", PAGE, "html"),
        ("application/json;q=0.1, application/sparql-results+json, text/csv;q=0.5", RESULTS, "json"),
        ("application/json, application/sparql-results+json;q=0.1, text/csv;q=0.5", RESULTS, "csv"),
        ("application/json;q=0.1, */*;q=0.5", RESULTS, "xml"),
        ("application/json, */*;q=0.5", RESULTS, "json"),
        ("*/*, application/sparql-results+json;q=0", RESULTS, "xml"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", PAGE, "html"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", RESULTS, "xml"),
    ],
)
def test_the_type_that_is_sent_counts_before_other_names_for_it(
    accept: str | None, offers: tuple[Offer, ...], name: str
) -> None:
    assert choose(accept, offers).offer.name == name


@pytest.mark.parametrize("accept", ["text/*", "image/png", "application/sparql-results+json;q=0"])
def test_what_nothing_offered_fits_is_refused(accept: str) -> None:
    with pytest.raises(NotAcceptableError, match="application/sparql-results"):
        choose(accept, BOOLEANS)


def test_of_ranges_that_name_a_type_alike_the_best_liked_counts() -> None:
    choice = choose("text/turtle;q=0.5, text/turtle;version=1.2", GRAPHS)
    assert (choice.offer.name, choice.version) == ("turtle", "1.2")
