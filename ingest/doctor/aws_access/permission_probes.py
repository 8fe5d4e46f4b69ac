"""Defines for each AWS action of a source a call that shows, almost free, if it is allowed.

EC2 has a dry run. Requests to Cost Explorer and GetMetricData name a period that ends before it
begins: AWS checks the caller's rights first, then refuses the period, and does not bill a refused
request. All others are free, or, like ListMetrics and S3, cost a thousandth of a cent, which the
ledger records.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ingest.doctor.aws_access.job_probes import BATCH_PROBES, JOB_PROBES, NODE_PROBES
from ingest.doctor.aws_access.probe import Ask, Probe
from ingest.files.s3 import SCHEME
from ingest.source import Source

API_REGION = "us-east-1"
ABSENT = "breakeven-doctor"
EMPTY_PERIOD = {"TimePeriod": {"Start": "2001-01-02", "End": "2001-01-01"}}


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
    """Requests one byte of an S3 file at a source's location, or of a name that does not exist.

    S3 says that there is no such file only to those who may read it.
    """
    bucket, prefix = bucket_and_prefix(source)
    first = _first_object(client, source) or {"Key": f"{prefix}/{ABSENT}".lstrip("/")}
    return client.get_object(Bucket=bucket, Key=first["Key"], Range="bytes=0-0")


def _dry_run(method: str, **request: object) -> Ask:
    return lambda client, _: getattr(client, method)(DryRun=True, **request)


def bucket_and_prefix(source: Source) -> tuple[str, str]:
    """Splits the S3 location of a source into bucket and prefix."""
    location = getattr(source.options, "location", "")
    bucket, _, prefix = location.removeprefix(SCHEME).partition("/")
    return bucket, prefix.strip("/")


FILE_PROBES = (
    Probe("s3:ListBucket", "s3", _first_object, "the files in the bucket cannot be listed"),
    Probe("s3:GetObject", "s3", _first_byte, "its files cannot be read"),
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
    "hyperpod": NODE_PROBES,
    "batch": BATCH_PROBES,
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
    """Returns the probes of a source: one nearly free call per AWS action that it needs."""
    files = str(getattr(source.options, "location", "")).startswith(SCHEME)
    return (*(FILE_PROBES if files else ()), *PROBES.get(source.kind, ()))
