"""Builds the progress files that training jobs had logged by a day, one per workload."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime, timedelta

from generator.history import all_runs
from generator.progress import COLUMNS, Sample, log, sample
from generator.runs import Run
from generator.timeline import PROGRESS_UNTIL

from story.history import further_runs
from story.workloads import EMBER

EVERY_FIVE_MINUTES = 1 / 12
IN_EPOCHS = ("epoch", "samples", "samples_per_epoch")


def files(until: datetime) -> dict[str, str]:
    """Maps file name → text of a workload's progress: CSV, or JSON lines if it logs no loss."""
    by_workload: dict[str, list[Sample]] = {}
    for run in sorted([*all_runs(), *further_runs()], key=lambda run: (run.start, run.name)):
        seen = [line for line in _lines(run) if line["observed_at"] <= _stamp(until)]
        by_workload.setdefault(run.workload.name, []).extend(seen)
    named = {}
    for name, lines in sorted(by_workload.items()):
        has_loss = any("loss" in line for line in lines)
        named[f"{name}.{'csv' if has_loss else 'jsonl'}"] = (
            _csv(lines) if has_loss else _json(lines)
        )
    return named


def _lines(run: Run) -> Iterator[Sample]:
    """Yields a run's log lines; every five minutes in benchmarks, without epochs for ember."""
    for line in _often(run) if run.purpose == "benchmark" else log(run):
        if run.workload.name == EMBER.name:
            line = {name: value for name, value in line.items() if name not in IN_EPOCHS}
        yield line


def _often(run: Run) -> Iterator[Sample]:
    for stretch in run.stretches():
        hours = stretch.start
        while hours < stretch.end:
            yield sample(run, hours, stretch.epoch_at(hours))
            hours += EVERY_FIVE_MINUTES
        yield sample(run, stretch.end, stretch.last_epoch)


def _stamp(until: datetime) -> str:
    return f"{min(until, PROGRESS_UNTIL + timedelta(seconds=1)):%Y-%m-%dT%H:%M:%S}Z"


def _csv(lines: list[Sample]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def _json(lines: list[Sample]) -> str:
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
