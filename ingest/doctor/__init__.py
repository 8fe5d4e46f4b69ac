"""What keeps breakeven from working, one line a check: `CHECKS`, one file each, in order.

A check is a function from the patient to findings. The order is that of causes: what a later one
needs, an earlier one has looked at, and one cause is one finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ingest.doctor import (
    accounts,
    clock,
    config,
    credentials,
    disk,
    exports,
    feeds,
    ledger,
    members,
    metrics,
    names,
    permissions,
    prices,
    published,
    regions,
    roles,
    runs,
    servers,
    tags,
)
from ingest.doctor.finding import Finding, refused
from ingest.doctor.patient import Patient
from models.config.settings import Settings
from models.contract.errors import BreakevenError

Check = Callable[[Patient], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    config.check,
    disk.check,
    ledger.check,
    clock.check,
    credentials.check,
    members.check,
    roles.check,
    regions.check,
    permissions.check,
    servers.check,
    exports.check,
    published.check,
    tags.check,
    metrics.check,
    runs.check,
    names.check,
    accounts.check,
    prices.check,
    feeds.check,
)


def examine(settings: Settings) -> Iterator[Finding]:
    """Every check of a config, as it is done. Changes nothing but the ledger of paid requests."""
    try:
        patient = Patient(settings)
    except BreakevenError as error:
        yield refused("config", "breakeven.toml", error)
        return
    for check in CHECKS:
        yield from check(patient)
