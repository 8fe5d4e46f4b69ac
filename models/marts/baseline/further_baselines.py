"""The GPU counterfactual of each day for the further kinds of a workload's work (`work_kinds`).

Grain: date × workload × kind, and the columns of `baselines`, which tells of kind 0. Each kind has
GPU runs, prices and losses of its own, so that no recipe's saving hides another's loss (METHOD
§3.4: runs compare when they share workload, recipe and samples per epoch).
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE, in_words
from models.contract.schema import EXPLAINERS
from models.marts.baseline.baselines import valued


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
    kinds = kinds.select(*KIND, "recipe", "samples_per_epoch", kind_of_work=in_words(kinds))
    days = calendar.select("date", "workload").join(kinds, "workload")
    steps = left_join(baseline_steps, baseline_omissions, KIND_SINCE).semi_join(kinds, KIND)
    days = days.semi_join(steps, KIND)
    rows = valued(days, steps, qualifying_runs, config_workloads, settings)
    return rows.select(*EXPLAINERS["further_baselines"])
