"""Bikes, and the shops they stand in."""

import json
from datetime import datetime
from pathlib import Path

from . import clock, db
from .errors import BikeInService, BikeUnknown, BranchClosed
from .models import Bike

BRANCH_FILE = Path("/etc/spokebook/branches.json")

COLUMNS = "tag, bike_class, model, branch, lock_serial, km_since_service, in_service"


def find_bike(tag):
    """Bike by the tag on its frame. Case and blanks do not matter: "e 22"."""
    wanted = tag.upper().replace(" ", "-")
    with db.transaction() as cur:
        cur.execute(f"select {COLUMNS} from bike where tag = %s", (wanted,))
        row = cur.fetchone()
    if row is None:
        raise BikeUnknown(f"no bike {wanted}")
    return Bike(*row)


def bikes_of(branch, bike_class=None):
    sql = f"select {COLUMNS} from bike where branch = %s"
    args = [branch]
    if bike_class:
        sql += " and bike_class = %s"
        args.append(bike_class)
    with db.transaction() as cur:
        cur.execute(sql + " order by tag", args)
        return [Bike(*row) for row in cur.fetchall()]


def ensure_rentable(bike):
    if bike.in_service:
        raise BikeInService(f"{bike.tag} is in the workshop")


def transfer(tag, to_branch, by):
    """Move a bike to another shop; open bookings keep their bike."""
    bike = find_bike(tag)
    with db.transaction() as cur:
        cur.execute("update bike set branch = %s where tag = %s", (to_branch, bike.tag))
        cur.execute(
            "insert into bike_move (tag, from_branch, to_branch, moved_at, moved_by)"
            " values (%s, %s, %s, %s, %s)",
            (bike.tag, bike.branch, to_branch, clock.now(), by))


def branches(path=BRANCH_FILE):
    return {b["code"]: b for b in json.loads(path.read_text("utf-8"))["branches"]}


def opening_hours(branch, day):
    """("08:30", "19:00") or None when the shop is shut that day."""
    season = "summer" if 4 <= day.month <= 10 else "winter"
    hours = branch["hours"].get(season)
    if not hours or day.strftime("%a").lower() in branch.get("closed", ()):
        return None
    return tuple(hours)


def ensure_open(branch, moment: datetime):
    """Pick-up and return must fall into opening hours.

    Shops with `self_service` have keypad locks outside; there any time will do.
    """
    if branch.get("self_service"):
        return
    local = moment.astimezone(clock.zone())
    hours = opening_hours(branch, local.date())
    if hours is None or not hours[0] <= local.strftime("%H:%M") <= hours[1]:
        raise BranchClosed(f"{branch['name']} is closed at {local:%a %H:%M}")
