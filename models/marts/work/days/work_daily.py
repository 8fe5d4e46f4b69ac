"""Joins cost and progress of each run by day.

`cost` is on the configured basis. `active`: a machine with accelerators ran or the run reported;
storage, traffic, requests and a host without accelerators do not make a day active. Instance-hours
are those of machines with accelerators. Of a run without any accelerator, both are of any machine.
`settled` is the workload's. `own`, `misplaced` and `in_lineage` depend on the run's purpose
(`purposes`). Work is in every measure that the run reports: `epochs`, `tokens`, and `samples`,
which are its epochs × samples per epoch if it reports only these and that number stays the same.
Work of unbilled days is in columns of its own (`unbilled_epochs`, …): its cost is not known, so it
is in no cost per epoch and is not credited.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join, without
from models.contract.money import ZERO, known_sum, product, zero_if_null
from models.contract.rules.known_cost import known_cost
from models.marts.work.days.unbilled_days import unbilled_days, without_unbilled
from models.marts.work.days.workload_settled import settled_on
from models.marts.work.runs.purposes import with_purpose

RUN = ["workload", "run"]
DAY = ["date", *RUN]
COMPONENTS = ("accelerator", "storage", "network", "other")
IN_SAMPLES = {"samples": "epochs", "repeated_samples": "repeated_epochs"}


@step(
    grain="date × workload × run",
    units="dollars on `cost.basis`; epochs, samples, tokens; hours",
    nulls="costs: a charge of the day cannot be priced; tokens, samples: not reported; hardware: "
    "no accelerator-hours",
    method="§4.1, §4.2",
    whose="run",
)
def work_daily(
    spend_daily: ir.Table,
    progress_daily: ir.Table,
    progress_steps: ir.Table,
    run_registry: ir.Table,
    lineages: ir.Table,
    workload_settled: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Returns each run's daily cost and progress, one row per day with either."""
    rows = _days(_spent(spend_daily, settings), progress_daily)
    seen = spend_daily.select(RUN).union(progress_daily.select(RUN))
    runs = run_registry.semi_join(seen, RUN)
    size = ibis.ifelse(runs.in_samples, runs.samples_per_epoch, None)
    runs = runs.select(*RUN, "purpose", "recipe", "reports_samples", samples_per_epoch=size)
    runs = left_join(left_join(runs, _hardware(spend_daily), RUN), lineages, RUN)
    rows = left_join(rows, with_purpose(runs), RUN)
    through = workload_settled.select("workload", "settled_through", "undelivered")
    rows = left_join(rows, through, ["workload"])
    costs = ("cost", "list_cost", *(f"{c}_cost" for c in COMPONENTS))
    counts = ("accelerator_hours", "instance_hours", "epochs", "repeated_epochs")
    charged = rows.ran.notnull()
    rows = rows.mutate(
        **{name: ibis.ifelse(charged, rows[name], ZERO) for name in costs},
        **{name: zero_if_null(rows[name]) for name in counts},
        active=rows.ran | rows.epochs.notnull(),
        charged=charged,
        settled=settled_on(rows.date, rows).fill_null(False),
        **{name: _in_samples(rows, name, epochs) for name, epochs in IN_SAMPLES.items()},
    )
    rows = without(rows, "reports_samples", "samples_per_epoch", "undelivered")
    return without_unbilled(rows, unbilled_days(rows, spend_daily, progress_steps))


def _in_samples(rows: ir.Table, name: str, epochs: str) -> ir.Value:
    """Returns a run's samples as reported, else its epochs × samples per epoch."""
    derived = product(rows[epochs], rows.samples_per_epoch)
    return ibis.ifelse(rows.reports_samples.fill_null(False), rows[name], derived)


def _days(spent: ir.Table, done: ir.Table) -> ir.Table:
    """Outer-joins each run's days of charges with its days of progress."""
    both = spent.outer_join(done, DAY)
    known = both.mutate(**{n: ibis.coalesce(both[n], both[f"{n}_right"]) for n in DAY})
    return known.drop(*(f"{n}_right" for n in DAY))


def _spent(spend_daily: ir.Table, settings: Settings) -> ir.Table:
    """Sums each run's charges per day, by component."""
    rows = spend_daily.filter(spend_daily.run.notnull())
    rows = rows.mutate(of_machine=_of_machine(rows))
    cost = known_cost(rows, settings.cost.basis)
    by_component = {
        f"{name}_cost": known_sum(ibis.ifelse(rows.component == name, cost, ZERO))
        for name in COMPONENTS
    }
    # storage that outlives a machine has no hours, and a refund on a later day has negative ones
    ran = (rows.attribution == "direct") & rows.of_machine & _has_hours(rows)
    return rows.group_by("date", "workload", "run").agg(
        ran=ran.any(),
        billed=((rows.component == "accelerator") & (rows.hardware == "trainium")).any(),
        cost=known_sum(cost),
        list_cost=known_sum(rows.list_cost),
        accelerator_hours=rows.accelerator_hours.sum(),
        instance_hours=rows.instance_hours.sum(where=rows.of_machine),
        **by_component,
    )


def _of_machine(rows: ir.Table) -> ir.BooleanValue:
    """Whether a row is of machines that show when its run ran: with accelerators, if it had any."""
    chips = rows.component == "accelerator"
    has_chips = (chips & _has_hours(rows)).any().over(ibis.window(group_by=RUN))
    return cast(ir.BooleanValue, chips | ~has_chips)


def _has_hours(rows: ir.Table) -> ir.BooleanValue:
    return cast(ir.BooleanValue, (rows.instance_hours > 0).fill_null(False))


def _hardware(spend_daily: ir.Table) -> ir.Table:
    """Returns each run's hardware, and the platform of most of its accelerator-hours.

    All charges of a run have one hardware already (`models.marts.cost.hardware_of_runs`).
    """
    ran = spend_daily.filter(spend_daily.accelerator_hours.notnull())
    each = ran.group_by("workload", "run", "hardware", "platform").agg(
        hours=ran.accelerator_hours.sum()
    )
    order = [ibis.desc(each.hours), each.platform]
    return each.group_by("workload", "run").agg(
        **{n: each[n].first(order_by=order, include_null=True) for n in ("hardware", "platform")},
        mixed=(each.platform.min() != each.platform.max()).fill_null(False),
    )
