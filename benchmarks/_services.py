"""A made-up company: pages of its services, a table of incidents, which service needs which, and questions.

It is a corpus of a kind that the ranking did not learn from: most questions are answered by one row of a
table, beside which the graph has a page for each name in that row, joined by links, entities and relations.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Final, NamedTuple

NAMES: Final = (
    "Granary", "Turnstile", "Quartermaster", "Almanac", "Cartographer", "Weathervane", "Gatehouse",
    "Lighthouse", "Postmaster", "Ledgerline", "Bellows", "Foundry", "Orchard", "Signalbox", "Harbour",
    "Tollgate", "Archivist", "Beacon", "Millrace", "Kiln",
)  # fmt: skip
PURPOSES: Final = (
    "stores events until they are billed", "lets users in and issues their sessions",
    "plans the stock of the warehouses", "keeps calendars and holidays", "draws maps of deliveries",
    "forecasts demand from the weather", "guards the outer network", "shows the status of ships",
    "sends letters and mails", "books accounts", "keeps queues under pressure", "builds images of services",
    "recommends articles", "switches traffic between regions", "hosts files of partners",
    "charges fees of transit", "keeps records for ten years", "broadcasts alerts", "runs batch work",
    "bakes models",
)  # fmt: skip
TEAMS: Final = ("Heron", "Otter", "Badger", "Lynx", "Marten")
LANGUAGES: Final = ("Go", "Python", "Rust", "Java", "Elixir")
CAUSES: Final = {
    "an expired certificate": "renewed and rotated by hand",
    "a full disk": "cleaned and enlarged",
    "a wrong feature flag": "rolled back",
    "a memory leak": "restarted nightly",
    "a slow database query": "given an index",
    "a lost network link": "routed around",
    "a bad deployment": "reverted",
    "a clock that drifted": "synchronised",
    "a leaked credential": "revoked",
    "an exhausted connection pool": "made larger",
    "a broken backup": "replaced",
    "an unpatched library": "upgraded",
}
"""Cause of an incident -> how it was resolved."""
COLUMNS: Final = ("incident", "service", "date", "cause", "severity", "minutes", "resolution")
INCIDENTS: Final = 6
"""Of each service."""
ROW_QUESTIONS: Final = (
    "Which incident of {service} was caused by {cause}?",
    "How long did the {service} outage from {cause} last?",
    "When did {cause} hit {service}?",
    "How was {cause} in {service} resolved?",
)
"""Whose words are mostly in the row."""
LOOSE_QUESTIONS: Final = (
    "Which team dealt with {cause} in {service}, and how many minutes did it take?",
    "Who looked at {cause} when users of {service} called?",
    "How many minutes was {service} down because of {cause}?",
    "What happened on the dashboard of {service} when {cause} occurred, and how was it resolved?",
    "Was {cause} ever a critical problem for {service}?",
)
"""With words that are on the pages of services, and not in the row."""
PAGE_QUESTIONS: Final = {
    "Which port does {service} listen on?": "Its port is",
    "Which team owns {service}?": "{service} is the service",
    "How many requests a second does {service} take?": "requests a second",
    "What does {service} call?": "{service} calls",
}
"""Question -> words of the passage that answers it."""
ASKED: Final = 48
"""Questions of each kind."""


class ServiceQuestion(NamedTuple):
    """A question, its kind, and what stands in the one chunk that answers it."""

    text: str
    kind: str
    """`row`, `loose` or `page`."""
    document: str
    """The end of the identifier of the document."""
    passage: str

    def answered_by(self, document: str, text: str) -> bool:
        """Whether a chunk, given by its document's identifier and its text, is the answer."""
        return document.endswith(self.document) and self.passage in text


def write_services(folder: Path) -> list[ServiceQuestion]:
    """Writes the files below a folder, the same each time; returns the questions."""
    chance = random.Random(0)
    needs = {
        name: chance.sample([each for each in NAMES if each != name], chance.randint(1, 4)) for name in NAMES
    }
    (folder / "services").mkdir(parents=True)
    for name, purpose in zip(NAMES, PURPOSES, strict=True):
        (folder / "services" / f"{name.lower()}.md").write_text(
            _page(name, purpose, needs[name], chance), "utf-8"
        )
    rows = _incidents(chance)
    with (folder / "incidents.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    (folder / "services.ttl").write_text(_statements(needs), "utf-8")
    return [*_row_questions(rows, chance), *_page_questions(chance)]


def _page(name: str, purpose: str, needs: list[str], chance: random.Random) -> str:
    team, language = chance.choice(TEAMS), chance.choice(LANGUAGES)
    return f"""# {name}

{name} is the service that {purpose}. It is owned by team {team} and written in {language}.

## Dependencies

{name} calls {" and ".join(needs)}. If {needs[0]} is down, {name} answers from its cache for
{chance.randint(2, 50)} minutes.

## On call

Who is on call for {name} looks at the dashboard first, then at the queue. Restart it with the command
ctl restart {name.lower()}. Its port is {chance.randint(3000, 9000)}.

## Limits

{name} takes {chance.randint(10, 900)} requests a second and keeps data for {chance.randint(3, 400)} days.
"""


def _incidents(chance: random.Random) -> list[list[str]]:
    rows = []
    for name in NAMES:
        for cause in chance.sample(sorted(CAUSES), INCIDENTS):
            day = f"20{chance.randint(19, 25)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
            severity, minutes = chance.choice(("low", "high", "critical")), str(chance.randint(3, 400))
            resolution = f"It was {CAUSES[cause]} by {chance.choice(TEAMS)}."
            rows.append([f"INC-{1001 + len(rows)}", name, day, cause, severity, minutes, resolution])
    return rows


def _statements(needs: dict[str, list[str]]) -> str:
    lines = [
        "@prefix dcterms: <http://purl.org/dc/terms/> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
        "@prefix svc: <http://example.org/svc/> .",
    ]
    for name, others in needs.items():
        required = ", ".join(f"svc:{each.lower()}" for each in others)
        lines.append(
            f'svc:{name.lower()} a svc:Service ; rdfs:label "{name}" ; dcterms:requires {required} .'
        )
    return "\n".join(lines) + "\n"


def _row_questions(rows: list[list[str]], chance: random.Random) -> list[ServiceQuestion]:
    return [
        ServiceQuestion(
            chance.choice(forms).format(service=service, cause=cause), kind, "incidents.csv", incident
        )
        for kind, forms in (("row", ROW_QUESTIONS), ("loose", LOOSE_QUESTIONS))
        for incident, service, _, cause, *_ in chance.sample(rows, ASKED)
    ]


def _page_questions(chance: random.Random) -> list[ServiceQuestion]:
    chosen = [(chance.choice(NAMES), chance.choice(sorted(PAGE_QUESTIONS))) for _ in range(ASKED)]
    return [
        ServiceQuestion(
            form.format(service=name), "page", f"{name.lower()}.md", PAGE_QUESTIONS[form].format(service=name)
        )
        for name, form in chosen
    ]
