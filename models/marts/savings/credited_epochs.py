"""Epochs of production on Trainium by day, and how many of them earn a counterfactual.

Epochs are credited up to the lineage's cap, which the epochs of its GPU, port and validation runs
use up too. Example: with a cap of 10, a lineage that did 8 epochs on GPU and 5 on Trainium is
credited 2. Work compared per token counts tokens at the workload's `tokens_per_epoch`.

`withheld_epochs` would be credited, were it known what the run was for or on what machines it ran;
`misplaced` names the cause. Their cost counts. `active` says that the lineage ran or reported on
the day: storage alone does not. `standing` is `counted`, or why the lineage is left out whole.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.money import ZERO, known_sum, product, ratio, zero_if_null
from models.contract.schema import NUMBER

UNBILLED = "no_accelerator_hours"


@step(
    grain="date × workload × lineage, of production on Trainium",
    units="dollars on `cost.basis` and at list; epochs",
    nulls="cost, list_cost: unknown; misplaced: nothing is withheld",
    method="§3.4, §3.6",
    whose="run",
)
def credited_daily(work_daily: ir.Table, parity_verdicts: ir.Table) -> ir.Table:
    """Computes each Trainium lineage's daily cost and epochs, and the epochs credited a saving."""
    days = _days(work_daily, parity_verdicts)
    so_far = ibis.cumulative_window(group_by=["workload", "lineage"], order_by="date")
    days = days.mutate(all_done=days.all_done.sum().over(so_far))
    # what the lineage did before, and on other hardware the same day, comes first; then what its
    # misplaced runs did
    until, known, before = (
        _capped(ratio(done, days.per_epoch), days.cap)
        for done in (days.all_done, days.all_done - days.done, days.all_done - days.made)
    )
    differs = days.comparability != "comparable"
    rows = days.mutate(
        credited_epochs=ibis.ifelse(days.credited, (until - known).cast(NUMBER), ZERO),
        withheld_epochs=ibis.ifelse(days.credited, (known - before).cast(NUMBER), ZERO),
        standing=ibis.ifelse(differs, "not_comparable", "counted"),
    )
    return rows.filter(rows.on_trainium).select(
        "date", "workload", "lineage", "kind", "settled", "active", "cost", "list_cost", "epochs",
        "parity", "credited_epochs", "withheld_epochs", "misplaced", "standing",
    )  # fmt: skip


def _days(work_daily: ir.Table, parity_verdicts: ir.Table) -> ir.Table:
    """Sums each lineage's Trainium cost and work, and the work of all its runs, by day."""
    rows = work_daily.join(parity_verdicts, ["workload", "lineage"])
    per_token = rows.tokens_per_epoch.notnull()
    rows = rows.mutate(
        trn=rows.in_lineage & ((rows.hardware == "trainium") | (rows.unbilled_epochs > 0)),
        **{
            name: ibis.ifelse(per_token, product(zero_if_null(tokens), rows.scale), epochs)
            for name, tokens, epochs in (
                ("work", rows.tokens, rows.epochs),
                ("unbilled", rows.unbilled_tokens, rows.unbilled_epochs),
            )
        },
        unfollowed=ibis.ifelse(rows.unbilled_epochs > 0, UNBILLED, rows.misplaced),
    )
    whole = ["kind", "settled", "per_epoch", "comparability", "parity", "credited"]
    return rows.group_by("date", "workload", "lineage", *whole, cap="epoch_cap").agg(
        on_trainium=rows.trn.any(),
        active=(rows.trn & rows.active).any(),
        cost=known_sum(ibis.ifelse(rows.trn, rows.cost, ZERO)),
        list_cost=known_sum(ibis.ifelse(rows.trn, rows.list_cost, ZERO)),
        epochs=rows.epochs.sum(where=rows.trn),
        done=zero_if_null(rows.work.sum(where=rows.trn & rows.misplaced.isnull())),
        made=(rows.work + rows.unbilled).sum(where=rows.trn),
        misplaced=rows.unfollowed.max(where=rows.trn),
        all_done=(rows.work + rows.unbilled).sum(),
    )


def _capped(amount: ir.Value, cap: ir.Value) -> ir.Value:
    return ibis.ifelse(cap.isnull(), amount, ibis.least(amount, cap))
