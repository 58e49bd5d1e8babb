"""Plain records. They know nothing about the database."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Optional

BIKE_CLASSES = ("city", "touring", "touring e-bike", "cargo", "kids")

BOOKING_STATES = ("held", "confirmed", "out", "returned", "cancelled", "no_show")


@dataclass(frozen=True)
class Window:
    """Half-open span of time: `start` belongs to it, `end` does not."""
    start: datetime
    end: datetime

    @property
    def hours(self):
        return (self.end - self.start).total_seconds() / 3600


@dataclass
class Bike:
    tag: str            # painted on the frame: E-22
    bike_class: str
    model: str
    branch: str
    lock_serial: str
    km_since_service: int = 0
    in_service: bool = False


@dataclass
class Customer:
    id: int
    name: str
    email: str
    phone: str = ""
    tags: set = field(default_factory=set)
    erased_at: Optional[datetime] = None


@dataclass
class Booking:
    id: int
    customer_id: int
    bike_tag: str
    window: Window
    state: str = "held"
    group_id: Optional[int] = None
    discount_code: Optional[str] = None
    returned_at: Optional[datetime] = None


@dataclass
class InvoiceLine:
    text: str
    gross: int          # cents
    vat_percent: str
    kind: str = "rental"


@dataclass
class Invoice:
    number: str
    customer_id: int
    issued_at: datetime
    lines: list
    paid: int = 0
    locked: bool = False
    corrects: Optional[str] = None   # number of the invoice a credit note is for

    @property
    def gross(self):
        return sum(line.gross for line in self.lines)

    @property
    def open_amount(self):
        return self.gross - self.paid
