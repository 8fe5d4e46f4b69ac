"""Splits shared charges among the runs of their workload by accelerator-hours (METHOD §2.6).

A charge with a platform falls on the workload's runs of that day on that platform; one without
(storage, network) on its runs of the month. Where there was no such run it is `overhead`. Example:
$100 of trn1 hours without a run tag, on a day on which run a used 30 and run b 10 accelerator-hours
of trn1: a gets $75, b $25.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import allocated
from models.marts.cost.attribution_buckets import shared_or_overhead


def split_shared(shared: ir.Table, direct: ir.Table, amounts: Sequence[str]) -> ir.Table:
    """Splits shared charges by hours among a workload's runs of the day or month; else overhead.

    The residue of rounding goes to the largest part.
    """
    hours = _hours_of_runs(direct)
    shared = _with_slot(shared, hours)
    on = [
        shared.workload == hours.workload,
        shared.slot == hours.slot,
        shared.platform.identical_to(hours.platform),
    ]
    joined = shared.left_join(hours, on).select(shared, "owner", "hours")
    grain = [name for name in shared.columns if name not in amounts]
    split = allocated(joined, amounts, weight="hours", within=grain, owner="owner")
    split = split.mutate(run=split.owner, attribution=shared_or_overhead(split.owner))
    return split.drop("owner", "hours", "slot")


def _hours_of_runs(direct: ir.Table) -> ir.Table:
    """Sums each run's accelerator-hours by day and by month, net of refunded hours.

    `slot` is a day together with the platform, or the first day of a month without one.
    """
    keys = ["workload", "owner", "slot", "platform"]
    each = direct.rename(owner="run", slot="date").group_by(keys)
    daily = each.agg(hours=direct.accelerator_hours.sum())
    daily = daily.filter(daily.hours > 0)
    whole = daily.mutate(slot=daily.slot.truncate("M"), platform=ibis.null("string"))
    return daily.union(whole.group_by(keys).agg(hours=whole.hours.sum()))


def _with_slot(shared: ir.Table, hours: ir.Table) -> ir.Table:
    """Adds `slot`: the day or month whose runs share a workload's shared charge.

    Refunds of GPU hours on a day without runs move to the latest earlier day that had one.
    Otherwise they would become overhead, which the baseline ignores, and the baseline would stay
    too high by the refund.
    """
    keys = ["workload", "platform", "date"]
    refunds = shared.filter(_is_gpu_refund(shared)).select(*keys).distinct()
    ran = hours.select("workload", "platform", ran="slot")
    before = refunds.join(ran, ["workload", "platform"]).filter(lambda row: row.ran <= row.date)
    rows = left_join(shared, before.group_by(keys).agg(last=before.ran.max()), keys)
    day = ibis.ifelse(_is_gpu_refund(rows), ibis.coalesce(rows["last"], rows.date), rows.date)
    slot = ibis.ifelse(rows.platform.isnull(), rows.date.truncate("M"), day)
    return rows.mutate(slot=slot).drop("last")


def _is_gpu_refund(rows: ir.Table) -> ir.BooleanValue:
    """Whether a row of spend is a refund of GPU hours."""
    return cast(ir.BooleanValue, (rows.hardware == "gpu") & (rows.effective_cost < 0))
