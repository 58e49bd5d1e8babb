"""spokebook: bookings, deposits and invoices for Quayside Cycles."""

__version__ = "3.8.1"
