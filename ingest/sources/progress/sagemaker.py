"""Fetches SageMaker training jobs of one account and region: billed time and last metrics.

Key: account and region, twice (progress, and `jobs`), and the UTC day on which jobs were created. A
day is described again only when its listing changed, when one of its jobs is still in progress, or
when the day is requested. Tags are not in a listing, so those of a job with metrics and no workload
are requested until it has one; a notice names such jobs. All requests are free.

SageMaker returns only the last value of a metric. A job that should report more publishes to
CloudWatch, which the source `cloudwatch` reads.

Cursor: none; the last 400 days are listed, else the requested days.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property, partial
from hashlib import sha256
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from ingest import aws
from ingest.aws import training_jobs
from ingest.aws.listings import canonical_json
from ingest.aws.training_jobs import IN_PROGRESS, Document
from ingest.source import Batch, FetchContext, Group, Options
from models.config.metrics.tracker_metrics import TrackerOptions
from models.config.settings import Settings
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.seen_versions import last_seen
from models.raw.staging import Staging

NAMED = [(name, pa.string()) for name in ("source", "account", "region", "run_name", "Tags")]
METRICS = pa.schema(
    [("timestamp", pa.timestamp("us")), *NAMED, ("metric", pa.string()), ("value", pa.float64())]
)
JOBS = pa.schema([*NAMED, ("job", pa.string()), ("machine", pa.string())])
Job = tuple[Document, dict[str, str]]
"""A job's description by SageMaker, and its tags."""


class SageMakerOptions(aws.Access, TrackerOptions):
    """Options of a SageMaker source: AWS access, and the meaning of the jobs' metrics."""


@dataclass(frozen=True)
class SageMaker:
    """The SageMaker feed: last metrics and machines of an account's training jobs in a region."""

    kind: ClassVar[str] = "sagemaker"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "sagemaker"
    accepts: ClassVar[type[Options]] = SageMakerOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = True

    name: str
    options: SageMakerOptions
    settings: Settings

    @property
    def location(self) -> str:
        """The feed's location in words: SageMaker, its region, and the role that reads it."""
        return f"SageMaker in {self.options.region_label} of {self.options.caller_label}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields two deliveries per day on which training jobs were created: metrics, and jobs."""
        client = aws.client("sagemaker", self.options)
        account, region = aws.account(self.options), client.meta.region_name
        unit = f"{account}-{region}"
        whose = {"source": self.name, "account": account, "region": region}
        first, last = training_jobs.days_to_list(context.window, self.settings.today)
        described: list[Job] = []
        for day, listed in _by_day(training_jobs.listed(client, first, last)).items():
            if not first <= date.fromisoformat(day) <= last:
                continue  # a part of a day would replace the whole
            jobs = JobsOfDay(client, listed, whose, described)
            live = context.zone.current(Key(self.name, f"{unit} jobs", day))
            jobs.is_live = not context.window.given and jobs.unchanged(live, self._untagged(live))
            yield Batch(unit, day, partial(_fill, jobs, unit, METRICS), empty=True)
            yield Batch(
                f"{unit} jobs", day, partial(_fill, jobs, unit, JOBS), format="training_jobs"
            )

        context.notices.extend(self._notices(unit, described))  # each is described by now

    def _untagged(self, live: Delivery | None) -> dict[str, dict[str, str]]:
        """Maps each delivered job that has metrics and no workload to its tags."""
        if live is None or not live.present or self.options.workload:
            return {}
        rows = (row for path in live.paths for row in pq.read_table(path).to_pylist())
        tags_by_run = {
            row["run_name"]: json.loads(row["Tags"]) for row in rows if self._has_metrics(row)
        }
        return {
            name: tags
            for name, tags in tags_by_run.items()
            if self.settings.tags.workload not in tags
        }

    def _has_metrics(self, row: Document) -> bool:
        return self._measured(json.loads(row["job"]))

    def _notices(self, unit: str, jobs: list[Job]) -> Iterator[str]:
        """Warns of jobs with metrics but no workload tag, unless the config names a workload."""
        key = self.settings.tags.workload
        measured = [(job, tags) for job, tags in jobs if self._measured(job)]
        unnamed = [job["TrainingJobName"] for job, tags in measured if key not in tags]
        if unnamed and not self.options.workload:
            yield (
                f"{unit}: {len(unnamed)} of {len(measured)} jobs, such as {unnamed[0]}, have no "
                f"tag `{key}`: set it, or `workload` in the config"
            )

    def _measured(self, job: Document) -> bool:
        reported = {metric["MetricName"] for metric in job.get("FinalMetricDataList", [])}
        return not reported.isdisjoint(self.options.metrics.meanings)


@dataclass
class JobsOfDay:
    """SageMaker's training jobs created on one day; described only where rows are needed."""

    client: Any
    listed: list[Document]
    whose: dict[str, str]
    described: list[Job]
    """Every job that was described in this pull, with its tags; grows."""
    is_live: bool = False
    """Whether a delivery with the same content is live."""

    @property
    def fingerprint(self) -> str:
        """A hash of the list of SageMaker training jobs created on a day."""
        return sha256(canonical_json({"jobs": self.listed}).encode()).hexdigest()

    def unchanged(self, live: Delivery | None, before: Document) -> bool:
        """Whether the live delivery has exactly these jobs, all ended, with tags as before.

        `before` has the delivered tags, by name, of the jobs whose tags are to be compared.
        """
        if live is None or self.fingerprint not in (file.etag for file in last_seen(live)):
            return False
        if any(one["TrainingJobStatus"] in IN_PROGRESS for one in self.listed):
            return False
        known = (one for one in self.listed if one["TrainingJobName"] in before)
        return all(self._tags(one) == before[one["TrainingJobName"]] for one in known)

    def rows(self, schema: pa.Schema) -> list[Document]:
        """Returns the rows of a day's SageMaker training jobs: their last metrics, or machines.

        `schema` is that of the table of metrics (a row per metric of a job) or of jobs (a row per
        group of machines).
        """
        split = _metric_rows if schema is METRICS else _machine_rows
        return [row for job, tags in self._described for row in split(job, self._named(job, tags))]

    def _named(self, job: Document, tags: Document) -> Document:
        tagged = json.dumps(tags, sort_keys=True)
        return {**self.whose, "run_name": job["TrainingJobName"], "Tags": tagged}

    @cached_property
    def _described(self) -> list[Job]:
        found = [
            (training_jobs.described(self.client, one["TrainingJobName"]), self._tags(one))
            for one in self.listed
        ]
        self.described.extend(found)
        return found

    def _tags(self, one: Document) -> dict[str, str]:
        return training_jobs.tags(self.client, one["TrainingJobArn"])


def _fill(day: JobsOfDay, unit: str, schema: pa.Schema, staging: Staging) -> None:
    live = staging.zone.current(staging.key)
    if day.is_live and live and live.present:
        for file in last_seen(live):
            staging.reuse(live, file)
        return
    table = pa.Table.from_pylist(day.rows(schema), schema=schema)
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=unit, etag=day.fingerprint)


def _metric_rows(job: Document, named: Document) -> Iterator[Document]:
    """Yields a row for the last value of each metric of a training job.

    One of the last tenth of training has the time of the newest: SageMaker tells no epoch before
    the last, so that a loss some lines earlier would lie before all work.
    """
    metrics = job.get("FinalMetricDataList", [])
    times: list[datetime] = sorted(metric["Timestamp"] for metric in metrics)
    began: datetime | None = job.get("TrainingStartTime")
    for metric in metrics:
        moment, newest = metric["Timestamp"], times[-1]
        if began and newest - moment <= (newest - began) / 10:
            moment = newest
        yield {
            **named,
            "timestamp": moment.astimezone(UTC).replace(tzinfo=None),
            "metric": metric["MetricName"],
            "value": metric["Value"],
        }


def _machine_rows(job: Document, named: Document) -> Iterator[Document]:
    """Yields a row for each group of machines that a training job ran on."""
    resources = job.get("ResourceConfig", {})
    for machine in resources.get("InstanceGroups") or [resources]:
        yield {**named, "job": canonical_json(job), "machine": canonical_json(machine)}


def _by_day(listed: Iterable[Document]) -> dict[str, list[Document]]:
    days: dict[str, list[Document]] = {}
    for job in listed:
        days.setdefault(f"{job['CreationTime'].astimezone(UTC):%Y-%m-%d}", []).append(job)
    return days
