"""Formulas of MathML and Office Math on one line, with signs for what only their places say.

A fraction is `3/4`, a power `10^6`, an index `x_1`, a root `√(2gh)`; a part of more than one term is in
parentheses, so that no other value results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from lxml import etree

from sage_ld.build.readers.characters import one_line

_DEEPEST: Final = 100
"""Levels of a formula; text that is nested deeper is written as it comes."""
_SIMPLE: Final = re.compile(r"[+\-−]?(?:\w+(?:[.,]\w+)*|.)|\(.*\)")
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064"))
_LARGE: Final = frozenset("∑∏∫∬∮⋃⋂")
_SIGNS_APART: Final = re.compile(r"\s*([=<>≤≥≈≠±→⇒])\s*")


def formula_text(element: etree._Element) -> str:
    """The text of a `math` of MathML (Core, §3) or an `oMath` of Office Math (ISO/IEC 29500-1, §22.1).

    >>> formula_text(etree.fromstring("<math><msup><mn>10</mn><mn>6</mn></msup></math>"))
    '10^6'
    >>> formula_text(etree.fromstring("<math><mi>v</mi><mo>=</mo><msqrt><mn>2</mn><mi>g</mi></msqrt></math>"))
    'v = √(2g)'
    """
    text = one_line(_row(element, 0).translate(_INVISIBLE))
    return one_line(_SIGNS_APART.sub(r" \1 ", text))


def _row(element: etree._Element, depth: int) -> str:
    return _joined(_text(each, depth) for each in element if isinstance(each.tag, str))


def _joined(parts: Iterable[str]) -> str:
    """Parts beside each other; digits that are two numbers stay apart."""
    text = ""
    for part in parts:
        apart = text[-1:].isdigit() and part[:1].isdigit() and "/" in part
        text += f" {part}" if apart else part
    return text


def _text(element: etree._Element, depth: int) -> str:
    name = str(element.tag).rpartition("}")[2]
    if name in _LEFT_OUT:
        return ""
    if depth > _DEEPEST:
        return " ".join(map(str, element.itertext()))
    if (write := _WRITERS.get(name)) is not None:
        return write([*_parts(element, name, depth)])
    if name == "d":
        return _delimited(element, depth)
    if name == "nary":
        return _n_ary(element, depth)
    if name == "mfenced":
        inner = (element.get("separators", ",")[:1] or ",").join(_text(each, depth + 1) for each in element)
        return f"{element.get('open', '(')}{inner}{element.get('close', ')')}"
    if name in _ROWS:
        return _row(element, depth + 1)
    return (element.text or "").strip() if not len(element) else _row(element, depth + 1)


def _parts(element: etree._Element, name: str, depth: int) -> Iterable[str]:
    """The parts that a writer takes, in its order."""
    if name in ("msqrt", "menclose"):
        return [_row(element, depth + 1)]
    return [
        _text(each, depth + 1)
        for each in element
        if isinstance(each.tag, str) and str(each.tag).rpartition("}")[2] not in _LEFT_OUT
    ]


def _grouped(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _fraction(parts: list[str]) -> str:
    return "/".join(map(_grouped, parts))


def _power(parts: list[str]) -> str:
    base, *rest = parts or [""]
    if len(rest) == 1 and len(rest[0]) == 1 and not rest[0].isalnum() and rest[0] not in "*+−-":
        return base + rest[0]  # an accent
    return _grouped(base) + "".join(f"^{_grouped(each)}" for each in rest if each)


def _index(parts: list[str]) -> str:
    base, *rest = parts or [""]
    return base + "".join(f"_{_grouped(each)}" for each in rest if each)


def _both(parts: list[str]) -> str:
    base, below, above = [*parts, "", "", ""][:3]
    if not below:
        return _power([base, above])
    text = _index([base, below]) + (f"^{_grouped(above)}" if above else "")
    return f"{text} " if base in _LARGE else text


def _before(parts: list[str]) -> str:
    """Indices before a base (`sPre`)."""
    below, above, base = [*parts, "", "", ""][:3]
    return _both(["", below, above]) + base


def _root(parts: list[str]) -> str:
    return f"√({''.join(parts)})" if len(parts) < 2 else _nth_root(parts[0], parts[1])


def _nth_root(base: str, degree: str) -> str:
    return f"{degree}√({base})" if degree in ("∛", "∜") else f"({base})^(1/{_grouped(degree)})"


def _radical(parts: list[str]) -> str:
    """Office Math says the degree, which may be empty, before the base."""
    degree, base = ["", *parts][-2:]
    return _nth_root(base, degree) if degree else f"√({base})"


def _table(parts: list[str]) -> str:
    return f"[{'; '.join(parts)}]"


def _cells(parts: list[str]) -> str:
    return ", ".join(parts)


def _named(parts: list[str]) -> str:
    """A function and its argument: `sin x`."""
    return " ".join(filter(None, parts))


def _delimited(element: etree._Element, depth: int) -> str:
    signs = {"begChr": "(", "endChr": ")", "sepChr": "|"} | _properties(element)
    inner = [
        _row(each, depth + 1)
        for each in element
        if isinstance(each.tag, str) and str(each.tag).rpartition("}")[2] == "e"
    ]
    return f"{signs['begChr']}{signs['sepChr'].join(inner)}{signs['endChr']}"


def _n_ary(element: etree._Element, depth: int) -> str:
    sign = _properties(element).get("chr", "∫")
    parts = {str(each.tag).rpartition("}")[2]: _row(each, depth + 1) for each in element}
    return f"{_both([sign, parts.get('sub', ''), parts.get('sup', '')])} {parts.get('e', '')}"


def _properties(element: etree._Element) -> dict[str, str]:
    """The signs that the properties of an element of Office Math name."""
    return {
        str(each.tag).rpartition("}")[2]: next(map(str, each.values()), "")
        for holder in element
        if str(holder.tag).endswith("Pr")
        for each in holder
        if isinstance(each.tag, str)
    }


_LEFT_OUT: Final = frozenset(
    {"annotation", "annotation-xml", "mspace", "mphantom", "none", "mprescripts", "rPr", "ctrlPr"}
    | {f"{each}Pr" for each in ("f", "sSup", "sSub", "sSubSup", "sPre", "rad", "d", "nary", "func", "m")}
    | {f"{each}Pr" for each in ("acc", "bar", "box", "borderBox", "eqArr", "groupChr", "limLow", "limUpp")}
    | {"phantPr", "phant", "oMathParaPr", "argPr"}
)
_ROWS: Final = frozenset({"mrow", "math", "semantics", "mstyle", "mpadded", "oMath", "e", "num", "den", "r"})
_WRITERS: Final[Mapping[str, Callable[[list[str]], str]]] = {
    "mfrac": _fraction,
    "f": _fraction,
    "msup": _power,
    "sSup": _power,
    "msub": _index,
    "sSub": _index,
    "msubsup": _both,
    "sSubSup": _both,
    "munderover": _both,
    "munder": _index,
    "limLow": _index,
    "mover": _power,
    "limUpp": _power,
    "sPre": _before,
    "msqrt": _root,
    "mroot": _root,
    "rad": _radical,
    "mtable": _table,
    "m": _table,
    "eqArr": _table,
    "mtr": _cells,
    "mr": _cells,
    "func": _named,
}
