"""Small FOCUS exports, laid out as AWS Data Exports lays them out."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = (
    "BillingAccountId",
    "SubAccountId",
    "BillingPeriodStart",
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "BilledCost",
    "EffectiveCost",
    "BillingCurrency",
    "ChargeCategory",
)
Line = dict[str, str]


def charge(day: str, cost: str = "1.5", *, account: str = "999900000002", **other: str) -> Line:
    """One day of usage of one account."""
    return {
        "BillingAccountId": "999900000001",
        "SubAccountId": account,
        "BillingPeriodStart": f"{day[:7]}-01T00:00:00Z",
        "ChargePeriodStart": f"{day}T00:00:00Z",
        "ChargePeriodEnd": f"{day}T01:00:00Z",
        "BilledCost": cost,
        "EffectiveCost": cost,
        "BillingCurrency": "USD",
        "ChargeCategory": "Usage",
        **other,
    }


def as_csv(lines: Iterable[Mapping[str, str]], columns: Iterable[str] = COLUMNS) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue().encode()


def as_parquet(lines: Iterable[Mapping[str, str]], columns: Iterable[str] = COLUMNS) -> bytes:
    rows = [{name: line.get(name) for name in columns} for line in lines]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


def packed(lines: Iterable[Mapping[str, str]], suffix: str) -> bytes:
    """The file of one kind: `.csv`, `.csv.gz`, `.parquet`."""
    if suffix.endswith("parquet"):
        return as_parquet(lines)
    plain = as_csv(lines)
    return gzip.compress(plain, mtime=0) if suffix.endswith(".gz") else plain


def deliver(
    export: Path,
    month: str,
    *files: Iterable[Mapping[str, str]],
    suffix: str = ".snappy.parquet",
    execution: str = "",
    period: str = "BILLING_PERIOD",
    bucket: str = "bills",
) -> Path:
    """One delivery of one month: data first, then the manifest, as AWS does. Returns the latter."""
    data = export / "data" / f"{period}={month}" / execution
    data.mkdir(parents=True, exist_ok=True)
    named = []
    for number, lines in enumerate(files, 1):
        path = data / f"{export.name}-{number:05}{suffix}"
        path.write_bytes(packed(lines, suffix))
        named.append(f"s3://{bucket}/{export.name}/{path.relative_to(export).as_posix()}")
    manifest = export / "metadata" / f"{period}={month}" / f"{export.name}-Manifest.json"
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"dataFiles": named, "executionId": execution or "one"}))
    return manifest
