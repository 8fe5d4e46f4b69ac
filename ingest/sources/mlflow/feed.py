"""MLflow: what training runs logged to a tracking server, step by step.

Key: the experiment, and the UTC day on which its runs began. A day is asked for in full only when
one of its runs says something new; a run that is deleted on the server stays as it was told, until
another of its day has news. Only metrics that the config maps are read (METHOD §3.1).
Cursor: none; listing the runs tells which have news.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from ingest.source import Batch, FetchContext, Group, Options
from ingest.sources.mlflow.tracking_server import TrackingServer
from models.config.metrics import Tracked
from models.config.settings import Settings
from models.contract.errors import SourceError
from models.raw.zone import Staging

SCHEMA = pa.schema(
    [
        ("timestamp", pa.timestamp("us")),
        *((name, pa.string()) for name in ("source", "experiment", "run_id", "run_name", "status")),
        *((name, pa.string()) for name in ("Tags", "metric")),
        ("value", pa.float64()),
        ("step", pa.int64()),
    ]
)
Told = dict[str, Any]


class Server(Options, Tracked):
    """Options. `location`: as MLFLOW_TRACKING_URI; `experiments`: their names, else all."""

    location: str = Field(pattern=r"^https?://[^@\s]+$")
    token_file: str | None = Field(default=None, min_length=1)
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class MLflow:
    """One tracking server, or some of its experiments."""

    kind: ClassVar[str] = "mlflow"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "mlflow"
    accepts: ClassVar[type[Options]] = Server
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: Server
    settings: Settings

    @property
    def location(self) -> str:
        """The server and its experiments."""
        only = f" {', '.join(self.options.experiments)}" if self.options.experiments else ""
        return f"MLflow at {self.options.location}{only}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """One batch per experiment and day on which runs began."""
        token = self.options.token_file
        server = TrackingServer(
            self.options.location, self.settings.home / Path(token).expanduser() if token else None
        )
        for experiment in self._wanted(server):
            since = _milliseconds(context.window.first) if context.window.first else None
            every = server.runs(experiment["experiment_id"], since)
            runs = [run for run in every if self._measured(run)]
            context.notices.extend(self._unnamed(experiment["name"], runs))
            for day, told in _by_day(runs).items():
                if context.window.last is None or day <= f"{context.window.last}":
                    fill = partial(self._fill, server, experiment["name"], told)
                    yield Batch(experiment["name"], day, fill)

    def _unnamed(self, experiment: str, runs: list[Told]) -> Iterator[str]:
        """What is not counted, because nobody says whose it is."""
        key = self.settings.tags.workload
        unnamed = [run for run in runs if key not in json.loads(_tags(run))]
        if unnamed and not self.options.workload:
            first = unnamed[0]["info"].get("run_name")
            yield (
                f"{experiment}: {len(unnamed)} of {len(runs)} runs, {first} for one, have neither "
                f"a tag nor a parameter `{key}`: set it, or `workload` in the config"
            )

    def _measured(self, run: Told) -> bool:
        return not self.options.metrics.meanings.keys().isdisjoint(_logged(run))

    def _wanted(self, server: TrackingServer) -> list[Told]:
        """Experiments by their names. Raises `SourceError` for one that is not there."""
        found = {experiment["name"]: experiment for experiment in server.experiments()}
        for name in self.options.experiments:
            if name not in found:
                raise SourceError(
                    f"{self.name}: no such experiment", value=name, remedy="correct `experiments`"
                )
        return [found[name] for name in sorted(self.options.experiments or found)]

    def _fill(
        self, server: TrackingServer, experiment: str, runs: list[Told], staging: Staging
    ) -> None:
        """The day's runs; what is live where none of them says anything new."""
        asked = sorted(self.options.metrics.meanings)
        mark = sha256(json.dumps([asked, runs], sort_keys=True).encode()).hexdigest()
        known = staging.known(experiment, mark)
        if known:
            staging.reuse(*known)
            return
        rows = [
            row
            for run in runs
            for metric in asked
            if metric in _logged(run)
            for row in self._rows(experiment, run, server.history(run["info"]["run_id"], metric))
        ]
        table = pa.Table.from_pylist(rows, schema=SCHEMA)
        pq.write_table(table, staging.next_path, compression="zstd")
        staging.add(staging.next_path, origin=experiment, etag=mark)

    def _rows(self, experiment: str, run: Told, values: list[Told]) -> Iterator[Told]:
        info, tags = run["info"], _tags(run)
        for value in sorted(values, key=lambda one: (int(one["timestamp"]), int(one["step"]))):
            moment = datetime.fromtimestamp(int(value["timestamp"]) / 1000, UTC)
            yield {
                "timestamp": moment.replace(tzinfo=None),
                "source": self.name,
                "experiment": experiment,
                "run_id": info["run_id"],
                "run_name": info.get("run_name") or info["run_id"],
                "status": info.get("status"),
                "Tags": tags,
                "metric": value["key"],
                "value": float(value["value"]),
                "step": int(value["step"]),
            }


def _by_day(runs: Iterable[Told]) -> dict[str, list[Told]]:
    days: dict[str, list[Told]] = {}
    for run in sorted(runs, key=lambda run: run["info"]["run_id"]):
        began = datetime.fromtimestamp(int(run["info"]["start_time"]) / 1000, UTC)
        days.setdefault(f"{began:%Y-%m-%d}", []).append(run)
    return dict(sorted(days.items()))


def _logged(run: Told) -> set[str]:
    return {one["key"] for one in run["data"].get("metrics", [])}


def _tags(run: Told) -> str:
    """Parameters and tags as one object; a tag counts where both have a name."""
    data = run["data"]
    both = [*data.get("params", []), *data.get("tags", [])]
    return json.dumps({one["key"]: one["value"] for one in both}, sort_keys=True)


def _milliseconds(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp() * 1000)
