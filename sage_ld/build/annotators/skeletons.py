"""Skeletons: what a text says without the words of its domain, so that mechanisms can be compared.

By the rule, names, numbers and all words but those of two closed lists are left out: general words for what
happens, causes, changes, orders and compares, and the function words that relate two clauses. The lists are
of English: a text in another language has no skeleton by the rule. A function that is plugged in, such as a
language model, takes the place of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, TypeAlias

from sage_ld.build.languages import ENGLISH
from sage_ld.build.languages.analysis import terms
from sage_ld.foundation.model import Chunk, ChunkKind

MakeSkeleton: TypeAlias = Callable[[str, str], str | None]
"""Makes a skeleton from a text and its language (a tag of BCP 47). An empty one is left out; None leaves it
to the rule."""

_GENERAL: Final = """
ability absence absolute accelerate accept access accident accompany according account accumulate accuracy
achieve acquire action activate active activity actual adapt add addition additional adjust admit adopt
advance advantage affect against ago agree agreement aid aim align allow alone alter alternative amid amount
analysis announce apart appear apply appoint approach approve argue arise arisen arose arrange arrive ask
assemble assign assist associate assume attach attack attempt attend attention attract available average
avoid backward bad balance barrier base basis began begin beginning begun behavior behaviour believe belong
benefit beyond big bind block borrow bought bound boundary break bring broad broke broken brought build built
call cancel capacity capture carry case catch caught cause cease center central centre certain chain
challenge chance change charge check choose chose chosen circulate circumstance claim class clear close
coincide cold collapse collect collection combination combine commit common communicate compare compensate
complete complex component compose comprise compute concentrate conclude conclusion condition conduct confirm
conflict connect consequence consider consist constant constrain construct consume contain context continue
continuous contract contrary contrast contribute control convert cool cooperate coordinate core correct
correction correlate correspond cost count couple course cover create crisis criterion critical cross current
cut cycle damage danger deal decay decide decline decrease dedicate deep defeat defend define delay deliver
demand demonstrate dense density depend deplete deposit depth derive describe design despite destroy detect
determine develop deviate differ difference different difficult difficulty diffuse dimension diminish
direction disappear discover discuss disperse displace display dissipate dissolve distance distant distribute
distribution diverge divide dominate drain drive driven drove dual due duration dynamic early earn ease easy
edge effect effective efficiency efficient effort elect element eliminate emerge emergence emit employ empty
enable encounter encourage end enforce engage enhance enlarge enter entire environment equal equilibrium
erode error escape essential establish estimate evaluate event evidence evolve exact examine example exceed
exception excess excessive exchange exclude exert exist existence existing expand expect expectation
experience explain explore expose express extend extent external extra extract extreme face facilitate factor
fail failure fall fallen favor favorable fed feed feedback fell fill filter find finite fit fix flat fled
flow focus follow force formal former forward free frequent froze frozen fuel fulfil full function
fundamental gain gap gather general generate global good govern gradual great grew grow grown growth guide
half handle happen hard harm heat heavy height held help hid hidden hide hierarchy high hinder hold
homogeneous hot idea ideal identical identify ignore imitate impact implement imply importance important
impose impossible improve inactive include incorporate increase independent indicate indirect individual
induce influence inform inherit inhibit initial initiate inner input inside inspire instability install
instance insufficient integrate intend intensify interact interaction interest interfere intermediate
internal interpret intersect interval introduce invade invent invest investigate invite involve inward
isolate isolated joint judge keep kept key kill kind lack large last late latter lay lead learn leave led
lend length lent level likely limit linear link list local lock long look loop loose loss lost low lower
magnitude main maintain major majority manage manner mark mass master maximal maximum mean measure mechanism
merge met method middle migrate minimal minimum minor mix mixed mode moderate modify moment monitor motion
move movement multiple multiply mutual narrow natural necessary need negative neglect negotiate new next
noise nonlinear norm normal note obey object obstacle obtain occupy occur offer old open operate opportunity
oppose opposite optimal optimum order ordinary organize origin original originate oscillate outcome outer
output outside outward overall overcame overcome overlap own pair parallel partial participant particular
pass passive past path pattern pay penetrate perform period permanent permit persist perturbation phenomenon
plan point poor popular portion position possess possibility possible postpone potential powerful practice
precede predict prefer prepare presence preserve pressure prevent previous primary principle prior priority
private probability probable problem procedure proceed process progress prohibit promote propagate proper
property proportion propose protect prove provide public pull punish purchase pure purpose push put quality
quantity question quick raise random rapid rare rate ratio reach react read real realize reason recent
recognize recover reduce refer reflect refuse regard regular regulate reject relate relation relationship
relative rely remain remember remove render renew repair repeat replace report request require resemble
reserve resign resist resolve resource respond response responsibility rest restore restrict result retain
retreat return reveal reversal reverse revise revive reward rich rigid rise risen risk role rose rotate rule
sank save scatter scheme scope search secondary section seek seem select selection sell send sent separate
sequence serious settle severe shape share shift short shortage shrank shrink shrunk side signal significant
similar similarity simple sink site situation size slight slow small smooth sold solution solve sought source
space special specific specify speed spend spent split sprang spread stability stabilize stable stand
standard start state static stay steady steer step stiff stood stop store strategy strength strengthen stress
strong struck structure struggle style subject subsequent substance succeed success successful successive
sudden suffer sufficient suggest sum sunk supply support suppress surplus surround survive sustain switch
symmetry take target task taught teach technique temperature temporary tend tendency term terminate theory
think thought threaten threshold time together top total trace trade transfer transform transition translate
transmit transport travel treat trend trigger true try turn twice type typical uncertain undergo undergone
understand understood underwent uniform unify unique unit unite universal unknown unstable unusual upper use
useful usual value vanish variable variation variety various vary vast velocity versus view violent visit
volume warn waste weak weaken weakness weight whole wide widen withdraw withdrawn withdrew wore worn worsen
write written wrong wrote yield yielded young
"""
_RELATING: Final = """
across after again against although always away back because before between both but each from further however
if instead into less more neither never nor not only other over rather same so than then therefore through
thus too toward under unless until upon when whereas while within without
"""
LEAST_WORDS: Final = 10
"""General words that a skeleton has at least: a text with fewer tells of no mechanism."""
MOST_WORDS: Final = 80
"""Words of a skeleton at most: the first of its text."""
_TOKEN: Final = re.compile(r"[^\W\d_]+|[.!?]")
_ENDS: Final = frozenset(".!?")


def skeletons(
    chunks: Sequence[Chunk], language: str, make_skeleton: MakeSkeleton | None = None
) -> dict[int, str]:
    """The skeletons of the chunks of prose that have one, by the number of the chunk.

    `make_skeleton` makes them in place of the rule.
    """
    by_chunk: dict[int, str] = {}
    for number, each in enumerate(chunks):
        if each.kind is ChunkKind.TEXT:
            made = None if make_skeleton is None else make_skeleton(each.text, language)
            by_chunk[number] = (by_rule(each.text, language) if made is None else made).strip()
    return {number: skeleton for number, skeleton in by_chunk.items() if skeleton}


def by_rule(text: str, language: str = ENGLISH) -> str:
    r"""The skeleton of a text by the lists; empty if it has fewer than `LEAST_WORDS` general words.

    >>> demand = "Guano from Peru increased yields, so demand grew faster than the supply was renewed. "
    >>> end = "Prices rose until reserves collapsed, because the growth had consumed its source."
    >>> print(by_rule(demand + end).replace(". ", ".\n"))
    from increased yields so demand grew than supply renewed.
    rose until reserves collapsed because growth consumed source.
    """
    if language != ENGLISH:
        return ""
    kept: list[str] = []
    general, begins = 0, True
    for token in _TOKEN.findall(text):
        word = token.casefold()
        if token in _ENDS:
            if kept and kept[-1][-1] not in _ENDS:
                kept[-1] += "."
        elif begins or token[0].islower():
            is_general = _is_general(word)
            general += is_general
            if is_general or word in _relating():
                kept.append(word)
        begins = token in _ENDS
        if len(kept) == MOST_WORDS:
            break
    return " ".join(kept) if general >= LEAST_WORDS else ""


@cache
def _relating() -> frozenset[str]:
    return frozenset(_RELATING.split())


@cache
def _general_stems() -> frozenset[str]:
    return frozenset(term for word in _GENERAL.split() for term in terms(word))


@cache
def _is_general(word: str) -> bool:
    return word not in _relating() and any(stem in _general_stems() for stem in terms(word))
