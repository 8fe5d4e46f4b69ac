"""Has it paid for itself, and if not, when?

Grain: workload, and `(portfolio)`; at the last settled day. Dollars on the configured basis.
`progress`, `payback_months`, `roi` and `runs_to_break_even` are METHOD §6's; `saving_per_epoch` is
gross saving ÷ the Trainium epochs of that saving; `cumulative_saving_at_list` is gross saving at
list cost on both sides, null where a list price is unknown. `forecast_…` is the date's median and
80 % interval (null beyond 24 months, `never_share` says how often) while a workload is recovering
or losing, `saving_low` and `saving_high` the 80 % interval of the saving per epoch, `trn_epoch_…`
that of an epoch's cost on Trainium since the cutover, `baseline_…` of the GPU baseline, as a
fraction by which it may be off. All are drawn by `models.forecast`, and `forecast_reason` says from
what, or what is missing. `reason` says what the status rests on.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import ZERO, ratio
from models.contract.schema import MARTS, MONEY
from models.marts.savings.break_even.status_reasons import reason


def break_even(
    standings: ir.Table,
    remarks: ir.Table,
    forecasts: ir.Table,
    settings: Settings,
) -> ir.Table:
    """The mart of that name."""
    rows = standings.filter(standings.newest)
    rows = left_join(left_join(rows, remarks, ["workload"]), forecasts, ["workload"])
    remaining = rows.cumulative_investment - rows.cumulative_net_saving
    owed = ibis.greatest(remaining, ZERO)
    invested = rows.cumulative_investment > 0
    known = rows.status.isin(("losing", "broke_even", "recovering"))
    claimed = invested & known
    stands = claimed | (rows.status == "investing")
    return rows.mutate(
        progress=ibis.ifelse(stands, _progress(rows), None),
        roi=ibis.ifelse(stands, ratio(rows.cumulative_net, rows.cumulative_investment), None),
        runs_to_break_even=ibis.ifelse(claimed, _runs(rows, owed), None),
        payback_months=ibis.ifelse(claimed, _months(rows, owed), None),
        saving_per_epoch=ratio(rows.cumulative_gross_saving, rows.saved_epochs),
        reason=reason(rows, settings),
    ).select(*MARTS["break_even"])


def _progress(rows: ir.Table) -> ir.Value:
    """Towards paying back: Σ net saving ÷ Σ investment, between 0 and 1 (METHOD §6)."""
    paid = ratio(rows.cumulative_net_saving, rows.cumulative_investment)
    # not `clip`: its SQL repeats what it clips many times over, and each is planned
    return ibis.cases((paid > 1, 1), (paid > 0, paid), (paid <= 0, 0)).cast(MONEY)


def _runs(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Remaining ÷ what a production lineage saves after its share of upkeep, rounded up."""
    upkeep = ibis.coalesce(rows.upkeep_so_far, ZERO)
    each = (rows.cumulative_net_saving - upkeep).cast("float64") / rows.lineages
    runs = (owed.cast("float64") / each).round(9).ceil()
    return ibis.ifelse(each > 0, runs, None).cast("int64")


def _months(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Remaining ÷ the pace of the last twelve settled weeks, in months."""
    upkeep = ibis.coalesce(rows.monthly_upkeep, ZERO).cast("float64")
    pace = rows.last_weeks_net.cast("float64") / 12 * 52 / 12 - upkeep
    return ibis.ifelse(pace > 0, owed.cast("float64") / pace, None)
