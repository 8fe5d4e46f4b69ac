"""Lists the config's runs, workloads, investments, accounts and rules as rows for a build."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from models.engine.context import BuildContext


def runs(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the `[[runs]]` of the config as rows."""
    for entry in context.settings.runs:
        yield entry.model_dump()


def workloads(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the `[[workloads]]` of the config as rows."""
    for entry in context.settings.workloads:
        yield entry.model_dump(exclude={"name"}) | {"workload": entry.name}


def investments(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the `[[investments]]` of the config as rows, with one-time and monthly amounts."""
    for entry in context.settings.investments:
        yield {
            "date": entry.date,
            "workload": entry.workload,
            "kind": entry.kind,
            "amount": entry.one_time,
            "amount_per_month": entry.amount_per_month,
            "until": entry.until,
            "day_rate": entry.day_rate,
        }


def accounts(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the `[[accounts]]` of the config, with the day each was closed; null while open."""
    for entry in context.settings.accounts:
        yield {"account": entry.id, "closed": entry.closed}


def rules(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the run and the workload that each of `[[tag_rules]]` gives; null where it gives none.

    What the rules match is read when bills are (`models.formats.tag_rules`).
    """
    for entry in context.settings.tag_rules:
        yield {"run": entry.run, "workload": entry.workload}
