"""Calendars (`.ics`, RFC 5545), by icalendar: a record for each event, task and note."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode, one_line
from sage_ld.build.readers.content import BETWEEN_VALUES, file_document
from sage_ld.build.readers.shown import ATTACHMENT, UNREAD_COMPONENT, UNREAD_PROPERTY
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "text/calendar"
_COMPONENTS: Final = ("VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY")
_TECHNICAL: Final = frozenset(
    [
        "UID",
        "DTSTAMP",
        "SEQUENCE",
        "CREATED",
        "LAST-MODIFIED",
        "PRODID",
        "VERSION",
        "CALSCALE",
        "METHOD",
        "X-WR-CALNAME",
    ]
)
"""Properties by which programs keep their copies in step, and the name of a calendar, which is its title."""
_WITHOUT_TEXT: Final = frozenset({*_COMPONENTS, "VCALENDAR", "VTIMEZONE", "STANDARD", "DAYLIGHT"})
"""Components that are read, or hold what is: records, zones by which times are read."""
_FIELDS: Final = {
    "SUMMARY": "Summary",
    "DTSTART": "Start",
    "DTEND": "End",
    "DUE": "Due",
    "DURATION": "Duration",
    "LOCATION": "Place",
    "FREEBUSY": "Busy",
    "STATUS": "Status",
    "PRIORITY": "Priority",
    "PERCENT-COMPLETE": "Percent complete",
    "COMPLETED": "Completed",
    "CLASS": "Access",
    "RECURRENCE-ID": "Instead of",
    "RRULE": "Repeats",
    "RDATE": "Also on",
    "EXDATE": "Except on",
    "EXRULE": "Except",
    "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendees",
    "CONTACT": "Contact",
    "CATEGORIES": "Categories",
    "RESOURCES": "Resources",
    "GEO": "Latitude and longitude",
    "URL": "URL",
    "CONFERENCE": "Conference",
    "ATTACH": "Attachments",
    "DESCRIPTION": "Description",
    "COMMENT": "Comment",
}
"""The properties that are read, in the order in which they are written."""
_CODED: Final = ("RRULE", "EXRULE", "DURATION", "GEO")
"""Properties that are written as the file has them."""


def read_calendar(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the calendar's name, else that of its only event, else the file's name.

    Raises InputError for anything that is not a calendar, LimitError over `max_documents_per_file` events.
    """
    data = source.read(settings)
    builder = DocumentBuilder(source.identifier, settings)
    title = add_calendar(builder, decode(data, source.identifier), settings)
    yield file_document(
        builder,
        data,
        title or source.stem,
        MEDIA_TYPE,
        v.SCHEMA + "Event" if builder.count_blocks() == 1 else "",
    )


def add_calendar(builder: DocumentBuilder, text: str, settings: Settings) -> str:
    """Adds a calendar's events as records; returns its name, or that of its only event.

    Raises as `read_calendar`, and UnavailableError where the library is missing.
    """
    library = extras.load("icalendar", extras.OFFICE)
    try:
        calendars = library.Calendar.from_ical(text, multiple=True)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        reason = one_line(str(error))[:200]
        raise InputError(f"{builder.identifier}: not readable as a calendar ({reason}); correct it") from None
    names: list[str] = []
    count = 0
    for calendar in calendars:
        names.append(_name(calendar, "X-WR-CALNAME"))
        for each in calendar.walk():
            _count_unread(builder, each)
            if each.name in _COMPONENTS:
                if (count := count + 1) > (limit := settings.max_documents_per_file):
                    raise LimitError.of(builder.identifier, count, limit, "events", "max_documents_per_file")
                names.append(name := _name(each, "SUMMARY"))
                builder.record(name, _fields(each))
    names = list(filter(None, names))
    return names[0] if names and (len(names) == 1 or count == 1 or calendars[0].get("X-WR-CALNAME")) else ""


def _count_unread(builder: DocumentBuilder, component: Any) -> None:
    """Counts what no record has: properties by their names, and whole components, such as alarms."""
    if component.name not in _WITHOUT_TEXT:
        builder.pass_over(UNREAD_COMPONENT, place=component.name)
    elif component.name in (*_COMPONENTS, "VCALENDAR"):
        for key in component:
            if key not in _FIELDS and key not in _TECHNICAL:
                builder.pass_over(UNREAD_PROPERTY, len(_stated(component, key)), key)
        builder.pass_over(ATTACHMENT, sum(map(_is_packed, _stated(component, "ATTACH"))), "ATTACH")


def _name(component: Any, key: str) -> str:
    """The first value of a property that is not empty."""
    return next((text for each in _stated(component, key) if (text := one_line(str(each)))), "")


def _fields(component: Any) -> Iterator[tuple[str, str]]:
    for key, name in _FIELDS.items():
        stated = (each for each in _stated(component, key) if not _is_packed(each))
        if texts := [text for each in stated if (text := _value(key, each))]:
            yield name, BETWEEN_VALUES.join(texts)


def _is_packed(value: Any) -> bool:
    """Whether a value is a file that the calendar holds."""
    return str(getattr(value, "params", {}).get("VALUE", "")).upper() == "BINARY"


def _stated(component: Any, key: str) -> list[Any]:
    """The values of a property, which a file may state more than once."""
    stated = component.get(key)
    return stated if isinstance(stated, list) else [] if stated is None else [stated]


def _value(key: str, value: Any) -> str:
    """A value as a person reads it: days and times of ISO 8601, people by name and address.

    One that cannot be read is as the file has it.
    """
    try:
        return _read(key, value)
    except ValueError:
        return one_line(str(value))


def _read(key: str, value: Any) -> str:
    moment = getattr(value, "dt", None)
    if isinstance(moment, date):
        return _moment(moment)
    if (moments := getattr(value, "dts", None)) is not None and moment is None:
        return BETWEEN_VALUES.join(_read(key, each) for each in moments)
    if isinstance(moment, tuple):  # a period: its begin, and its end or its length
        return " – ".join(map(_moment, moment))
    if key in ("ORGANIZER", "ATTENDEE"):
        address = str(value).partition(":")[2] or str(value)
        name = str(getattr(value, "params", {}).get("CN", ""))
        return one_line(f"{name} <{address}>" if name else address)
    if hasattr(value, "cats"):
        return ", ".join(map(str, value.cats))
    to_ical = getattr(value, "to_ical", None)
    if key in _CODED and to_ical is not None:
        coded = to_ical()
        return one_line(coded.decode("utf-8", "replace") if isinstance(coded, bytes) else str(coded))
    return one_line(str(value))


def _moment(moment: datetime | date | timedelta) -> str:
    """A day, or a time with the name of its zone, or else its distance from UTC."""
    if not isinstance(moment, datetime):
        return str(moment)
    text = moment.replace(tzinfo=None).isoformat(" ", "minutes")
    offset = moment.replace(microsecond=0).isoformat()[len("2024-01-01T00:00:00") :]
    return " ".join(filter(None, (text, moment.tzname() or offset)))


CALENDAR = Reader("calendars", {".ics": MEDIA_TYPE}, read_calendar, text=True)
