"""Checks the Data Exports behind a bill in S3: their health in AWS, and the months delivered.

A free request to AWS finds the export that delivers to the location; a copy of a bucket has none. A
pull needs none of these permissions, so a missing one is only a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from ingest import aws
from ingest.doctor.aws_access.permission_probes import API_REGION, bucket_and_prefix
from ingest.doctor.aws_access.permissions import denied_finding, missing_action
from ingest.doctor.examination import Examination, access_of
from ingest.doctor.finding import Finding, finding_of
from ingest.source import Source
from models.contract.errors import BreakevenError
from models.contract.shipped_data import shipped_name

NAME = "exports"
CONSOLE = "console: Billing and Cost Management > Data Exports"
DUE = timedelta(days=2)
"""AWS writes an export up to three times a day."""
TABLES = {"focus": "FOCUS_", "cur2": "COST_AND_USAGE_REPORT"}
REASONS = {
    "INSUFFICIENT_PERMISSION": "let bcm-data-exports.amazonaws.com write to the bucket "
    f"(bucket policy in {shipped_name('deploy/terraform')})",
    "BILL_OWNER_CHANGED": f"another account pays the bill now: create the export there, {CONSOLE}",
    "DEPRECATED": f"create an export of a current table, {CONSOLE}",
}
ExportAnswer = dict[str, Any]


def check_data_exports(exam: Examination) -> Iterator[Finding]:
    """Yields findings per bill in S3: which months are there, and the Data Export's health."""
    for source in exam.reachable:
        if source.kind in TABLES:
            if not any(location == source.location for location, _ in exam.denied):
                yield _delivered(source, exam)
            yield from _health(source, exam)


def _delivered(source: Source, exam: Examination) -> Finding:
    """Lists a bill's location; reports its first and last month, or why it cannot be read."""
    about = f"files of {exam.label(source)}"
    try:
        with exam.locked_ledger():
            batches = list(source.fetch(exam.fetch_context))
    except BreakevenError as error:
        exam.explained_already.add(source.location)
        return finding_of(NAME, about, error)
    months = sorted({batch.period for batch in batches})
    found = f"{source.location} has {months[0]} to {months[-1]}, months: {len(months)}"
    return Finding(NAME, about, "ok", found)


def _health(source: Source, exam: Examination) -> Iterator[Finding]:
    """Yields findings on the health that AWS reports of the data export behind a bill."""
    about = f"export of {exam.label(source)}"
    try:
        export = _export(source, exam)
        if export is None:
            found = f"AWS knows no export of this account that delivers to {source.location}"
            yield Finding(NAME, about, "warning", found, f"check `location`, or {CONSOLE}")
            return
        executions = _executions(source, export["ExportArn"], exam)
    except BreakevenError as error:
        action = missing_action("bcm-data-exports:ListExports", error)
        lost = "the health of the export cannot be read"
        yield denied_finding(NAME, about, action, error, lost, "warning")
        return
    yield _export_state(about, source, export, executions)


def _export_state(
    about: str, source: Source, export: ExportAnswer, executions: list[ExportAnswer]
) -> Finding:
    """Makes the finding on a data export: wrong table, unhealthy, or when it last delivered."""
    health = export.get("ExportStatus", {})
    query = export["DataQuery"]["QueryStatement"]
    if TABLES[source.kind] not in query.upper():
        kind = next((k for k, table in TABLES.items() if table in query.upper()), "another")
        found = f'{export["Name"]} is not an export for kind = "{source.kind}": it selects {query}'
        return Finding(NAME, about, "blocks", found, f'kind = "{kind}" in breakeven.toml')
    if health.get("StatusCode") == "UNHEALTHY":
        reason = health.get("StatusReason", "INTERNAL_FAILURE")
        found = f"{export['Name']} is UNHEALTHY, {reason}: it delivers nothing new"
        return Finding(NAME, about, "blocks", found, REASONS.get(reason, CONSOLE))
    return _last(about, export["Name"], executions)


def _last(about: str, name: str, executions: list[ExportAnswer]) -> Finding:
    states = sorted((one["ExecutionStatus"] for one in executions), key=_at)
    done = [state for state in states if state["StatusCode"] == "DELIVERY_SUCCESS"]
    if not done:
        found = f"{name} has not delivered yet: the first time takes up to a day"
        return Finding(NAME, about, "warning", found, CONSOLE)
    last, newest = _at(done[-1]), states[-1]
    found = f"{name} last delivered {last:%Y-%m-%d %H:%M} UTC"
    if newest["StatusCode"] in ("DELIVERY_FAILURE", "QUERY_FAILURE"):
        reason = newest.get("StatusReason", newest["StatusCode"])
        found = f"{found}; since then {newest['StatusCode']}, {reason}"
        return Finding(NAME, about, "warning", found, REASONS.get(reason, CONSOLE))
    if datetime.now(UTC) - last > DUE:
        return Finding(NAME, about, "warning", f"{found}: it should do so every day", CONSOLE)
    return Finding(NAME, about, "ok", found)


def _at(state: ExportAnswer) -> datetime:
    found: datetime = state.get("CompletedAt") or state["CreatedAt"]
    return found.astimezone(UTC)


def _export(source: Source, exam: Examination) -> ExportAnswer | None:
    """Returns the data export that delivers to a source's S3 location; None without one."""
    client = exam.client("bcm-data-exports", access_of(source, API_REGION), source)
    bucket, prefix = bucket_and_prefix(source)
    with aws.refusals("bcm-data-exports:ListExports"):
        pages = client.get_paginator("list_exports").paginate()
        arns = [one["ExportArn"] for page in pages for one in page["Exports"]]
    for arn in arns:
        with aws.refusals("bcm-data-exports:GetExport"):
            answer = client.get_export(ExportArn=arn)
        export: ExportAnswer = {**answer["Export"], "ExportArn": arn}
        there = export["DestinationConfigurations"]["S3Destination"]
        root = f"{there['S3Prefix'].strip('/')}/{export['Name']}".strip("/")
        if there["S3Bucket"] == bucket and f"{root}/".startswith(f"{prefix}/".lstrip("/")):
            return {**export, "ExportStatus": answer.get("ExportStatus", {})}
    return None


def _executions(source: Source, arn: str, exam: Examination) -> list[ExportAnswer]:
    client = exam.client("bcm-data-exports", access_of(source, API_REGION), source)
    with aws.refusals("bcm-data-exports:ListExecutions"):
        pages = client.get_paginator("list_executions").paginate(ExportArn=arn)
        return [one for page in pages for one in page["Executions"]]
