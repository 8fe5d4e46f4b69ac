"""Detects alerts; each is reported once, and again only after it was over and came back.

An alert is raised when a value passes its threshold, and over only when the value is well below it
(`OVER`), so that one that hovers around the threshold is reported once. `alerts.json` next to the
warehouse records what is raised (`sending`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from models.closing.monthly_statement import Ask
from models.config.settings import Settings
from models.contract.decimal_text import dollars
from models.contract.rules import attribution_groups as groups
from models.contract.schema import PORTFOLIO
from models.contract.units import one as one_unit
from models.documents.wording import percent

OVER = Decimal("0.8")
"""Of a threshold: a thing that is raised is over below this share of it."""
REQUEST = Decimal("0.01")
"""Dollars of a page of Cost Explorer, which is refused once it would exceed the cap."""
State = dict[str, str]
"""Key of what is raised → what it was raised at."""
STANDINGS = """
SELECT workload, status, progress, cumulative_net, roi, net_at_old_volume, forecast_median
FROM break_even ORDER BY 1"""
EPOCHS = """
SELECT workload, unit, month, trn_cost_per_epoch AS now,
    lag(trn_cost_per_epoch) OVER (PARTITION BY workload ORDER BY month) AS before,
    lag(month) OVER (PARTITION BY workload ORDER BY month) AS month_before
FROM monthly_summary WHERE trn_cost_per_epoch IS NOT NULL AND workload <> '(portfolio)'
QUALIFY row_number() OVER (PARTITION BY workload ORDER BY month DESC) = 1 ORDER BY workload"""
"""Of no sum of several workloads: what was trained would pass for what it cost."""
UNTAGGED = f"""
SELECT coalesce(sum(effective_cost) FILTER (attribution = '{groups.UNTAGGED}'), 0) AS untagged,
    sum(effective_cost) FILTER (hardware IN ('gpu', 'trainium')) AS spent
FROM spend_daily
WHERE settled AND date > (SELECT settled_through FROM snapshot) - INTERVAL 30 DAY"""
FEEDS = """
SELECT source, bool_or(stale) AS stale, coalesce(max(why) FILTER (stale), '') AS why
FROM freshness GROUP BY 1 ORDER BY 1"""
PAID = "SELECT coalesce(sum(dollars_today), 0) AS dollars FROM freshness"


class Seen(NamedTuple):
    """One possible alert: whether its condition holds now, whether it is over, and its text."""

    key: str
    there: bool
    over: bool
    text: str
    level: str = ""


def new_alerts(ask: Ask, settings: Settings, state: Mapping[str, str]) -> tuple[list[str], State]:
    """Returns the texts of alerts that are newly raised, and all alerts that are now raised."""
    raised, texts = dict(state), []
    for look in LOOKS:
        seen = list(look(ask, settings, raised))
        kind = look.__name__.strip("_")
        gone = {key for key in raised if key.partition(":")[0] == kind} - {one.key for one in seen}
        for one in seen:
            if one.over:
                raised.pop(one.key, None)
            if one.there and one.key not in raised:
                texts += [one.text] if one.text else []
                raised[one.key] = one.level
        for key in gone:
            raised.pop(key)
    return texts, raised


def _even(ask: Ask, _: Settings, __: Mapping[str, str]) -> Iterator[Seen]:
    for row in ask(STANDINGS):
        who, net = _who(row["workload"]), row["cumulative_net"]
        reached = row["status"] == "broke_even"
        lost = not reached and row["progress"] is not None and row["progress"] < OVER
        text = f"{who} has paid for itself: {dollars(net)} cumulative net{_details(row)}."
        yield Seen(f"even:{row['workload']}", reached, lost, text)


def _details(row: Mapping[str, Any]) -> str:
    """Returns a text with return and net saving at the old volume, for a break-even alert."""
    roi, old = row["roi"], row["net_at_old_volume"]
    earned = "" if roi is None else f", a return of {percent(roi)}"
    return earned + ("" if old is None else f"; {dollars(old)} at the volume of before the move")


def _slip(ask: Ask, settings: Settings, raised: Mapping[str, str]) -> Iterator[Seen]:
    """Yields alerts when break-even's forecast date slips past the reported one, or is lost.

    An earlier date is not reported. A lost date is reported once, and again only after a date was
    back: one no later than before, or one reported as a slip.
    """
    limit = timedelta(days=settings.alerts.slip_days)
    for row in ask(STANDINGS):
        median: date | None = row["forecast_median"]
        mark, reported = f"{row['workload']}", raised.get(f"slip:{row['workload']}:told")
        if row["status"] == "broke_even" or (median is None and reported is None):
            continue
        last = date.fromisoformat(reported) if reported else median or date.max
        late = median is not None and median - last > limit
        if late:
            text = f"Break-even of {_who(mark)} slipped from {reported} to {median}."
            yield Seen(f"slip:{mark}:{median}", True, False, text, f"{median}")
        text = f"Break-even of {_who(mark)} was expected on {reported}; there is no date any more."
        back = median is not None and (late or median <= last)
        yield Seen(f"slip:{mark}:none", median is None, back, text)
        moved = median is not None and (late or last - median > limit)
        yield Seen(f"slip:{mark}:told", True, moved, "", f"{median or reported}")


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _epoch(ask: Ask, settings: Settings, _: Mapping[str, str]) -> Iterator[Seen]:
    limit = settings.alerts.cost_per_epoch_change
    for row in ask(EPOCHS):
        if not row["before"]:
            continue
        change = row["now"] / row["before"] - 1
        text = (
            f"{_capital(one_unit(row['unit']))} of {_who(row['workload'])} on Trainium cost "
            f"{dollars(row['now'])} in {row['month']}, {percent(change)} more than "
            f"{dollars(row['before'])} in {row['month_before']}."
        )
        key = f"epoch:{row['workload']}:{row['month']}"
        yield Seen(key, change > limit, change < limit * OVER, text)


def _untagged(ask: Ask, settings: Settings, _: Mapping[str, str]) -> Iterator[Seen]:
    limit = settings.alerts.untagged_share
    for row in ask(UNTAGGED):
        share = row["untagged"] / row["spent"] if row["spent"] else Decimal(0)
        text = (
            f"{percent(share)} of accelerator spend of the last 30 settled days names no workload."
        )
        yield Seen("untagged:", share > limit, share < limit * OVER, text)


def _stale(ask: Ask, settings: Settings, raised: Mapping[str, str]) -> Iterator[Seen]:
    """Yields an alert per data source that is stale; a stale one is repeated each day."""
    today = f"{settings.today}"
    for row in ask(FEEDS):
        key = f"stale:{row['source']}"
        fresh = not row["stale"] and raised.get(key) != today
        yield Seen(key, row["stale"], fresh, f"{row['source']} is stale: {row['why']}", today)


def _budget(ask: Ask, settings: Settings, raised: Mapping[str, str]) -> Iterator[Seen]:
    """Yields alerts that the daily cap on paid AWS requests is spent; over after a day below it."""
    cap = settings.cost.api_budget_usd_per_day
    today, yesterday = (f"budget:{settings.today - timedelta(days=ago)}" for ago in (0, 1))
    for row in ask(PAID):
        hit = cap > 0 and row["dollars"] + REQUEST > cap
        lately = not raised.keys().isdisjoint({today, yesterday})
        text = f"AWS requests cost {dollars(row['dollars'])} today: the cap is {dollars(cap)}."
        yield Seen("budget:", hit, not hit and not lately, text)
        yield Seen(today, hit, False, "")
        yield Seen(yesterday, yesterday in raised, False, "")


def _who(workload: str) -> str:
    return "The migration" if workload == PORTFOLIO else workload


Look = Callable[[Ask, Settings, Mapping[str, str]], Iterator[Any]]
LOOKS: tuple[Look, ...] = (_even, _slip, _epoch, _untagged, _stale, _budget)
