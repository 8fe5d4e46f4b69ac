"""Publishes whether the migration has paid for itself and, if not, when it will.

Amounts are those of the last settled day. `forward_per_month` is what a month of the recent window
saved, net of overhead and upkeep; `payback_months` and `runs_to_break_even` rest on that one pace.
`saving_per_epoch` is gross saving ÷ the Trainium epochs of that saving, of the kind of work with
most Trainium cost. `cumulative_saving_at_list` is gross saving at list prices on both sides.
`saving_at_old_volume` is gross saving on the volume that was trained before the move, and
`net_at_old_volume` what is left of it after all overhead and investment (METHOD §6.9).
`headroom_days` are the engineer-days by which the move could have cost more. `value_to_end` is
cumulative net on the day on which the workload `ends`; `ends_first` says that it ends before it is
paid back. `credit_share` is the part of what all runs cost that AWS credits paid (METHOD §2.2).
`covered_share` is the part of Trainium spend that all this is about, and `cost_to_know` what GPU
runs would cost to judge what has too few of them (METHOD §6.10). `gpu_cost_per_result`, … are the
pair of its main kind of work, with the delay and what a day of it is paid with (METHOD §4.5, §4.6).
`gpu_overhead_ended` is shown and in no total (METHOD §6.11). So is `gpu_idle_share`, how much of
GPU pools stood idle over the baseline's window (METHOD §2.10).

`forecast_…` is the median and the 80 % interval of the break-even date of a workload that is
recovering or losing; `never_share` says how many worlds do not break even within 24 months.
`saving_…` is the 80 % interval of the saving per epoch, `trn_epoch_…` that of an epoch's cost on
Trainium since the cutover, and `baseline_…` that of the GPU baseline, as a fraction by which it may
be off. `forecast_reason` says what they are drawn from, or what is missing.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ratio
from models.contract.schema import MARTS
from models.marts.savings.break_even import forward
from models.marts.savings.break_even.end_of_training import (
    ends_first,
    months_to_end,
    value_to_end,
)
from models.marts.savings.break_even.engineer_days_to_spare import headroom_days
from models.marts.savings.break_even.months_in_migration import months_in_migration
from models.marts.savings.break_even.progress import progress
from models.marts.savings.results.price_of_a_day import with_results
from models.marts.savings.status.status_in_words import status_in_words
from models.marts.savings.volume.at_old_volume import net_at_old_volume


@mart(
    grain="workload, and `(portfolio)`",
    units="dollars on `cost.basis`; months; fractions; lineages",
    nulls="unknown, or not claimed by the status; forecast dates: after 24 months or never",
    method="§6.4",
    whose="workload",
)
def break_even(
    standings: ir.Table,
    remarks: ir.Table,
    forecasts: ir.Table,
    credit_shares: ir.Table,
    covered_shares: ir.Table,
    results: ir.Table,
    gpu_overhead: ir.Table,
    gpu_idle_shares: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Returns each workload's newest status, totals, payback and forecast, with the reason."""
    rows = standings.filter(standings.newest)
    funded = credit_shares.filter(credit_shares.month.isnull()).drop("month")
    ended = gpu_overhead.select("workload", "gpu_overhead_ended")
    for part in (remarks, forecasts, funded, covered_shares, ended, gpu_idle_shares):
        rows = left_join(rows, part, ["workload"])
    rows = with_results(rows, results)
    owed, months = forward.remaining(rows), months_to_end(rows)
    known = rows.status.isin(("losing", "broke_even", "recovering", "no_investment"))
    claimed = (rows.cumulative_investment > 0) & known
    shown = claimed | (rows.status == "investing")
    rows = rows.mutate(forward_per_month=ibis.ifelse(known, rows.forward_per_month, None))
    rows = rows.mutate(
        saving_at_old_volume=ibis.ifelse(known, rows.saving_at_old_volume, None),
        net_at_old_volume=ibis.ifelse(known, net_at_old_volume(rows), None),
    )
    payback = ibis.ifelse(claimed, forward.payback_months(rows, owed), None)
    return rows.mutate(
        progress=ibis.ifelse(shown, progress(rows), None),
        roi=ibis.ifelse(shown, rows.roi, None),
        runs_to_break_even=ibis.ifelse(claimed, forward.runs_to_break_even(rows, owed), None),
        payback_months=payback,
        months_in_migration=months_in_migration(rows),
        headroom_days=ibis.ifelse(claimed, headroom_days(rows), None),
        value_to_end=ibis.ifelse(known, value_to_end(rows, months), None),
        ends_first=ibis.ifelse(claimed & (owed > 0), ends_first(rows, payback, months), None),
        saving_per_epoch=ibis.ifelse(
            rows.unit.notnull(), ratio(rows.saved, rows.saved_epochs), None
        ),
        reason=status_in_words(rows, settings),
    ).select(*MARTS["break_even"])
