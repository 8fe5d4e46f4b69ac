"""`spend_daily` summed beforehand for what pages ask of all its rows; no money mart of its own.

`accelerator_days`: accelerator-hours and idle commitment without their owners. Grain: date × region
× instance_type × platform × hardware × purchase_option × component × attribution × settled ×
unpriced × whether hours were used (`worked`) and whether a list price is known (`listed`).
`run_parts`: what each run was charged, where its charges differ. Grain: workload × run × region ×
purchase_option × instance_type × account, over the settled days that `runs` counts; `epochs` are
the run's, split by accelerator-hours (METHOD §4). A run without a charge is one part. A cost is
unknown as soon as one row's is. `counted_runs`: the rows of `runs` whose lineage has
accelerator-hours on the bill at a known cost.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, allocated, known_sum, zero_if_null
from models.contract.schema import COST_COLUMNS, EXPLAINERS, NUMBER

DAY = (
    "date", "region", "instance_type", "platform", "hardware", "purchase_option", "component",
    "attribution", "settled", "unpriced",
)  # fmt: skip
PLACE = ("region", "purchase_option", "instance_type", "account")


def accelerator_days(spend_daily: ir.Table) -> ir.Table:
    """The table of that name."""
    idle = spend_daily.attribution == "idle_commitment"
    rows = spend_daily.filter((spend_daily.component == "accelerator") | idle)
    return (
        rows.group_by(
            *DAY,
            worked=(rows.accelerator_hours > 0).fill_null(False),
            listed=rows.list_cost.notnull(),
        )
        .agg(**_sums(rows))
        .select(*EXPLAINERS["accelerator_days"])
    )


def counted_runs(runs: ir.Table) -> ir.Table:
    """The table of that name."""
    unknown = (runs.cost.isnull() & (runs.accelerator_hours > 0)).any()
    doubt = unknown.over(ibis.window(group_by=["workload", "lineage"]))
    rows = runs.mutate(doubt=doubt, hourless=runs.flags.contains("no_accelerator_hours"))
    return rows.filter(~rows.doubt & ~rows.hourless.fill_null(False)).select(*runs.columns)


def run_parts(spend_daily: ir.Table, work_daily: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """The table of that name."""
    own = spend_daily.filter(spend_daily.settled & spend_daily.run.notnull())
    rows = left_join(own, workload_settled, ["workload"])
    rows = rows.filter(rows.date <= rows.settled_through)
    parts = (
        rows.group_by("workload", "run", *PLACE)
        .agg(**_sums(rows))
        .mutate(charged=ibis.literal(value=True))
    )
    done = work_daily.group_by("workload", "run").agg(
        epochs=zero_if_null(work_daily.epochs.sum(where=work_daily.settled))
    )
    return _split(left_join(done, parts, ["workload", "run"])).select(*EXPLAINERS["run_parts"])


def _split(parts: ir.Table) -> ir.Table:
    """A run's epochs by its accelerator-hours; without any, where its name comes first."""
    run = ["workload", "run"]
    rows = parts.mutate(
        charged=parts.charged.fill_null(False),
        every=parts.accelerator_hours.sum().over(ibis.window(group_by=run)),
        place=ibis.row_number().over(ibis.window(group_by=run, order_by=PLACE)),
    )
    hours, first = ibis.coalesce(rows.accelerator_hours, ZERO), (rows.place == 0).cast(NUMBER)
    rows = rows.mutate(weight=ibis.ifelse(rows.every > 0, hours, first))
    return allocated(rows, ["epochs"], weight="weight", within=["workload", "run"], owner="place")


def _sums(rows: ir.Table) -> dict[str, ir.Value]:
    costs = {name: known_sum(rows[name]) for name in COST_COLUMNS}
    return {"accelerator_hours": rows.accelerator_hours.sum(), **costs}
