#!/usr/bin/env python3
"""Writes what Slurm knows of jobs and nodes into a folder, for breakeven to read.

Runs on the head node, by cron, as a user that may read all jobs (root, or an operator of Slurm).
Needs Python 3.9 and Slurm's own commands, nothing else:

    */15 * * * *  breakeven_slurm.py /shared/breakeven
    breakeven_slurm.py /shared/breakeven --since 2026-01-01     (once: what slurmdbd still has)

`--ec2` asks EC2 (`aws ec2 describe-instances`) which instance has a node's address, where Slurm
does not know: ParallelCluster, and Slurm before 23.11.

It writes one file of jobs per UTC day (`sacct-DAY.psv`), `events.psv` (nodes down or drained),
`instances.psv` (Slurm 23.11 and newer) and `nodes.csv`, which it keeps from run to run: which
instance stood behind which node, from when until when. Each file is written aside and then renamed.
Breakeven reads the folder itself, or a copy of it in S3 (`aws s3 sync FOLDER s3://bucket/slurm/`).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

COLUMNS = (
    *("Cluster", "JobID", "JobIDRaw", "JobName", "Account", "User", "Partition", "QOS", "State"),
    *("Submit", "Start", "End", "NodeList", "NCPUS", "AllocTRES", "Restarts"),
    *("Comment", "AdminComment", "Extra"),
)
"""What is asked of `sacct`, where this Slurm has it."""
NODE_COLUMNS = ("cluster", "node", "instance_id", "instance_type", "cpus", "from", "to")
EVENTS = "Cluster,NodeName,TimeStart,TimeEnd,State,Reason"
INSTANCES = "Cluster,NodeName,TimeStart,TimeEnd,InstanceId,InstanceType"
BEGINNING = "2020-01-01"
"""Events and instances are written whole each time: what is older is not known to have gone."""
SEPARATOR = "\x1f"
"""No name of a job holds it; one may hold a `|`."""
ENVIRONMENT = {"TZ": "UTC", "SLURM_TIME_FORMAT": "%s", "LC_ALL": "C.UTF-8"}
UTC = timezone.utc  # noqa: UP017 - Python 3.9
Row = dict[str, str]
FAILURES = (OSError, subprocess.CalledProcessError, ValueError, TypeError, KeyError, csv.Error)
"""Of a command, a disk, or a file that somebody else wrote into the folder."""


def main(arguments: list[str] | None = None) -> int:
    """Writes files of Slurm's jobs and nodes; returns 0, or 1 after a line on standard error."""
    parser = argparse.ArgumentParser(description="Writes Slurm's jobs and nodes for breakeven.")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--days",
        type=int,
        default=3,
        help="UTC days up to now (default 3); more if the last run was longer ago",
    )
    parser.add_argument("--since", type=date.fromisoformat, help="first UTC day")
    parser.add_argument("--ec2", action="store_true", help="ask EC2 for instances by address")
    given = parser.parse_args(arguments)
    parts = (_write_nodes, _write_events, _write_days)
    errors = dict.fromkeys(filter(None, [_error_of(part, given) for part in parts]))
    for error in errors:
        sys.stderr.write(f"breakeven_slurm: {error}\n")
    return 1 if errors else 0


def _error_of(part: Callable[[argparse.Namespace], None], given: argparse.Namespace) -> str:
    """Writes a part of the files, whatever becomes of the others; returns why it could not."""
    try:
        given.folder.mkdir(parents=True, exist_ok=True)
        part(given)
    except FAILURES as error:
        text = getattr(error, "stderr", "") or str(error)
        return " ".join(text.split()) or repr(error)
    return ""


def _write_days(given: argparse.Namespace) -> None:
    """Writes the jobs of each UTC day, up to one that fails: the next run goes on from there."""
    today = datetime.now(UTC).date()
    first = given.since or min(
        today - timedelta(days=given.days - 1), _last_run(given.folder, today)
    )
    cluster, version = _cluster(), _answer("sacct", "--version").split()[-1]
    for number in range((today - first).days + 1):
        _write_jobs(given.folder, cluster, version, first + timedelta(days=number))


def _last_run(folder: Path, today: date) -> date:
    """Returns the newest UTC day that has a file of jobs: it was not over when it was written."""
    names = [path.stem[len("sacct-") :] for path in folder.glob("sacct-????-??-??.psv")]
    return min([today, *map(date.fromisoformat, sorted(names)[-1:])])


def _write_jobs(folder: Path, cluster: str, version: str, day: date) -> None:
    """Writes the jobs that held nodes on a UTC day; times are cut to it (`sacct -T`)."""
    now = int(time.time())
    end = min(_epoch(day + timedelta(days=1)), now)
    until = datetime.fromtimestamp(end, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    known = _answer("sacct", "--helpformat").split()
    columns = ",".join(column for column in COLUMNS if column in known)
    jobs = _answer(
        *("sacct", "-aXDPT", f"--delimiter={SEPARATOR}", "-S", f"{day}T00:00:00", "-E", until),
        *("-o", columns),
    )
    about = f"# cluster={cluster} day={day} observed_at={now} slurm={version}\n"
    _replace(folder / f"sacct-{day}.psv", about + jobs)


def _write_events(given: argparse.Namespace) -> None:
    """Writes when nodes were down or drained, and which instances Slurm knows behind them."""
    _replace(
        given.folder / "events.psv",
        _answer("sacctmgr", "-P", "show", "event", f"start={BEGINNING}", f"format={EVENTS}"),
    )
    try:
        instances = _answer(
            *("sacctmgr", "-P", "show", "instance", f"start={BEGINNING}", f"format={INSTANCES}")
        )
    except subprocess.CalledProcessError:  # before Slurm 23.11
        return
    _replace(given.folder / "instances.psv", instances)


def _write_nodes(given: argparse.Namespace) -> None:
    """Adds which instances stand behind which nodes now, and ends the stays of those gone."""
    path, cluster, now = given.folder / "nodes.csv", _cluster(), str(int(time.time()))
    known, found = _read_nodes(path), _nodes(cluster, now, ec2=given.ec2)
    standing = {(row["node"], row["instance_id"]): row for row in found}
    for row in known:
        if not row["to"] and row["cluster"] == cluster:
            here = standing.pop((row["node"], row["instance_id"]), None)
            row["to"] = "" if here else now
    rows = [*known, *standing.values()]
    lines = [",".join(NODE_COLUMNS), *(",".join(row[c] for c in NODE_COLUMNS) for row in rows)]
    _replace(path, "\n".join(lines) + "\n")


def _read_nodes(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _nodes(cluster: str, now: str, *, ec2: bool) -> list[Row]:
    """Returns the nodes behind which an instance stands, by Slurm or else by EC2."""
    by_address = _instances() if ec2 else {}
    nodes = []
    for line in _answer("scontrol", "show", "node", "-o").splitlines():
        node = dict(re.findall(r"(\w+)=(\S*)", line))
        launched = by_address.get(node.get("NodeAddr", ""), {})
        instance = node.get("InstanceId") or launched.get("id", "")
        if instance.startswith("i-") and "POWERED_DOWN" not in node.get("State", ""):
            kind = node.get("InstanceType") or launched.get("type", "")
            since = launched.get("since", now)
            values = (cluster, node["NodeName"], instance, kind, node.get("CPUTot", ""), since, "")
            nodes.append(dict(zip(NODE_COLUMNS, values)))
    return nodes


def _instances() -> dict[str, Row]:
    """Returns EC2's running instances by private address and host name."""
    running = "Name=instance-state-name,Values=running"
    answer = json.loads(
        _answer("aws", "ec2", "describe-instances", "--filters", running, "--output", "json")
    )
    every = [one for group in answer["Reservations"] for one in group["Instances"]]
    return {address: _instance(one) for one in every for address in _addresses(one)}


def _instance(one: dict[str, Any]) -> Row:
    launched = datetime.fromisoformat(one["LaunchTime"].replace("Z", "+00:00"))
    since = str(int(launched.timestamp()))
    return {"id": one["InstanceId"], "type": one["InstanceType"], "since": since}


def _addresses(one: dict[str, Any]) -> list[str]:
    host = one.get("PrivateDnsName", "")
    return [name for name in (one.get("PrivateIpAddress"), host, host.split(".")[0]) if name]


def _cluster() -> str:
    named = re.search(r"^ClusterName\s*= (\S+)", _answer("scontrol", "show", "config"), re.M)
    if not named:
        raise ValueError("scontrol show config names no ClusterName")
    return named[1]


def _epoch(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def _answer(*command: str) -> str:
    """Returns what a command prints, with times as epoch seconds and days in UTC.

    Slurm prints names as they were given to it: bytes that are not UTF-8 become `\\xee`.
    """
    done = subprocess.run(
        command,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        check=True,
        encoding="utf-8",
        errors="backslashreplace",
    )
    return done.stdout


def _replace(path: Path, text: str) -> None:
    """Writes a file aside and renames it: a reader sees the whole file, or the one before."""
    aside = path.with_name(f".{path.name}.part")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


if __name__ == "__main__":
    sys.exit(main())
