"""Discount codes.

One code per booking. The exception are codes of kind "staff", which may be
added to any other; the percentages are applied one after the other, never
summed.
"""

from . import clock, db, money
from .errors import (DiscountNotStackable, DiscountOutOfDate, DiscountUnknown,
                     DiscountUsedUp)


def _fetch(cur, code):
    cur.execute(
        "select code, kind, percent, valid_from, valid_to, uses_left"
        " from discount where code = upper(%s)", (code.strip(),))
    row = cur.fetchone()
    if row is None:
        raise DiscountUnknown(f"no code {code}")
    return dict(zip(("code", "kind", "percent", "valid_from", "valid_to", "uses_left"), row))


def check(cur, codes):
    """The codes' rows, or an error that says which one fails and why."""
    rows = [_fetch(cur, code) for code in codes]
    ordinary = [r for r in rows if r["kind"] != "staff"]
    if len(ordinary) > 1:
        raise DiscountNotStackable(" + ".join(r["code"] for r in ordinary))
    day = clock.today()
    for row in rows:
        if not row["valid_from"] <= day <= row["valid_to"]:
            raise DiscountOutOfDate(f"{row['code']} ran until {row['valid_to']:%d %b %Y}")
        if row["uses_left"] == 0:
            raise DiscountUsedUp(row["code"])
    return rows


def apply(gross, rows):
    for row in rows:
        gross -= money.scale(gross, row["percent"] / 100)
    return gross


def redeem(cur, rows):
    """Count a use. Codes with uses_left null are unlimited."""
    for row in rows:
        cur.execute(
            "update discount set uses_left = uses_left - 1"
            " where code = %s and uses_left is not null", (row["code"],))


def give_back(code):
    """After a cancellation the use is credited again."""
    with db.transaction() as cur:
        cur.execute("update discount set uses_left = uses_left + 1"
                    " where code = %s and uses_left is not null", (code,))
