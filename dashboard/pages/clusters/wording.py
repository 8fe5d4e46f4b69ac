"""Says in a sentence how much of shared machines stood idle, with owners' names and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dashboard.wording.format import count, day, dollars, number, percent

Row = dict[str, Any]
REASONS = {
    "idle": "No job held it",
    "drained": "Drained",
    "down": "Down",
    "health_check": "In a health check",
    "maintenance": "In maintenance",
}
"""Reason of an allocation → the words for a machine that nobody held."""
WHY = {
    "idle": "because no job held them",
    "drained": "because they were drained",
    "down": "because they were down",
    "health_check": "because of health checks",
    "maintenance": "because of maintenance",
}
UNKNOWN_JOBS = "Unknown jobs"
"""Jobs whose labels name no run or workload that is known."""
UNDELIVERED = "Not known yet: allocations are missing"
CHART_NOTE = (
    "Coloured: held by a workload's runs. Grey and hatched: nobody held it. The height of all "
    "areas is what the bill has of the pool."
)


def reason_name(name: str) -> str:
    """Returns the words for a code of why a machine stood idle; of an unknown code, itself."""
    return REASONS.get(name, name.replace("_", " ").capitalize())


def pool_name(row: Row) -> str:
    """Names a pool by cluster and, if known, instance type: `hpc · trn1.32xlarge`."""
    kind = row["instance_type"]
    return f"{row['cluster']} · {kind}" if kind else str(row["cluster"])


def clusters_sentence(pools: Sequence[Row], reasons: Sequence[Row], whole: bool) -> str:
    """Says how many dollars of shared machines stood idle, most in which pool, and the main reason.

    A reader with a limited scope is not told of idle time: it is the company's.
    """
    settled = [row for row in pools if row["first_day"]]
    if not settled:
        return "No day of a shared machine has settled in this range."
    when = _window(settled)
    if not whole:
        return _own_sentence(settled, when)
    hours = sum((row["hours"] for row in settled), Decimal(0))
    idle_hours = sum((row["idle_hours"] for row in settled), Decimal(0))
    cost, idle = total(settled, "cost"), total(settled, "idle_cost")
    if not idle_hours:
        return f"{when}, jobs held {_all(settled)} all the time; nothing stood idle."
    why = _why(reasons)
    if cost is None or idle is None:
        share = percent(idle_hours / hours) if hours else ""
        return (
            f"{when}, {number(idle_hours)} of {number(hours)} accelerator-hours of {_all(settled)} "
            f"stood idle ({share}), {why}; what they cost is unknown."
        )
    share = f" ({percent(idle / cost)})" if cost else ""
    return (
        f"{when}, {dollars(idle)} of the {dollars(cost)} that {_all(settled)} cost stood "
        f"idle{share}{_most(settled)}, {why}."
    )


def total(rows: Sequence[Row], name: str) -> Decimal | None:
    """Sums a column over rows; None as soon as one of its values is unknown."""
    amounts = [row[name] for row in rows]
    return None if None in amounts else sum(amounts, Decimal(0))


def _own_sentence(pools: Sequence[Row], when: str) -> str:
    cost, hours = total(pools, "cost"), sum((row["hours"] for row in pools), Decimal(0))
    what = f"{number(hours)} accelerator-hours of {count(len(pools), 'shared pool')}"
    worth = "what they cost is unknown" if cost is None else f"they cost {dollars(cost)}"
    return f"{when}, your workloads held {what}; {worth}."


def _window(pools: Sequence[Row]) -> str:
    first = min(row["first_day"] for row in pools)
    last = max(row["last_day"] for row in pools)
    return f"On {day(first)}" if first == last else f"From {day(first)} to {day(last)}"


def _all(pools: Sequence[Row]) -> str:
    return f"all {len(pools)} shared pools" if len(pools) > 1 else pool_name(pools[0])


def _most(pools: Sequence[Row]) -> str:
    """Returns a clause on the pool with most idle dollars; empty if there are not several."""
    if len(pools) < 2:
        return ""
    most = max(pools, key=lambda row: row["idle_cost"])
    return f", {dollars(most['idle_cost'])} of it {pool_name(most)}"


def _why(reasons: Sequence[Row]) -> str:
    hours: dict[str, Decimal] = {}
    for row in reasons:
        hours[row["holding"]] = hours.get(row["holding"], Decimal(0)) + row["hours"]
    biggest = max(hours, key=lambda name: (hours[name], name))
    words = WHY.get(biggest, f"because they were: {biggest.replace('_', ' ')}")
    return words if len(hours) == 1 else f"mostly {words}"
