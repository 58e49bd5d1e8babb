"""Nouns that say of what class of schema.org a thing is, in the singular."""

from __future__ import annotations

from typing import Final

_PERSON = """
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
        ("Person", _PERSON),
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
