"""Decides whether the loss of each lineage of Trainium runs is as good as on GPU (METHOD §3.5).

The reference is the median final loss of the kind's qualifying GPU lineages that ended in the
`window_days` up to the newest that had ended by this lineage's end (`reference_lineages`).
`parity`: at most the reference + `quality.tolerance` of it, in decimals; 2.00 allows 2.02.
`below_parity`: worse, or without a loss. `short`: a lineage of less than 0.9 of the usual work that
is worse than that, and as good as GPU was after the same work (`equal_work`); it is in parity.
`pending`: still running. `unverified`: no GPU lineage has a final loss.

With a target loss that is not asked: a lineage is in `parity` once it has reached the target,
`below_parity` where it ended without, and `pending` until then (METHOD §3.6).
"""

from __future__ import annotations

from decimal import Decimal

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.marts.work.parity.equal_work import losses_at_equal_work
from models.marts.work.parity.reference_lineages import (
    UNTIL,
    gpu_lineages,
    is_short,
    reference_lineages,
    with_newest,
)
from models.marts.work.parity.work_at_losses import LINE, RUN

LOSS = "decimal(28, 12)"
"""Losses are numbers up to 10^15 (`loss_value`)."""
SHARE = "decimal(10, 9)"


@step(
    grain="workload × lineage, of counted lineages with a Trainium run",
    units="flags",
    nulls="parity: the lineage does not compare",
    method="§3.5",
    whose="run",
)
def parity_verdicts(
    lineage_facts: ir.Table,
    comparable: ir.Table,
    final_losses: ir.Table,
    work_daily: ir.Table,
    samples: ir.Table,
    progress_steps: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Decides if the loss of each lineage of Trainium runs is as good as GPU's or at target."""
    rows = _lineages(lineage_facts, comparable, final_losses)
    gpu = gpu_lineages(rows)
    judged = with_newest(rows.filter(rows.on_trainium), gpu)
    references = reference_lineages(judged, gpu, settings.baseline.window_days)
    references = references.filter(references.final_loss.notnull())
    stats = references.group_by(*UNTIL, "usual_work").agg(reference=references.final_loss.median())
    tolerance = settings.quality.tolerance
    judged = left_join(judged, stats, UNTIL)
    judged = judged.mutate(passes=_within(judged.final_loss, judged.reference, tolerance))
    failed = judged.ended & ~judged.passes & judged.target_loss.isnull()
    tried = judged.filter(failed & is_short(judged))
    members = work_daily.filter(work_daily.in_lineage).select(*RUN, "lineage").distinct()
    equal = losses_at_equal_work(tried, references, members, samples, progress_steps)
    judged = left_join(judged, equal, LINE)
    judged = judged.mutate(as_far=_within(judged.final_loss, judged.loss_at_work, tolerance))
    parity = _parity(judged)
    short = (parity == "parity") & ~judged.passes & judged.target_loss.isnull()
    return judged.select(
        *LINE, "kind", "comparability", parity=parity, short=short.fill_null(False)
    )


def _lineages(lineage_facts: ir.Table, comparable: ir.Table, final_losses: ir.Table) -> ir.Table:
    """Returns end, work, final loss and target loss of each counted lineage of runs."""
    facts = lineage_facts.select(
        *LINE, "on_gpu", "on_trainium", "ended", "ended_on", "settled_through", "target_loss"
    )
    work = comparable.select(*LINE, "kind", "comparability", "work", "least_work", "work_to_target")
    rows = left_join(facts.join(work, LINE), final_losses, LINE)
    return rows.mutate(judged_on=rows.ended_on.coalesce(rows.settled_through))


def _within(loss: ir.Value, reference: ir.Value, tolerance: Decimal) -> ir.BooleanValue:
    """Whether a loss is at most the reference + tolerance; false if either is unknown."""
    given, limit = loss.cast(LOSS), reference.cast(LOSS)
    margin = limit.abs() * ibis.literal(str(tolerance)).cast(SHARE)
    return (given - limit <= margin).fill_null(False)


def _parity(rows: ir.Table) -> ir.StringValue:
    return ibis.cases(
        (rows.comparability != "comparable", None),
        (rows.work_to_target.notnull(), "parity"),
        (rows.target_loss.notnull(), ibis.ifelse(rows.ended, "below_parity", "pending")),
        (rows.reference.isnull(), "unverified"),
        (~rows.ended, "pending"),
        (rows.passes | rows.as_far, "parity"),
        else_="below_parity",
    )
