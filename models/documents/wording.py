"""Formats dollars, numbers and sentences alike in every document."""

from __future__ import annotations

from decimal import Decimal

from models.contract.decimal_text import UNKNOWN, dollars, rounded
from models.records.statement import Row, uncompared


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
        f"Since the beginning the migration is {dollars(abs(total))} {stands}{_return(whole)}."
        f"{_at_old_volume(whole)}{_judged(whole)}"
    )


def _return(whole: Row) -> str:
    return "" if whole["roi"] is None else f", a return of {percent(whole['roi'])}"


def _judged(whole: Row) -> str:
    """Says how much of the month's Trainium spend this is about; empty where it is not known."""
    share = whole.get("covered_share")
    return "" if share is None else f" This is about {percent(share)} of its Trainium spend."


def _at_old_volume(whole: Row) -> str:
    """Says what the month's net saving was at the volume of before the move, if it differs."""
    net = net_at_old_volume(whole)
    if net is None or net == whole["net_saving"]:
        return ""
    verb = "saved" if net >= 0 else "lost"
    return (
        f" At the volume trained before the move the month would have {verb} {dollars(abs(net))}."
    )


def net_at_old_volume(row: Row) -> Decimal | None:
    """Returns a month's saving at the old volume less all overhead; null if one is unknown."""
    old, overhead = row["saving_at_old_volume"], row["overhead"]
    return None if old is None or overhead is None else old - overhead


def bridge(row: Row) -> str:
    """Writes out how gross saving comes from the Trainium cost, of which a part is not compared."""
    gross, whole, cost = (
        dollars(row[name]) for name in ("gross_saving", "counterfactual", "trn_cost")
    )
    return f"Gross saving {gross} = on GPU {whole} − (Trainium {cost} − {dollars(uncompared(row))})"


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
    return UNKNOWN if value is None else f"{rounded(value * 100, 1):,} %"


def number(value: Decimal | None) -> str:
    """Formats a number with two decimals and thousands separators; null is `unknown`."""
    return UNKNOWN if value is None else f"{rounded(value, 2):,}"
