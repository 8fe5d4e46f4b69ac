"""Tables that show how a number came about; not money marts of their own.

`price_changes`: the GPU prices a workload's baseline stands on, where they changed.
`price_history`: all public prices, from when until when. `loss_curve`: loss against the dollars and
instance-hours its lineage had accrued by then, a day's cost spread evenly over the day; dollars are
null from the first day of unknown cost on. `investments`: outlays as a reader lists them, recurring
ones by month.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.money import PLACES, known_sum, money
from models.contract.schema import EXPLAINERS

SERIES = ["instance_type", "region", "series"]
BY_MONTH = ("upkeep", "port", "validation", "stranded_commitment")


def price_changes(gpu_use: ir.Table, price_steps: ir.Table) -> ir.Table:
    """Each change of a price since its series began, per workload that used it."""
    steps = _with_previous(price_steps)
    changed = steps.filter(steps.previous != steps.usd_per_hour)
    used = gpu_use.select("workload", *SERIES).distinct().join(changed, SERIES)
    return used.select(
        "workload",
        "instance_type",
        "region",
        purchase_option="series",
        effective_from="since",
        usd_per_hour=money(used.usd_per_hour),
        previous_usd_per_hour=money(used.previous),
    )


def price_history(price_steps: ir.Table, catalog: ir.Table) -> ir.Table:
    """Each price of an instance type that the catalogue knows, with the one before it."""
    rows = _with_previous(price_steps).join(catalog, "instance_type")
    return rows.mutate(
        purchase_option=rows.series,
        usd_per_hour=money(rows.usd_per_hour),
        previous_usd_per_hour=money(rows.previous),
    ).select(*EXPLAINERS["price_history"])


def _with_previous(price_steps: ir.Table) -> ir.Table:
    """Each price with the one before it in its series."""
    order = ibis.window(group_by=SERIES, order_by=price_steps.since)
    return price_steps.mutate(previous=price_steps.usd_per_hour.lag().over(order))


def loss_curve(samples: ir.Table, work_daily: ir.Table, lineages: ir.Table) -> ir.Table:
    """One row per loss sample that is a number."""
    days = work_daily.group_by("workload", "lineage", "date").agg(
        cost=known_sum(work_daily.cost), hours=work_daily.instance_hours.sum()
    )
    so_far = ibis.cumulative_window(group_by=["workload", "lineage"], order_by="date")
    unknown = days.cost.isnull().any().over(so_far)
    days = days.mutate(
        cost_until=ibis.ifelse(unknown, None, days.cost.sum().over(so_far)),
        hours_until=days.hours.sum().over(so_far),
    )
    numbers = samples.filter(samples.loss.notnull() & ~samples.loss.isnan())
    kinds = work_daily.select("workload", "run", "hardware").distinct()
    told = numbers.join(lineages.join(kinds, ["workload", "run"]), ["workload", "run"])
    told = told.mutate(date=told.observed_at.date())
    rows = told.join(days, ["workload", "lineage", "date"])
    part = rows.observed_at.epoch_seconds() % 86_400
    left = 1 - part.cast("float64") / 86_400
    return rows.select(
        "workload",
        "run",
        "hardware",
        "observed_at",
        "epoch",
        "loss",
        cost_so_far=_so_far(rows.cost_until, rows.cost, left),
        hours_so_far=_so_far(rows.hours_until, rows.hours, left),
    )


def _so_far(until: ir.Value, on_the_day: ir.Value, left: ir.Value) -> ir.DecimalValue:
    """A point of a chart: a float is near enough, and quick."""
    return money((until.cast("float64") - on_the_day.cast("float64") * left).round(PLACES))


def investments(outlays: ir.Table) -> ir.Table:
    """Outlays, with upkeep, side runs and stranded commitment summed by month."""
    once = outlays.filter(~outlays.kind.isin(BY_MONTH))
    often = outlays.filter(outlays.kind.isin(BY_MONTH))
    monthly = often.group_by(
        date=often.date.truncate("M").cast("timestamp").date(), workload="workload", kind="kind"
    ).agg(amount=often.amount.sum())
    columns = list(EXPLAINERS["investments"])
    return once.select(columns).union(monthly.select(columns))


def baseline_parts(baseline_terms: ir.Table, calendar: ir.Table) -> ir.Table:
    """The terms of each workload's baseline on its last settled day, of its main kind of work."""
    baseline_terms = baseline_terms.filter(baseline_terms.kind == 0)
    settled = calendar.filter(calendar.settled)
    last = settled.group_by("workload").agg(date=settled.date.max())
    steps = baseline_terms.select("workload", "since")
    due = last.join(steps, "workload").filter(lambda row: row.since <= row.date)
    chosen = due.group_by("workload", "date").agg(since=due.since.max())
    rows = chosen.join(baseline_terms, ["workload", "since"])
    return rows.select(*EXPLAINERS["baseline_parts"])
