"""Lists benchmark runs with their machines, and the list price of these (METHOD §5.6)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join, without
from models.contract.money import known_sum
from models.contract.rules.join_price import with_price
from models.contract.rules.work.kinds_of_work import KIND, kind_of
from models.contract.schema import MONEY

RUN = ["workload", "run"]
BENCHMARK = "benchmark"
MACHINE = ("instance_type", "region", "purchase_option")


def billed_benchmarks(
    run_registry: ir.Table, work_daily: ir.Table, spend_daily: ir.Table, comparable: ir.Table
) -> ir.Table:
    """Lists the runs of purpose `benchmark` with billed hours, cost, machine and training recipe.

    `hours` and `cost` are of the days on which a machine with accelerators ran: a volume or a host
    without any that outlives a benchmark of an hour is not what the hour costs. Of a run without
    accelerators they are of any machine. `settled` says that all of these days are.
    """
    runs = run_registry.filter(run_registry.purpose == BENCHMARK)
    runs = runs.select(
        *RUN,
        "recipe",
        "samples_per_epoch",
        "reports_samples",
        "machines",
        kind=kind_of(runs.recipe),
    )
    spent = spend_daily.semi_join(runs, RUN)
    spent = spent.filter(spent.component == "accelerator")
    runs = left_join(runs, _hours(work_daily.semi_join(runs, RUN)), RUN)
    runs = left_join(runs, _machine(spent), RUN)
    known = comparable.group_by(KIND).agg(usual=comparable.usual.max(), known=ibis.literal(True))
    runs = left_join(runs, known, KIND)
    order = ibis.window(group_by=KIND, order_by=[runs.hardware != "gpu", runs.run])
    own = runs.samples_per_epoch.first(include_null=True).over(order)
    return without(runs.mutate(usual=ibis.ifelse(runs.known, runs.usual, own)), "known")


def _hours(days: ir.Table) -> ir.Table:
    """Sums each run's instance-hours and cost over the days on which a machine ran."""
    ran = days.filter(days.instance_hours > 0)
    return ran.group_by(RUN).agg(
        hardware=ran.hardware.max(),
        platform=ran.platform.max(),
        hours=ran.instance_hours.sum().cast(MONEY),
        cost=known_sum(ran.cost),
        settled=ran.settled.all(),
    )


def _machine(spent: ir.Table) -> ir.Table:
    """Returns the instance type, region and purchase option of most of each run's hours."""
    rows = spent.filter(spent.instance_hours > 0)
    each = rows.group_by(*RUN, *MACHINE).agg(hours=rows.instance_hours.sum())
    order = ibis.window(group_by=RUN, order_by=[ibis.desc(each.hours), *MACHINE])
    ranked = each.mutate(place=ibis.row_number().over(order))
    return ranked.filter(ranked.place == 0).select(*RUN, *MACHINE)


def with_list_price(runs: ir.Table, price_steps: ir.Table, settings: Settings) -> ir.Table:
    """Adds today's public price of an hour of each run's machine, on demand or in a Capacity Block.

    One day for both sides, so that a price cut between two runs is no difference of chips.
    """
    block = (runs.purchase_option == "capacity_block").fill_null(False)
    rows = runs.mutate(
        day=ibis.literal(settings.today),
        series=ibis.ifelse(block, "capacity_block", "on_demand"),
    )
    return without(with_price(rows, price_steps, on="day"), "day", "series")
