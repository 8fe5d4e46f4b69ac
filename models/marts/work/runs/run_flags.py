"""Lists what is unusual about a run, as flags for pages and exports."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.rules.flag_list import flag_list
from models.marts.work.lineages.unreported_hours import WAITS
from models.marts.work.progress.run_starts import starts_undeclared
from models.marts.work.runs.purposes import UNKNOWN_PURPOSE


def run_flags(rows: ir.Table) -> ir.Value:
    """Returns a list column of the warnings on each run, in a fixed order; [] if there are none."""
    order = ibis.window(
        group_by=["workload", "lineage"], order_by=[rows.first_sample, rows.resumes, rows.run]
    )
    goes_on = rows.resumes & (ibis.row_number().over(order) > 0)
    unresumed = rows.resumed_from.notnull() & ~rows.resumes
    silent = rows.start_epoch.isnull() & ~goes_on
    waited = rows.first_sample.date().epoch_days() - rows.first_day.epoch_days()
    return flag_list(
        {
            "mixed_hardware": rows.mixed,
            "undeclared_start": starts_undeclared(rows) & ~goes_on,
            "counter_starts_late": rows.by_increments & (waited > WAITS) & silent,
            UNKNOWN_PURPOSE: rows.misplaced == UNKNOWN_PURPOSE,
            "no_accelerator_hours": rows.all_hours == 0,
            "unbilled_epochs": rows.unbilled,
            "no_progress": rows.counted_from.isnull(),
            "future_samples": rows.future_samples,
            "cost_unknown": rows.cost.isnull(),
            "gross_cost": rows.gross,
            "charges_untold": rows.charges_hidden,
            "epochs_from_samples": rows.by_samples,
            "losses_stop_early": rows.losses_stop,
            "short": rows.short,
            "over_allocated": rows.over_allocated,
            "daily_allocation": rows.daily_allocation,
            "timed_by_allocation": rows.timed_by_allocation,
            "parent_unknown": unresumed & rows.parent_known.isnull(),
            "circular_resume": unresumed & rows.parent_known,
        }
    )
