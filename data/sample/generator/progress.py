"""Simulates the logs of training runs: epoch, loss, samples and tokens every four hours."""

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path

from generator.runs import Run, Stretch
from generator.timeline import PROGRESS_UNTIL

EVERY_HOURS = 4.0
COLUMNS = (
    "observed_at",
    "workload",
    "run",
    "epoch",
    "loss",
    "samples",
    "tokens",
    "samples_per_epoch",
    "recipe",
    "purpose",
    "resumed_from",
    "start_epoch",
)

Sample = dict[str, str | int | float]


def moments(stretch: Stretch) -> Iterator[float]:
    """Hours since launch at which a stretch of training is logged: its start, a rhythm, its end."""
    hours = stretch.start
    while hours < stretch.end - 0.5:
        yield hours
        hours += EVERY_HOURS
    yield stretch.end


def sample(run: Run, hours: float, epoch: float) -> Sample:
    """Returns one line of a run's log as a dict, without the values that the run does not log."""
    workload = run.workload
    samples = round(epoch * workload.samples_per_epoch)
    known: Sample = {
        "observed_at": (run.start + timedelta(seconds=round(hours * 3600))).isoformat() + "Z",
        "workload": workload.name,
        "run": run.name,
        "epoch": round(epoch, 4),
        "samples": samples,
        "tokens": samples * workload.tokens_per_sample,
        "samples_per_epoch": workload.samples_per_epoch,
        "recipe": run.recipe,
        "purpose": run.purpose,
    }
    if workload.logs_loss:
        known["loss"] = round(run.loss(epoch), 4)
    if run.resumed_from:
        known["resumed_from"] = run.resumed_from
    if run.declares_start:
        known["start_epoch"] = run.start_epoch
    return known


def log(run: Run) -> Iterator[Sample]:
    """Yields the lines of a run's log, from its first logged epoch until the sample data end."""
    for stretch in run.stretches():
        for hours in moments(stretch):
            epoch = stretch.epoch_at(hours)
            seen = run.start + timedelta(hours=hours) <= PROGRESS_UNTIL
            if seen and epoch >= run.logs_from:
                yield sample(run, hours, epoch)


def write(folder: Path, runs: Iterable[Run]) -> None:
    """Writes one file of logs per workload: CSV, or JSON lines where no loss is logged."""
    folder.mkdir(parents=True)
    by_workload: dict[str, list[Sample]] = {}
    for run in sorted(runs, key=lambda run: (run.start, run.name)):
        by_workload.setdefault(run.workload.name, []).extend(log(run))
    for name, samples in by_workload.items():
        has_loss = any("loss" in line for line in samples)
        (write_csv if has_loss else write_jsonl)(folder / name, samples)


def write_csv(stem: Path, samples: list[Sample]) -> None:
    """Writes a workload's progress as a CSV with all columns; an unknown value is empty."""
    with stem.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(samples)


def write_jsonl(stem: Path, samples: list[Sample]) -> None:
    """Writes a workload's progress as JSON, an object a line; an unknown value is absent."""
    lines = (json.dumps(line, separators=(",", ":")) for line in samples)
    text = "".join(f"{line}\n" for line in lines)
    stem.with_suffix(".jsonl").write_text(text, encoding="utf-8")
