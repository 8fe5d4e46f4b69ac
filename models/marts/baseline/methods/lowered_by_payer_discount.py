"""Lowers the baseline where payers now pay less of the list price than its runs did.

On-demand and committed hours are repriced at the lower of two factors: their own in the window, or
that of a payer of the workload, if its hours of the machine are at least half of those that are
repriced (METHOD §5.3). Of several payers the lowest counts, which claims least saving. Example:
10.5 hours of p4d an epoch at $21.957642; the runs paid 0.75 of the list price, the payer now pays
0.675: $155.62 and not $172.92.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ratio, zero_if_null
from models.contract.rules.work.kinds_of_work import CANDIDATE
from models.marts.baseline.gpu_use import ON_DEMAND
from models.marts.baseline.methods.repriced import WAY, at_price

HALF = 2
DAY = ["date", *CANDIDATE]


def with_payer_factor(terms: ir.Table, applicable_discounts: ir.Table) -> ir.Table:
    """Reprices GPU hours where a payer now pays a smaller part of the list price than the runs did.

    That part is added as `payer_factor`; null elsewhere. `terms` are the hours of a baseline by
    machine, region and price series; their prices hold on their `date`.
    """
    rows = left_join(terms, _lower(terms, applicable_discounts), [*DAY, *WAY])
    return rows.mutate(repriced=ibis.coalesce(rows.lowered, rows.repriced))


def with_discounts(rows: ir.Table, terms: ir.Table, applicable_discounts: ir.Table) -> ir.Table:
    """Lowers a day's repriced GPU cost where a payer pays less of the list price than its runs did.

    `terms` apply from a candidate's `since` on. `follows` names the machines and these parts.
    """
    days = rows.select(DAY).join(terms, CANDIDATE)
    lower = _lower(days, applicable_discounts)
    words = lower.instance_type + " at " + lower.payer_factor.cast("decimal(38, 3)").cast("string")
    sums = lower.group_by(DAY).agg(
        off=(lower.own - lower.lowered).sum(),
        follows=words.collect(order_by=words, distinct=True).join(", "),
    )
    rows = left_join(rows, sums, DAY)
    off = zero_if_null(rows.off)
    return rows.mutate(
        repriced=rows.repriced - off, factor=ratio(rows.part_repriced - off, rows.part_public)
    )


def _lower(terms: ir.Table, applicable_discounts: ir.Table) -> ir.Table:
    """Lists GPU hours for which a payer now pays a smaller part of list price than the runs did."""
    public = terms.filter((terms.series == ON_DEMAND) & terms.repriced.notnull())
    both = public.join(applicable_discounts, ["date", "workload", "instance_type"])
    enough = both.payer_hours * HALF >= both.instance_hours
    both = both.filter(enough & (both.payer_factor < both.factor))
    lowered = at_price(both, both.payer_cost, both.payer_list)
    return both.group_by(*DAY, *WAY).agg(
        payer_factor=both.payer_factor.min(), lowered=lowered.min(), own=both.repriced.max()
    )
