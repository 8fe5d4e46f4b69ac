"""Publishes the figures of each month for finance: as closed, or as computed today.

Closed months keep the figures of their close. The first month after the last closed one has the
changes since then as `adjustments`: net saving less investment as computed today, less what was
closed and adjusted before. Example: June was closed with $100 net and is $115 today; in July, the
first open month, adjustments are $15. All other columns are those of `month_facts`. A workload of
which nothing is left, as its charges have another name now, has a row of adjustments alone there.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.money import ZERO
from models.contract.schema import MARTS
from models.contract.schema.months import AMOUNTS
from models.contract.units import EPOCH

KEYS = ["month", "workload"]


@mart(
    grain="month × workload, and `(portfolio)`",
    units="dollars on `cost.basis`, credits as billed; epochs in the workload's unit",
    nulls="unknown; adjustments: unknown today",
    method="§7.1, §7.4",
    whose="workload",
)
def monthly_summary(
    month_facts: ir.Table, closed_months: ir.Table, adjustments_due: ir.Table
) -> ir.Table:
    """Lists the figures of each month and workload: as closed, or as computed if not closed."""
    standing = month_facts.anti_join(closed_months, "month")
    last = closed_months.agg(last=closed_months.month.max())
    later = standing.cross_join(last).filter(lambda row: row.month > row.last)
    first = later.agg(month=later.month.min())
    due = adjustments_due.mutate(due=ibis.literal(value=True)).cross_join(first)
    columns = list(MARTS["monthly_summary"])
    gone = due.filter(due.month.notnull()).anti_join(standing, KEYS)
    rows = standing.left_join(due, KEYS).select(standing, "adjustments", "due")
    rows = rows.mutate(adjustments=ibis.ifelse(rows.due, rows.adjustments, ZERO))
    counted = closed_months.unit.fill_null(EPOCH)
    closed = closed_months.mutate(
        unit=ibis.ifelse(closed_months.trn_epochs.isnull(), None, counted)
    )
    rows = rows.select(columns)
    return rows.union(_of_nothing_left(gone, rows.schema()), closed.select(columns))


def _of_nothing_left(due: ir.Table, types: ibis.Schema) -> ir.Table:
    """Returns rows of adjustments for workloads that only closed months have; other amounts $0."""
    own = {name: due[name] for name in (*KEYS, "adjustments")}
    own |= dict.fromkeys(AMOUNTS, ZERO) | {"unit": ibis.literal(EPOCH)}
    return due.select(
        **{name: own.get(name, ibis.null(dtype)).cast(dtype) for name, dtype in types.items()}
    )
