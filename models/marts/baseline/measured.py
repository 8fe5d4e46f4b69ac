"""What one epoch of a workload costs on GPU, from each day on which that changes.

Grain: workload × kind × since. Dollars per epoch. `measured` is cost ÷ epochs of the window's
lineages, `repriced` the same hours at the day's price, `fixed` the config's quote; `value` follows
`baseline.method` (METHOD §5). Platforms pool by epochs, which is what sums over sums do. The
`…_at_list` columns repeat the method with list cost in place of the effective cost. `epochs` are
the window's work and `gpu_epochs` what the GPU runs call epochs: the same, unless the workload is
compared per token (`tokens_per_epoch` is set: then Trainium epochs, METHOD §3.4).
`epochs_to_target` is the median way to the target loss of the runs that reached it. Where none did
(`target_missed`), it is the median that they ran: the way is at least as long, and more than was
done on GPU for no better loss claims no saving (METHOD §3.6).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import known_sum, product, ratio


def baseline_steps(
    baseline_members: ir.Table,
    baseline_terms: ir.Table,
    lineage_facts: ir.Table,
    final_losses: ir.Table,
    comparable: ir.Table,
    settings: Settings,
) -> ir.Table:
    """`measured`, `repriced`, and the same at list; per platform pooled."""
    day = ["workload", "kind", "since"]
    members = baseline_members.join(
        lineage_facts.select("workload", "lineage", "epochs", "cost", "list_cost", "target_loss"),
        ["workload", "lineage"],
    )
    members = left_join(members, final_losses, ["workload", "lineage"]).join(
        comparable.select("workload", "lineage", "tokens_per_epoch", "work_to_target"),
        ["workload", "lineage"],
    )
    qualified = members.qualifies
    window = members.group_by(*day, "per_epoch", "tokens_per_epoch").agg(
        runs=members.lineage.count(where=qualified),
        stale=members.stale.any(),
        topped_up=members.later.any(),
        work=members.work.sum(),
        gpu_epochs=members.epochs.sum(),
        cost=members.cost.sum(),
        all_list_cost=known_sum(members.list_cost),
        median_loss=members.final_loss.median(where=qualified),
        worst_loss=members.final_loss.max(where=qualified),
        way=members.work_to_target.median(where=qualified),
        ran=members.work.median(where=qualified & members.target_loss.notnull()),
    )
    terms = _pooled(baseline_terms)
    rows = window.join(terms, day)
    other_list = rows.all_list_cost - rows.part_list_cost

    def each(cost: ir.Value) -> ir.Value:
        return ratio(product(cost, rows.per_epoch), rows.work)

    return rows.mutate(
        epochs=ratio(rows.work, rows.per_epoch),
        epochs_to_target=ratio(ibis.coalesce(rows.way, rows.ran), rows.per_epoch),
        target_missed=rows.way.isnull() & rows.ran.notnull(),
        measured=each(rows.cost),
        measured_at_list=each(rows.all_list_cost),
        repriced=rows.part_repriced + rows.other_per_epoch,
        repriced_at_list=rows.part_repriced_at_list + each(other_list),
    ).select(
        *day, "runs", "stale", "topped_up", "epochs", "gpu_epochs", "tokens_per_epoch", "work",
        "per_epoch", "median_loss", "worst_loss", "epochs_to_target", "target_missed",
        "measured", "repriced", "measured_at_list", "repriced_at_list", "stale_price", "unpriced",
        "gpu_hours", "unpriced_hours", "unpriced_kinds",
    )  # fmt: skip


def _pooled(parts: ir.Table) -> ir.Table:
    """Terms of all platforms added up; unknown as soon as one is, and which that are."""
    kind = parts.instance_type.fill_null("unknown") + " in " + parts.region.fill_null("no region")
    return parts.group_by("workload", "kind", "since", "other_per_epoch").agg(
        part_repriced=known_sum(parts.repriced),
        part_repriced_at_list=known_sum(parts.repriced_at_list),
        part_list_cost=parts.list_cost.sum(),
        stale_price=parts.stale_price.any(),
        unpriced=parts.repriced.isnull().any(),
        gpu_hours=parts.instance_hours.sum(),
        unpriced_hours=parts.instance_hours.sum(where=parts.repriced.isnull()),
        unpriced_kinds=kind.collect(
            where=parts.repriced.isnull(), order_by=kind, distinct=True
        ).join(", "),
    )
