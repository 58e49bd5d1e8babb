"""Euro amounts as whole cents. No floats past this file."""

from decimal import ROUND_HALF_UP, Decimal


def cents(text_or_number):
    """ "12.50" -> 1250. Half cents go up."""
    amount = Decimal(str(text_or_number)) * 100
    return int(amount.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def euro(amount):
    """1250 -> "12.50" (plain, for exports and mails)."""
    sign = "-" if amount < 0 else ""
    whole, rest = divmod(abs(amount), 100)
    return f"{sign}{whole}.{rest:02d}"


def scale(amount, factor):
    """Multiply cents by a factor such as 1.15."""
    product = Decimal(amount) * Decimal(str(factor))
    return int(product.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def split_evenly(total, weights):
    """Divide `total` cents in proportion to `weights`, losing none.

    Every part is rounded down first; the cents that are left go, one each, to
    the parts with the largest fraction cut off (ties: the earlier part).
    """
    whole = sum(weights)
    if whole <= 0:
        raise ValueError("weights must add up to more than zero")
    exact = [Decimal(total) * w / whole for w in weights]
    parts = [int(x) for x in exact]
    left = total - sum(parts)
    order = sorted(range(len(parts)), key=lambda i: (parts[i] - exact[i], i))
    for i in order[:left]:
        parts[i] += 1
    return parts


def vat_in(gross, percent):
    """The tax contained in a gross amount."""
    net = (Decimal(gross) * 100 / (100 + Decimal(str(percent)))).quantize(
        Decimal(1), rounding=ROUND_HALF_UP)
    return gross - int(net)
