"""Writes which way to buy is cheapest, the costs beside each price, and what is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from dashboard.pages.decide.buying.machine import BLOCK, ON_DEMAND, PAID, SPOT, MachineFacts
from dashboard.pages.decide.buying.purchase_options import PurchaseOption, by_cost
from dashboard.wording.format import GAP, cents, count, dollars, number, percent, plain
from models.contract.rules.recent_window import WEEKS

LAST = f"the last {WEEKS} settled weeks"
NAMES = {
    ON_DEMAND: "On demand",
    PAID: "Commitments you have",
    "1 yr": "1-year commitment",
    "3 yr": "3-year commitment",
    SPOT: "Spot",
    BLOCK: "Capacity Block",
}
REMEDIES = {
    ON_DEMAND: "No on-demand price is known: add the source “price_list” (free) and run "
    "`breakeven ingest`. Some types have no on-demand price.",
    "yr": "No rate of this term is known: add the sources “price_list” (reserved terms) and "
    "“savings_plans” (of plans you own), both free, or a committed price with its plan to your "
    "own prices, then run `breakeven ingest`.",
    SPOT: "No Spot price is known: add the source “spot_prices” (free) and run `breakeven ingest`. "
    "A price expires 45 days after it was last seen.",
    BLOCK: "No fee of a Capacity Block is known: add the source “capacity” (free) and run "
    "`breakeven ingest`.",
}
OF_COMPANY = "Committed rates are the company's: they are shown to those who see all workloads."


def cheapest_sentence(machine: str, found: Sequence[PurchaseOption]) -> str:
    """Writes which way to buy a productive hour is cheapest, and what the others cost."""
    sorted_ways, unknown = by_cost(found), _unknown(found)
    if not sorted_ways:
        return f"No price per productive hour on {machine} is known."
    first, *others = sorted_ways
    text = f"A productive hour on {machine} costs least {_bought(first)}: "
    text += _money(first.productive)
    if others:
        text += "; " + ", ".join(f"{_bought(way)} {_money(way.productive)}" for way in others)
    return f"{text}.{unknown}"


def hidden_costs(way: PurchaseOption, of: MachineFacts) -> list[str]:
    """Lists sentences on what a way to buy costs beside its price, or on how to learn its price."""
    if way.price is None:
        return [_remedy(way, of.whole)]
    match way.name:
        case "on_demand":
            return ["You pay only for what you use. AWS promises no capacity.", _losing(way)]
        case "spot":
            return _spot(way)
        case "capacity_block":
            return [
                _idle(way),
                "Booked in advance for fixed hours; not refundable.",
                *_even(way),
            ]
    if way.name == PAID:
        return [_idle(way), *_even(way), "You pay until its term ends, used or not."]
    return [_idle(way), *_even(way), _bound(way)]


def _remedy(way: PurchaseOption, whole: bool) -> str:
    """Says how to get a missing price, or that readers of some workloads cannot see it."""
    if way.years and not whole:
        return OF_COMPANY
    return REMEDIES["yr" if way.years else way.name]


def price_note(way: PurchaseOption) -> str:
    """Says where the price of a way to buy hours comes from; empty where none is known."""
    if way.price is None:
        return ""
    match way.name:
        case "on_demand":
            return "the public list price of the day"
        case "spot":
            low, high = way.range or (way.price, way.price)
            return f"mean of {WEEKS} weeks; from {cents(low)} to {cents(high)}"
        case "capacity_block":
            return "the cheapest offer that EC2 last reported"
    if way.name == PAID:
        return f"what the hours that it covered cost in {LAST}"
    return f"{way.plan}; upfront fees spread over the term"


def use_note(of: MachineFacts, assumed: bool) -> str:
    """Says where the assumed used share of a commitment comes from."""
    if assumed:
        return "As you entered."
    if "committed" in of.used:
        return f"What was used of the commitments on the bill in {LAST}."
    if of.at_most is not None:
        lacks = "What was used of the commitments on the bill is unknown"
        return (
            f"{lacks if of.held else 'No commitment is on the bill'}: "
            f"one instance would have been used this much in {LAST} "
            "(upper limit: runs of one day may have overlapped)."
        )
    return "This machine was not used lately: enter a share."


def _bought(way: PurchaseOption) -> str:
    if not way.years:
        return {
            ON_DEMAND: "on demand",
            SPOT: "on Spot",
            PAID: "under the commitments you have",
        }.get(way.name, "in Capacity Blocks")
    return f"with a {way.years}-year commitment of which {percent(way.used)} is used"


def _unknown(found: Sequence[PurchaseOption]) -> str:
    names = [NAMES[way.name] for way in found if way.productive is None]
    return f" Unknown: {', '.join(names)}." if names else ""


def _idle(way: PurchaseOption) -> str:
    if way.used is None:
        return "Idle: unknown; enter the share that would be used."
    if not way.used:
        return "Idle: none of the paid hours would be used."
    paid = _money((way.price or Decimal(0)) / way.used)
    return f"Idle: if {percent(way.used)} of the paid hours are used, a used hour costs {paid}."


def _even(way: PurchaseOption) -> list[str]:
    if way.even is None:
        return ["No break-even: the on-demand price is unknown."]
    if way.even >= 1:
        return ["Break-even: never, an hour costs no less than on demand."]
    reached = way.used is not None and way.used >= way.even
    enough = "" if way.used is None else f" ({'reached' if reached else 'not reached'})"
    return [f"Break-even: {percent(way.even)} of the paid hours must be used{enough}."]


def _bound(way: PurchaseOption) -> str:
    """Says how many dollars a commitment locks in, and when it starts to pay."""
    text = f"Lock-in: {dollars(way.bound)} for one instance, used or not{_pays_from(way)}"
    tied = (
        "It also covers other EC2 families, Trainium and GPU alike"
        if way.follows
        else "A reservation, or a plan for one family, is useless after a move to another family"
    )
    return f"{text}. {tied}."


def _pays_from(way: PurchaseOption) -> str:
    """Says before which month stopping a commitment loses money, or that it always does; or empty.

    Empty where no use, or only use of all hours or more, breaks even. The used share of the hours
    would have been paid on demand, until you stop.
    """
    months, used = Decimal(12 * way.years), Decimal(1) if way.used is None else way.used
    if way.even is None or way.even >= 1:
        return ""
    if way.even > used:
        return "; used that little, it loses money however long you stay"
    full = "used in full, " if way.used is None else ""
    stop = f"month {number(months * way.even / used, 1)} of {plain(months)}"
    return f"; {full}it loses money if you stop before {stop}"


def _spot(way: PurchaseOption) -> list[str]:
    parts = ["Interruptions: AWS takes the machine back at two minutes' notice.", _losing(way)]
    if way.even is not None:
        parts.append(f"Cheaper than on demand while less than {percent(way.even)} is lost.")
    return parts


def _losing(way: PurchaseOption) -> str:
    if way.lost is None:
        kind = "on Spot" if way.name == SPOT else "outside Spot"
        of = "settled days of known cost on this hardware"
        return f"No run {kind} has {of}, so its losses are unknown."
    whose = "of this workload" if way.lost.own else "of other workloads"
    restarts = f", {count(way.lost.restarts, 'restart')}" if way.lost.restarts else ""
    return (
        f"Lost to time without progress and repeated work: {percent(way.lost.share, 1)} of "
        f"the cost of {count(way.lost.runs, 'run')} {whose} on this hardware{restarts}."
    )


def _money(value: Decimal | None) -> str:
    return f"${cents(value)}".replace(" ", GAP)
