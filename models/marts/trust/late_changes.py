"""Lists what AWS recently changed in settled months, by month and in all.

Only the source that money is counted from, and only months that changed. `change` is that of the
month, `total` that of all of them. `changed_at` is the newest change; the window begins at `since`,
`RESTATED_DAYS` before the source's last success, as for `freshness.restated_cost`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.money import known_sum
from models.contract.rules.restatement_window import RESTATED_DAYS
from models.contract.schema import EXPLAINERS, MONEY


@mart(
    grain="billing month",
    units="dollars on `cost.basis` (effective or billed)",
    nulls="change, total: one change is unknown",
    method="§10.2",
    whose="company",
)
def late_changes(restatements: ir.Table, freshness: ir.Table, settings: Settings) -> ir.Table:
    """Lists settled months AWS recently changed, with the dollars of each change and of all."""
    late = recent_changes(restatements.filter(restatements.counted), freshness)
    months = late.group_by("month").agg(
        since=late.since.min(),
        changed_at=late.pulled_at.max(),
        change=known_sum(change_on_basis(late, settings)),
    )
    months = months.filter((months.change != 0) | months.change.isnull())
    every = ibis.window()
    unknown = months.change.isnull().any().over(every)
    total = ibis.ifelse(unknown, None, months.change.sum().over(every)).cast(MONEY)
    return months.mutate(total=total).select(*EXPLAINERS["late_changes"])


def recent_changes(restatements: ir.Table, pulled: ir.Table) -> ir.Table:
    """Selects changes of settled months from 35 days before the source's last success on.

    `pulled` must have the columns `source` and `last_success`.
    """
    newest = pulled.group_by(of="source").agg(newest=pulled.last_success.max())
    late = restatements.filter(restatements.settled).inner_join(newest, [("source", "of")])
    late = late.mutate(since=late.newest - ibis.interval(days=RESTATED_DAYS))
    return late.filter(late.pulled_at > late.since).drop("of", "newest")


def change_on_basis(restatements: ir.Table, settings: Settings) -> ir.Value:
    """Returns the column of a bill's change: billed if `cost.basis` is, else effective."""
    basis = "billed" if settings.cost.basis == "billed" else "effective"
    return restatements[f"{basis}_change"]
