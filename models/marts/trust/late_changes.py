"""What AWS has lately changed of months that were settled, as a reader is told it.

Grain: billing month, of the source that money is counted from; only months that changed. Dollars on
the configured basis (billed or effective): `change` of the month, `total` of all of them, null as
soon as one change of theirs is unknown. `changed_at` is the newest; the window begins at `since`,
`RESTATED_DAYS` before the source's last success: that of `freshness.restated_cost`.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.money import known_sum
from models.contract.rules.restatement_window import RESTATED_DAYS
from models.contract.schema import EXPLAINERS, MONEY


def late_changes(restatements: ir.Table, freshness: ir.Table, settings: Settings) -> ir.Table:
    """The table of that name."""
    late = lately(restatements.filter(restatements.counted), freshness)
    months = late.group_by("month").agg(
        since=late.since.min(),
        changed_at=late.pulled_at.max(),
        change=known_sum(changed(late, settings)),
    )
    months = months.filter((months.change != 0) | months.change.isnull())
    every = ibis.window()
    unknown = months.change.isnull().any().over(every)
    total = ibis.ifelse(unknown, None, months.change.sum().over(every)).cast(MONEY)
    return months.mutate(total=total).select(*EXPLAINERS["late_changes"])


def lately(restatements: ir.Table, pulled: ir.Table) -> ir.Table:
    """Changes of settled months in the days up to their source's last success, and `since` when.

    `pulled` has `source` and `last_success`.
    """
    newest = pulled.group_by(of="source").agg(newest=pulled.last_success.max())
    late = restatements.filter(restatements.settled).inner_join(newest, [("source", "of")])
    late = late.mutate(since=late.newest - ibis.interval(days=RESTATED_DAYS))
    return late.filter(late.pulled_at > late.since).drop("of", "newest")


def changed(restatements: ir.Table, settings: Settings) -> ir.Value:
    """By how much, on the configured basis; null where a total was not told."""
    basis = "billed" if settings.cost.basis == "billed" else "effective"
    return restatements[f"{basis}_change"]
