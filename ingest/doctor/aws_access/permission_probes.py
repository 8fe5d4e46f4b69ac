"""Defines for each AWS action of a source a call that shows, almost free, if it is allowed.

EC2 has a dry run. Requests to Cost Explorer and GetMetricData name a period that ends before it
begins: AWS checks the caller's rights first, then refuses the period, and does not bill a refused
request. All others are free, or, like ListMetrics and S3, cost a thousandth of a cent, which the
ledger records.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from ingest import aws
from ingest.aws import Access
from ingest.files.s3 import SCHEME
from ingest.source import Source

Ask = Callable[[Any, Source], object]
PERMITTED = {
    "DryRunOperation",
    "ValidationException",
    "ValidationError",
    "InvalidParameterValue",
    "InvalidParameterCombination",
    "InvalidRange",
    "ResourceNotFound",
    "ClientException",
    "ClusterNotFoundException",
}
"""Errors about the request itself, which show that the caller is allowed to make it."""
STATEMENTS = {
    "bcm-data-exports": "ExportHealth",
    "ce": "CostExplorer",
    "cloudwatch": "Metrics",
    "ec2": "Capacity",
    "ec2:DescribeSpotPriceHistory": "SpotPrices",
    "kms": "ExportKey",
    "organizations": "Organization",
    "pricing": "PriceList",
    "batch": "BatchJobs",
    "ecs": "BatchJobs",
    "sagemaker": "TrainingJobs",
    "sagemaker:DescribeCluster": "HyperPodNodes",
    "sagemaker:ListClusterNodes": "HyperPodNodes",
    "s3": "ExportFiles",
    "s3:ListBucket": "ExportListing",
    "savingsplans": "SavingsPlans",
    "sts": "OtherAccounts",
}
"""Statements of `deploy/iam-policy.json`, by action, else by service.

The statement for a bucket's own key is in the templates beside it: no policy can name every key.
"""
NO_JOB = "breakeven-doctor"
"""A job that does not exist: AWS checks the caller's rights before it looks for the job."""
API_REGION = "us-east-1"
EMPTY_PERIOD = {"TimePeriod": {"Start": "2001-01-02", "End": "2001-01-01"}}


class Probe(NamedTuple):
    """A call that shows if one AWS action is allowed; `lost` says what does not work without it."""

    action: str
    service: str
    ask: Ask
    lost: str
    region: str | None = None


def _cost_and_usage(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.get_cost_and_usage(**EMPTY_PERIOD, Granularity="DAILY", Metrics=["UnblendedCost"])


def _dimension_values(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.get_dimension_values(**EMPTY_PERIOD, Dimension="RECORD_TYPE")


def _tags(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.get_tags(**EMPTY_PERIOD)


def _list_metrics(client: Any, source: Source) -> object:  # noqa: ANN401
    return client.list_metrics(Namespace=getattr(source.options, "namespace", "Breakeven"))


def _metric_data(client: Any, _: Source) -> object:  # noqa: ANN401
    stat = {"Metric": {"Namespace": "Breakeven", "MetricName": "Epoch"}, "Period": 60}
    return client.get_metric_data(
        MetricDataQueries=[{"Id": "m0", "MetricStat": {**stat, "Stat": "Maximum"}}],
        StartTime=datetime(2001, 1, 2, tzinfo=UTC),
        EndTime=datetime(2001, 1, 1, tzinfo=UTC),
        ScanBy="TimestampAscending",
    )


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


def _products(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.get_products(ServiceCode="AmazonEC2", FormatVersion="aws_v1", MaxResults=1)


def _plans(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.describe_savings_plans(maxResults=1)


def _plan_rates(client: Any, _: Source) -> object:  # noqa: ANN401
    return client.describe_savings_plans_offering_rates(maxResults=1)


def _first_object(client: Any, source: Source) -> dict[str, Any] | None:  # noqa: ANN401
    bucket, prefix = bucket_and_prefix(source)
    listed = client.list_objects_v2(Bucket=bucket, Prefix=prefix, MaxKeys=1)
    return next(iter(listed.get("Contents", [])), None)


def _first_byte(client: Any, source: Source) -> object:  # noqa: ANN401
    """Reads one byte of the first object at a source's S3 location; None where there is none."""
    first = _first_object(client, source)
    bucket, _ = bucket_and_prefix(source)
    return first and client.get_object(Bucket=bucket, Key=first["Key"], Range="bytes=0-0")


def _dry_run(method: str, **request: object) -> Ask:
    return lambda client, _: getattr(client, method)(DryRun=True, **request)


def policy_statement(action: str) -> str:
    """Returns the name of the IAM policy statement that allows an action; empty where none does."""
    return STATEMENTS.get(action) or STATEMENTS.get(action.partition(":")[0], "")


def bucket_and_prefix(source: Source) -> tuple[str, str]:
    """Splits the S3 location of a source into bucket and prefix."""
    location = getattr(source.options, "location", "")
    bucket, _, prefix = location.removeprefix(SCHEME).partition("/")
    return bucket, prefix.strip("/")


FILE_PROBES = (
    Probe("s3:ListBucket", "s3", _first_object, "the files in the bucket cannot be listed"),
    Probe("s3:GetObject", "s3", _first_byte, "its files cannot be read"),
)
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
PROBES: dict[str, tuple[Probe, ...]] = {
    "cost_explorer": (
        Probe("ce:GetCostAndUsage", "ce", _cost_and_usage, "the bill cannot be read"),
        Probe("ce:GetDimensionValues", "ce", _dimension_values, "the bill cannot be split by day"),
        Probe("ce:GetTags", "ce", _tags, "a pull fails if a tag is on no spend"),
    ),
    "cloudwatch": (
        Probe(
            "cloudwatch:ListMetrics", "cloudwatch", _list_metrics, "metrics of runs cannot be found"
        ),
        Probe(
            "cloudwatch:GetMetricData",
            "cloudwatch",
            _metric_data,
            "epochs and losses cannot be read",
        ),
    ),
    "utilisation": (
        Probe(
            "cloudwatch:ListMetrics",
            "cloudwatch",
            _list_metrics,
            "metrics of machines cannot be found",
        ),
        Probe("cloudwatch:GetMetricData", "cloudwatch", _metric_data, "utilisation cannot be read"),
    ),
    "sagemaker": JOB_PROBES,
    "sagemaker_jobs": JOB_PROBES,
    "hyperpod": (
        Probe(
            "sagemaker:ListClusterNodes",
            "sagemaker",
            _nodes,
            "instance types of the cluster's nodes cannot be read",
        ),
        Probe("sagemaker:DescribeCluster", "sagemaker", _cluster, "its ARN cannot be read"),
    ),
    "batch": (
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
    ),
    "price_list": (
        Probe(
            "pricing:GetProducts", "pricing", _products, "list prices cannot be read", API_REGION
        ),
    ),
    "spot_prices": (
        Probe(
            "ec2:DescribeSpotPriceHistory",
            "ec2",
            _dry_run("describe_spot_price_history"),
            "Spot prices cannot be read",
        ),
    ),
    "savings_plans": (
        Probe(
            "savingsplans:DescribeSavingsPlans",
            "savingsplans",
            _plans,
            "your Savings Plans cannot be listed",
        ),
        Probe(
            "savingsplans:DescribeSavingsPlansOfferingRates",
            "savingsplans",
            _plan_rates,
            "rates of Savings Plans cannot be read",
        ),
    ),
    "capacity": (
        Probe(
            "ec2:DescribeCapacityReservations",
            "ec2",
            _dry_run("describe_capacity_reservations"),
            "hours of Capacity Blocks cannot be read, so their fees are not spread",
        ),
        Probe(
            "ec2:DescribeCapacityBlocks",
            "ec2",
            _dry_run("describe_capacity_blocks"),
            "Capacity Blocks cannot be matched with reservations",
        ),
        Probe(
            "ec2:DescribeCapacityBlockExtensionHistory",
            "ec2",
            _dry_run("describe_capacity_block_extension_history"),
            "fees that extended a Capacity Block cannot be matched",
        ),
        Probe(
            "ec2:DescribeInstanceTypeOfferings",
            "ec2",
            _dry_run("describe_instance_type_offerings"),
            "zones that offer accelerators cannot be listed",
        ),
        Probe(
            "ec2:DescribeCapacityBlockOfferings",
            "ec2",
            _dry_run("describe_capacity_block_offerings", CapacityDurationHours=24),
            "Capacity Blocks on offer cannot be listed",
        ),
    ),
}
"""Probes by kind of source; sources that read files in S3 need `FILE_PROBES` besides."""


def probes_of(source: Source) -> tuple[Probe, ...]:
    """Returns a probe for each AWS action that a source needs."""
    files = str(getattr(source.options, "location", "")).startswith(SCHEME)
    return (*(FILE_PROBES if files else ()), *PROBES.get(source.kind, ()))
