"""What an epoch of a workload's further kinds of work would cost on GPU on each day.

The columns of `baselines`, which shows kind 0, of kinds 1, 2, … Each kind has GPU runs, prices and
losses of its own, so that no recipe's saving hides another's loss (METHOD §3.4: runs compare when
they share workload, recipe and samples per epoch).
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.schema import EXPLAINERS
from models.marts.baseline.daily_baselines import (
    daily_baselines,
    days_of_further_kinds,
    kinds_in_words,
)


@mart(
    grain="date × workload × kind",
    units="dollars on `cost.basis` per epoch",
    nulls="value: a needed price is unknown; recipe, samples_per_epoch: unset",
    method="§3.4, §5.5",
    whose="workload",
)
def further_baselines(
    calendar: ir.Table,
    comparable: ir.Table,
    baseline_steps: ir.Table,
    baseline_omissions: ir.Table,
    qualifying_runs: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes the daily GPU cost per epoch of a workload's kinds of work but the main one."""
    days = days_of_further_kinds(calendar, baseline_steps, kinds_in_words(comparable))
    rows = daily_baselines(
        days, baseline_steps, baseline_omissions, qualifying_runs, config_workloads, settings
    )
    return rows.select(*EXPLAINERS["further_baselines"])
