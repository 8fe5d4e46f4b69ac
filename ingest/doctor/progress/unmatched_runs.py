"""Warns of runs without usable cost or epochs; proposes tag rules that would match some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import groupby
from typing import Any

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from models.config.settings import Settings
from models.formats.bill import cur2

NAME = "runs"
SHOWN = 5
WAITING = ("not_billed_yet", "not_reported_yet", "before_the_bill", "no_accelerator_hours")
"""Causes that need no action: later data may match the run, or it never trained."""
DIFFER, MUTE = "sources_differ", "benchmark_without_number"
EXPLAINED = {
    "never_reported": ("a cost and no epochs", "report them with ingest/emit.py, or a file"),
    "several_alike": ("named much like several others", "correct the tags, or write [[tag_rules]]"),
    "name_differs": ("its name differs between bill and progress", "write [[tag_rules]] for them"),
    "run_tag_missing": (
        "epochs and no cost: their workload has hours without a run",
        "tag the resources that train with its run, or write [[tag_rules]]",
    ),
    "no_charge": (
        "epochs and no cost: no charge names them",
        "tag the resources that train, and activate both tags in Billing",
    ),
    DIFFER: (
        "two sources of progress disagree",
        "report a run by one source, or correct the one that is wrong",
    ),
    "steps_without_size": (
        "training steps, and nothing says how much one is",
        "set tokens_per_step or samples_per_step of its workload in the config",
    ),
    "samples_without_time": (
        "samples without a time, and neither a job nor a charge names the run",
        "write observed_at, or tag what it trains on with its run",
    ),
    MUTE: (
        "not usable as a benchmark",
        "run it again: an hour that reports every five minutes is enough",
    ),
}
WITHOUT_COST = ("run_tag_missing", "no_charge")
"""Causes of epochs without a cost: the run may train in a container, which has no tags."""
SPLIT = "if it trains in containers, turn on split cost allocation in the export"
REPORT = 'if it trains in containers, add a CUR 2.0 with split cost allocation (kind = "cur2")'
ROWS = "SELECT * FROM unmatched_runs ORDER BY seen_in, workload, cause, run"
Row = dict[str, Any]


def check_unmatched_runs(exam: Examination) -> Iterator[Finding]:
    """Yields warnings on runs without usable cost or epochs, unless later data may help."""
    rows = exam.snapshot_rows(ROWS) or []
    proposed = [row for row in rows if row["tag_rule"] and row["seen_in"] == "bill"]
    rules = dict.fromkeys(row["tag_rule"] for row in proposed)
    yield from (_proposal([r for r in proposed if r["tag_rule"] == rule]) for rule in rules)
    of_containers = SPLIT if cur2.NAME in _kinds(exam.settings) else REPORT
    left = [row for row in rows if not row["tag_rule"] and row["cause"] not in WAITING]
    for _, same_cause in groupby(left, lambda row: (row["seen_in"], row["workload"], row["cause"])):
        yield _unmatched(list(same_cause), of_containers)


def _proposal(rows: list[Row]) -> Finding:
    row = rows[0]
    about = f"{row['run']} of {row['workload']}"
    called = f"{row['counterpart_run']} of {row['counterpart_workload']}"
    found = f"progress calls it {called}: it has a cost but no epochs"
    if len(rows) > 1:
        about = f"{len(rows)} runs of {row['workload']}"
        owner = row["counterpart_workload"]
        found = f"progress calls their workload {owner}: they have a cost but no epochs"
    return Finding(
        NAME, about, "warning", found, f"paste into breakeven.toml:\n{row['tag_rule'].strip()}"
    )


def _kinds(settings: Settings) -> set[str]:
    """Returns the kinds of `[[sources]]` that the counted bill comes from, such as `focus`."""
    source = settings.cost.source
    return {entry.kind for entry in settings.sources if source in (entry.label, entry.kind)}


def _unmatched(rows: list[Row], of_containers: str) -> Finding:
    row = rows[0]
    where = "on the bill" if row["seen_in"] == "bill" else "in progress"
    about = f"{row['workload']}, {len(rows)} {'runs' if len(rows) > 1 else 'run'} {where}"
    named = ", ".join(one["run"] for one in rows[:SHOWN])
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    means, remedy = EXPLAINED[row["cause"]]
    means += f" ({row['detail']})" if row["cause"] in (DIFFER, MUTE) else ""
    remedy += f"; {of_containers}" if row["cause"] in WITHOUT_COST else ""
    return Finding(NAME, about, "warning", f"{named}{more}: {_cost(rows)}{means}", remedy)


def _cost(rows: Iterable[Row]) -> str:
    costs = [row["cost"] for row in rows]
    return "" if None in costs else f"${sum(costs, Decimal(0)):,.2f}, "
