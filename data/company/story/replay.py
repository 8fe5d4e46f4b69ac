"""Runs breakeven on four simulated days of 2026: pulls, closes, and a feed that fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from generator import cluster

from ingest.pull import pull
from models.access import acting
from models.access.acting import Actor
from models.access.person import Grant, Person
from models.closing import closing
from models.config.loading import load
from models.config.settings import Settings
from models.records import audit, backup
from story import bill, bucket, clock, market, schedulers, trainers

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
CONFIG = HERE / "breakeven.toml"
BILLS, TRAINING = "example-billing-exports/finops", "example-training"
ENGINEER = Person("r.ito", (Grant("admin"),))
CONTROLLER = Person("m.lind", (Grant("finance"),))
COMMANDS = "command line"
NO_SPOT = "ec2:DescribeSpotPriceHistory"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIA999900000001",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


@dataclass(frozen=True)
class Day:
    """A simulated day: the time of its pull, the month it closes, what AWS denies."""

    at: datetime
    closes: str = ""
    denied: tuple[str, ...] = ()


DAYS = (
    Day(datetime(2026, 8, 12, 6, 30), "2026-07"),
    Day(datetime(2026, 9, 12, 6, 30), "2026-08"),
    Day(datetime(2026, 10, 12, 6, 30), "2026-09"),
    Day(datetime(2026, 10, 31, 6, 30), denied=(NO_SPOT,)),
)


def replay(target: Path) -> None:
    """Pulls and closes on each simulated day in a temporary folder; writes a backup at the end."""
    with TemporaryDirectory() as scratch, _aws(Path(scratch)) as (world, held):
        clock.install()
        settings = None
        for day in DAYS:
            clock.Clock.present = day.at.replace(tzinfo=UTC)
            held.shows(objects(day.at), day.at)
            known = market.world(day.at) | {"denied": list(day.denied)}
            world.write_text(json.dumps(known), encoding="utf-8")
            where = {
                "BREAKEVEN_WAREHOUSE__PATH": f"{scratch}/data/warehouse.duckdb",
                "BREAKEVEN_AS_OF": f"{day.at:%Y-%m-%d}",
            }
            settings = load(CONFIG, where)
            _live_through(day, settings)
        with acting.acting(Actor(ENGINEER, COMMANDS)):
            backup.back_up(settings, target, None, raw=True)


def _live_through(day: Day, settings: Settings) -> None:
    with acting.acting(Actor(ENGINEER, COMMANDS)):
        about = {"sources": (), "window": ""}
        with audit.audited(settings.data, "ingest", about, role="admin"):
            report = pull(settings)
    refused = [error for result in report.results for error in result.errors]
    if bool(refused) != bool(day.denied):
        raise SystemExit(f"{day.at:%Y-%m-%d}: {refused}")
    print(f"{day.at:%Y-%m-%d}", *report.lines(), *report.restated(), sep="\n  ")
    if day.closes:
        with acting.acting(Actor(CONTROLLER, COMMANDS)):
            made = closing.close(settings, day.closes, by="M. Lind, Controlling")
        print(" ", made.closed_line())


def objects(until: datetime) -> dict[str, bytes]:
    """Returns all objects of the simulated S3 on a day: `bucket/key` → bytes."""
    with TemporaryDirectory() as folder:
        bill.write(Path(folder), until)
        exports = {
            f"{BILLS}/{path.relative_to(folder).as_posix()}": path.read_bytes()
            for path in Path(folder).rglob("*")
            if path.is_file()
        }
    texts = {
        **{f"progress/{name}": text for name, text in trainers.files(until).items()},
        "allocations/hpc.csv": _hpc(until),
        **{f"slurm/forge/{name}": text for name, text in schedulers.slurm(until).items()},
        **{f"eks/ember-eks/{name}": text for name, text in schedulers.kubectl(until).items()},
    }
    return exports | {f"{TRAINING}/{name}": text.encode() for name, text in texts.items()}


def delivered(until: datetime) -> str:
    """Returns one SHA-256 over all objects of the simulated S3 on a day."""
    found = sha256()
    for name, content in sorted(objects(until).items()):
        found.update(f"{name} {sha256(content).hexdigest()}\n".encode())
    return found.hexdigest()


def _hpc(until: datetime) -> str:
    """Returns the CSV of the sample's job allocations as known on a day."""
    now, lines = cluster.instant(until), [",".join(cluster.COLUMNS)]
    about = {"cluster": cluster.CLUSTER, "instance_type": "trn1.32xlarge"}
    for row in (about | row for row in cluster.rows()):
        if str(row["held_from"]) < now:
            if str(row.get("held_to", now)) > now:
                row |= {"held_to": "", "observed_at": now}
            lines.append(",".join(str(row.get(name, "")) for name in cluster.COLUMNS))
    return "".join(f"{line}\n" for line in lines)


@contextmanager
def _aws(scratch: Path) -> Iterator[tuple[Path, bucket.Bucket]]:
    """Yields the tests' simulated AWS: the path of its data file, and its S3 objects."""
    (scratch / "aws").mkdir()
    world = scratch / "aws" / "world.json"
    os.environ |= CREDENTIALS
    command = [sys.executable, "-m", "tests.support.aws", f"{world.parent}"]
    with (
        bucket.serving() as (s3, held),
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process,
    ):
        assert process.stdout
        os.environ |= {
            "AWS_ENDPOINT_URL": process.stdout.readline().strip(),
            "AWS_ENDPOINT_URL_S3": s3,
        }
        try:
            yield world, held
        finally:
            process.kill()
