"""Whether the migration has paid for itself and, if not, when it will.

Amounts are those of the last settled day. `progress`, `roi`, `runs_to_break_even` and
`payback_months` are METHOD §6.4's. `saving_per_epoch` is gross saving ÷ the Trainium epochs of that
saving. `cumulative_saving_at_list` is gross saving at list prices on both sides. `credit_share` is
the part of what all runs cost that AWS credits paid (METHOD §2.2).

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
from models.marts.savings.break_even.runs_and_months_to_break_even import (
    payback_months,
    progress,
    remaining,
    runs_to_break_even,
)
from models.marts.savings.break_even.status_in_words import status_in_words


@mart(
    grain="workload, and `(portfolio)`",
    units="dollars on `cost.basis`; months; fractions; lineages",
    nulls="unknown, or not claimed by the status; forecast dates: beyond 24 months",
    method="§6.4",
    whose="workload",
)
def break_even(
    standings: ir.Table,
    remarks: ir.Table,
    forecasts: ir.Table,
    credit_shares: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes each workload's newest status, payback, forecast and the reason in words."""
    rows = standings.filter(standings.newest)
    funded = credit_shares.filter(credit_shares.month.isnull()).drop("month")
    for part in (remarks, forecasts, funded):
        rows = left_join(rows, part, ["workload"])
    owed = remaining(rows)
    known = rows.status.isin(("losing", "broke_even", "recovering"))
    claimed = (rows.cumulative_investment > 0) & known
    shown = claimed | (rows.status == "investing")
    return rows.mutate(
        progress=ibis.ifelse(shown, progress(rows), None),
        roi=ibis.ifelse(shown, ratio(rows.cumulative_net, rows.cumulative_investment), None),
        runs_to_break_even=ibis.ifelse(claimed, runs_to_break_even(rows, owed), None),
        payback_months=ibis.ifelse(claimed, payback_months(rows, owed), None),
        saving_per_epoch=ratio(rows.cumulative_gross_saving, rows.saved_epochs),
        reason=status_in_words(rows, settings),
    ).select(*MARTS["break_even"])
