"""How the loss of each Trainium lineage compares with GPU, and how many epochs it may claim.

The final loss is compared with the final losses of the baseline in force on the day the lineage
ended. `parity`: at most the median plus 1 %, or plus the spread of the baseline's own runs where
that is wider; a median of 2.00 allows 2.02. `below_parity`: worse, or without a loss. `pending`:
still running. `unverified`: the baseline reports no loss. Where the baseline is a quote, the losses
are those of whatever GPU runs qualify.

`epoch_cap` is the baseline's median epochs to the target loss or, where it never got there, the
median that it ran. `credited` says whether the lineage's epochs count at all.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE

TOLERANCE = 0.01


@step(
    grain="workload × lineage, of counted lineages with a Trainium run",
    units="work in the unit of the kind; loss",
    nulls="parity: there is no baseline to compare with; epoch_cap: no cap",
    method="§3.5, §3.6",
    whose="run",
)
def parity_verdicts(
    lineage_facts: ir.Table,
    final_losses: ir.Table,
    comparable: ir.Table,
    baseline_steps: ir.Table,
    qualifying_runs: ir.Table,
    workload_settled: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Judges if each Trainium lineage's loss is as good as on GPU; caps the epochs it may claim."""
    rows = lineage_facts.filter(lineage_facts.on_trainium)
    rows = left_join(rows, final_losses, ["workload", "lineage"])
    rows = rows.join(comparable, ["workload", "lineage"])
    rows = rows.select(
        "workload", "lineage", "comparability", "ended", "final_loss", "kind",
        judged_on=ibis.coalesce(rows.ended_on, rows.settled_through),
    )  # fmt: skip
    judged = _with_baseline_losses(rows, baseline_steps)
    if settings.baseline.method == "fixed":
        judged = _with_few_losses(judged, qualifying_runs)
    alone = judged.since.isnull() & (settings.baseline.method != "fixed")
    judged = judged.mutate(parity=ibis.ifelse(alone, None, _parity(judged)))
    return judged.select(
        "workload",
        "lineage",
        "kind",
        "comparability",
        "parity",
        epoch_cap=judged.epochs_to_target,
        credited=(judged.comparability == "comparable").fill_null(True)
        & (judged.parity != "below_parity").fill_null(True),
    )


def _with_baseline_losses(rows: ir.Table, baseline_steps: ir.Table) -> ir.Table:
    """Adds the losses of the GPU baseline in force on the day a lineage is judged."""
    began = baseline_steps.select(*KIND, begin="since")
    due = rows.select(*KIND, "lineage", "judged_on").join(began, KIND)
    due = due.filter(due.begin <= due.judged_on)
    latest = due.group_by(*KIND, "lineage").agg(since=due.begin.max())
    window = baseline_steps.select(*KIND_SINCE, "median_loss", "worst_loss", "epochs_to_target")
    stats = latest.join(window, KIND_SINCE)
    return left_join(rows, stats, ["workload", "lineage"])


def _with_few_losses(judged: ir.Table, qualifying_runs: ir.Table) -> ir.Table:
    """Adds the losses of qualifying GPU runs where they are too few for a baseline."""
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
