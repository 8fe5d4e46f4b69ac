"""What somebody should hear of without looking: each thing once, until it is over and comes back.

A thing is raised when it passes its threshold and is over only well below it (`OVER`), so that one
that hovers says nothing twice. `alerts.json` beside the warehouse holds what is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from models.exports.document import dollars
from models.month_end.book import Ask
from models.schema import PORTFOLIO
from models.settings import Settings

OVER = Decimal("0.8")
"""Of a threshold: a thing that is raised is over below this share of it."""
State = dict[str, str]
"""Key of what is raised → what it was raised at."""
STANDINGS = "SELECT workload, status, cumulative_net, forecast_median FROM break_even ORDER BY 1"
EPOCHS = """
SELECT workload, month, trn_cost_per_epoch AS now,
    lag(trn_cost_per_epoch) OVER (PARTITION BY workload ORDER BY month) AS before
FROM monthly_summary WHERE trn_cost_per_epoch IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY workload ORDER BY month DESC) = 1 ORDER BY workload"""
UNTAGGED = """
SELECT coalesce(sum(effective_cost) FILTER (attribution = 'untagged'), 0) AS untagged,
    sum(effective_cost) FILTER (hardware IN ('gpu', 'trainium')) AS spent
FROM spend_daily
WHERE settled AND date > (SELECT settled_through FROM snapshot) - INTERVAL 30 DAY"""
FEEDS = "SELECT DISTINCT source, coalesce(why, '') AS why FROM freshness WHERE stale ORDER BY 1"
PAID = "SELECT coalesce(sum(dollars_today), 0) AS dollars FROM freshness"


class Seen(NamedTuple):
    """One thing: whether it is there now, whether it is over, and what is said when it comes."""

    key: str
    there: bool
    over: bool
    said: str
    level: str = ""


def news(ask: Ask, settings: Settings, state: Mapping[str, str]) -> tuple[list[str], State]:
    """What to say now, and what is raised from here on."""
    raised, said = dict(state), []
    for look in LOOKS:
        seen = list(look(ask, settings, raised))
        kind = look.__name__.strip("_")
        gone = {key for key in raised if key.partition(":")[0] == kind} - {one.key for one in seen}
        for one in seen:
            if one.there and one.key not in raised:
                said += [one.said] if one.said else []
                raised[one.key] = one.level
            elif one.over:
                raised.pop(one.key, None)
        for key in gone:
            raised.pop(key)
    return said, raised


def _even(ask: Ask, _: Settings, __: Mapping[str, str]) -> Iterator[Seen]:
    for row in ask(STANDINGS):
        who, net = _who(row["workload"]), row["cumulative_net"]
        reached = row["status"] == "broke_even"
        text = f"{who} has paid for itself: {dollars(net)} cumulative net."
        yield Seen(f"even:{row['workload']}", reached, not reached, text)


def _slip(ask: Ask, settings: Settings, raised: Mapping[str, str]) -> Iterator[Seen]:
    """Against the date that was last told.

    An earlier one takes its place without a word, and so does the one that was said.
    """
    days = settings.alerts.slip_days
    for row in ask(STANDINGS):
        median: date | None = row["forecast_median"]
        mark = f"{row['workload']}"
        told = raised.get(f"slip:{mark}:told")
        if median is None:
            continue
        late = told is not None and (median - date.fromisoformat(told)).days > days
        sooner = told is not None and median < date.fromisoformat(told)
        if late:
            text = f"Break-even of {_who(mark)} slipped from {told} to {median}."
            yield Seen(f"slip:{mark}:{median}", True, False, text, f"{median}")
        yield Seen(f"slip:{mark}:told", True, late or sooner, "", f"{median}")


def _epoch(ask: Ask, settings: Settings, _: Mapping[str, str]) -> Iterator[Seen]:
    limit = settings.alerts.cost_per_epoch_change
    for row in ask(EPOCHS):
        if not row["before"]:
            continue
        change = row["now"] / row["before"] - 1
        text = (
            f"An epoch of {_who(row['workload'])} on Trainium cost {dollars(row['now'])} in "
            f"{row['month']}, {change:.0%} more than {dollars(row['before'])} the month before."
        )
        yield Seen(f"epoch:{row['workload']}", change > limit, change < limit * OVER, text)


def _untagged(ask: Ask, settings: Settings, _: Mapping[str, str]) -> Iterator[Seen]:
    limit = settings.alerts.untagged_share
    for row in ask(UNTAGGED):
        share = row["untagged"] / row["spent"] if row["spent"] else Decimal(0)
        text = f"{share:.0%} of accelerator spend of the last 30 settled days names no workload."
        yield Seen("untagged:", share > limit, share < limit * OVER, text)


def _stale(ask: Ask, _: Settings, __: Mapping[str, str]) -> Iterator[Seen]:
    for row in ask(FEEDS):
        yield Seen(f"stale:{row['source']}", True, False, f"{row['source']} is stale: {row['why']}")


def _budget(ask: Ask, settings: Settings, _: Mapping[str, str]) -> Iterator[Seen]:
    cap = settings.cost.api_budget_usd_per_day
    for row in ask(PAID):
        hit = cap > 0 and row["dollars"] >= cap
        text = f"AWS requests cost {dollars(row['dollars'])} today: the cap is {dollars(cap)}."
        yield Seen("budget:", hit, not hit, text)


def _who(workload: str) -> str:
    return "The migration" if workload == PORTFOLIO else workload


Look = Callable[[Ask, Settings, Mapping[str, str]], Iterator[Any]]
LOOKS: tuple[Look, ...] = (_even, _slip, _epoch, _untagged, _stale, _budget)
