"""The GPU counterfactual of each day for the further kinds of a workload's work (`work_kinds`).

Grain: date × workload × kind, and the columns of `baselines`, which tells of kind 0. Each kind has
GPU runs, prices and losses of its own, so that no recipe's saving hides another's loss (METHOD
§3.4: runs compare when they share workload, recipe and samples per epoch).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import beside
from models.contract.schema import EXPLAINERS
from models.marts.baseline.baseline_omissions import DAY, KIND
from models.marts.baseline.baselines import valued
from models.marts.work.work_kinds import named


def further_baselines(
    calendar: ir.Table,
    work_kinds: ir.Table,
    baseline_steps: ir.Table,
    baseline_omissions: ir.Table,
    qualifying_runs: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """The table of that name: with each kind's recipe and samples per epoch."""
    kinds = work_kinds.filter(work_kinds.kind > 0)
    kinds = kinds.select(*KIND, "recipe", "samples_per_epoch", kind_of_work=named(kinds))
    days = calendar.select("date", "workload").join(kinds, "workload")
    steps = beside(baseline_steps, baseline_omissions, DAY).semi_join(kinds, KIND)
    days = days.semi_join(steps, KIND)
    rows = valued(days, steps, qualifying_runs, config_workloads, settings)
    return rows.select(*EXPLAINERS["further_baselines"])


def at_own_kind(
    rows: ir.Table, baselines: ir.Table, further_baselines: ir.Table, *names: str
) -> ir.Table:
    """`rows` (date × workload × `kind`) beside these columns of the baseline of their kind."""
    keys = ["date", "workload"]
    first = beside(rows, baselines.select(*keys, *names), keys)
    further = further_baselines.select(
        *keys, "kind", **{f"further_{name}": further_baselines[name] for name in names}
    )
    both = beside(first, further, [*keys, "kind"])
    own = {name: ibis.ifelse(both.kind > 0, both[f"further_{name}"], both[name]) for name in names}
    return both.mutate(**own).drop(*(f"further_{name}" for name in names))
