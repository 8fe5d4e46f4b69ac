"""How many pages does Cost Explorer take for 13 months of 200 tag values, and how few could it be?

    python -m benchmarks.pages [--values 200] [--page 5000]

A pull against the fake AWS of the tests, whose pages hold as many groups as it is told (AWS
publishes no number). Counted by what was really sent, beside the least that the answers fill, and
beside what the same requests would take month by month. A page costs $0.01.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from math import ceil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ingest.pull import pull
from models.config.loading import validated_settings
from models.raw.zone import RawZone

ROOT = Path(__file__).parent.parent
TODAY = date(2026, 10, 31)
FIRST = date(2025, 10, 1)
METERS = ("BoxUsage:trn1.32xlarge", "EBS:VolumeUsage.gp3", "DataTransfer-Regional-Bytes")
KEYS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--values", type=int, default=200)
    asked.add_argument("--page", type=int, default=5000)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "aws"
        world.mkdir()
        document = {"account": "999900000001", "bill": bill(given.values), "cost_page": given.page}
        (world / "world.json").write_text(json.dumps({**document, "cost_now": TODAY.isoformat()}))
        groups = pulled(Path(folder) / "warehouse", world)
        requests = [line["asked"] for line in sent(world, "GetCostAndUsage")]
    taken = Counter(name(request) for request in requests)
    fewest = {request: ceil(len(days) / given.page) for request, days in groups.items()}
    monthly = {
        request: sum(ceil(count / given.page) for count in Counter(d[:7] for d in days).values())
        for request, days in groups.items()
    }
    print(f"{'request':14}{'groups':>10}{'pages sent':>12}{'fewest':>8}{'by month':>10}")
    for request, days in groups.items():
        print(
            f"{request:14}{len(days):>10}{taken[request]:>12}{fewest[request]:>8}"
            f"{monthly[request]:>10}"
        )
    told = f"{sum(taken.values())} sent, {sum(fewest.values())} at least"
    print(f"together {told}, {sum(monthly.values())} month by month; 1 more for the record types")
    if sum(taken.values()) != sum(fewest.values()):
        sys.exit("more pages were sent than the answers fill")


def bill(values: int) -> list[dict[str, Any]]:
    """Each run a month long, one of ten workloads, and some spend beside."""
    found = []
    for number in range((TODAY - FIRST).days + 1):
        day = FIRST + timedelta(days=number)
        for run in range(values):
            tags = {"workload": f"w{run % 10}", "run": f"w{run % 10}-{run}"}
            found += [charge(day, meter, "Usage", tags) for meter in METERS]
        found += [charge(day, f"Service-{number}", "Usage", {}) for number in range(60)]
        found += [charge(day, "", kind, {}) for kind in ("Tax", "Credit")]
    return found


def charge(day: date, meter: str, kind: str, tags: dict[str, str]) -> dict[str, Any]:
    amounts = {"AmortizedCost": "1.5", "UnblendedCost": "1.5", "UsageQuantity": "1"}
    what = {"usage_type": meter, "record_type": kind, "service": "EC2", "unit": "USD"}
    return {"day": day.isoformat(), "tags": tags, **what, **amounts}


def pulled(home: Path, world: Path) -> dict[str, list[str]]:
    """The day of each group that a first pull brought, by request."""
    command = [sys.executable, "-m", "tests.support.aws", str(world)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        os.environ |= {**KEYS, "AWS_ENDPOINT_URL": process.stdout.readline().strip()}
        cost = {"source": "cost_explorer", "api_budget_usd_per_day": Decimal(100)}
        config = {"as_of": TODAY, "cost": cost, "sources": [{"kind": "cost_explorer"}]}
        settings = validated_settings(config, home=home)
        pull(settings, ["cost_explorer"]).raise_failures()
        process.kill()
    groups: dict[str, list[str]] = {}
    for delivery in RawZone(settings.data / "raw").live("cost_explorer"):
        for path in delivery.paths:
            lines = pq.read_table(path, columns=["request", "day"])
            for request, day in zip(
                *(lines[n].to_pylist() for n in lines.column_names), strict=True
            ):
                groups.setdefault(request, []).append(day)
    return groups


def sent(world: Path, operation: str) -> list[dict[str, Any]]:
    lines = map(json.loads, (world / "asked.jsonl").read_text().splitlines())
    return [line for line in lines if line["operation"] == operation]


def name(request: dict[str, Any]) -> str:
    """What the source calls it."""
    first, second = (group["Key"] for group in request["GroupBy"])
    if second == "run":
        return "pair"
    return "record_type" if first == "RECORD_TYPE" else str(first)


if __name__ == "__main__":
    main()
