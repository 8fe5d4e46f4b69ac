"""Says what a result costs and how long it takes on either side, in sentences read once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.wording.format import dollars, number, plain, rounded
from dashboard.wording.units import words

Row = dict[str, Any]
NO_PAIR = "Not known yet: it takes a GPU baseline, and work on Trainium to hold against it."
NO_HOURS = (
    "How long it takes is not known: the bill has days only, and no sample tells when the runs of "
    "either side began and ended."
)


def pair_sentence(standing: Row, gpu: Row | None, trn: Row | None) -> str:
    """Says what a result costs on either side, how long it takes and what a day is paid with."""
    if not gpu or not trn or None in (gpu["cost_per_result"], trn["cost_per_result"]):
        return NO_PAIR
    return f"{_dollars(gpu, trn)} {_hours(standing, gpu, trn)}"


def hours(value: Decimal) -> str:
    """Formats hours with one decimal, without any from 100 on."""
    return number(value, 0 if abs(value) >= 100 else 1)


def _dollars(gpu: Row, trn: Row) -> str:
    less = gpu["cost_per_result"] - trn["cost_per_result"]
    difference = f"{dollars(abs(less))} {'less' if less >= 0 else 'more'}"
    what = "that reaches the target loss"
    if trn["reached"] is None:
        what = f"trained as long as on GPU ({_work(gpu)})"
    return (
        f"A model {what} costs "
        f"{dollars(trn['cost_per_result'])} on Trainium and {dollars(gpu['cost_per_result'])} on "
        f"GPU: {difference}."
    )


def _work(gpu: Row) -> str:
    """Writes the work of a result with its unit: 4 epochs."""
    unit = words(gpu["unit"])
    amount = plain(rounded(gpu["result_work"], 1))
    return unit.one if amount == "1" else f"{amount} {unit.many}"


def _hours(standing: Row, gpu: Row, trn: Row) -> str:
    delay = standing["delay_hours"]
    if delay is None:
        return NO_HOURS
    takes = f"It takes {hours(trn['hours_per_result'])} hours instead of "
    takes += hours(gpu["hours_per_result"])
    if delay <= 0:
        return takes + _no_later(gpu, trn)
    run = f"A run like the recent ones ends {hours(delay)} hours later"
    price = standing["price_of_a_day"]
    if price is None:
        return f"{takes}. {run}, and no saving pays for the wait."
    return f"{takes}. {run}; a day of waiting is paid with {dollars(price)}."


def _no_later(gpu: Row, trn: Row) -> str:
    """Says that Trainium is no slower, also where a result waits longer for runs that missed it."""
    if trn["hours_per_result"] <= gpu["hours_per_result"]:
        return ": sooner as well."
    each = f"{hours(trn['hours_per_epoch'])} hours instead of {hours(gpu['hours_per_epoch'])}"
    return f", though {words(gpu['unit']).one} takes {each}: runs without a result count."
