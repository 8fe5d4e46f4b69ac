"""AWS Batch over `batch`: `environments`, `queues`, and `jobs` as DescribeJobs tells them.

A listing has arrays and parallel jobs; their children are listed under `parent`. `batch_page` sizes
the pages.
"""

from __future__ import annotations

from typing import Any

from tests.support.aws.pages import page

Document = dict[str, Any]
SUMMARY = ("jobId", "jobArn", "jobName", "createdAt", "status", "arrayProperties", "nodeProperties")


def describe_compute_environments(asked: Document, world: Document) -> Document:
    return {"computeEnvironments": world.get("batch", {}).get("environments", [])}


def describe_job_queues(asked: Document, world: Document) -> Document:
    return {"jobQueues": world.get("batch", {}).get("queues", [])}


def list_jobs(asked: Document, world: Document) -> Document:
    parent = asked.get("arrayJobId") or asked.get("multiNodeJobId")
    after = int(asked["filters"][0]["values"][0]) if asked.get("filters") else 0
    jobs = [
        {name: job[name] for name in SUMMARY if name in job}
        for job in world.get("batch", {}).get("jobs", [])
        if job.get("parent") == parent
        and (parent or job["jobQueue"] == asked["jobQueue"])
        and job["createdAt"] >= after
        and asked.get("jobStatus") in (None, job["status"])
    ]
    size = world.get("batch_page", 100)
    shown, token = page(jobs, asked, size, "nextToken", "ClientException")
    return {"jobSummaryList": shown, **token}


def describe_jobs(asked: Document, world: Document) -> Document:
    jobs = world.get("batch", {}).get("jobs", [])
    return {"jobs": [_without_parent(job) for job in jobs if job["jobId"] in asked["jobs"]]}


def _without_parent(job: Document) -> Document:
    return {name: value for name, value in job.items() if name != "parent"}
