"""Invoice numbers: QC-HF-2025-00417. Without gaps, per shop and year.

The counter is a row, not a database sequence: a sequence is not rolled back
with its transaction and leaves holes, which the tax office asks about. The
price is that two invoices of one shop wait for one another; at our size that
is milliseconds.
"""

from . import clock, config
from .errors import NumberGap


def next_number(cur, branch, year=None):
    """Take the next number inside the caller's transaction."""
    year = year or clock.today().year
    cur.execute(
        "insert into invoice_counter (branch, year, last) values (%s, %s, 1)"
        " on conflict (branch, year) do update set last = invoice_counter.last + 1"
        " returning last", (branch, year))
    return format_number(branch, year, cur.fetchone()[0])


def format_number(branch, year, running):
    return f"{config.get('invoice.number_prefix')}-{branch}-{year}-{running:05d}"


def parse_number(text):
    """"QC-HF-2025-00417" -> ("HF", 2025, 417). Blanks and case are forgiven."""
    prefix, branch, year, running = text.upper().replace(" ", "").rsplit("-", 3)
    return branch, int(year), int(running)


def check_series(cur, branch, year):
    """Job number-check: raise if a number of the series is missing."""
    cur.execute("select number from invoice where number like %s order by number",
                (f"%-{branch}-{year}-%",))
    expected = 1
    for (number,) in cur.fetchall():
        running = parse_number(number)[2]
        if running != expected:
            raise NumberGap(f"{branch} {year}: {expected:05d} is missing",
                            branch=branch, missing=expected)
        expected = running + 1
    return expected - 1
