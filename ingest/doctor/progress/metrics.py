"""Checks that each billed workload reports progress, and that CloudWatch has the feed's metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ingest import aws
from ingest.doctor.examination import Examination, access_of
from ingest.doctor.finding import Finding, finding_of
from ingest.source import Source
from ingest.sources.progress.cloudwatch import CloudWatch
from models.contract.errors import BreakevenError

NAME = "metrics"
EMITTER = "report with ingest/emit.py, or map the run's own metrics in [[sources]]"
LATE_DAYS = 2
SHOWN = 12
"""Most names that a finding lists."""
ARRIVED = """
SELECT coalesce(spent.workload, reported.workload) AS workload, spent.day AS spent,
    reported.day AS reported, date_diff('day', reported.day, spent.day) AS behind
FROM (SELECT workload, max(date) AS day FROM spend_daily
      WHERE workload IS NOT NULL AND accelerator_hours > 0 GROUP BY ALL) AS spent
FULL JOIN (SELECT workload, max(date) AS day FROM progress_daily GROUP BY ALL) AS reported
    USING (workload)
ORDER BY 1"""


def check_metrics(exam: Examination) -> Iterator[Finding]:
    """Yields which CloudWatch metrics each source finds, and each workload's newest progress."""
    for source in exam.reachable:
        if isinstance(source, CloudWatch) and not _denied(source, exam):
            yield _series(source, exam)
    yield from (_arrived(row) for row in exam.snapshot_rows(ARRIVED) or [])


def _denied(source: Source, exam: Examination) -> bool:
    return any(location == source.location for location, _ in exam.denied)


def _arrived(row: dict[str, Any]) -> Finding:
    about, spent, reported = f"workload {row['workload']}", row["spent"], row["reported"]
    if reported is None:
        found = f"on the bill until {spent}, but no run reports progress: its unit cost is unknown"
        return Finding(NAME, about, "warning", found, EMITTER)
    if spent is not None and row["behind"] > LATE_DAYS:
        found = f"last reported {reported}, but was billed for {row['behind']} more days"
        return Finding(NAME, about, "warning", found, EMITTER)
    return Finding(NAME, about, "ok", f"last reported {reported}")


def _series(source: CloudWatch, exam: Examination) -> Finding:
    """Makes the finding on which of a source's mapped metrics CloudWatch lists for two weeks."""
    options, about = source.options, exam.label(source)
    try:
        listed = _listed(source, exam)
    except BreakevenError as error:
        return finding_of(NAME, about, error)
    named = [(name, given) for name, given in listed if set(given) == set(options.names)]
    expected = list(dict.fromkeys(reading.metric for reading in options.metrics.readings))
    fitting = [given for name, given in named if name in expected]
    if fitting:
        known = options.dimensions.workload
        count = Counter(given.get(known, options.workload) for given in fitting)
        return Finding(NAME, about, "ok", f"reported in the last two weeks: {_shown(count)}")
    if named:
        found = f"none of {', '.join(expected)} in the last two weeks; its metrics are "
        return Finding(NAME, about, "warning", found + _some({name for name, _ in named}), EMITTER)
    names = ", ".join(options.names)
    found = f"no metric in {options.namespace} had exactly the dimensions {names} in two weeks"
    others = {", ".join(sorted(given)) or "none" for _, given in listed}
    if others:
        found += f"; its metrics have {_some(others, '; ')}"
    return Finding(NAME, about, "warning", found, EMITTER)


def _shown(count: Mapping[Any, int]) -> str:
    """Returns text: each workload with its number of metric series, or sums if more than 12."""
    if len(count) > SHOWN:
        return f"{len(count)} workloads ({sum(count.values())} series)"
    return ", ".join(f"{name} ({number} series)" for name, number in sorted(count.items()))


def _some(names: Collection[str], between: str = ", ") -> str:
    more = f"{between}{len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return between.join(sorted(names)[:SHOWN]) + more


def _listed(source: CloudWatch, exam: Examination) -> list[tuple[str, dict[str, str]]]:
    """Returns (name, dimensions) of each metric that CloudWatch lists in a source's namespace."""
    client = exam.client("cloudwatch", access_of(source), source)
    with aws.refusals("cloudwatch:ListMetrics"):
        pages = client.get_paginator("list_metrics").paginate(Namespace=source.options.namespace)
        listed = [metric for page in pages for metric in page["Metrics"]]
    return [(m["MetricName"], {d["Name"]: d["Value"] for d in m["Dimensions"]}) for m in listed]
