"""What dividing shared machines costs: a month of 500 nodes and 40,000 job intervals in a bill.

The bill is that of `benchmarks/bill.py` with the hours of 500 machines more, which bear the tag of
a cluster alone. It is built without allocations and with them in turn, and again after one late
day; each in a process of its own, in CPU seconds, when an earlier build has compiled its SQL. Of
full builds it is the median of five. Told against what is promised: what allocations add to a full
build, its peak of memory, and what of a full build a late day takes, to divide its machines again
(`split_cpu_s`) and in all.

    python -m benchmarks.allocations                 # 10 M lines; 2 GiB of disk
    python -m benchmarks.allocations --lines 1000000
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from typing import Any

import duckdb

from benchmarks import bill
from ingest.pull import pull
from models.raw.delivery_key import Key
from models.raw.zone import RawZone

FOLDER = bill.FOLDER.with_name("breakeven-bench-allocations")
PLAIN = FOLDER.with_name(f"{FOLDER.name}-without")
NODES, INTERVALS, DAYS, LATE = 500, 40_000, 30, 20
PREPARED = "the bill"
NODE_FILE = "focus/nodes.snappy.parquet"
NODE_LINES = """
SELECT * REPLACE (
    'Usage' AS ChargeCategory, NULL AS ChargeClass, NULL AS CapacityReservationId,
    NULL AS CapacityReservationStatus, NULL AS CommitmentDiscountId,
    NULL AS CommitmentDiscountStatus, 'Standard' AS PricingCategory,
    TIMESTAMP '{start}' + to_hours(hour) AS ChargePeriodStart,
    TIMESTAMP '{start}' + to_hours(hour + 1) AS ChargePeriodEnd,
    'i-' || printf('%017d', node) AS ResourceId, 1.0 AS ConsumedQuantity, 1.0 AS PricingQuantity,
    CASE WHEN node % 2 = 0 THEN 55.04 ELSE 21.5 END AS ListCost,
    ListCost AS BilledCost, ListCost AS ContractedCost, ListCost * 0.7 AS EffectiveCost,
    'USW2-BoxUsage:' || CASE WHEN node % 2 = 0 THEN 'p5.48xlarge' ELSE 'trn1.32xlarge' END
        AS SkuMeter,
    'Hours' AS ConsumedUnit, MAP {{'user:parallelcluster:cluster-name': 'hpc'}} AS Tags)
FROM (SELECT * FROM '{bill}' WHERE SkuMeter LIKE '%BoxUsage:%' LIMIT 1) AS one,
    range({hours}) AS h(hour), range({nodes}) AS n(node)"""
HELD = """
SELECT 'hpc' AS cluster, 'i-' || printf('%017d', node) AS resource, 'n' || node AS node,
    CASE WHEN node % 2 = 0 THEN 'p5.48xlarge' ELSE 'trn1.32xlarge' END AS instance_type,
    strftime(began, '%Y-%m-%dT%H:%M:%SZ') AS held_from,
    strftime(began + to_seconds(seconds), '%Y-%m-%dT%H:%M:%SZ') AS held_to,
    (CASE WHEN node % 2 = 0 THEN 8 ELSE 16 END)::VARCHAR AS accelerators,
    'workload-' || format('{{:02}}', job % 40) AS workload, 'job-' || job % 900 AS run,
    'job-' || i AS job, strftime(began - INTERVAL 20 MINUTE, '%Y-%m-%dT%H:%M:%SZ') AS queued_at,
    began::DATE AS first_day, (began + to_seconds(seconds - 1))::DATE AS last_day
FROM (
    SELECT i, i % {nodes} AS node, i // {nodes} AS turn, hash(i) % 1000 AS job,
        TIMESTAMP '{start}' + to_seconds((turn * {every} + hash(i) % 900)::BIGINT) AS began,
        {every} - 600 - (hash(i + 7) % 1500)::BIGINT AS seconds
    FROM range({intervals}) AS t(i))"""


def prepare(lines: int) -> None:
    """Writes the bill with its nodes, and registers it as `breakeven ingest` does; once."""
    if (FOLDER / bill.MADE).is_file() and json.loads((FOLDER / bill.MADE).read_text()) == lines:
        return
    bill.prepare(FOLDER, lines)
    sizes = {"start": bill.START, "bill": FOLDER / bill.BILL, "hours": bill.HOURS, "nodes": NODES}
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE nodes AS FROM '{FOLDER / bill.BILL}' LIMIT 0")
        lines_of_nodes = f"SELECT * EXCLUDE (hour, node) FROM ({NODE_LINES.format_map(sizes)})"
        database.execute(f"INSERT INTO nodes BY NAME {lines_of_nodes}")
        database.execute(f"COPY nodes TO '{FOLDER / NODE_FILE}' (FORMAT parquet)")
    pull(bill.settings(FOLDER)).raise_failures()


def deliver(days: range) -> None:
    """Delivers the allocations of some days of the month, a cluster and day each."""
    every = bill.HOURS * 3600 * NODES // INTERVALS
    sizes = {"start": bill.START, "nodes": NODES, "intervals": INTERVALS, "every": every}
    zone = RawZone(FOLDER / "raw")
    start = datetime.fromisoformat(bill.START).replace(tzinfo=UTC)
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE held AS {HELD.format_map(sizes)}")
        for number in days:
            day = f"{start + timedelta(days=number):%Y-%m-%d}"
            with zone.staging(Key("slurm", "hpc", day)) as staging:
                rows = (
                    "SELECT * EXCLUDE (first_day, last_day) FROM held "
                    f"WHERE DATE '{day}' BETWEEN first_day AND last_day"
                )
                database.execute(f"COPY ({rows}) TO '{staging.next_path}' (FORMAT parquet)")
                staging.add(staging.next_path)
                staging.seal("observed_allocations")


def build(folder: Path) -> dict[str, float]:
    """Builds, and tells its CPU seconds, those of dividing machines, its seconds and its memory."""
    from models.engine.allocations import division
    from models.engine.build import build as derive

    spent: list[float] = []
    division.update = timed(division.update, spent)
    began, used = time.monotonic(), time.process_time()
    derive(bill.settings(folder))
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    return {
        "cpu_s": round(time.process_time() - used, 2),
        "split_cpu_s": round(sum(spent), 2),
        "wall_s": round(time.monotonic() - began, 2),
        "peak_mib": round(peak),
    }


def timed(function: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    """Returns a function that notes the CPU seconds which each call takes."""

    def call(*arguments: Any) -> Any:  # noqa: ANN401
        used = time.process_time()
        answer = function(*arguments)
        spent.append(time.process_time() - used)
        return answer

    return call


def apart(case: str, lines: int = bill.LINES, folder: Path = FOLDER) -> dict[str, float]:
    """Runs a build in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.allocations",
        "--case",
        case,
        "--lines",
        str(lines),
        "--folder",
        str(folder),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(case, found, flush=True)
    return found


def in_turn(times: int) -> tuple[dict[str, float], dict[str, float]]:
    """Builds in full without and with allocations in turn; returns the median of each, and `ratio`.

    Each first builds once, to compile its SQL. A machine that grows slower does so for both, so the
    ratio is the median of those of pairs: CPU seconds of one build are a fifth more or less than
    those of the next.
    """
    cases = {"without allocations": PLAIN, "with allocations": FOLDER}
    found: dict[str, list[dict[str, float]]] = {case: [] for case in cases}
    for turn in range(times + 1):
        for case, folder in cases.items():
            forget(folder)
            built = apart(case if turn else f"{case}, SQL compiled", folder=folder)
            found[case] += [built] if turn else []
    plain, full = found.values()
    ratios = (w["cpu_s"] / wo["cpu_s"] for w, wo in zip(full, plain, strict=True))
    middle = [{name: median(each[name] for each in of) for name in of[0]} for of in (plain, full)]
    return middle[0], middle[1] | {"ratio": median(ratios)}


def forget(folder: Path) -> None:
    """Deletes what is derived, so that the next build is a full one."""
    for file in folder.glob("warehouse.duckdb*"):
        file.unlink()
    shutil.rmtree(folder / "snapshots", ignore_errors=True)


def main() -> None:
    """Measures full builds without and with allocations, and a refresh after a late day."""
    options = argparse.ArgumentParser()
    options.add_argument("--lines", type=int, default=bill.LINES)
    options.add_argument("--case")
    options.add_argument("--folder", type=Path, default=FOLDER)
    options.add_argument("--times", type=int, default=5)
    given = options.parse_args()
    if given.case == PREPARED:
        prepare(given.lines)
        print("{}")
        return
    if given.case:
        print(json.dumps(build(given.folder)))
        return
    apart(PREPARED, given.lines)  # a process of its own, or its memory would be the others', too
    shutil.rmtree(FOLDER / "raw" / "slurm", ignore_errors=True)
    shutil.rmtree(PLAIN, ignore_errors=True)
    shutil.copytree(FOLDER, PLAIN, copy_function=os.link)
    deliver(range(LATE))
    deliver(range(LATE + 1, DAYS))
    plain, full = in_turn(given.times)
    deliver(range(LATE, LATE + 1))
    late = apart("a late day")
    for line in figures(plain, full, late):
        print(line)


def figures(
    plain: dict[str, float], full: dict[str, float], late: dict[str, float]
) -> Iterator[str]:
    """Yields each figure that is promised, and what is promised."""
    whole = full["cpu_s"]
    yield f"without, with: {plain['cpu_s']:.2f} and {whole:.2f} CPU s"
    yield f"with / without: {full['ratio']:.2f} (at most 1.3)"
    yield f"peak of a full build: {full['peak_mib']:.0f} MiB (at most 1,024)"
    yield f"late day, dividing / full build: {late['split_cpu_s'] / whole:.2f} (at most 0.10)"
    yield f"late day / full build: {late['cpu_s'] / whole:.2f} (at most 0.35)"


if __name__ == "__main__":
    main()
