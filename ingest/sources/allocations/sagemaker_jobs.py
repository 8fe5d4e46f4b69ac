"""SageMaker training jobs as allocations: a job's ARN is the resource that its charges name.

So untagged history is told at once, and a job of many instances is one. Key: the account-region as
the cluster, and each UTC day that a job ran on. A day is asked for again only when its listing
changed, when it is not over, or when it is asked for. A job that was deleted stays as it was told.
All requests are free.

Cursor: none; the last 400 days are listed, else the days that are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any, ClassVar

from ingest import aws
from ingest.allocations.allocation import DAY, Allocation, by_cluster_and_day
from ingest.allocations.aws_jobs import AwsJobs
from ingest.allocations.deliveries import ClusterDay, batches
from ingest.allocations.labels import without_people
from ingest.allocations.live_days import LiveDays
from ingest.allocations.machine_types import if_it_may_be
from ingest.aws import training_jobs
from ingest.aws.listings import canonical_json
from ingest.aws.training_jobs import Document
from ingest.billing_months import midnight
from ingest.source import Batch, FetchContext
from models.config.settings import Settings
from models.contract.page_text import count
from models.formats.allocations.owners import SCHEDULER_RUN

WARM = timedelta(hours=1)
"""So long after its end a job may be charged for its machines, which SageMaker keeps for the next.

A day on which no job ran is then known, too, and not one of which nobody told.
"""
LONGEST = timedelta(days=28)
"""No training job may run longer: those that began before a day may still run on it."""


@dataclass(frozen=True)
class SageMakerJobs(AwsJobs):
    """The feed of SageMaker's training jobs in one account and region, as allocations."""

    kind: ClassVar[str] = "sagemaker_jobs"

    @property
    def location(self) -> str:
        """The feed's location in words: SageMaker's jobs, their region, and the role that reads."""
        return f"SageMaker jobs in {self.options.region_label} of {self.options.caller_label}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery of allocations per UTC day whose SageMaker jobs may have changed.

        A day that is not over may have; one that is asked for counts as changed.
        """
        client = aws.client("sagemaker", self.options)
        account, region = aws.account(self.options), client.meta.region_name
        jobs = JobsOfAccount(
            client, f"{account}-{region} SageMaker", account, region, self.settings
        )
        first, last = training_jobs.days_to_list(context.window, self.settings.today)
        summaries = training_jobs.listed(client, first - LONGEST, last)
        live, now = LiveDays(context, self), datetime.now(UTC)
        known = {summary["TrainingJobArn"] for summary in summaries}
        for day, listed in sorted(_by_day(summaries, now).items()):
            if not first <= day <= last:
                continue
            version = _version(listed, day, now, self.settings.tags.run)
            if not context.window.given and live.has(jobs.cluster, version):
                context.unchanged.append(f"{day}")
                continue
            held = jobs.on(day, listed, now, version)
            told = live.allocations(jobs.cluster, day)
            held = _with_deleted(held, [one for one in told if one.job not in known], context)
            context.notices.extend(held.newer_types())
            yield from batches([replace(held, anew=context.window.given)])


@dataclass(frozen=True)
class JobsOfAccount:
    """Reads SageMaker's training jobs as allocations; each job is asked about once in a pull."""

    client: Any
    cluster: str
    account: str
    region: str
    settings: Settings
    _known: dict[str, Allocation | None] = field(default_factory=dict)

    def on(self, day: date, listed: list[Document], now: datetime, version: str) -> ClusterDay:
        """Returns one day's allocations of training jobs; jobs not yet in training have none."""
        names = [summary["TrainingJobName"] for summary in listed]
        for name in names:
            if name not in self._known:
                self._known[name] = self._held(name, now)
        held = (self._known[name] for name in names)
        jobs = by_cluster_and_day(each for each in held if each)
        of_day = jobs.get((self.cluster, day), [])
        return ClusterDay(self.cluster, day, now, self.cluster, of_day, version)

    def _held(self, name: str, now: datetime) -> Allocation | None:
        job = training_jobs.described(self.client, name)
        if "TrainingStartTime" not in job:
            return None
        tags = training_jobs.tags(self.client, job["TrainingJobArn"])
        labels = {**tags, "job_name": name, SCHEDULER_RUN: name}
        return Allocation(
            self.cluster,
            job["TrainingStartTime"].astimezone(UTC),
            _end(job),
            now,
            account=self.account,
            region=self.region,
            resource=job["TrainingJobArn"],
            instance_type=_machine(job),
            share=Decimal(1),
            job=job["TrainingJobArn"],
            state=job["TrainingJobStatus"].upper(),
            queued_at=job["CreationTime"].astimezone(UTC),
            labels=without_people(labels, keep_user=self.settings.allocations.keep_user),
        )


def _with_deleted(held: ClusterDay, deleted: list[Allocation], context: FetchContext) -> ClusterDay:
    """Adds to a day the delivered allocations of jobs that SageMaker no longer lists."""
    if not deleted:
        return held
    context.notices.append(
        f"{held.cluster}: SageMaker no longer lists {count(len(deleted), 'job')} of {held.day}, "
        f"{deleted[0].job} for one: what was told before stays"
    )
    return replace(held, allocations=[*held.allocations, *deleted])


def _end(job: Document) -> datetime | None:
    """Returns when a training job ended, at least a second after its start; null while it runs.

    Its charges are its own however short it was, and an interval without length would be nobody's.
    """
    if "TrainingEndTime" not in job:
        return None
    started: datetime = job["TrainingStartTime"].astimezone(UTC)
    ended: datetime = job["TrainingEndTime"].astimezone(UTC)
    return max(ended, started + timedelta(seconds=1))


def _machine(job: Document) -> str | None:
    """Returns the instance type of a training job; null where it has none or several."""
    resources = job.get("ResourceConfig", {})
    kind: str | None = resources.get("SelectedInstanceType") or resources.get("InstanceType")
    return if_it_may_be(kind)


def _by_day(summaries: Iterable[Document], now: datetime) -> dict[date, list[Document]]:
    """Groups jobs by each UTC day they touch, up to an hour after they end, or until now."""
    days: dict[date, list[Document]] = {}
    for summary in summaries:
        end = summary["TrainingEndTime"] + WARM if "TrainingEndTime" in summary else now
        for day in _days(summary["CreationTime"], min(end, now)):
            days.setdefault(day, []).append(summary)
    return days


def _days(created: datetime, end: datetime) -> Iterator[date]:
    day = created.astimezone(UTC).date()
    while midnight(day) < end:
        yield day
        day += DAY


def _version(listed: list[Document], day: date, now: datetime, run_key: str) -> str:
    """Returns a hash of a day's jobs that, once the day is over, changes only if they do.

    Each day has its own, or the days of one long job would pass for each other. A job without the
    tag `run_key` goes by its name: another key may make other runs of them.
    """
    until = None if now >= midnight(day + DAY) else now
    about = canonical_json({"day": f"{day}", "jobs": listed, "until": until, "run": run_key})
    return sha256(json.dumps([2, about]).encode()).hexdigest()
