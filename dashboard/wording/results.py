"""Says what a result costs and how long it takes, on GPU and on Trainium."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.wording.format import dollars, number, plain, rounded
from dashboard.wording.units import words

Row = dict[str, Any]
NO_PAIR = "Not known yet: it needs a GPU baseline and Trainium work to compare."
NO_HOURS = (
    "How long it takes is unknown: the bill has only days, and no sample shows when the runs of "
    "either side began and ended."
)
UNTIMED_RESULT = "How long it takes is unknown, because the hours of a run are"


def pair_sentence(standing: Row, gpu: Row | None, trn: Row | None) -> str:
    """Says what a result costs and takes on GPU and on Trainium, and what a day of delay saves."""
    if not gpu or not trn or None in (gpu["cost_per_result"], trn["cost_per_result"]):
        return NO_PAIR
    return f"{_dollars(gpu, trn)} {_hours(standing, gpu, trn)}"


def hours(value: Decimal) -> str:
    """Formats hours with one decimal, or with none from 100 on."""
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
    """Formats the work of a result with its unit, such as `4 epochs`."""
    unit = words(gpu["unit"])
    amount = plain(rounded(gpu["result_work"], 1))
    return unit.one if amount == "1" else f"{amount} {unit.many}"


def _hours(standing: Row, gpu: Row, trn: Row) -> str:
    delay = standing["delay_hours"]
    if delay is None:
        return NO_HOURS
    if None in (gpu["hours_per_result"], trn["hours_per_result"]):
        takes = f"{UNTIMED_RESULT}, but {_unit(gpu, trn)}"
    elif delay <= 0:
        return _no_later(gpu, trn)
    else:
        takes = f"It takes {_instead('hours_per_result', gpu, trn)}"
    return f"{takes}.{_later(standing, gpu, trn) if delay > 0 else ''}"


def _later(standing: Row, gpu: Row, trn: Row) -> str:
    """Says how much later a run ends on Trainium, and what each day of delay saves."""
    run = f" A run like the recent ones ends {hours(standing['delay_hours'])} hours later"
    price = standing["price_of_a_day"]
    if price is None:
        dearer = trn["cost_per_result"] >= gpu["cost_per_result"]
        return f"{run}{', and nothing is saved in return' if dearer else ''}."
    return f"{run}; each day of delay saves {dollars(price)}."


def _no_later(gpu: Row, trn: Row) -> str:
    """Says that a result takes as long, less, or longer only because runs without result count."""
    both = _instead("hours_per_result", gpu, trn)
    if hours(trn["hours_per_result"]) == hours(gpu["hours_per_result"]):
        return f"It takes as long: {hours(gpu['hours_per_result'])} hours."
    if trn["hours_per_result"] <= gpu["hours_per_result"]:
        return f"It is also faster: {both}."
    return f"It takes {both}, although {_unit(gpu, trn)}: runs without a result count."


def _unit(gpu: Row, trn: Row) -> str:
    return f"{words(gpu['unit']).one} takes {_instead('hours_per_epoch', gpu, trn)}"


def _instead(name: str, gpu: Row, trn: Row) -> str:
    here, there = hours(trn[name]), hours(gpu[name])
    return f"{here} hours{', as on GPU' if here == there else f' instead of {there}'}"
