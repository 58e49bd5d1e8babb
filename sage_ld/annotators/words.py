"""Stop words and other closed lists of English words: none is a name or keyword by itself."""

from __future__ import annotations

from typing import Final

_STOP_WORDS = """
a about above across after again against all almost along already also although always am among an and
another any are as at away back be became because become been before began behind being below between both
but by came can cannot could did do does doing done down during each either else even ever every few for
from further gave get given go goes had has have having he her here hers herself him himself his how however
i if in including indeed instead into is it its itself just last later less like made make many may me might
mine more moreover most much must my myself near nearly neither never nevertheless next no nor not now of
off often on once one only onto or other others our ours out over own per perhaps rather same several shall
she should since so some something sometimes soon still such than that the their theirs them themselves then
there therefore these they this those though through throughout thus to together too toward towards under
unless until up upon us used very via was we well went were what whatever when where whether which while who
whom whose why will with within without would yet you your yours yourself
"""
_MONTHS_AND_DAYS = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
"""
_CONNECTORS = """
of the de del della delle dei di da das dos du la le les las los van von der den ter zu zur al el bin af
"""
_ABBREVIATIONS = "st dr mr mrs ms jr sr mt ft no vs lt col gen sgt rev prof capt gov sen rep"
_EMPTY_CELLS = """
yes no n/a na none unknown tba tbd tbc total totals win won loss lost draw drawn tie tied w l d t
home away neutral nominated various dnf dns dnq did not qualify bye n y x v vs ret retired
"""

STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""Function words of English, and the verbs and adverbs that begin many sentences."""

MONTHS_AND_DAYS: Final = frozenset(_MONTHS_AND_DAYS.split())
"""Parts of dates, which are no names."""

NO_NAMES: Final = STOP_WORDS | MONTHS_AND_DAYS
"""Words that make no name by themselves."""

CONNECTORS: Final = frozenset(_CONNECTORS.split())
"""Words in lower case that join the parts of one name: Bank of the West, Vasco da Gama. Not "and", "for" or
"in", which stand between two names as often."""

ABBREVIATIONS: Final = frozenset(_ABBREVIATIONS.split())
"""Words whose dot does not end a sentence."""

EMPTY_CELLS: Final = frozenset(_EMPTY_CELLS.split())
"""Contents of table cells that stand for no value."""
