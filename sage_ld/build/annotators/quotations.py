"""Places where a text says what somebody quotes, whatever the blanks, capitals and forms of signs."""

from __future__ import annotations

from typing import Final

_SAME: Final = str.maketrans(
    {**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’‚", "'"), **dict.fromkeys("–—‐", "-")}
)
_MOST: Final = 1_000
"""Places that are counted."""


def places(text: str, wanted: str) -> list[tuple[int, int]]:
    r"""The places where a text has some words, not within others: beginnings and ends, in order.

    >>> places("The Golden\nHeron and the golden heron", "Golden Heron")
    [(4, 16), (25, 37)]
    >>> places("Heronry", "Heron")
    []
    """
    plain, offsets = plain_text(text)
    sought = plain_text(wanted)[0].strip()
    matches: list[tuple[int, int]] = []
    at = 0
    while sought and len(matches) < _MOST and (begin := whole_words(plain, sought, at)) is not None:
        at = begin + len(sought)
        matches.append((offsets[begin], offsets[at - 1] + 1))
    return matches


def plain_text(text: str) -> tuple[str, list[int]]:
    """A text in lower case, with one blank for several, and the offset of each of its characters."""
    kept: list[str] = []
    offsets: list[int] = []
    for at, letter in enumerate(text.translate(_SAME)):
        if letter.isspace():
            if kept and kept[-1] != " ":
                kept.append(" ")
                offsets.append(at)
            continue
        for each in letter.casefold():
            kept.append(each)
            offsets.append(at)
    return "".join(kept), offsets


def whole_words(text: str, wanted: str, begin: int = 0) -> int | None:
    """The offset of the first `wanted` in a text, at or after `begin`, not within a word, or None."""
    at = text.find(wanted, begin)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(wanted) : at + len(wanted) + 1]
        cut = (before.isalnum() and wanted[0].isalnum()) or (after.isalnum() and wanted[-1].isalnum())
        if not cut:
            return at
        at = text.find(wanted, at + 1)
    return None
