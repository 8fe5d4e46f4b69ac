"""Makes gauges of the published snapshot: age, settled days, workloads' states, tie-out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from prometheus_client.core import GaugeMetricFamily

from dashboard.server.metrics.gauges import LONGEST_LABEL, MOST_SERIES, gauge, gauges
from dashboard.snapshot.context import DataContext
from models.contract.errors import MissingDataError, StorageError

Families = Iterator[GaugeMetricFamily]
STANDING = """SELECT workload, status, progress, cumulative_net_saving FROM break_even
  ORDER BY workload"""
SETTLED = """SELECT source, min(settled_through) AS settled_through FROM freshness
  GROUP BY source ORDER BY source"""
REMAINDERS = """SELECT basis, max(abs(remainder)) AS remainder FROM tie_out
  GROUP BY basis ORDER BY basis"""


def snapshot_metrics(context: DataContext, now: datetime) -> Families:
    """Yields gauges of the published snapshot's figures, or only that it cannot be read."""
    try:
        context.reader.refuse_other_version()
        families = [*_age(context, now), *_standing(context), *_trust(context)]
    except (MissingDataError, StorageError):
        families = []
    yield from gauge(
        "snapshot_readable", "1 where a snapshot of this version is served.", bool(families)
    )
    yield from families


def _age(context: DataContext, now: datetime) -> Families:
    published = context.reader.published_at
    age = published and (now - published).total_seconds()
    yield from gauge("snapshot_age_seconds", "Time since the snapshot was published.", age)
    (row,) = context.rows("SELECT settled_through FROM snapshot", {})
    yield from gauge(
        "snapshot_settled_through_timestamp_seconds",
        "The last day settled in all accounts.",
        row["settled_through"],
    )


def _standing(context: DataContext) -> Families:
    rows = context.rows(STANDING, {})
    yield from gauge("workloads", "Workloads, and all together as one more.", len(rows))
    yield from gauges(
        "progress_ratio",
        "How much of the investment is recovered.",
        "workload",
        ((row["workload"], row["progress"]) for row in rows),
    )
    yield from gauges(
        "net_saving_dollars",
        "Net saving to the last settled day.",
        "workload",
        ((row["workload"], row["cumulative_net_saving"]) for row in rows),
    )
    status = GaugeMetricFamily(
        "breakeven_status", "1 for a workload's present status.", labels=["workload", "status"]
    )
    for row in rows[:MOST_SERIES]:
        status.add_metric([row["workload"][:LONGEST_LABEL], row["status"]], 1)
    yield status


def _trust(context: DataContext) -> Families:
    yield from gauges(
        "feed_settled_through_timestamp_seconds",
        "The last settled day of a source's bill.",
        "source",
        ((row["source"], row["settled_through"]) for row in context.rows(SETTLED, {})),
    )
    yield from gauges(
        "tie_out_remainder_dollars",
        "The largest remainder of an account's month against its bill.",
        "basis",
        ((row["basis"], row["remainder"]) for row in context.rows(REMAINDERS, {})),
    )
