"""Cost and progress of a run, side by side, by day.

Grain: date × workload × run. `cost` is on the configured basis, in dollars; null where a charge of
the day cannot be priced. `active` says that a machine ran or the run reported: storage, traffic and
requests that outlive a run do not keep it alive. `settled` is the workload's.
What a run was for is its own, also where it resumes one with another purpose: `own` is production,
or baseline on GPU (METHOD §5, §6). `misplaced` is the reason where a purpose cannot be followed: a
word that means nothing, or a baseline on Trainium. What such a run was for is unknown, so less
saving wins (METHOD): a GPU run sets no baseline; a Trainium run counts as production does, cutover
and overhead included, but its epochs earn nothing. `stands` says that its lineage's facts rest on
the run: on those that are `own`, or on all where none is. Epochs of `unbilled_days` stand apart
(`unbilled_epochs`, `unbilled_tokens`): what they cost is not known, so they enter no cost per epoch
and earn nothing.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, zero_if_null
from models.contract.rules.known_cost import known_cost
from models.marts.work.days.unbilled_days import unbilled_days, without_unbilled
from models.marts.work.runs.purposes import with_purpose

RUN = ["workload", "run"]
DAY = ["date", *RUN]
COMPONENTS = ("accelerator", "storage", "network", "other")
PROGRESS_COLUMNS = ("epochs", "repeated_epochs", "samples", "tokens")


def work_daily(
    spend_daily: ir.Table,
    progress_daily: ir.Table,
    progress_steps: ir.Table,
    run_registry: ir.Table,
    lineages: ir.Table,
    workload_settled: ir.Table,
    settings: Settings,
) -> ir.Table:
    """One row per run and day with a charge or a sample."""
    rows = _days(_spent(spend_daily, settings), progress_daily)
    seen = spend_daily.select(RUN).union(progress_daily.select(RUN))
    runs = run_registry.select(*RUN, "purpose", "recipe").semi_join(seen, RUN)
    runs = left_join(left_join(runs, _hardware(spend_daily), RUN), lineages, RUN)
    rows = left_join(rows, with_purpose(runs), RUN)
    rows = left_join(rows, workload_settled.select("workload", "settled_through"), ["workload"])
    costs = ("cost", "list_cost", *(f"{c}_cost" for c in COMPONENTS))
    counts = ("accelerator_hours", "instance_hours", "epochs", "repeated_epochs")
    charged = rows.ran.notnull()
    rows = rows.mutate(
        **{name: ibis.ifelse(charged, rows[name], ZERO) for name in costs},
        **{name: zero_if_null(rows[name]) for name in counts},
        active=rows.ran | rows.epochs.notnull(),
        charged=charged,
        settled=(rows.date <= rows.settled_through).fill_null(False),
    )
    return without_unbilled(rows, unbilled_days(rows, spend_daily, progress_steps))


def _days(spent: ir.Table, done: ir.Table) -> ir.Table:
    """Days with a charge, a sample, or both."""
    both = spent.outer_join(done, DAY)
    known = both.mutate(**{n: ibis.coalesce(both[n], both[f"{n}_right"]) for n in DAY})
    return known.drop(*(f"{n}_right" for n in DAY))


def _spent(spend_daily: ir.Table, settings: Settings) -> ir.Table:
    rows = spend_daily.filter(spend_daily.run.notnull())
    cost = known_cost(rows, settings.cost.basis)
    by_component = {
        f"{name}_cost": known_sum(ibis.ifelse(rows.component == name, cost, ZERO))
        for name in COMPONENTS
    }
    # hours: neither what outlives a machine, nor what a refund leaves of a later day
    machine = (rows.attribution == "direct") & (rows.instance_hours > 0).fill_null(False)
    return rows.group_by("date", "workload", "run").agg(
        ran=machine.any(),
        billed=((rows.component == "accelerator") & (rows.hardware == "trainium")).any(),
        cost=known_sum(cost),
        list_cost=known_sum(rows.list_cost),
        accelerator_hours=rows.accelerator_hours.sum(),
        instance_hours=rows.instance_hours.sum(),
        **by_component,
    )


def _hardware(spend_daily: ir.Table) -> ir.Table:
    """A run's hardware and the platform of most of its accelerator-hours; `mixed` if not all."""
    ran = spend_daily.filter(spend_daily.accelerator_hours.notnull())
    each = ran.group_by("workload", "run", "hardware", "platform").agg(
        hours=ran.accelerator_hours.sum()
    )
    order = [ibis.desc(each.hours), each.platform]
    return each.group_by("workload", "run").agg(
        **{n: each[n].first(order_by=order, include_null=True) for n in ("hardware", "platform")},
        mixed=(each.platform.min() != each.platform.max()).fill_null(False),
    )
