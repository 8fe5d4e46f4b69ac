"""What an epoch of each workload would cost on GPU on each day, and why.

`value` is null where fewer than `baseline.min_runs` qualifying GPU runs exist
(`insufficient_baseline`). `conservative` keeps measured where a price is missing (flag
`price_unavailable`). `stale_price`: the value, or the comparison that chose it, rests on a price
not seen for 45 days. Where a workload is compared per token (flag `per_token`), an epoch here is a
Trainium epoch's tokens. Where its Trainium work is of several kinds, each is measured against GPU
runs of its own kind: this is kind 0's baseline (flag `several_kinds`, and `reason` names the
others), and `further_baselines` holds the others'.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.schema import MARTS
from models.marts.baseline.daily_baselines import (
    daily_baselines,
    days_of_further_kinds,
    kinds_in_words,
)


@mart(
    grain="date × workload",
    units="dollars on `cost.basis` per epoch",
    nulls="value: too few GPU runs, no quote, or a needed price is unknown",
    method="§5.5",
    whose="workload",
)
def baselines(
    calendar: ir.Table,
    comparable: ir.Table,
    baseline_steps: ir.Table,
    baseline_omissions: ir.Table,
    qualifying_runs: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Gives the GPU cost per epoch of each workload's main kind of work on every calendar day."""
    kinds = kinds_in_words(comparable)
    days = calendar.select("date", "workload", kind=ibis.literal(0, "int64"))
    further = days_of_further_kinds(calendar, baseline_steps, kinds).select(*days.columns)
    rows = daily_baselines(
        days.union(further),
        baseline_steps,
        baseline_omissions,
        qualifying_runs,
        config_workloads,
        settings,
    )
    return _with_others(rows, kinds).select(*MARTS["baselines"])


def _with_others(rows: ir.Table, kinds: ir.Table) -> ir.Table:
    """Keeps the main kind of work; its `reason` also names the baselines of the other kinds."""
    rows = left_join(rows, kinds, ["workload", "kind"])
    others = rows.filter(rows.kind > 0)
    others = others.mutate(words="; " + others.kind_of_work + ": " + others.reason)
    others = others.group_by("date", "workload").agg(
        others=others.words.collect(order_by=others.kind).join("")
    )
    main = left_join(rows.filter(rows.kind == 0), others, ["date", "workload"])
    also = ibis.ifelse(main.others.notnull(), ["several_kinds"], [])
    reason = ibis.coalesce(main.kind_of_work + ": " + main.reason + main.others, main.reason)
    return main.mutate(flags=main.flags.concat(also), reason=reason)
