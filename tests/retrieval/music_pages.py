"""Twenty pages about artists of the music data set, and questions over a statement between both."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

PAGES = {
    "ABBA": "A pop group from Stockholm. In 1974 they won the Eurovision Song Contest in Brighton.",
    "Genesis": "A rock band whose founders met as boys at Charterhouse School in Godalming, Surrey.",
    "Enya": "She grew up in Gweedore, County Donegal, where Irish is spoken, and sang in her family's band.",
    "Dire Straits": "Two brothers and two friends formed the band in Deptford. They mixed folk and blues.",
    "Def Leppard": "They came from the steel city of Sheffield and belonged to the new wave of heavy metal.",
    "Coldplay": "The four met in the halls of University College London. First they were called Pectoralz.",
    "Foreigner": "Three Britons and three Americans met in New York City; one had played in King Crimson.",
    "Van Halen": "Two brothers formed the band in Pasadena, California, and named it after the family.",
    "Kenny G": "Kenneth Gorelick, a saxophonist, has sold more instrumental records than anyone else.",
    "Alabama": "Three cousins from Fort Payne toured the bars of the Southeast under the name Wildcountry.",
    "Linkin Park": "The band from Agoura Hills joined rap and metal. Its debut was certified diamond.",
    "R.E.M.": "Four students formed the band in Athens, Georgia. The guitarist plays ringing arpeggios.",
    "Barry White": "A bass-baritone who led the Love Unlimited Orchestra and sang of love.",
    "Metallica": "It began with an advertisement that a drummer posted in a local newspaper.",
    "Reba McEntire": "As a sophomore she sang the National Anthem at the National Rodeo in Oklahoma City.",
    "Journey": "A band from San Francisco, one of whose songs was the most bought on iTunes in 2009.",
    "Aerosmith": "The Bad Boys from Boston mix hard rock with the blues.",
    "Bee Gees": "Three brothers who sang in tight harmonies and became kings of disco.",
    "Ayumi Hamasaki": "A singer from Japan who writes all of her lyrics and will be nobody's product.",
    "Donna Summer": "The queen of disco had three double albums in a row at the top, and painted.",
}
"""Title -> text."""
MUSIC = "http://stardog.com/tutorial/"


class MusicQuestion(NamedTuple):
    """A question, and the resource whose record answers it, or the title of the page that does so."""

    text: str
    resource: str = ""
    page: str = ""


QUESTIONS = (
    MusicQuestion("Which record of 1979 is by the Eurovision winners of Brighton?", "Voulez-Vous"),
    MusicQuestion("What did the boys of Charterhouse School release in 1981?", "Abacab"),
    MusicQuestion("What did the singer from Gweedore release in 2005?", "Amarantine_(album)"),
    MusicQuestion("Which record of 1982 is by the brothers from Deptford?", "Love_over_Gold"),
    MusicQuestion("What did the band from Sheffield, the steel city, release in 1992?", "Adrenalize"),
    MusicQuestion("Which record of 2005 is by those who were called Pectoralz?", "X&Y"),
    MusicQuestion(
        "Which record of 1979 is by the Britons and Americans with one from King Crimson?", "Head_Games"
    ),
    MusicQuestion("Which record of 1988 is by the brothers from Pasadena?", "OU812"),
    MusicQuestion("What did the saxophonist Gorelick release in 2010?", "Heart_and_Soul_(Kenny_G_album)"),
    MusicQuestion(
        "What did the cousins from Fort Payne, once Wildcountry, release in 1993?", "Cheap_Seats_(album)"
    ),
    MusicQuestion("Which record of 2010 is by the band from Agoura Hills?", "A_Thousand_Suns"),
    MusicQuestion("What did the band from Athens, Georgia, release in 1994?", "Monster_(R.E.M._album)"),
    MusicQuestion("Which record of 1973 is by the leader of the Love Unlimited Orchestra?", "Stone_Gon'"),
    MusicQuestion("Which record of 2003 is by the band that a drummer's advertisement began?", "St._Anger"),
    MusicQuestion("What did the singer of the National Rodeo release in 1992?", "It's_Your_Call"),
    MusicQuestion("What did the Bad Boys from Boston release in 1985?", "Done_with_Mirrors"),
    MusicQuestion("Which record of 1979 is by the brothers, the kings of disco?", "Spirits_Having_Flown"),
    MusicQuestion("Which record of 1976 is by the queen of disco, who painted?", "A_Love_Trilogy"),
    MusicQuestion("Where did those who recorded X&Y meet?", page="Coldplay"),
    MusicQuestion("Where did those who recorded Abacab meet as boys?", page="Genesis"),
    MusicQuestion("Where did the brothers of OU812 form their band?", page="Van Halen"),
    MusicQuestion("What were the people of Cheap Seats called at first?", page="Alabama"),
)


def write_pages(folder: Path) -> Path:
    """Writes the pages below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for title, text in PAGES.items():
        (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    return folder
