"""Lists AWS Batch's compute environments and jobs, arrays and parallel jobs included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from botocore import xform_name

from ingest import aws

Document = dict[str, Any]
STATUSES = ("RUNNABLE", "STARTING", "RUNNING", "SUCCEEDED", "FAILED")
"""Of jobs that may have held a machine; one whose attempt failed waits for the next as runnable."""
LISTED = ("PENDING", *STATUSES)
"""States in which jobs are looked for: an array is pending while its children run."""
AT_ONCE = 100
"""Jobs that one request may ask about."""


@dataclass(frozen=True)
class JobQueues:
    """Lists AWS Batch's compute environments and jobs in the account and region of a client."""

    client: Any

    def compute_environments(self) -> dict[str, str]:
        """Maps the ARN of each ECS cluster to the name of its AWS Batch compute environment."""
        every = self._pages("DescribeComputeEnvironments", "computeEnvironments")
        return {
            one["ecsClusterArn"]: one["computeEnvironmentName"]
            for one in every
            if one.get("ecsClusterArn")
        }

    def jobs(self) -> list[Document]:
        """Returns the DescribeJobs documents of the jobs in all queues, as far as Batch has them.

        Of an array or a parallel job these are its children that wait, start, run or are over: they
        are what holds machines.
        """
        queues = [one["jobQueueArn"] for one in self._pages("DescribeJobQueues", "jobQueues")]
        listed = {one["jobId"]: one for queue in queues for one in self._listed(queue)}
        ids = [one["jobId"] for summary in listed.values() for one in self._running(summary)]
        return list(self._described(dict.fromkeys(ids)))

    def _listed(self, queue: str) -> Iterator[Document]:
        for status in LISTED:
            yield from self._pages("ListJobs", "jobSummaryList", jobQueue=queue, jobStatus=status)

    def _running(self, summary: Document) -> Iterator[Document]:
        """Yields the children of an array or a parallel job, else the job itself."""
        if summary.get("arrayProperties", {}).get("size"):
            parent = {"arrayJobId": summary["jobId"]}
        elif summary.get("nodeProperties", {}).get("numNodes"):
            parent = {"multiNodeJobId": summary["jobId"]}
        else:
            yield summary
            return
        for status in STATUSES:
            yield from self._pages("ListJobs", "jobSummaryList", **parent, jobStatus=status)

    def _described(self, ids: Iterable[str]) -> Iterator[Document]:
        every = list(ids)
        for start in range(0, len(every), AT_ONCE):
            with aws.refusals("batch:DescribeJobs"):
                some = every[start : start + AT_ONCE]
                yield from self.client.describe_jobs(jobs=some)["jobs"]

    def _pages(self, operation: str, member: str, **request: object) -> Iterator[Document]:
        """Yields the items on all pages of a list operation of AWS Batch."""
        token: dict[str, str] = {}
        while True:
            with aws.refusals(f"batch:{operation}"):
                page = getattr(self.client, xform_name(operation))(**request, **token)
            yield from page.get(member, [])
            if not page.get("nextToken"):
                return
            token = {"nextToken": page["nextToken"]}
