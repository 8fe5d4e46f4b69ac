"""Checks whether clusters of one name in two accounts can be told apart (METHOD §2.10)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ingest.doctor.bill.machine_evidence import Evidence
from ingest.doctor.finding import Finding
from models.engine.allocations.counted_deliveries import VIEW, account_of, cluster_of
from models.engine.reduction import delivered_files
from models.formats.allocations import stated
from models.raw.delivery import Delivery

TELL_APART = (
    'add accounts = ["…"] to the [[sources]] entry of each cluster, or give one of them another '
    "`cluster`"
)


def indistinct_clusters(
    name: str, evidence: Evidence, live: Iterable[Delivery]
) -> Iterator[Finding]:
    """Yields warnings on cluster names that several accounts or several sources share."""
    delivered = [each for each in live if delivered_files.view_of(each) == VIEW]
    accounts: defaultdict[str, set[str]] = defaultdict(set)
    for each in delivered:
        accounts[cluster_of(each)].add(account_of(each))
    for cluster, billed in evidence.accounts_of_names():
        known = (accounts[cluster] - {""}) | evidence.accounts_of_jobs(cluster)
        if set(billed) - known:
            of_jobs = (
                f"jobs are told of {' and '.join(sorted(known))} alone"
                if known
                else "its jobs are told without an account"
            )
            text = f"accounts {' and '.join(billed)} have machines of this name, but {of_jobs}"
            yield Finding(name, f"accounts of {cluster}", "warning", text, TELL_APART)
    for cluster, sources in sorted(_sources(delivered).items()):
        text = f"{' and '.join(sorted(sources))} both tell of it: of a day the last pulled counts"
        yield Finding(name, f"sources of {cluster}", "warning", text, TELL_APART)


def _sources(delivered: Iterable[Delivery]) -> dict[str, set[str]]:
    """Maps each cluster to the sources that delivered the same day of it, if more than one."""
    days: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for each in delivered:
        if each.format != stated.NAME:
            days[each.key.unit, each.key.period].add(each.key.source)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for (cluster, _), sources in days.items():
        if len(sources) > 1:
            found[cluster] |= sources
    return found
