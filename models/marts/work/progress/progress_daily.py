"""Computes the progress of each run by UTC day.

`epochs`, `samples` and `tokens` are rises of the lineage's high-water mark; `repeated_…` is work
done again. A rise over a gap is spread evenly over the gap's time, rounded to nine places with
the remainder on the longest day, so that totals are exact (METHOD §3.2). Example: 3 epochs from
18:00 to 06:00 two days later (36 hours) are 0.5, 2 and 0.5. `loss` is the day's last reported
loss that is a number.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import allocated
from models.contract.schema import MARTS, NUMBER


@mart(
    grain="date × workload × run",
    units="epochs, samples, tokens; date is UTC",
    nulls="samples, tokens: not reported; loss: no number was reported on the day",
    method="§3.2",
    whose="run",
)
def progress_daily(progress_steps: ir.Table, samples: ir.Table) -> ir.Table:
    """Sums each run's new and repeated epochs, samples and tokens by UTC day, with last loss."""
    moved = progress_steps.filter((progress_steps.rise > 0) | (progress_steps.repeated > 0))
    within = moved.filter(moved.since.date() == moved.observed_at.date())
    same_day = within.select(
        "workload", "run", "counter", "rise", "repeated", date=within.observed_at.date()
    )
    spread = _spread(moved.filter(moved.since.date() != moved.observed_at.date()))
    days = same_day.union(spread)
    daily = days.group_by("date", "workload", "run").agg(
        epochs=_sum(days, "rise", "epoch"),
        repeated_epochs=_sum(days, "repeated", "epoch"),
        samples=_sum(days, "rise", "samples"),
        tokens=_sum(days, "rise", "tokens"),
        repeated_samples=_sum(days, "repeated", "samples"),
        repeated_tokens=_sum(days, "repeated", "tokens"),
    )
    keys = ["date", "workload", "run"]
    joined = _seen(samples).left_join(daily, keys)
    every = joined.mutate(**{f"{key}": joined[key] for key in keys}).drop(
        *(f"{key}_right" for key in keys)
    )
    late = daily.anti_join(_seen(samples), keys).mutate(loss=ibis.null("float64"))
    columns = list(MARTS["progress_daily"])
    counted = every.select(columns).union(late.select(columns))
    return counted.mutate(
        epochs=counted.epochs.fill_null(0).cast(NUMBER),
        repeated_epochs=counted.repeated_epochs.fill_null(0).cast(NUMBER),
    )


def _seen(samples: ir.Table) -> ir.Table:
    """Lists each run's days with samples, with the last loss of each day."""
    number = ibis.ifelse(samples.loss.isnan(), None, samples.loss)
    return samples.group_by(date=samples.observed_at.date(), workload="workload", run="run").agg(
        loss=number.last(order_by=["observed_at", "epoch", "loss"])
    )


def _sum(days: ir.Table, amount: str, counter: str) -> ir.Value:
    """Sums a column (new or repeated work) over the rows of one counter."""
    return days[amount].sum(where=days.counter == counter).cast(NUMBER)


def _spread(steps: ir.Table) -> ir.Table:
    """Splits work between two samples on different days over the UTC days, by time."""
    length = (steps.observed_at.date().epoch_days() - steps.since.date().epoch_days()).cast("int64")
    numbered = steps.mutate(step=ibis.row_number(), offset=ibis.range(0, length + 1).unnest())
    date = (numbered.since.date() + numbered.offset.as_interval("D")).cast("timestamp").date()
    start = date.cast("timestamp")
    end = start + ibis.interval(days=1)
    seconds = (
        ibis.least(end, numbered.observed_at).epoch_seconds()
        - ibis.greatest(start, numbered.since).epoch_seconds()
    )
    days = numbered.mutate(date=date, seconds=seconds).filter(lambda row: row.seconds > 0)
    shared = allocated(days, ["rise", "repeated"], weight="seconds", within=["step"], owner="date")
    return shared.select("workload", "run", "counter", "rise", "repeated", "date")
