"""Reads SageMaker's training jobs: their machines, and for how long they were billed.

One line a job and group of machines: a heterogeneous job has several groups, of different types.
In a flexible training plan the selected type and count are what was billed. Billed time is counted
per instance; a warm pool's, kept after the job, comes on top.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import JOBS, NUMBER
from models.formats import fields, line_faults
from models.formats.format import no_totals
from models.formats.json_fields import json_text
from models.formats.null_text import null_if_blank
from models.formats.schema_rows import schema_rows
from models.formats.tag_rules import resolved_tags

NAME = "training_jobs"
VIEW: Literal["jobs"] = "jobs"
REQUIRED: tuple[str, ...] = ("account", "region", "run_name", "Tags", "job", "machine")
SECONDS_PER_HOUR = 3600


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts SageMaker training jobs to rows of `jobs`, one per job and group of machines."""
    started = _time(lines, "TrainingStartTime")
    tagged = resolved_tags(lines, tags, ibis.coalesce(started, _time(lines, "CreationTime")))
    config, machine = _text(lines.job, "ResourceConfig"), lines.machine
    instances = ibis.coalesce(
        _text(config, "SelectedInstanceCount"), _text(machine, "InstanceCount")
    )
    count = instances.cast("int64")
    pool = _text(_text(lines.job, "WarmPoolStatus"), "ResourceRetainedBillableTimeInSeconds")
    columns: dict[str, ir.Value] = {
        "account": lines.account,
        "region": lines.region,
        "job": lines.run_name,
        "workload": tagged["workload"],
        "run": tagged["run"],
        "status": _text(lines.job, "TrainingJobStatus"),
        "instance_type": ibis.coalesce(
            _text(config, "SelectedInstanceType"), _text(machine, "InstanceType")
        ),
        "instances": count,
        "managed_spot": _text(lines.job, "EnableManagedSpotTraining").cast("boolean"),
        "created_at": _time(lines, "CreationTime"),
        "started_at": started,
        "ended_at": _time(lines, "TrainingEndTime"),
        "training_hours": _instance_hours(_text(lines.job, "TrainingTimeInSeconds"), count),
        "billed_hours": _instance_hours(_text(lines.job, "BillableTimeInSeconds"), count),
        "warm_pool_hours": _instance_hours(pool, count),
    }
    return schema_rows(lines, columns, JOBS)


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each SageMaker job without account, region or name."""
    needed = ("account", "region", "run_name", "job")
    shown = fields.text(lines, "run_name", "account")
    return line_faults.faulty_lines(
        lines, [line_faults.missing(lines, name, shown) for name in needed]
    )


totals = no_totals


def _text(document: ir.Value, name: str) -> ir.StringValue:
    return null_if_blank(json_text(document, name))


def _time(lines: ir.Table, name: str) -> ir.TimestampValue:
    text = _text(lines.job, name)
    return cast(ir.TimestampValue, text.cast("timestamp('UTC')").cast("timestamp"))


def _instance_hours(seconds: ir.StringValue, instances: ir.Value) -> ir.Value:
    """Converts a job's seconds and number of instances to instance-hours; null if one is null."""
    return (seconds.cast("int64") * instances).cast(NUMBER) / SECONDS_PER_HOUR
