"""Computes the loss that GPU runs had after as much work as a shorter run (METHOD §3.5).

For each reference lineage it is the median of its losses in the last 5 % of that work; if it has
none there, the next one after, else the last before. Example: a lineage ended after 5 epochs, and
GPU lineages of 10 epochs were at 2.31 and 2.33 between 4.75 and 5: it is compared with 2.32.
"""

from __future__ import annotations

from decimal import Decimal

import ibis
import ibis.expr.types as ir

from models.contract.money import money, product, ratio
from models.contract.schema import NUMBER
from models.marts.work.parity.reference_lineages import UNTIL
from models.marts.work.parity.work_at_losses import RUN, work_at_losses

SINCE = Decimal("0.95")
PAIR = ["workload", "lineage", "gpu_lineage"]


def losses_at_equal_work(
    short: ir.Table, references: ir.Table, members: ir.Table, samples: ir.Table, steps: ir.Table
) -> ir.Table:
    """Returns, for each run that stopped early, the median loss of GPU runs after as much work.

    `short` and `references` have kind, until, lineage and work; `members` say of which lineage a
    run is. Null where the middle reference had diverged by then.
    """
    gpu = references.select(*UNTIL, gpu_lineage="lineage", gpu_work="work")
    pairs = short.select(*UNTIL, "lineage", "work").join(gpu, UNTIL)
    runs = members.semi_join(
        pairs.select("workload", lineage="gpu_lineage"), ["workload", "lineage"]
    )
    losses = samples.filter(samples.loss.notnull()).select(*RUN, "observed_at", "loss")
    placed = work_at_losses(losses.join(runs, RUN), steps.semi_join(runs, RUN))
    return _medians(pairs.join(placed.rename(gpu_lineage="lineage"), ["workload", "gpu_lineage"]))


def _medians(rows: ir.Table) -> ir.Table:
    """Returns for each shorter run the median loss of the GPU reference runs after its work.

    Places are shares of a reference's whole work: a token in millions of samples is too little
    for nine places.
    """
    rows = rows.mutate(
        at=ratio(rows.done, rows.total),
        since=ratio(_part(rows.work, SINCE), rows.gpu_work),
        upto=ratio(rows.work, rows.gpu_work),
    )
    rows = rows.mutate(inside=(rows["at"] > rows.since) & (rows["at"] <= rows.upto))
    order = [rows["at"], rows.observed_at]
    each = rows.group_by(PAIR).agg(
        some=rows.inside.any(),
        inside=rows.loss.median(where=rows.inside),
        after=rows.loss.first(order_by=order, where=rows["at"] > rows.upto),
        before=rows.loss.last(order_by=order, where=rows["at"] <= rows.since),
    )
    loss = ibis.ifelse(each.some, each.inside, each.after.coalesce(each.before))
    middle = (
        each.mutate(loss=loss)
        .group_by("workload", "lineage")
        .agg(loss_at_work=lambda row: row.loss.median())
    )
    return middle.mutate(
        loss_at_work=ibis.ifelse(middle.loss_at_work.isnan(), None, middle.loss_at_work)
    )


def _part(amount: ir.Value, share: Decimal) -> ir.DecimalValue:
    return product(amount, money(ibis.literal(str(share)).cast(NUMBER)))
