"""AWS Batch: the attempts of jobs on the EC2 instances of its compute environments.

Batch forgets jobs a week after they ended, and ECS a container instance soon after it is gone, so
both are asked while they live; what was delivered stays. Key: account, region and name of the
compute environment, and the UTC day. Jobs on EKS are those of the source `kubernetes`; those on
Fargate hold no machine. All requests are free.

Cursor: none; the last `SEEN_DAYS` are asked for, or those of them that are named. What Batch has
forgotten is unknown, not idle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar

from ingest import aws
from ingest.allocations.allocation import DAY, Allocation, by_cluster_and_day
from ingest.allocations.aws_jobs import AwsJobs
from ingest.allocations.batch.attempts import Attempt, attempts
from ingest.allocations.batch.container_instances import ContainerInstances
from ingest.allocations.batch.jobs import JobQueues
from ingest.allocations.deliveries import ClusterDay, batches
from ingest.allocations.labels import without_people
from ingest.allocations.live_days import LiveDays
from ingest.source import Batch, FetchContext
from models.contract.page_text import count

SEEN_DAYS = 6
"""Batch has every job that ended less than a week ago."""
FORGOTTEN = "AWS Batch forgets jobs a week after they ended"


@dataclass(frozen=True)
class AwsBatch(AwsJobs):
    """The AWS Batch feed: the jobs of one account and region, as allocations."""

    kind: ClassVar[str] = "batch"

    @property
    def location(self) -> str:
        """The feed's location in words: Batch, its region, and the role that reads it."""
        return f"AWS Batch in {self.options.region_label} of {self.options.caller_label}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery of job allocations per AWS Batch compute environment and UTC day.

        The days are the last week's, or those of them that are asked for. One that lacks a job
        delivered before is left out, with a notice; so is one that is not over and has no job.
        """
        client = aws.client("batch", self.options)
        queues, now = JobQueues(client), datetime.now(UTC)
        clusters = queues.compute_environments()
        first, last = self._window(context)
        held = [attempt for job in queues.jobs() for attempt in attempts(job) if attempt.start]
        context.notices.extend(_of_no_environment(held, clusters))
        live = LiveDays(context, self)
        instances = ContainerInstances(aws.client("ecs", self.options), live.machines())
        alive = (attempt for attempt in held if attempt.ecs_cluster in clusters)
        instances.ask(attempt.container_instance for attempt in alive)  # of others ECS refuses all
        place = aws.account(self.options), client.meta.region_name
        rows = list(self._rows(held, clusters, instances, place, now))
        days = by_cluster_and_day(rows)
        offered = [
            ClusterDay(name, day, now, self.location, days.get((name, day), []), "", *place)
            for name in sorted(set(clusters.values()))
            for day in _days(first, last)
        ]
        for held_on in live.without_emptier(offered, context.notices, FORGOTTEN):
            context.notices.extend(held_on.newer_types())
            yield from batches([held_on])

    def _rows(
        self,
        held: Iterable[Attempt],
        clusters: dict[str, str],
        instances: ContainerInstances,
        place: tuple[str, str],
        now: datetime,
    ) -> Iterator[Allocation]:
        """Yields an allocation per Batch job attempt whose compute environment still exists."""
        account, region = place
        for attempt in held:
            machine = instances.machine(attempt.container_instance)
            if attempt.ecs_cluster in clusters and attempt.start:
                yield Allocation(
                    clusters[attempt.ecs_cluster],
                    attempt.start,
                    attempt.end,
                    now,
                    account=account,
                    region=region,
                    resource=machine.resource,
                    node=attempt.container_instance.rpartition("/")[2],
                    instance_type=machine.instance_type,
                    accelerators=attempt.accelerators,
                    cpus=attempt.cpus,
                    job=attempt.job,
                    attempt=attempt.number,
                    state=attempt.state,
                    queued_at=attempt.queued_at,
                    labels=without_people(
                        attempt.labels, keep_user=self.settings.allocations.keep_user
                    ),
                )

    def _window(self, context: FetchContext) -> tuple[date, date]:
        """Returns the first and last day to ask for; a notice says if earlier ones are gone."""
        today = datetime.now(UTC).date()
        known = today - timedelta(days=SEEN_DAYS)
        first = context.window.first or known
        if first < known:
            context.notices.append(f"{FORGOTTEN}: days before {known} are unknown, not idle")
        return max(first, known), min(context.window.last or today, today)


def _of_no_environment(held: Iterable[Attempt], clusters: dict[str, str]) -> Iterator[str]:
    """Yields one notice of jobs that are not counted, as their compute environment is gone."""
    jobs = sorted({attempt.job for attempt in held if attempt.ecs_cluster not in clusters})
    if jobs:
        yield (
            f"{count(len(jobs), 'job')}, {jobs[0]} for one, ran in compute environments that AWS "
            "Batch no longer has: what they held and was not told before is counted nowhere (a "
            '[[sources]] entry of kind "allocations" can tell it)'
        )


def _days(first: date, last: date) -> Iterator[date]:
    day = first
    while day <= last:
        yield day
        day += DAY
