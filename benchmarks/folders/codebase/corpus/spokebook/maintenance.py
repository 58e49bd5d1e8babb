"""Service intervals. What is done at a service stands in the workshop notes."""

from datetime import timedelta

from . import clock, config, db


def interval_km(bike_class):
    if bike_class in ("touring e-bike", "cargo"):
        return config.get_int("maintenance.ebike_interval_km")
    return config.get_int("maintenance.interval_km")


def is_due(bike, last_service, day=None):
    """By distance or by time, whichever comes first."""
    day = day or clock.today()
    too_far = bike.km_since_service >= interval_km(bike.bike_class)
    too_long = day - last_service >= timedelta(
        days=config.get_int("maintenance.interval_days"))
    return too_far or too_long


def take_out(tag, reason, staff_id):
    """Into the workshop. Confirmed bookings of the next 48 hours are listed
    so that the shop can offer another bike; they are not changed here."""
    with db.transaction() as cur:
        cur.execute("update bike set in_service = true where tag = %s", (tag,))
        cur.execute("insert into service_entry (tag, reason, staff_id, begun_at)"
                    " values (%s, %s, %s, %s)", (tag, reason, staff_id, clock.now()))
        cur.execute("select id from booking where bike_tag = %s and state = 'confirmed'"
                    " and starts_at < %s", (tag, clock.now() + timedelta(hours=48)))
        return [row[0] for row in cur.fetchall()]


def put_back(tag, done):
    with db.transaction() as cur:
        cur.execute("update bike set in_service = false, km_since_service = 0"
                    " where tag = %s", (tag,))
        cur.execute("update service_entry set ended_at = %s, done = %s"
                    " where tag = %s and ended_at is null", (clock.now(), done, tag))
