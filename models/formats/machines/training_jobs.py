"""SageMaker's training jobs: what each ran on, and how long of it was billed.

One line a job and group of machines: a heterogeneous job has several, of different types. Of a
flexible plan the selected type and count are what was billed (AWS.md §4). Billed time is of each
instance: a warm pool's, kept after the job, comes on top.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.schema import JOBS, NUMBER
from models.formats import fields

NAME = "training_jobs"
VIEW: Literal["jobs"] = "jobs"
REQUIRED: tuple[str, ...] = ("account", "region", "run_name", "Tags", "job", "machine")
HOUR = 3600


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per line, in the schema of `jobs`."""
    started = _instant(lines, "TrainingStartTime")
    tagged = fields.resolved_tags(
        lines, tags, ibis.coalesce(started, _instant(lines, "CreationTime"))
    )
    config = _said(lines.job, "ResourceConfig")
    instances = ibis.coalesce(
        _said(config, "SelectedInstanceCount"), _said(lines.machine, "InstanceCount")
    )
    count = instances.cast("int64")
    pool = _said(_said(lines.job, "WarmPoolStatus"), "ResourceRetainedBillableTimeInSeconds")
    known: dict[str, ir.Value] = {
        "account": lines.account,
        "region": lines.region,
        "job": lines.run_name,
        "workload": tagged["workload"],
        "run": tagged["run"],
        "status": _said(lines.job, "TrainingJobStatus"),
        "instance_type": ibis.coalesce(
            _said(config, "SelectedInstanceType"), _said(lines.machine, "InstanceType")
        ),
        "instances": count,
        "managed_spot": _said(lines.job, "EnableManagedSpotTraining").cast("boolean"),
        "created_at": _instant(lines, "CreationTime"),
        "started_at": started,
        "ended_at": _instant(lines, "TrainingEndTime"),
        "training_hours": _hours(_said(lines.job, "TrainingTimeInSeconds"), count),
        "billed_hours": _hours(_said(lines.job, "BillableTimeInSeconds"), count),
        "warm_pool_hours": _hours(pool, count),
    }
    return lines.select(**{name: known[name].cast(dtype) for name, dtype in JOBS.items()})


def refusals(lines: ir.Table) -> ir.Table:
    """Jobs without an account or a name."""
    needed = ("account", "region", "run_name", "job")
    beside = fields.text(lines, "run_name", "account")
    return fields.faults(lines, [fields.missing(lines, name, beside) for name in needed])


def totals(lines: ir.Table) -> ir.Table:
    """No money: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)


def _said(told: ir.Value, name: str) -> ir.StringValue:
    return fields.said(fields.json_text(told, name))


def _instant(lines: ir.Table, name: str) -> ir.TimestampValue:
    text = _said(lines.job, name)
    return cast(ir.TimestampValue, text.cast("timestamp('UTC')").cast("timestamp"))


def _hours(seconds: ir.StringValue, instances: ir.Value) -> ir.Value:
    """Instance-hours; null where the seconds are not told."""
    return (seconds.cast("int64") * instances).cast(NUMBER) / HOUR
