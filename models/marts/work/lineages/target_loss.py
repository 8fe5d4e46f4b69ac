"""Finds when a lineage's loss first reached the target loss, and after how much work (METHOD §3.6).

`target_part` of `target_whole` seconds of that day's work had then passed: from midnight, or the
first sample of a lineage that began on it, to midnight or the last sample of one that ended on it.
The bill is read by day, so the day's cost is split in that proportion.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.schema import NUMBER

DAY = 86_400
COUNTERS = {"epochs": "epoch", "tokens": "tokens", "samples": "samples"}
LINE = ["workload", "lineage"]


def reached_target(losses: ir.Table, steps: ir.Table, config_workloads: ir.Table) -> ir.Table:
    """Returns when each lineage's loss first reached the target, and the work done by then.

    If no work was reported by then, it is that of the first report with any: the target was reached
    all the same.
    """
    aimed = losses.join(config_workloads, "workload")
    reached = aimed.filter(aimed.loss <= aimed.target_loss)
    first = reached.group_by("workload", "lineage").agg(target_at=reached.observed_at.min())
    reports = steps.join(first, LINE)
    worked_at = ibis.ifelse(reports.rise > 0, reports.observed_at, None)
    begun = worked_at.min().over(ibis.window(group_by=[*LINE, "counter"]))
    latest = ibis.greatest(reports.target_at, begun.coalesce(reports.target_at))
    until = reports.filter(reports.observed_at <= latest)
    done = until.group_by(LINE).agg(
        **{
            f"{name}_to_target": until.rise.sum(where=until.counter == counter).cast(NUMBER)
            for name, counter in COUNTERS.items()
        }
    )
    return left_join(first, done, LINE)


def with_part_of_day(facts: ir.Table, samples: ir.Table) -> ir.Table:
    """Adds how many of a day's seconds of training had passed when the target loss was reached."""
    ends = samples.group_by(*LINE, target_day=samples.observed_at.date()).agg(
        first_at=samples.observed_at.min(), last_at=samples.observed_at.max()
    )
    known = facts.mutate(target_day=facts.target_at.date())
    rows = left_join(known, ends, [*LINE, "target_day"])
    midnight = rows.target_day.cast("timestamp").epoch_seconds()
    began, stopped = rows.first_day == rows.target_day, rows.last_day == rows.target_day
    begin = ibis.ifelse(began, rows.first_at.epoch_seconds(), midnight)
    end = ibis.ifelse(stopped, rows.last_at.epoch_seconds(), midnight + DAY)
    at_once = begin == end
    return rows.mutate(
        target_part=ibis.ifelse(at_once, 1, rows.target_at.epoch_seconds() - begin),
        target_whole=ibis.ifelse(at_once, 1, end - begin),
    ).drop("target_day", "first_at", "last_at")
