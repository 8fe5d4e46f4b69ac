"""Defines free calls that show which actions of SageMaker, HyperPod and Batch are allowed.

A job that a probe names does not exist, and a list ends after its first entry.
"""

from __future__ import annotations

from typing import Any, cast

from ingest import aws
from ingest.aws import Access
from ingest.doctor.aws_access.probe import Probe
from ingest.source import Source

NO_JOB = "breakeven-doctor"
"""A job that does not exist: AWS checks the caller's rights before it looks for the job."""


def _jobs(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.list_training_jobs(MaxResults=1)


def _job(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.describe_training_job(TrainingJobName=NO_JOB)


def _job_tags(client: Any, source: Source) -> object:  # noqa: ANN401
    place = f"{client.meta.partition}:sagemaker:{client.meta.region_name}"
    arn = f"arn:{place}:{aws.account(cast(Access, source.options))}:training-job/{NO_JOB}"
    return client.list_tags(ResourceArn=arn)


def _nodes(client: Any, source: Source) -> object:  # noqa: ANN401
    return client.list_cluster_nodes(ClusterName=getattr(source.options, "cluster", NO_JOB))


def _cluster(client: Any, source: Source) -> object:  # noqa: ANN401
    return client.describe_cluster(ClusterName=getattr(source.options, "cluster", NO_JOB))


def _queues(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.describe_job_queues(maxResults=1)


def _environments(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.describe_compute_environments(maxResults=1)


def _batch_jobs(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.list_jobs(jobQueue=NO_JOB)


def _batch_job(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.describe_jobs(jobs=[NO_JOB])


def _container_instance(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.describe_container_instances(cluster=NO_JOB, containerInstances=[NO_JOB])


JOB_PROBES = (
    Probe("sagemaker:ListTrainingJobs", "sagemaker", _jobs, "training jobs cannot be listed"),
    Probe(
        "sagemaker:DescribeTrainingJob",
        "sagemaker",
        _job,
        "billed time and progress of training jobs cannot be read",
    ),
    Probe("sagemaker:ListTags", "sagemaker", _job_tags, "tags of training jobs cannot be read"),
)
NODE_PROBES = (
    Probe(
        "sagemaker:ListClusterNodes",
        "sagemaker",
        _nodes,
        "instance types of the cluster's nodes cannot be read",
    ),
    Probe("sagemaker:DescribeCluster", "sagemaker", _cluster, "its ARN cannot be read"),
)
BATCH_PROBES = (
    Probe("batch:DescribeJobQueues", "batch", _queues, "job queues cannot be listed"),
    Probe(
        "batch:DescribeComputeEnvironments",
        "batch",
        _environments,
        "jobs cannot be told apart by compute environment",
    ),
    Probe("batch:ListJobs", "batch", _batch_jobs, "jobs cannot be listed"),
    Probe("batch:DescribeJobs", "batch", _batch_job, "attempts of jobs cannot be read"),
    Probe(
        "ecs:DescribeContainerInstances",
        "ecs",
        _container_instance,
        "instances that jobs ran on cannot be read",
    ),
)
