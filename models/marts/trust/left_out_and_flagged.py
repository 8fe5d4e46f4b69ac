"""Lists dollars that a headline leaves out or counts with a flag, by day and reason.

Left out are: days that are not settled; lineages that do not compare; workloads that must be
verified and are not, or have no baseline, also if GPU hours have no price; runs of unknown cost or
hours; and the counterfactual of Trainium runs whose purpose is not valid. Flagged are savings that
no loss verifies, that rest on an unconfirmed price or on none, on GPU runs that ended long ago, or
that are of lineages which still run or were compared at equal work.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import carried_product
from models.contract.rules.allocation_flags import DAILY, OVER, TIMED
from models.contract.rules.work.kinds_of_work import with_own_baseline
from models.contract.rules.work.units_of_work import made_progress

BY_FLAG = {
    "price_unavailable": "price_unavailable",
    "stale_price": "stale_price",
    "stale": "stale_baseline",
}
"""Flag of a day's baseline → reason of its dollars."""
LINE_DAY = ["date", "workload", "lineage"]


@step(
    grain="date × workload × effect (`left_out`, `flagged`) × reason",
    units="dollars on `cost.basis`: gross saving, else the Trainium cost",
    nulls="amount: it cannot be known",
    method="§6.8, §10.4",
    whose="workload",
)
def left_out_and_flagged(
    credited_daily: ir.Table,
    baselines: ir.Table,
    work_daily: ir.Table,
    lineage_facts: ir.Table,
    pool_days: ir.Table,
    samples: ir.Table,
) -> ir.Table:
    """Lists the dollars left out of or flagged in savings, by day, workload and reason."""
    rows = _with_saving(with_own_baseline(credited_daily, baselines, "value", "flags"))
    compares = rows.standing != "not_comparable"
    settled = rows.settled & compares
    verified = rows.standing == "counted"
    claimed = settled & verified & rows.value.notnull()
    unverified = (rows.parity == "unverified").fill_null(False)
    claims, days = rows.filter(claimed), _by_allocation(pool_days, samples, work_daily)
    valueless = rows.filter(settled & verified & rows.value.isnull())
    unpriced = valueless.flags.contains("price_unavailable").fill_null(False)
    parts = [
        _of_reason(rows.filter(~rows.settled & compares), "left_out", "unsettled"),
        _of_reason(rows.filter(rows.settled & ~compares), "left_out", "not_comparable"),
        _of_reason(rows.filter(settled & ~verified), "left_out", "require_verified"),
        _of_reason(valueless.filter(~unpriced), "left_out", "insufficient_baseline"),
        _of_reason(valueless.filter(unpriced), "left_out", "price_unavailable"),
        _unknown(work_daily, lineage_facts),
        _withheld(rows.filter(compares & (rows.withheld_epochs > 0))),
        _of_reason(rows.filter(claimed & unverified), "flagged", "unverified"),
        _of_reason(rows.filter(claimed & (rows.parity == "pending")), "flagged", "pending"),
        _of_reason(rows.filter(claimed & rows.short), "flagged", "short"),
        *(
            _of_reason(rows.filter(claimed & rows.flags.contains(flag)), "flagged", reason)
            for flag, reason in BY_FLAG.items()
        ),
        _of_reason(_on(claims, days[OVER]), "flagged", "over_allocated"),
        _of_reason(_on(claims, days[DAILY]), "flagged", "daily_allocation"),
        _of_reason(_on(claims, days[TIMED]), "flagged", "timed_by_allocation"),
    ]
    return cast(ir.Table, ibis.union(*parts))


def _on(rows: ir.Table, days: ir.Table) -> ir.Table:
    return rows.semi_join(days, LINE_DAY)


def _by_allocation(
    pool_days: ir.Table, samples: ir.Table, work_daily: ir.Table
) -> dict[str, ir.Table]:
    """Maps each flag of job allocations (`over_allocated`, …) to the days of runs that have it."""
    run = ["workload", "run"]
    members = work_daily.select("date", *run, "lineage").distinct()
    flags = pool_days.allocation_flags.fill_null("")

    def flagged(name: str) -> ir.Table:
        days = pool_days.filter(flags.contains(name)).select("date", *run).distinct()
        return days.join(members, ["date", *run])

    timed = samples.filter(samples.timed_by_allocation).select(*run).distinct()
    return {OVER: flagged(OVER), DAILY: flagged(DAILY), TIMED: members.semi_join(timed, run)}


def _with_saving(rows: ir.Table) -> ir.Table:
    """Adds `saved` to runs' days: the saving against GPU, or the cost where none compares."""
    line = ("workload", "lineage")
    earned = carried_product(rows.value, rows.credited_epochs, within=line, order="date")
    priced = rows.value.notnull() & (rows.standing != "not_comparable")
    return rows.mutate(saved=ibis.ifelse(priced, earned - rows.cost, rows.cost))


def _of_reason(rows: ir.Table, effect: str, reason: str) -> ir.Table:
    return rows.select(
        "date",
        "workload",
        effect=ibis.literal(effect),
        reason=ibis.literal(reason),
        amount=rows.saved,
    )


def _withheld(rows: ir.Table) -> ir.Table:
    """Lists as left out the GPU cost of work not credited: invalid purpose, or missing bill."""
    line = ("workload", "lineage")
    amount = carried_product(rows.value, rows.withheld_epochs, within=line, order="date")
    return rows.select(
        "date", "workload", effect=ibis.literal("left_out"), reason="misplaced", amount=amount
    )


def _unknown(work_daily: ir.Table, lineage_facts: ir.Table) -> ir.Table:
    """Lists as left out, amount null, days of runs without billed hours or known cost."""
    facts = lineage_facts
    uncounted = facts.select(
        "workload",
        "lineage",
        uncounted=ibis.cases(
            (facts.unpriced, "cost_unknown"),
            ((facts.all_hours == 0) & made_progress(facts), "no_accelerator_hours"),
        ),
    )
    known = made_progress(work_daily) | work_daily.cost.isnull()
    made = work_daily.filter(known & work_daily.in_lineage)
    left = made.join(uncounted.filter(uncounted.uncounted.notnull()), ["workload", "lineage"])
    return left.select(
        "date",
        "workload",
        effect=ibis.literal("left_out"),
        reason="uncounted",
        amount=ibis.null("decimal(38, 9)"),
    )
