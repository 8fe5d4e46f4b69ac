"""A small company whose second delivery is pulled, built and published by a process that is killed.

The first delivery is published already. The second corrects September, brings October and more
progress. Its money comes from Cost Explorer, each page paid for; an export of it lies beside.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from ingest.pull import pull
from ingest.schedule.due import due as due_sources
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import BreakevenError
from models.engine import build
from models.engine.sql import sql_cache
from models.engine.warehouse.reader import Reader
from models.raw.pulls.pull_journal import JOURNAL_FILE
from tests.conftest import migrated
from tests.support.ingest.fake_aws import Fake
from tests.support.world import World, write

if TYPE_CHECKING:
    from _typeshed import HasFileno

ENDS = 120
"""Seconds after which a process that hangs fails its test."""
STEPS = frozenset({"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "http.client.send"})
TODAY = "2025-10-31"
TIMES = {
    "freshness": {
        *("last_success", "last_attempt", "fresh_until"),
        *("requests_today", "dollars_today"),
    },
    "restatements": {"pulled_at"},
    "late_changes": {"since", "changed_at"},
}
"""Columns that tell when something came, and what asking cost: two histories of one bill differ in
nothing else."""


@dataclass(frozen=True)
class Kill:
    """Where a process ends: before its `step`-th step on disk or network, or in the midst of its
    work once it has used so many `seconds` of processor time, whatever it does then."""

    step: int = 0
    seconds: float = 0.0


def kills(seed: int, count: int, steps: int, seconds: float) -> list[Kill]:
    """Drawn evenly over a whole run, as many of either kind."""
    luck = Random(seed)
    drawn = [Kill(step=luck.randint(1, steps)) for _ in range(count - count // 2)]
    return drawn + [Kill(seconds=luck.uniform(0.0, seconds)) for _ in range(count // 2)]


def settings(home: Path) -> Settings:
    """Everything is due half a day from now: what succeeds is not due again in a test."""
    cron = f"0 {(datetime.now(UTC).hour + 12) % 24} * * *"
    sources: list[dict[str, object]] = [
        {"kind": "focus", "location": "exp"},
        {"kind": "cost_explorer"},
        {"kind": "progress_file", "location": "epochs.csv"},
    ]
    table = {
        "as_of": TODAY,
        "cost": {"source": "cost_explorer"},
        "sources": sources,
        "schedule": dict.fromkeys(("cost", "progress", "prices"), cron),
    }
    return validated_settings(table, home=home)


def lay_first(home: Path) -> list[dict[str, Any]]:
    """The first delivery, in files; returns what Cost Explorer shows of it."""
    world = migrated(World(home))
    charges = [c | {"EffectiveCost": Decimal(c["EffectiveCost"]) + 1} for c in world.charges]
    return _lay(
        home, [c for c in charges if c["BillingPeriodStart"] < "2025-10"], world.samples[:8]
    )


def lay_second(home: Path) -> list[dict[str, Any]]:
    """The second one."""
    world = migrated(World(home))
    return _lay(home, world.charges, world.samples)


def _lay(
    home: Path, charges: list[dict[str, Any]], samples: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    by_month: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for charge in charges:
        by_month[charge["BillingPeriodStart"][:7]].append(charge)
    for month, lines in by_month.items():
        folder = home / "exp" / "data" / f"BILLING_PERIOD={month}"
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / "exp-00001.csv", lines)
    write(home / "epochs.csv", samples)
    return [_seen(charge) for charge in charges]


def _seen(charge: Mapping[str, Any]) -> dict[str, Any]:
    """A charge as Cost Explorer shows it."""
    cost = f"{Decimal(charge['EffectiveCost']):f}"
    return {
        "day": charge["ChargePeriodStart"][:10],
        "record_type": "Usage",
        "usage_type": charge["x_UsageType"],
        "service": "Amazon Elastic Compute Cloud - Compute",
        "unit": "USD",
        "AmortizedCost": cost,
        "UnblendedCost": cost,
        "UsageQuantity": str(charge.get("ConsumedQuantity", "1")),
        "tags": json.loads(charge.get("Tags", "{}")),
    }


def derive(config: Settings) -> None:
    """Ingest, build, publish: what a job of the scheduler does."""
    pull(config).raise_failures()
    build.build(config)


def recover(config: Settings) -> None:
    """What the scheduler does when it is started again."""
    if due := due_sources(config, datetime.now(UTC)):
        pull(config, due).raise_failures()
    build.build(config)


def age(home: Path) -> None:
    """The pulls so far were yesterday's."""
    journal = home / "data" / JOURNAL_FILE
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    before = [line | {"at": _day_before(line["at"])} for line in lines]
    journal.write_text("".join(json.dumps(line) + "\n" for line in before))


def _day_before(at: str) -> str:
    return (datetime.fromisoformat(at) - timedelta(hours=25)).isoformat()


def run_killed(home: Path, kill: Kill, environ: Mapping[str, str], said: Connection) -> None:
    """A whole process: derives, and is killed on the way. Says how far it came if it was not."""
    os.environ.update(environ)
    steps = 0

    def count(event: str, given: tuple[Any, ...]) -> None:
        nonlocal steps
        written = event == "open" and given[1] not in (None, "r", "rb") and str(home) in str(given)
        if event in STEPS or written:
            steps += 1
            if steps == kill.step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    fsync = os.fsync

    def counted(fd: int | HasFileno) -> None:
        count("os.remove", ())
        fsync(fd)
        count("os.remove", ())

    os.fsync = counted
    began = time.process_time()
    if kill.seconds:
        signal.setitimer(signal.ITIMER_PROF, kill.seconds)  # ends a process that asked for no more
    derive(settings(home))
    said.send((steps, time.process_time() - began))


def run_on_a_full_disk(
    first: Path, room: int, environ: Mapping[str, str], said: Connection
) -> None:
    """A whole process on a disk of its own, with `room` bytes left; then one with more.

    Says what was refused, and what was published then and in the end. In a mount namespace of its
    own, so nobody else sees the disk; says nothing where the system allows none.
    """
    os.environ.update(environ)
    home = first.with_name("small disk")
    home.mkdir(exist_ok=True)
    if not _own_disk(home):
        return
    shutil.copytree(first, home, dirs_exist_ok=True)
    full = shutil.disk_usage(home)
    _mount(home, f"size={full.used + room}", REMOUNT)
    refused = ""
    try:
        derive(settings(home))
    except BreakevenError as error:
        refused = f"{type(error).__name__} {error}"
    then = contents(home)
    _mount(home, f"size={PLENTY}", REMOUNT)
    recover(settings(home))
    said.send((refused, then, contents(home)))


REMOUNT = 32
PLENTY = 256 << 20
NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000
PRIVATE = 1 << 18 | 1 << 14


def _own_disk(home: Path) -> bool:
    flags = NEW_MOUNTS if os.geteuid() == 0 else NEW_MOUNTS | NEW_USER
    if ctypes.CDLL(None).unshare(flags):
        return False
    ctypes.CDLL(None).mount(None, b"/", None, PRIVATE, None)
    return _mount(home, f"size={PLENTY}", 0)


def _mount(home: Path, options: str, flags: int) -> bool:
    given = (b"tmpfs", str(home).encode(), b"tmpfs", ctypes.c_ulong(flags), options.encode())
    return not ctypes.CDLL(None).mount(*given)


@dataclass
class Trial:
    """Runs that are killed, each in a copy of the folder `first`, against one in `whole`."""

    folder: Path
    processes: ForkServerContext
    aws: Fake
    environ: Mapping[str, str]
    steps: int = 0
    seconds: float = 0.0
    asked: int = 0

    def prepare(self) -> None:
        """The state before, and the run that nothing happens to."""
        self.first.mkdir()
        self.aws.shows(bill=lay_first(self.first), cost_now=TODAY)
        derive(settings(self.first))
        self.before = contents(self.first)
        age(self.first)
        self.bill = lay_second(self.first)
        self.aws.shows(bill=self.bill, cost_now=TODAY)
        shutil.copytree(self.first, self.whole)
        derive(settings(self.whole))
        self.after = contents(self.whole)
        shutil.copy(self.whole / "data" / sql_cache.FILE, self.first / "data")  # saves its time
        self.aws.forget()
        home = self._copied()
        exitcode, (self.steps, self.seconds) = self._run(home, Kill())
        assert (exitcode, contents(home)) == (0, self.after)
        self.asked = len(self._asks())

    def killed(self, kill: Kill) -> int | None:
        """One of them: killed, read, recovered, compared. Returns its exit code."""
        home = self._copied()
        self.aws.forget()
        exitcode, _ = self._run(home, kill)
        assert contents(home) in (self.before, self.after), "the last good snapshot stays up"
        recover(settings(home))
        # one may be lost on its way; and where all was sealed, whether it still stands is asked
        assert len(self._asks()) <= self.asked + 1, "what was answered is not paid for again"
        assert contents(home) == self.after, "as if nothing had happened"
        assert not list(home.glob("data/snapshots/.*")), "no draft is left"
        return exitcode

    def on_a_full_disk(self, share: float) -> str | None:
        """Refused with a `share` of the room it takes; None where no disk can be made."""
        need = _size(self.whole) - _size(self.first)
        ours, theirs = self.processes.Pipe(duplex=False)
        given = (self.first, int(need * share), dict(self.environ), theirs)
        process = self.processes.Process(target=run_on_a_full_disk, args=given)
        process.start()
        theirs.close()
        try:
            refused, then, after = ours.recv()
        except EOFError:
            return None
        finally:
            process.join(ENDS)
        assert then in (self.before, self.after), "the last good snapshot stays up"
        assert after == self.after, "as if nothing had happened"
        return str(refused)

    def refused(self, world: Mapping[str, Any]) -> list[str]:
        """What AWS, or the way to it, refuses; and then no more."""
        home = self._copied()
        self.aws.forget()
        self.aws.shows(bill=self.bill, cost_now=TODAY, **world)
        errors = pull(settings(home)).errors
        build.build(settings(home))
        self.aws.shows(bill=self.bill, cost_now=TODAY)
        assert due_sources(settings(home), datetime.now(UTC)) == ["cost_explorer"]
        recover(settings(home))
        assert contents(home) == self.after, "as if nothing had happened"
        return [str(error) for error in errors]

    @property
    def first(self) -> Path:
        """Published once, the second delivery ready."""
        return self.folder / "first"

    @property
    def whole(self) -> Path:
        """What never failed."""
        return self.folder / "whole"

    def _copied(self) -> Path:
        home = self.folder / "killed"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self.first, home)
        return home

    def _asks(self) -> list[dict[str, Any]]:
        return self.aws.asked("GetCostAndUsage") + self.aws.asked("GetDimensionValues")

    def _run(self, home: Path, kill: Kill) -> tuple[int | None, tuple[int, float]]:
        ours, theirs = self.processes.Pipe(duplex=False)
        process = self.processes.Process(
            target=run_killed, args=(home, kill, dict(self.environ), theirs)
        )
        process.start()
        theirs.close()
        process.join(ENDS)
        return process.exitcode, ours.recv() if process.exitcode == 0 else (0, 0.0)


def _size(home: Path) -> int:
    return sum(file.stat().st_blocks * 512 for file in home.rglob("*"))


def contents(home: Path) -> dict[str, list[str]]:
    """Every row of every published table, less when it came."""
    reader = Reader(home / "data" / "snapshots")
    try:
        return {
            name: sorted(
                repr([value for key, value in row.items() if key not in TIMES.get(name, ())])
                for row in reader.rows(f'SELECT * FROM "{name}"')
            )
            for name in (*schema.MARTS, *schema.EXPLAINERS)
        }
    finally:
        reader.close()
