"""Fetches what training runs logged to an MLflow tracking server, step by step.

Key: the experiment, and the UTC day on which its runs began. A day is read in full only when one of
its runs changed; a run that is deleted on the server stays as delivered: what it reached, it
reached. Only metrics that the config maps are read (METHOD §3.1). Cursor: none; the listing of
runs shows which changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from hashlib import sha256
from typing import Annotated, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ingest.billing_months import midnight
from ingest.source import Batch, FetchContext, Group, Options
from ingest.sources.progress.mlflow.tracking_server import TrackingServer
from ingest.trackers.max_steps import is_share, max_steps_of
from ingest.trackers.run_tables import delivered_rows, encoded, run_table, write_tables
from ingest.trackers.tracked_runs import (
    Document,
    columns,
    instant,
    runs_by_day,
    unnamed_workloads,
    unreadable_numbers,
)
from models.config.metrics.tracker_metrics import TrackerOptions
from models.config.refusals.text_form import WEB_ADDRESS
from models.config.settings import Settings
from models.contract.errors import SourceError
from models.contract.page_text import count
from models.contract.safe_text import without_credentials
from models.formats.progress.mlflow import EPOCH, PLANNED
from models.raw.staging import Staging

SCHEMA = encoded(columns("experiment"))


class MLflowOptions(Options, TrackerOptions):
    """Options of an MLflow source: server, sign-in, experiments, and what their metrics mean."""

    location: Annotated[str, WEB_ADDRESS]
    token_file: str | None = Field(default=None, min_length=1)
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class MLflow:
    """The MLflow feed: one tracking server, or some of its experiments."""

    kind: ClassVar[str] = "mlflow"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "mlflow"
    accepts: ClassVar[type[Options]] = MLflowOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: MLflowOptions
    settings: Settings

    @property
    def location(self) -> str:
        """The feed's location in words: the MLflow server and its experiments."""
        only = f" {', '.join(self.options.experiments)}" if self.options.experiments else ""
        return f"MLflow at {without_credentials(self.options.location)}{only}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields one delivery per experiment and day on which runs with mapped metrics began."""
        token = self.options.token_file
        server = TrackingServer(
            self.options.location, self.settings.resolve(token) if token else None
        )
        for experiment in self._experiments(server):
            since = _milliseconds(context.window.first) if context.window.first else None
            every = server.runs(experiment["experiment_id"], since)
            runs = [run for run in every if self._measured(run)]
            context.notices.extend(self._notices(experiment["name"], runs))
            for day, runs_of_day in runs_by_day(runs, _id, _began).items():
                if context.window.includes(day):
                    fill = partial(self._fill, server, experiment["name"], runs_of_day)
                    yield Batch(experiment["name"], day, fill)

    def _notices(self, experiment: str, runs: list[Document]) -> Iterator[str]:
        """Yields notices on runs with bad tags, with epochs that are none, or without workload."""
        identified = ((f"{_name(run)} ({_id(run)})", _tags(run)) for run in runs)
        yield from unreadable_numbers(experiment, identified)
        yield from _shares(experiment, runs)
        if self.options.workload:
            return
        named = [(_name(run), _tags(run)) for run in runs]
        places = "a tag nor a parameter"
        yield from unnamed_workloads(experiment, named, self.settings.tags.workload, places)

    def _measured(self, run: Document) -> bool:
        """Whether an MLflow run logged a metric that the config maps."""
        return not self.options.metrics.meanings.keys().isdisjoint(_logged(run))

    def _experiments(self, server: TrackingServer) -> list[Document]:
        """Returns the MLflow experiments to read. Raises `SourceError` for an unknown name."""
        found = {experiment["name"]: experiment for experiment in server.experiments()}
        for name in self.options.experiments:
            if name not in found:
                raise SourceError(
                    f"{self.name}: no such experiment", value=name, remedy="correct `experiments`"
                )
        return [found[name] for name in sorted(self.options.experiments or found)]

    def _fill(
        self, server: TrackingServer, experiment: str, runs: list[Document], staging: Staging
    ) -> None:
        """Writes a day's MLflow runs, or reuses the live delivery where none of them changed."""
        metrics = sorted(self.options.metrics.meanings)
        fingerprint = sha256(json.dumps([metrics, runs], sort_keys=True).encode()).hexdigest()
        known = staging.known(experiment, fingerprint)
        if known:
            staging.reuse(*known)
            return
        tables = [
            self._table(experiment, run, metric, server.history(run["info"]["run_id"], metric))
            for run in runs
            for metric in metrics
            if metric in _logged(run)
        ]
        tables.append(_deleted(runs, staging))
        write_tables(tables, SCHEMA, staging.next_path)
        staging.add(staging.next_path, origin=experiment, etag=fingerprint)

    def _table(
        self, experiment: str, run: Document, metric: str, values: list[Document]
    ) -> pa.Table:
        """Returns a row per value that an MLflow run logged of a metric."""
        info = run["info"]
        same = {
            "source": self.name,
            "experiment": experiment,
            "run_id": info["run_id"],
            "run_name": _name(run),
            "status": info.get("status"),
            "Tags": _tags(run),
            "metric": metric,
        }
        return run_table(SCHEMA, same, _columns(values))


def _deleted(runs: list[Document], staging: Staging) -> pa.Table:
    """Returns the delivered rows of a day's MLflow runs that are no longer listed."""
    delivered = delivered_rows(staging, SCHEMA)
    return delivered.filter(~pc.field("run_id").isin([_id(run) for run in runs]))


def _shares(experiment: str, runs: list[Document]) -> Iterator[str]:
    """Yields one notice on runs whose epochs are left out: they are `step / max_steps`."""
    shares = [_name(run) for run in runs if _logs_shares(run)]
    if shares:
        whose = f"{count(len(shares), 'run')} of {experiment}, such as {shares[0]}"
        yield (
            f"left out: epochs of {whose}, "
            "equal to the share of max_steps that is done, so no epochs: count by tokens, or say "
            "what a step is (`tokens_per_step`)"
        )


def _logs_shares(run: Document) -> bool:
    most = max_steps_of(_tags(run).encode()) if PLANNED in json.loads(_tags(run)) else 0
    newest = (one for one in run["data"].get("metrics", []) if one["key"] == EPOCH)
    return any(is_share(float(one["value"]), int(one["step"]), most) for one in newest)


def _columns(values: list[Document]) -> dict[str, list[object]]:
    """Returns an MLflow metric's logged values as columns, in order of time."""
    ordered = sorted(values, key=lambda one: (int(one["timestamp"]), int(one["step"])))
    moments = (instant(int(one["timestamp"]) / 1000) for one in ordered)
    return {
        "timestamp": [moment.replace(tzinfo=None) for moment in moments],
        "value": [float(one["value"]) for one in ordered],
        "step": [int(one["step"]) for one in ordered],
    }


def _id(run: Document) -> str:
    return str(run["info"]["run_id"])


def _name(run: Document) -> str:
    return str(run["info"].get("run_name") or _id(run))


def _began(run: Document) -> datetime:
    return instant(int(run["info"]["start_time"]) / 1000)


def _logged(run: Document) -> set[str]:
    return {one["key"] for one in run["data"].get("metrics", [])}


def _tags(run: Document) -> str:
    """Returns an MLflow run's parameters and tags as one JSON object; tags win."""
    data = run["data"]
    both = [*data.get("params", []), *data.get("tags", [])]
    return json.dumps({one["key"]: one["value"] for one in both}, sort_keys=True)


def _milliseconds(day: date) -> int:
    return int(midnight(day).timestamp() * 1000)
