"""Converts job allocations in our own columns to rows of `allocations`; refuses impossible ones.

Text is read as every other format reads it; a time needs its zone (`2026-09-01T12:00:00Z`). The
workload and the run of an interval are those of the first `[[tag_rules]]` entry that matches, else
its own columns, else the labels that `tags.workload` and `tags.run` name.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.schema import ALLOCATIONS, NUMBER
from models.formats import fields
from models.formats.allocations.faults import refusals as refusals
from models.formats.allocations.owners import owners
from models.formats.bill.shared_machine_lines import JOB
from models.formats.schema_rows import schema_rows

REQUIRED = ("cluster", "held_from")
TEXTS = (
    "cluster", "account", "region", "pool", "node", "instance_type", "job", "labels",
)  # fmt: skip
COUNTS = ("accelerators", "of", "cpus", "of_cpus", "share")
TIMES = ("held_from", "held_to", "queued_at", "observed_at")
FILE = "delivered file"
"""A column that the build may add to lines, to read many files by one query: it is kept."""
DAY_IN_PATH = r"/(\d{4}-\d{2}-\d{2})/[^/]+/[^/]+$"
"""The UTC day that a delivery is of, in the path of its file."""
ACCOUNT_IN_PATH = r"/(\d{12})(?:-[a-z0-9-]+)?%2F[^/]*/\d{4}-\d{2}-\d{2}/[^/]+/[^/]+$"
"""The account that the key of a delivery names, in the path of its file."""
INSTANCE_ARN = r"^arn:[^:]*:ec2:.*/([^/]+)$"


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts each interval in which a machine was held, or out of use, to a row of `allocations`.

    The column `FILE` is kept where the lines have it. Tag rules hold by day: an interval of several
    days is told once for each, by the file of that day. Of a SageMaker job they hold as on its
    first day. A rule for an account holds, too, where only the delivery names the account.
    """
    lines = _with_account(lines)
    columns: dict[str, ir.Value] = {name: fields.text(lines, name) for name in TEXTS}
    columns |= {name: fields.amount(lines, name, NUMBER) for name in COUNTS}
    columns |= {name: fields.timestamp(lines, name) for name in TIMES}
    columns["resource"] = resource(lines)
    columns["attempt"] = fields.text(lines, "attempt").cast("int64")
    columns["state"] = fields.text(lines, "state").upper()
    columns["reason"] = fields.text(lines, "reason").lower().fill_null("run")
    columns |= owners(lines, tags, _began(lines, cast(ir.TimestampValue, columns["held_from"])))
    file_column = {FILE: "string"} if FILE in lines.columns else {}
    columns |= {name: lines[name] for name in file_column}
    return schema_rows(lines, columns, ALLOCATIONS | file_column)


def _with_account(lines: ir.Table) -> ir.Table:
    """Sets the account of allocations to the one in their file's path, if any; else as given."""
    if FILE not in lines.columns:
        return lines
    of_file = cast(ir.StringValue, lines[FILE]).re_extract(ACCOUNT_IN_PATH, 1).nullif("")
    return lines.mutate(account=ibis.coalesce(of_file, fields.text(lines, "account")))


def _began(lines: ir.Table, held_from: ir.TimestampValue) -> ir.TimestampValue:
    """Returns the column of start times, not before their file's day; SageMaker jobs' as given.

    The charges of a SageMaker job are its own, on whatever day: it began once.
    """
    if FILE not in lines.columns:
        return held_from
    job = fields.text(lines, "resource").contains(JOB).fill_null(False)
    path = cast(ir.StringValue, lines[FILE])
    day = path.re_extract(DAY_IN_PATH, 1).nullif("").cast("timestamp")
    of_day = ibis.greatest(held_from, ibis.coalesce(day, held_from))
    return cast(ir.TimestampValue, ibis.ifelse(job, held_from, of_day))


def resource(lines: ir.Table) -> ir.StringValue:
    """Returns the column of resources held: the id in an EC2 instance's ARN, else as delivered."""
    given = fields.text(lines, "resource")
    instance = given.re_extract(INSTANCE_ARN, 1).nullif("")
    return cast(ir.StringValue, ibis.coalesce(instance, given))
