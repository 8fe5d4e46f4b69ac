"""Formats dollars, numbers and sentences alike in every document."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from models.records.statement import Row

CENT = Decimal("0.01")
UNKNOWN = "unknown"


def dollars(value: Decimal | None) -> str:
    """Formats dollars as `-$1,234.50`, rounded half-up; null is `unknown`."""
    if value is None:
        return UNKNOWN
    cents = value.quantize(CENT, rounding=ROUND_HALF_UP)
    return f"{'-' if cents < 0 else ''}${abs(cents):,}"


def sentence(month: str, whole: Row) -> str:
    """Says in words what the portfolio saved or lost in a month and in total, if that is known."""
    net, total, spent = whole["net_saving"], whole["cumulative_net"], whole["investment"]
    if net is None or total is None:
        return f"What {month} saved is not known: the pages below say why."
    verb = "saved" if net >= 0 else "lost"
    stands = "ahead" if total >= 0 else "short of break-even"
    return (
        f"Training on Trainium {verb} {dollars(abs(net))} net in {month}, "
        f"with {dollars(spent)} invested in the month. "
        f"Since the beginning the migration is {dollars(abs(total))} {stands}."
    )


def reservation(whole: Row) -> str:
    """Says which dollars are flagged in, or left out of, a month's net saving; may be empty."""
    kinds = {"flagged": "Counted with a flag", "left_out": "Left out"}
    parts = [
        f"{title}: "
        + ", ".join(f"{why.replace('_', ' ')} {dollars(amount)}" for why, amount in sorted(found))
        for name, title in kinds.items()
        if (found := (whole[name] or {}).items())
    ]
    return f"{'. '.join(parts)}." if parts else ""


def percent(value: Decimal | None) -> str:
    """Formats a fraction as `12.3 %`, rounded half-up; null is `unknown`."""
    if value is None:
        return UNKNOWN
    return f"{(value * 100).quantize(Decimal('0.1'), rounding=ROUND_HALF_UP):,} %"


def number(value: Decimal | None) -> str:
    """Formats a number with two decimals and thousands separators; null is `unknown`."""
    return UNKNOWN if value is None else f"{value.quantize(CENT, rounding=ROUND_HALF_UP):,}"
