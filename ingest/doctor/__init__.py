"""What keeps breakeven from working, one line a check: `CHECKS`, one file each, in order.

A check is a function from the exam to findings. The order is that of causes: what a later one
needs, an earlier one has looked at, and one cause is one finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ingest.doctor import last_pulls
from ingest.doctor.aws_access import clock, credentials, organization, permissions, regions, roles
from ingest.doctor.bill import closed_accounts, cost_allocation_tags, data_exports, gpu_prices
from ingest.doctor.config import names, sources
from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, refused
from ingest.doctor.progress import metrics, tracking_servers, unmatched_runs
from ingest.doctor.this_machine import disk, request_ledger, snapshot
from models.config.settings import Settings
from models.contract.errors import BreakevenError

Check = Callable[[Examination], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    sources.check,
    disk.check,
    request_ledger.check,
    clock.check,
    credentials.check,
    organization.check,
    roles.check,
    regions.check,
    permissions.check,
    tracking_servers.check,
    data_exports.check,
    snapshot.check,
    cost_allocation_tags.check,
    metrics.check,
    unmatched_runs.check,
    names.check,
    closed_accounts.check,
    gpu_prices.check,
    last_pulls.check,
)


def examine(settings: Settings) -> Iterator[Finding]:
    """Every check of a config, as it is done. Changes nothing but the ledger of paid requests."""
    try:
        exam = Examination(settings)
    except BreakevenError as error:
        yield refused("config", "breakeven.toml", error)
        return
    for check in CHECKS:
        yield from check(exam)
