"""Words and signs of all formats: nouns for what is passed over, and the signs of boxes in forms."""

from __future__ import annotations

from typing import Final

STRUCK_OUT: Final = "struck-out text"
DELETED: Final = "deleted text"
HIDDEN: Final = "hidden text"
CHART: Final = "chart"
DIAGRAM: Final = "diagram"
DRAWING: Final = "drawing"
PICTURE: Final = "picture"
ATTACHMENT: Final = "attached file"
RECORDING: Final = "recording"
OBJECT: Final = "embedded object"
RUNNING_LINE: Final = "header or footer"
REPEATED_HEAD: Final = "repeated table head"
EMPTY_PAGE: Final = "page without text"
UNREAD_CALENDAR: Final = "calendar that cannot be read"
UNREAD_COMPONENT: Final = "component of a calendar"
UNREAD_PROPERTY: Final = "property of a calendar"
RICH_BODY: Final = "body in rich text"
UNREAD_DATA: Final = "unreadable data block"
EMBEDDED_PAGE: Final = "embedded page"
MENU: Final = "menu"
HEADER: Final = "page header"
FOOTER: Final = "page footer"
SIDEBAR: Final = "sidebar"
COOKIES: Final = "cookie notice"
SEARCH: Final = "search form"
PROMOTION: Final = "promotion"
"""Links to related pages, buttons to share, newsletters, advertisements."""
UNREADABLE: Final = "byte of no known coding"
SIGN: Final = "sign of a font for signs"
TICKED: Final = "☒"
UNTICKED: Final = "☐"
WINGDINGS: Final = {
    0x6F: UNTICKED,
    0x71: UNTICKED,
    0x72: UNTICKED,
    0xA8: UNTICKED,
    0x78: TICKED,
    0xFD: TICKED,
    0xFE: TICKED,
    0xFC: "✓",
    0xFB: "✗",
    0xE0: "→",
    0xA7: "•",
    0x9F: "•",
    0x6C: "●",
}
"""The signs of the font Wingdings that say something, by their codes."""
WINGDINGS_2: Final = {
    0x51: TICKED,
    0x52: TICKED,
    0x53: TICKED,
    0x54: TICKED,
    0xA3: UNTICKED,
    0x50: "✓",
    0x4F: "✗",
}
"""The signs of the font Wingdings 2, by their codes."""
SIGN_FONTS: Final = {"Wingdings": WINGDINGS, "Wingdings 2": WINGDINGS_2}
