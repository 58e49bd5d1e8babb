"""Monthly file for the accountants (Ledgerline import format 4).

One line per invoice line and VAT rate, semicolons, decimal comma, CRLF,
windows-1252. The format is described in DN-17; the account numbers come from
the settings `export.*_account` and have no defaults.
"""

import csv
import io

from . import clock, config, db, money
from .errors import ConfigKeyMissing, ExportAccountMissing, ExportPeriodClosed

HEADER = ["date", "voucher", "account", "gross", "vat", "text"]


def _account(kind):
    try:
        return str(config.get(f"export.{kind}_account"))
    except ConfigKeyMissing:
        raise ExportAccountMissing(f"no account for {kind}") from None


def _comma(amount):
    return money.euro(amount).replace(".", ",")


def rows_for(cur, year, month):
    cur.execute(
        "select i.issued_at, i.number, l.kind, l.gross, l.vat_percent, l.text"
        " from invoice i join invoice_line l using (number)"
        " where extract(year from i.issued_at) = %s and extract(month from i.issued_at) = %s"
        " order by i.number, l.position", (year, month))
    net_drift = 0
    for issued, number, kind, gross, percent, text in cur.fetchall():
        vat = money.vat_in(gross, percent)
        exact = gross * float(percent) / (100 + float(percent))
        net_drift += vat - exact
        yield [f"{issued:%d.%m.%Y}", number, _account(kind), _comma(gross), percent, text[:60]]
    drift = round(net_drift)
    if drift:
        yield [f"01.{month:02d}.{year}", "DRIFT", _account("rounding"), _comma(drift), "0", "cents"]


def export(year, month, force=False):
    """Bytes of the file. A month can be exported until the cut-off day.

    `export.cutoff_day` is a day of the following month. After that the
    accountants have filed the VAT return and the period is closed.
    """
    cutoff = config.get_int("export.cutoff_day")
    today = clock.today()
    months_later = (today.year - year) * 12 + today.month - month
    closed = months_later > 1 or (months_later == 1 and today.day > cutoff)
    if closed and not force:
        raise ExportPeriodClosed(f"{year}-{month:02d} closed on day {cutoff}")
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerow(HEADER)
    with db.transaction() as cur:
        for row in rows_for(cur, year, month):
            writer.writerow(row)
        cur.execute("update invoice set exported_at = %s where exported_at is null"
                    " and extract(year from issued_at) = %s"
                    " and extract(month from issued_at) = %s", (clock.now(), year, month))
    return out.getvalue().encode("cp1252", errors="replace")
