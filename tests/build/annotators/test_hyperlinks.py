from __future__ import annotations

import pytest
from build.annotators.corpus import table

from sage_ld.build.annotators.hyperlinks import ReferenceIndex, reference_names
from sage_ld.build.annotators.links import Target, resolve_hyperlinks
from sage_ld.build.readers.registry import SUFFIXES
from sage_ld.foundation.model import LinkKind

TARGETS = [
    Target("docs/guide/part2.md", "Part 2"),
    Target("docs/index.md", "Index"),
    Target("/wiki/Łódź", "Łódź"),
    Target("page.html", "Page", url="https://example.org/things/page"),
    Target("README.md", "Start"),
]


@pytest.mark.parametrize(
    ("source", "href", "target"),
    [
        ("docs/guide/part1.md", "part2.md", 0),
        ("docs/guide/part1.md", "./part2.md#cursor", 0),
        ("docs/guide/part1.md", "part2.html", 0),
        ("docs/guide/part1.md", "part2", 0),
        ("docs/guide/part1.md", "/docs/guide/part2.md", 0),
        ("docs/guide/part1.md", "../index.md?x=1#y", 1),
        ("docs/guide/part1.md", "..", 1),
        ("docs/guide/part1.md", "../..", 4),
        ("page.html", "/", 4),
        ("tables/t.html", "/wiki/Łódź", 2),
        ("tables/t.html", "/wiki/%C5%81%C3%B3d%C5%BA#History", 2),
        ("tables/t.html", "https://example.org/things/page?lang=en", 3),
    ],
)
def test_references_lead_to_documents(source: str, href: str, target: int) -> None:
    _, chunks = table(source, "T", ["Team"], [["the team"]], hrefs={(0, "Team"): href})
    (link,) = resolve_hyperlinks(chunks, TARGETS)
    assert (link.document, link.kind, link.confidence) == (target, LinkKind.HYPERLINK, 1.0)
    references = ReferenceIndex([TARGETS[target]])
    own = next((each for each in TARGETS if each.identifier == source), Target(source, ""))
    assert references.names & reference_names(href, own)
    assert references.leads(href, Target(source, ""))
    assert (link.anchor, link.row, link.column, link.href) == ("the team", 0, "Team", href)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_reference_without_a_suffix_leads_to_a_document_of_any_format(suffix: str) -> None:
    _, chunks = table("docs/a.md", "T", ["Team"], [["the team"]], hrefs={(0, "Team"): "teams"})
    (link,) = resolve_hyperlinks(chunks, [*TARGETS, Target(f"docs/teams{suffix}", "Teams")])
    assert link.document == len(TARGETS)
    assert "teams" in ReferenceIndex([Target(f"docs/teams{suffix}", "Teams")]).names


@pytest.mark.parametrize(
    "href",
    [
        "",
        "#top",
        "mailto:a@example.org",
        "https://elsewhere.org/docs/index.md",
        "http://[",
        "part9.md",
        "t.html",
    ],
)
def test_other_references_lead_nowhere(href: str) -> None:
    _, chunks = table("tables/t.html", "T", ["Team"], [["the team"]], hrefs={(0, "Team"): href})
    assert resolve_hyperlinks(chunks, [*TARGETS, Target("tables/t.html", "T")]) == []
    assert not ReferenceIndex(TARGETS).leads(href, Target("tables/t.html", "T"))


def test_a_link_is_seen_from_the_page_that_it_stands_on() -> None:
    targets = [Target("a.html", "A", url="https://example.org/x/a"), TARGETS[3]]
    _, chunks = table("a.html", "A", ["Team"], [["the team"]], hrefs={(0, "Team"): "../things/page"})
    assert [link.document for link in resolve_hyperlinks(chunks, targets)] == [1]
