"""The company's facts as AWS and its training jobs would deliver them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.simulator.company import MAIN, REGION, Charge, Company, Sample
from tests.support.world import write

NEW = "2026-01"
"""From this billing month on the export is FOCUS 1.2: another folder, another column for usage."""
BLOCK = "capacity_block"
KINDS = {"on_demand": "BoxUsage", "committed": "BoxUsage", "spot": "SpotUsage", BLOCK: "BoxUsage"}
CATEGORIES = {"tax": "Tax", "credit": "Credit", "refund": "Adjustment", "purchase": "Purchase"}
SKUS = {"storage": "XX-EBS:VolumeUsage.gp3", "network": "XX-DataTransfer-Out-Bytes"}
TEXTS = (
    "BillingAccountId", "SubAccountId", "BillingCurrency", "ChargeCategory", "ChargeClass",
    "ServiceName", "ProviderName", "RegionId", "PricingCategory", "CommitmentDiscountId",
    "CommitmentDiscountStatus", "ConsumedUnit", "ResourceId",
)  # fmt: skip
AMOUNTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost", "ConsumedQuantity")


def months(charges: Iterable[Charge]) -> dict[str, list[Charge]]:
    """Charges by billing month, in order; AWS has no line for what a block left unused."""
    found: dict[str, list[Charge]] = {}
    billed = (c for c in charges if (c.bucket, c.option) != ("idle_commitment", BLOCK))
    for charge in sorted(billed, key=lambda c: c.period):
        found.setdefault(charge.period, []).append(charge)
    return found


def line(charge: Charge) -> dict[str, Any]:
    """One charge in FOCUS terms."""
    start = datetime.combine(charge.day, datetime.min.time())
    workload = charge.workload if charge.tagged else None
    known = {"user:workload": workload, "user:run": charge.run}
    effective, listed = _stated(charge)
    return {
        **_classes(charge),
        "BillingAccountId": MAIN,
        "SubAccountId": charge.account,
        "BillingPeriodStart": datetime.fromisoformat(f"{charge.period}-01"),
        "ChargePeriodStart": start,
        "ChargePeriodEnd": start + timedelta(days=1),
        "BillingCurrency": "USD",
        "RegionId": REGION,
        "ProviderName": "AWS",
        "BilledCost": charge.billed,
        "EffectiveCost": effective,
        "ListCost": listed,
        "ContractedCost": effective,
        "Tags": {key: value for key, value in known.items() if value},
    }


def _stated(charge: Charge) -> tuple[Decimal, Decimal]:
    """Effective and list cost as AWS has them: a block's fee when it is paid, its hours at $0."""
    if charge.bucket == "purchase" and charge.machine:
        return charge.billed, charge.billed
    free = charge.option == BLOCK
    return (Decimal(0), Decimal(0)) if free else (charge.effective, charge.listed)


def _classes(charge: Charge) -> dict[str, Any]:
    """What a bill says instead of our buckets."""
    idle = charge.bucket == "idle_commitment"
    plan = charge.commitment if charge.option != BLOCK else None
    kind = "CapacityBlockFee" if charge.bucket == "purchase" else KINDS[charge.option]
    return {
        "ChargeCategory": CATEGORIES.get(charge.bucket, "Usage"),
        "ChargeClass": "Correction" if charge.corrects else None,
        "ServiceName": "AWS Support (Business)" if charge.bucket == "support" else "Amazon EC2",
        "PricingCategory": {"spot": "Dynamic", "committed": "Committed"}.get(charge.option),
        "CommitmentDiscountId": plan,
        "CommitmentDiscountStatus": ("Unused" if idle else "Used") if plan else None,
        "ResourceId": f"i-{charge.run}" if charge.corrects else None,
        "ConsumedQuantity": charge.hours or None,
        "ConsumedUnit": "Hours" if charge.hours else None,
        "usage": f"XX-{kind}:{charge.machine}" if charge.machine else SKUS.get(charge.component),
    }


def exports(folder: Path, charges: Iterable[Charge], *, parts: int = 1) -> None:
    """Both exports whole: Parquet by month in `parts` files, then the manifest that names them."""
    for month, found in months(charges).items():
        name, usage = ("focus-1-2", "SkuMeter") if month >= NEW else ("focus-1-0", "x_UsageType")
        lines = [line(charge) for charge in found]
        rows = [{usage: row.pop("usage"), **row} for row in lines]
        files = []
        for number in range(parts):
            file = Path(f"data/BILLING_PERIOD={month}/{name}-{number + 1:05}.snappy.parquet")
            _parquet(folder / name / file, rows[number::parts], usage)
            files.append(f"s3://bucket/finops/{name}/{file.as_posix()}")
        manifest = folder / name / f"metadata/BILLING_PERIOD={month}/{name}-Manifest.json"
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps({"dataFiles": files}), encoding="utf-8")


def _parquet(path: Path, rows: list[dict[str, Any]], usage: str) -> None:
    """AWS writes amounts as doubles and tags as a map."""
    path.parent.mkdir(parents=True, exist_ok=True)
    times = ("BillingPeriodStart", "ChargePeriodStart", "ChargePeriodEnd")
    columns = pa.schema(
        [(name, pa.string()) for name in (*TEXTS, usage)]
        + [(name, pa.float64()) for name in AMOUNTS]
        + [(name, pa.timestamp("ms")) for name in times]
        + [("Tags", pa.map_(pa.string(), pa.string()))]
    )
    plain = [
        row
        | {name: None if row[name] is None else float(row[name]) for name in AMOUNTS}
        | {"Tags": list(row["Tags"].items())}
        for row in rows
    ]
    pq.write_table(pa.Table.from_pylist(plain, schema=columns), path)


def tables(folder: Path, charges: Iterable[Charge]) -> None:
    """The same bill as one folder of CSV without months or manifests, newest line first."""
    for month, found in months(charges).items():
        rows = [line(charge) for charge in reversed(found)]
        for row in rows:
            row["x_UsageType"] = row.pop("usage")
            row["Tags"] = json.dumps(row["Tags"]) if row["Tags"] else "NULL"
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / f"{month}.csv", rows)


def progress(folder: Path, samples: Iterable[Sample]) -> None:
    """One CSV a workload."""
    folder.mkdir(parents=True, exist_ok=True)
    logs: dict[str, list[Mapping[str, Any]]] = {}
    for sample in samples:
        row = {
            "observed_at": f"{sample.at.isoformat()}Z",
            "workload": sample.workload,
            "run": sample.run,
            "epoch": None if sample.in_tokens else sample.epoch,
            "tokens": int(sample.epoch * 10**9) if sample.in_tokens else None,
            "loss": sample.loss,
        }
        logs.setdefault(sample.workload, []).append(row | dict(sample.further))
    for workload, rows in logs.items():
        write(folder / f"{workload}.csv", rows)


def price_list(file: Path, company: Company) -> None:
    """The company's own observations, in the columns of the `prices` source."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(
            ["instance_type", "region", "purchase_option", "usd_per_hour", "effective_from",
             "observed_on"]
        )  # fmt: skip
        for price in company.prices:
            writer.writerow(
                [price.machine, REGION, price.series, price.dollars, price.since, price.seen]
            )
