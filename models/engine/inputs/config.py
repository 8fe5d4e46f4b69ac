"""What the config says of runs, workloads, investments and accounts, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from models.engine.context import BuildContext


def runs(context: BuildContext) -> Iterator[dict[str, Any]]:
    """The `[[runs]]` of the config: what no feed can say of a run."""
    for entry in context.settings.runs:
        yield entry.model_dump()


def workloads(context: BuildContext) -> Iterator[dict[str, Any]]:
    """The `[[workloads]]` of the config: target loss, fixed cost per epoch."""
    for entry in context.settings.workloads:
        yield entry.model_dump(exclude={"name"}) | {"workload": entry.name}


def investments(context: BuildContext) -> Iterator[dict[str, Any]]:
    """The `[[investments]]` of the config: what the migration itself cost."""
    for entry in context.settings.investments:
        yield {
            "date": entry.date,
            "workload": entry.workload,
            "kind": entry.kind,
            "amount": entry.one_time,
            "amount_per_month": entry.amount_per_month,
        }


def accounts(context: BuildContext) -> Iterator[dict[str, Any]]:
    """The `[[accounts]]` of the config, with the day each was closed; null while it is open."""
    for entry in context.settings.accounts:
        yield {"account": entry.id, "closed": entry.closed}
