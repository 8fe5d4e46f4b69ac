"""Runs the checks of `breakeven doctor`, and reports each problem once with its remedy.

In: the settings. Out: findings, each with its remedy. `CHECKS` lists the checks in the order of
causes: a check runs after those of what it needs, and a cause is reported once. Serves the `doctor`
verb, docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ingest.doctor.aws_access.clock import check_clock
from ingest.doctor.aws_access.credentials import check_credentials
from ingest.doctor.aws_access.organization import check_organization
from ingest.doctor.aws_access.permissions import check_permissions
from ingest.doctor.aws_access.regions import check_regions
from ingest.doctor.aws_access.roles import check_roles
from ingest.doctor.bill.closed_accounts import check_closed_accounts
from ingest.doctor.bill.cost_allocation_tags import check_cost_allocation_tags
from ingest.doctor.bill.data_exports import check_data_exports
from ingest.doctor.bill.gpu_prices import check_gpu_prices
from ingest.doctor.bill.shared_machines import check_shared_machines
from ingest.doctor.config.ends import check_ends
from ingest.doctor.config.names import check_names
from ingest.doctor.config.sources import check_sources
from ingest.doctor.config.suspicious_values import check_suspicious_values
from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, finding_of
from ingest.doctor.last_pulls import check_last_pulls
from ingest.doctor.progress.metrics import check_metrics
from ingest.doctor.progress.tracking_servers import check_tracking_servers
from ingest.doctor.progress.unmatched_runs import check_unmatched_runs
from ingest.doctor.this_machine.disk import check_disk
from ingest.doctor.this_machine.recipients import check_recipients
from ingest.doctor.this_machine.request_ledger import check_request_ledger
from ingest.doctor.this_machine.snapshot import check_snapshot
from models.config.settings import Settings
from models.contract.errors import BreakevenError

Check = Callable[[Examination], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    check_sources,
    check_suspicious_values,
    check_disk,
    check_request_ledger,
    check_recipients,
    check_clock,
    check_credentials,
    check_organization,
    check_roles,
    check_regions,
    check_permissions,
    check_tracking_servers,
    check_data_exports,
    check_snapshot,
    check_cost_allocation_tags,
    check_metrics,
    check_unmatched_runs,
    check_names,
    check_ends,
    check_closed_accounts,
    check_gpu_prices,
    check_shared_machines,
    check_last_pulls,
)
HERE: tuple[Check, ...] = (check_sources, check_disk)
"""The checks that ask nobody: they read the config and files of this machine, and cost nothing."""


def examine(settings: Settings, checks: Sequence[Check] = CHECKS) -> Iterator[Finding]:
    """Runs checks of `breakeven doctor` on a config, and yields findings as they are made.

    It changes nothing but the ledger of paid requests.
    """
    try:
        exam = Examination(settings)
    except BreakevenError as error:
        yield finding_of("config", "breakeven.toml", error)
        return
    for check in checks:
        yield from check(exam)
