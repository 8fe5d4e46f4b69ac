"""What each Trainium lineage may claim: comparability, quality parity, and how many epochs.

Grain: workload × lineage (`counted`, with a Trainium run). `kind` is what it is measured against
(`kinds_of_work`). `parity` is against the baseline's
final losses on the day the lineage ended (METHOD §3.5): `parity`, `below_parity`, `pending` while
it runs, `unverified` where the workload's baseline reports no loss, null where there is no baseline
to hold it against; a quote's losses are those of whatever GPU runs qualify, if fewer than a window
needs. `epoch_cap` is the baseline's median epochs to the target loss, or, where it
never got there, the median that it ran (METHOD §3.6); null: no cap. `credited` says that its epochs
count.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE

TOLERANCE = 0.01


def parity_verdicts(
    lineage_facts: ir.Table,
    final_losses: ir.Table,
    comparable: ir.Table,
    baseline_steps: ir.Table,
    qualifying_runs: ir.Table,
    workload_settled: ir.Table,
    settings: Settings,
) -> ir.Table:
    """One row per counted Trainium lineage."""
    rows = lineage_facts.filter(lineage_facts.on_trainium)
    rows = left_join(rows, final_losses, ["workload", "lineage"])
    rows = rows.join(comparable, ["workload", "lineage"])
    rows = rows.select(
        "workload", "lineage", "comparability", "scale", "per_epoch", "tokens_per_epoch", "ended",
        "final_loss", "kind",
        judged_on=ibis.coalesce(rows.ended_on, rows.settled_through),
    )  # fmt: skip
    judged = _window(rows, baseline_steps)
    if settings.baseline.method == "fixed":
        judged = _few(judged, qualifying_runs)
    alone = judged.since.isnull() & (settings.baseline.method != "fixed")
    judged = judged.mutate(parity=ibis.ifelse(alone, None, _parity(judged)))
    return judged.select(
        "workload",
        "lineage",
        "kind",
        "comparability",
        "scale",
        "per_epoch",
        "tokens_per_epoch",
        "parity",
        epoch_cap=judged.epochs_to_target,
        credited=(judged.comparability == "comparable").fill_null(True)
        & (judged.parity != "below_parity").fill_null(True),
    )


def _window(rows: ir.Table, baseline_steps: ir.Table) -> ir.Table:
    """The baseline in force on the day a lineage is judged."""
    began = baseline_steps.select(*KIND, begin="since")
    due = rows.select(*KIND, "lineage", "judged_on").join(began, KIND)
    due = due.filter(due.begin <= due.judged_on)
    latest = due.group_by(*KIND, "lineage").agg(since=due.begin.max())
    window = baseline_steps.select(*KIND_SINCE, "median_loss", "worst_loss", "epochs_to_target")
    stats = latest.join(window, KIND_SINCE)
    return left_join(rows, stats, ["workload", "lineage"])


def _few(judged: ir.Table, qualifying_runs: ir.Table) -> ir.Table:
    """The losses of the GPU runs there are, where no window has enough of them."""
    names = {f"few_{name}": name for name in ("median_loss", "worst_loss")}
    rows = left_join(judged, qualifying_runs.rename(names), KIND)
    few = {
        name: ibis.ifelse(rows.since.isnull(), rows[new], rows[name]) for new, name in names.items()
    }
    return rows.mutate(**few)


def _parity(rows: ir.Table) -> ir.Value:
    spread = rows.worst_loss / rows.median_loss.nullif(0) - 1
    tolerance = ibis.greatest(TOLERANCE, spread)  # of the two that are known
    limit = rows.median_loss + rows.median_loss.abs() * tolerance
    within = rows.final_loss <= limit
    return ibis.cases(
        (rows.median_loss.isnull(), "unverified"),
        (~rows.ended, "pending"),
        (within, "parity"),
        else_="below_parity",
    )
