"""Computes the part of a recipe's saving on as much work as was trained before the move.

A month's gross saving counts in the proportion of its credited work that would have been trained
anyway: `gross × old_epochs ÷ credited_epochs`. A month with a loss counts as a whole. Example:
$4,080 saved on 120 epochs, of which 30 are the old volume, are $1,020; $4,080 lost are $4,080 lost.
`gpu_volume` computes the pace before the move, `old_epochs` the work that it allows.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, product, ratio
from models.contract.rules.work.kinds_of_work import KIND, kind_of
from models.contract.schema import MONEY
from models.marts.savings.volume.gpu_volume import month_of


def with_old_volume(days: ir.Table, old_volume: ir.Table) -> ir.Table:
    """Adds the part of each day's gross saving on as much work as was trained before the move.

    The column is `at_old_volume`. `days` are date × workload × kind with `counterfactual`,
    `trn_cost` and `settled`. It is null where the day's saving is unknown, or the kind had no pace
    before the move (METHOD §6.9). A month before that of the cutover credits no work: what storage
    of a run cost in it counts whole.
    """
    months = old_volume.mutate(kind=kind_of(old_volume.recipe))
    months = months.select(*KIND, "month", credited_="credited_epochs", old_="old_epochs")
    rows = days.mutate(
        month=month_of(days),
        gross_=ibis.ifelse(days.settled, days.counterfactual - days.trn_cost, None),
    )
    rows = left_join(rows, months, [*KIND, "month"])
    rows = left_join(rows, _paced(months), KIND)
    month = [*KIND, "month"]
    total = rows.gross_.sum().over(ibis.window(group_by=month))
    until = rows.gross_.sum().over(ibis.cumulative_window(group_by=month, order_by="date"))
    whole = (
        (total < 0)
        | (rows.credited_.fill_null(ZERO) == 0)
        | (rows.old_ == rows.credited_).fill_null(False)
    )
    part = _share(rows, until) - _share(rows, until - rows.gross_)
    found = ibis.cases((rows.paced_.isnull(), None), (whole, rows.gross_), else_=part)
    return rows.mutate(at_old_volume=found).drop("month", "gross_", "credited_", "old_", "paced_")


def net_at_old_volume(rows: ir.Table) -> ir.Value:
    """Returns the column of saving on the old work volume, less all overhead and investment."""
    spent = rows.cumulative_overhead + rows.cumulative_investment
    return (rows.saving_at_old_volume - spent).cast(MONEY)


def _paced(months: ir.Table) -> ir.Table:
    """Lists the training recipes whose pace of GPU work before the move is known."""
    paced = months.filter(months.old_.notnull()).select(*KIND).distinct()
    return paced.mutate(paced_=ibis.literal(value=True))


def _share(rows: ir.Table, amount: ir.Value) -> ir.Value:
    """Returns an amount × old work volume ÷ credited work."""
    return ratio(product(amount, rows.old_), rows.credited_)
