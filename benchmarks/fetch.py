"""What fetching an export costs, as a multiple of a bare download of the same objects.

Ten million lines in eight Parquet files and their manifest lie in S3, which is moto's server on
this machine. Bare is boto3's GET of one object after the other, as `ingest` makes it, written to
disk and nothing more, in pieces of the size that was the quickest here; `download_file` is how
boto3 would do it by itself. `ingest` does what bare does and then all that makes it a delivery:
SHA-256, every line checked, totals per account, on disk for good, the marker. They take turns, each
a process of its own, into an empty folder; the ratios are of medians. Over loopback a download
costs little but the processor's time, which the checks need, too: over a network it waits.

    python -m benchmarks.fetch                   # 10 M lines; 2 GiB of disk, 2 GiB of memory
    python -m benchmarks.fetch --lines 1000000
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import boto3
import duckdb

from benchmarks import bill
from benchmarks.reduction import here, machine
from ingest.pull import pull
from models.config.loading import validated_settings

ROUNDS = 3
FILES = 8
GROUP = 122_880
"""Lines of a row group, as DuckDB writes them."""
BUCKET, EXPORT = "bills", "exports/focus"
MONTH = "BILLING_PERIOD=2026-09"
PATIENCE = 60.0
CHUNK = 1 << 18
GOAL = "at most 1.3"
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


def bare(into: Path) -> None:
    """Every data object, to disk."""
    client = boto3.client("s3")
    listed = client.list_objects_v2(Bucket=BUCKET, Prefix=f"{EXPORT}/data/")["Contents"]

    for number, found in enumerate(listed):
        with (into / f"{number}.parquet").open("wb") as file:
            body = client.get_object(Bucket=BUCKET, Key=found["Key"])["Body"]
            for chunk in body.iter_chunks(CHUNK):
                file.write(chunk)


def by_boto3(into: Path) -> None:
    """Every data object, as boto3 downloads a file."""
    client = boto3.client("s3")
    listed = client.list_objects_v2(Bucket=BUCKET, Prefix=f"{EXPORT}/data/")["Contents"]
    for number, found in enumerate(listed):
        client.download_file(BUCKET, found["Key"], str(into / f"{number}.parquet"))


def ingest(into: Path) -> None:
    """What `breakeven ingest` does."""
    source = {"kind": "focus", "location": f"s3://{BUCKET}/{EXPORT}"}
    settings = validated_settings({"sources": [source], "tags": {"extra": ["team"]}}, home=into)
    pull(settings, ["focus"]).raise_failures()


CASES: dict[str, Callable[[Path], None]] = {
    "bare": bare,
    "download_file": by_boto3,
    "ingest": ingest,
}


def main() -> None:
    """Prints how long each way to fetch takes; with `--case` only times that one, in a child."""
    asked = arguments()
    if asked.case:
        print(json.dumps(timed(CASES[asked.case], asked.folder / asked.case)))
        return
    export = exported(asked.folder, asked.lines)
    with served(asked.folder) as url:
        os.environ |= ENVIRONMENT | {"AWS_ENDPOINT_URL": url}
        size = uploaded(export)
        found: dict[str, list[float]] = {case: [] for case in CASES}
        for _ in range(ROUNDS):
            for case in CASES:
                found[case].append(measured(case, asked.folder))
    seconds = {case: median(each) for case, each in found.items()}
    print(f"{asked.lines:,} lines, {FILES} files, {size / 2**20:,.0f} MiB; median of {ROUNDS}")
    print(f"{machine()}\n")
    for case, each in found.items():
        print(f"{case:20}{seconds[case]:>10.2f} s   ({min(each):.2f} to {max(each):.2f})")
    print(f"\ningest / bare {seconds['ingest'] / seconds['bare']:.2f}  {GOAL}")
    print(f"ingest / download_file {seconds['ingest'] / seconds['download_file']:.2f}")


def exported(folder: Path, lines: int) -> Path:
    """The month of `bill.py` as an export on disk; made once."""
    export = folder / f"export-{lines}"
    data = export / "data" / MONTH
    if (export / "metadata").is_dir():
        return export
    shutil.rmtree(export, ignore_errors=True)
    data.parent.mkdir(parents=True)
    whole = folder / "whole.parquet"
    groups = -(-lines // GROUP // FILES)
    with duckdb.connect() as database:
        sizes: dict[str, object] = {
            "lines": lines,
            "hours": bill.HOURS,
            "days": bill.HOURS // 24,
            "workloads": bill.WORKLOADS,
            "gpu_days": bill.GPU_DAYS,
        }
        bill.deliver(database, whole, sizes)
        database.execute(
            f"COPY (FROM '{whole}') TO '{data}' (FORMAT parquet, COMPRESSION snappy,"
            f" ROW_GROUPS_PER_FILE {groups}, PER_THREAD_OUTPUT false)"
        )
    whole.unlink()
    names = [f"s3://{BUCKET}/{EXPORT}/data/{MONTH}/{path.name}" for path in data.iterdir()]
    manifest = export / "metadata" / MONTH / "focus-Manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"dataFiles": sorted(names)}))
    return export


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """moto's server; it says in its log where it listens."""
    log = folder / "moto.log"
    with log.open("w") as stderr:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr)
        try:
            yield _address(log)
        finally:
            process.kill()
            process.wait()


def _address(log: Path) -> str:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = re.search(r"Running on (http://127\.0\.0\.1:\d+)", log.read_text())
        if found:
            return found[1]
        time.sleep(0.1)
    raise TimeoutError(log.read_text())


def uploaded(export: Path) -> int:
    """Puts the export into the bucket, data first; its bytes."""
    client: Any = boto3.client("s3")
    client.create_bucket(Bucket=BUCKET)
    files = sorted(path for path in export.rglob("*") if path.is_file())
    for path in files:
        with path.open("rb") as body:
            key = f"{EXPORT}/{path.relative_to(export).as_posix()}"
            client.put_object(Bucket=BUCKET, Key=key, Body=body)
    return sum(path.stat().st_size for path in files)


def measured(case: str, folder: Path) -> float:
    """Seconds of one case, in a process of its own and into an empty folder."""
    shutil.rmtree(folder / case, ignore_errors=True)
    (folder / case).mkdir()
    command = [sys.executable, "-m", "benchmarks.fetch", "--folder", str(folder), "--case", case]
    seconds: float = json.loads(here(command).splitlines()[-1])
    shutil.rmtree(folder / case)
    return seconds


def timed(case: Callable[[Path], None], into: Path) -> float:
    """Seconds without imports."""
    import_module("pandas")  # DuckDB would at its first statement
    started = time.perf_counter()
    case(into)
    return time.perf_counter() - started


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, default=bill.LINES)
    parser.add_argument("--folder", type=Path, default=bill.FOLDER)
    parser.add_argument("--case", choices=list(CASES), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
