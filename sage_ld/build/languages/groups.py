"""Scripts that are written without blanks: their signs in groups that overlap, which take the place of words.

Chinese, Japanese and Korean are cut into pairs, as Lucene's CJKAnalyzer does it (Korean has blanks, but its
particles belong to the word before them); Thai, Lao, Khmer and Burmese, whose signs are letters, into groups
of three. A word of a question is then a few groups, which stand in a text as the word does.
"""

from __future__ import annotations

import re
from typing import Final

_PAIRED: Final = (
    "\u3005\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
)
"""Signs of Chinese and Japanese, and syllables of Korean."""
_THREES: Final = "\u0e01-\u0e46\u0e81-\u0ec6\u1000-\u109f\u1780-\u17d3"
"""Letters of Thai, Lao, Burmese and Khmer, with the vowels that stand above and below."""
_TONES: Final = re.compile("[\u0e47-\u0e4e\u0ec8-\u0ecd]")
_RUN: Final = re.compile(f"(?P<pairs>[{_PAIRED}]+)|(?P<threes>[{_THREES}]+)")
_KANA: Final = re.compile("[\u3041-\u3096]+")
_PARTICLES: Final = frozenset("はがをにでとのもへや")
"""Particles of Japanese of one sign."""
_CHINESE: Final = frozenset("的了是在有和与及吗呢吧嘛着过把被就都也很这那哪谁几什么怎候")
"""Words of Chinese that say little, of one sign, and those that questions are asked with."""
_WORDS: Final = """
何時 何処 何人 何年 何を 何が 何で いつ どこ だれ いく くら
多少 为什 哪里 哪个 如何 何时
무엇 언제 어디 누가 누구 얼마 어떤 어느 마나 마입 마예 입니 니까 습니 합니 인가
อะไ ะไร เมื มือ มืไ ที ไหน ใคร ทำไ ำไม เทา ทาไ าไร เปน
"""
_ASKING: Final = frozenset(_WORDS.split())
"""Groups of the words that questions are asked with."""
_HANGUL: Final = re.compile("[\uac00-\ud7a3]{2}")
_KOREAN_PARTICLES: Final = frozenset("은는이가을를에의로와과도")


def in_groups(text: str) -> str:
    """`text` with its scripts without blanks in groups between blanks; all else is as it was.

    >>> in_groups("灯台の高さ 21 m"), in_groups("เรือ")
    (' 灯台 台の の高 高さ  21 m', ' เรื รือ ')
    """
    if _RUN.search(text) is None:
        return text
    return _RUN.sub(_grouped, _TONES.sub("", text))


def _grouped(run: re.Match[str]) -> str:
    size = 2 if run["pairs"] else 3
    signs = run[0]
    groups = [signs[at : at + size] for at in range(max(1, len(signs) - size + 1))]
    return f" {' '.join(groups)} "


def is_silent_group(group: str) -> bool:
    """Whether a group says little: particles, endings, and words that questions are asked with.

    >>> [is_silent_group(each) for each in ("ます", "船は", "高さ", "是多", "항구", "구는")]
    [True, True, False, True, False, True]
    """
    if group in _ASKING or _KANA.fullmatch(group):
        return True
    if _HANGUL.fullmatch(group):
        return group[-1] in _KOREAN_PARTICLES
    return len(group) <= 2 and any(sign in _PARTICLES or sign in _CHINESE for sign in group)
