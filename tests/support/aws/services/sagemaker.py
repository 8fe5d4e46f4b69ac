"""SageMaker over `jobs`, training jobs as DescribeTrainingJob tells them, and their `Tags`.

`job_page` sizes the pages of the listing; every job of `hidden` is dropped only after its page was
cut, as AWS filters: pages with a token may be empty. `tag_page` sizes those of tags.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.support.aws.pages import page
from tests.support.aws.protocol import Refusal

SUMMARY = (
    *("TrainingJobName", "TrainingJobArn", "CreationTime", "TrainingEndTime", "LastModifiedTime"),
    *("TrainingJobStatus", "WarmPoolStatus"),
)


def list_training_jobs(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    found = [
        job
        for job in sorted(world.get("jobs", []), key=lambda job: job["CreationTime"])
        if _instant(job["CreationTime"]) >= asked.get("CreationTimeAfter", _FIRST)
        and _instant(job["CreationTime"]) <= asked.get("CreationTimeBefore", _LAST)
    ]
    size = min(asked.get("MaxResults", 10), world.get("job_page", 100))
    shown, token = page(found, asked, size, "NextToken", "ValidationException")
    hidden = set(world.get("hidden", []))
    jobs = [job for job in shown if job["TrainingJobName"] not in hidden]
    summaries = [{name: job[name] for name in SUMMARY if name in job} for job in jobs]
    return {"TrainingJobSummaries": summaries, **token}


def describe_training_job(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    job = _job("TrainingJobName", asked["TrainingJobName"], world)
    return {name: told for name, told in job.items() if name != "Tags"}


def list_tags(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    tags = _job("TrainingJobArn", asked["ResourceArn"], world).get("Tags", {})
    every = [{"Key": key, "Value": value} for key, value in tags.items()]
    shown, token = page(every, asked, world.get("tag_page", 50), "NextToken", "ValidationException")
    return {"Tags": shown, **token}


def describe_cluster(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    """Of a cluster, its ARN: it ends in an id that is not the name."""
    arn = f"arn:aws:sagemaker:us-east-1:{world['account']}:cluster/id-of-{asked['ClusterName']}"
    status = {"ClusterStatus": "InService", "CreationTime": "2026-01-01T00:00:00Z"}
    return {"ClusterArn": arn, "ClusterName": asked["ClusterName"], "InstanceGroups": [], **status}


def list_cluster_nodes(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    """Over `clusters`, the nodes of each by its name; `node_page` sizes the pages."""
    nodes = world.get("clusters", {}).get(asked["ClusterName"])
    if nodes is None:
        raise Refusal("ResourceNotFound", f"Cluster {asked['ClusterName']} not found.")
    size = min(asked.get("MaxResults", 10), world.get("node_page", 100))
    shown, token = page(nodes, asked, size, "NextToken", "ValidationException")
    return {"ClusterNodeSummaries": shown, **token}


def _job(name: str, value: str, world: dict[str, Any]) -> dict[str, Any]:
    for job in world.get("jobs", []):
        if job[name] == value:
            return dict(job)
    raise Refusal("ValidationException", "Requested resource not found.")


_FIRST, _LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)
