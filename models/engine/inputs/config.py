"""What the config says of runs, workloads, investments and accounts, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from models.config.settings import Settings


def workloads(settings: Settings) -> Iterator[dict[str, Any]]:
    for entry in settings.workloads:
        yield entry.model_dump(exclude={"name"}) | {"workload": entry.name}


def accounts(settings: Settings) -> Iterator[dict[str, Any]]:
    for entry in settings.accounts:
        yield {"account": entry.id, "closed": entry.closed}


def investments(settings: Settings) -> Iterator[dict[str, Any]]:
    for entry in settings.investments:
        yield {
            "date": entry.date,
            "workload": entry.workload,
            "kind": entry.kind,
            "amount": entry.one_time,
            "amount_per_month": entry.amount_per_month,
        }
