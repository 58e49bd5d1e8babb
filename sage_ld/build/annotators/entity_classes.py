"""The class of an entity, where a text tells it: a person, place, organisation, creative work or event.

Rules, each of which is right nearly always or stays silent: the parts of a name (Dr, Ltd, River, Battle of),
what follows it ("(born 1931)", ", a Norwegian composer", "is a film by"), the first sentence of the page that
has it for its title, and the heading of a table's column. The classes are those of schema.org.
"""

from __future__ import annotations

import re
from typing import Final

_PERSON_NOUNS = """
actor actress director filmmaker composer singer songwriter musician rapper guitarist drummer pianist
violinist cellist bassist vocalist saxophonist trumpeter organist producer screenwriter writer author
novelist poet playwright dramatist journalist columnist politician statesman diplomat lawyer judge jurist
attorney barrister businessman businesswoman entrepreneur financier banker industrialist investor engineer
inventor scientist physicist chemist biologist mathematician astronomer philosopher historian economist
psychologist psychiatrist physician surgeon neurologist teacher professor academic scholar theologian priest
bishop archbishop pope monk rabbi clergyman missionary painter sculptor artist photographer architect
comedian presenter broadcaster footballer player cricketer golfer boxer wrestler swimmer cyclist runner
sprinter skier skater rower gymnast fencer athlete quarterback goalkeeper midfielder striker defender
linebacker pitcher outfielder jockey racer soldier officer general admiral commander colonel king queen
prince princess emperor empress duke duchess earl baron nobleman noblewoman monarch sultan explorer activist
suffragette revolutionary dancer choreographer ballerina conductor animator cartoonist illustrator critic
translator linguist archaeologist anthropologist sociologist botanist zoologist geologist geographer
entomologist naturalist programmer man woman boy girl socialite philanthropist aviator astronaut cosmonaut
magician chef criminal gangster murderer mobster spy librettist lyricist instrumentalist entertainer
supermodel storyteller essayist satirist biographer senator congressman governor mayor minister president
chairman driver son daughter brother sister wife husband coach referee umpire
"""
_PLACE = """
city town village municipality commune suburb neighborhood neighbourhood hamlet settlement township borough
district county province country nation republic region territory island archipelago peninsula river lake
mountain hill valley bay sea ocean strait canal desert forest park airport stadium arena road highway street
skyscraper tower castle palace cathedral monastery mosque museum library hospital cemetery capital reservoir
dam volcano glacier beach waterfall lighthouse prison parish tributary stream creek cape reef fjord raion
voivodeship oblast canton prefecture ghost-town building bridge zoo locality
"""
_ORGANISATION = """
company corporation firm manufacturer retailer airline bank university college school academy institute
organisation organization association federation union league club team band group duo quartet orchestra
ensemble choir label party agency ministry charity foundation cooperative conglomerate subsidiary brigade
regiment battalion squadron brewery nonprofit society consortium supergroup automaker publisher
"""
_WORK = """
film movie documentary album song single EP novel novella book play musical opera symphony concerto poem
sitcom series show episode soundtrack anime manga magazine newspaper periodical painting memoir
autobiography trilogy miniseries mixtape telenovela sequel remake anthology webcomic cartoon videogame
western thriller comedy drama story essay treatise
"""
_EVENT = """
war battle siege tournament championship festival election ceremony revolution rebellion massacre
earthquake hurricane expedition riot uprising pageant competition bombing coup marathon referendum
"""

CLASSES: Final = {
    noun: name
    for name, nouns in (
        ("Person", _PERSON_NOUNS),
        ("Place", _PLACE),
        ("Organization", _ORGANISATION),
        ("CreativeWork", _WORK),
        ("Event", _EVENT),
    )
    for noun in nouns.split()
} | {
    "school district": "Organization",
    "video game": "CreativeWork",
    "racing series": "Event",
    "trade show": "Event",
}
"""Noun, of one word or two -> the local name of its class."""


_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|\d+(?:st|nd|rd|th|s)?|\S")
_ENDS = """
of in by from for who whom whose that which with on at to as or and was were is are has had about between
under during near known born based set located situated directed written made released produced published
developed played used founded held built created hosted recorded performed composed best playing starring
featuring serving consisting currently formerly originally primarily active
"""
_ENDS_PHRASE: Final = frozenset(_ENDS.split())
_ARTICLE = r"(?:an|a|the|one\s+of\s+the)\s+"
_BRACKET = r"(?:\s*\([^()\n]{0,120}\))?"
_COPULA = re.compile(rf"['\"”]?{_BRACKET}\s+(?:is|was|are|were)\s+{_ARTICLE}(?P<phrase>[^\n]{{2,120}})")
_APPOSITION = re.compile(r"['\"”]?\s*,\s+(?:an|a)\s+(?P<phrase>[^\n]{2,120})")
_BORN = re.compile(
    r"\s*\(\s*(?:born|b\.)\s|"
    r"\s*\([^()\n]{0,60}?\b\d{1,2}\s+[A-Z][a-z]+\s+\d{4}\s*[–-]\s*\d{1,2}\s+[A-Z][a-z]+\s+\d{4}\s*\)|"
    r"\s*\([^()\n]{0,60}?\b[A-Z][a-z]+\s+\d{1,2}\s*,\s+\d{4}\s*[–-]\s*[A-Z][a-z]+\s+\d{1,2}\s*,\s+\d{4}\s*\)"
)
_LEAD = re.compile(rf"\s(?:is|was|are|were)\s+{_ARTICLE}(?P<phrase>[^\n]{{2,120}})")
_SENTENCE_START = re.compile(r"(?:^|\n|[.!?][\"”']?\s)\s*(?:The\s+|[\"“']\s?)?$")
_AFTER_PREPOSITION = re.compile(
    r"\b(?:[Ii]n|[Aa]t|[Nn]ear|[Ff]rom|to|of|[Bb]y|and|[Ww]ith)\s+(?:[Tt]he\s+)?$"
)
_PERSON = re.compile(
    r"(?:Mr|Mrs|Ms|Dr|Prof|Professor|Sir|Dame|Sgt|Lt|Capt|Col|Rev|Sen|Gov)\.?(?:\s[A-Z][\w.'’-]*){2,4}"
)
_BY_BEGINNING: Final = (
    ("Organization", re.compile(r"(?:University|Bank|Ministry|Institute|Academy) of\s[\w\s.'’-]+")),
    ("Place", re.compile(r"(?:River|Mount|Isle of|Gulf of|Republic of|Kingdom of)\s[A-Z].+")),
    ("Event", re.compile(r"(?:Battle|Siege) of\s.+|World War (?:I|II|One|Two)")),
    ("Person", _PERSON),
)
_BY_END: Final = {
    "Organization": "Inc Ltd LLC GmbH AS ASA AB AG plc PLC Corp Corporation Company Limited University "
    "College Institute F.C FC Orchestra Airlines Airways Foundation Records",
    "Place": "River County Islands Mountains Airport",
    "Event": "Olympics",
}
_LAST_WORDS: Final = {word: name for name, words in _BY_END.items() for word in words.split()}
_YEARLY = re.compile(r"(?:1[6-9]|20)\d\d\s.+\s(?:Championships?|Cup|Open|Festival|Election)")
_OTHER_END = re.compile(
    r"\b(?:Station|Stadium|Library|Museum|Hospital|Building|Center|Centre|Campus|Press|Street)$"
)
_ABBREVIATION = re.compile(r"[A-Z.]+|Jr\.?|Sr\.?|I+")
_MIXED_COLUMNS: Final = frozenset({"artist", "producer", "presenter", "president", "show", "series"})
"""Headings below which stand names of several classes: people and bands, presidents and their teams."""
_MOST_WORDS = 9
_LEAD_CHARACTERS = 300
_CONTEXT = 260


def class_of_name(surface: str) -> str | None:
    """The class that a name's own parts tell.

    >>> class_of_name("Halvorsen Marine AS"), class_of_name("Battle of Hastings"), class_of_name("Oslo")
    ('Organization', 'Event', None)
    """
    if _OTHER_END.search(surface):
        return None
    if _YEARLY.fullmatch(surface):
        return "Event"
    for name, pattern in _BY_BEGINNING:
        if pattern.fullmatch(surface):
            return name
    first, _, last = surface.rpartition(" ")
    return _LAST_WORDS.get(last.rstrip(".")) if first not in ("", "The") and " of " not in first else None


def class_in_text(text: str, begin: int, end: int) -> str | None:
    """The class that a text tells of what is named in `text[begin:end]`.

    >>> text = "Mira Tolland, a Norwegian composer, wrote it. Salt Over Sennet was a 1986 drama film by Ruth."
    >>> class_in_text(text, 0, 12), class_in_text(text, 46, 62)
    ('Person', 'CreativeWork')
    """
    after = text[end : end + _CONTEXT]
    if _BORN.match(after) and not _ABBREVIATION.fullmatch(text[begin:end]):
        return "Person"
    before = text[max(0, begin - 40) : begin]
    if (match := _COPULA.match(after)) and _SENTENCE_START.search(before):
        return class_of_phrase(match["phrase"])
    if (match := _APPOSITION.match(after)) and not _AFTER_PREPOSITION.search(before):
        return class_of_phrase(match["phrase"])
    return class_of_name(text[begin:end])


def class_of_lead(text: str) -> str | None:
    """The class that the first sentence of a page tells of its subject.

    >>> class_of_lead('Inka Rahn (born 1951), known as "Ink", is a German film director and producer.')
    'Person'
    """
    match = _LEAD.search(text, 1, _LEAD_CHARACTERS + _CONTEXT)
    if match is None or match.start() > _LEAD_CHARACTERS or _ends_sentence(text[: match.start()]):
        return None
    return class_of_phrase(match["phrase"])


def class_of_column(heading: str | None) -> str | None:
    """The class of the names below a table's heading.

    >>> class_of_column("Home team"), class_of_column("Points"), class_of_column("Director(s)")
    ('Organization', None, 'Person')
    """
    words = re.findall(r"[^\W\d_]+", (heading or "").replace("(s)", ""))
    last = words[-1].casefold() if words else ""
    return None if last in _MIXED_COLUMNS else CLASSES.get(last)


def class_of_phrase(phrase: str) -> str | None:
    """The class of a noun phrase, that of its last noun.

    >>> class_of_phrase("1962 American drama film directed by a composer"), class_of_phrase("group of lakes")
    ('CreativeWork', None)
    """
    words: list[str] = []
    for match in _WORD.finditer(phrase):
        word = match[0]
        if not word[0].isalnum() or word in _ENDS_PHRASE or len(words) == _MOST_WORDS:
            follows = word
            break
        words.append(word)
    else:
        follows = ""
    if not words or (follows == "of" and words[-1] in ("group", "series", "band", "school", "collection")):
        return None
    return CLASSES.get(" ".join(words[-2:])) or CLASSES.get(words[-1])


def _ends_sentence(text: str) -> bool:
    return re.search(r"[a-z)\"]\s?\.\s+[A-Z]", text) is not None
