"""The world of the soak: the sample on a disk of its own, run by `breakeven up`, and what it holds.

The disk is a tmpfs in a mount namespace, so that nobody else sees it and it can be made full.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks.serving.readers import free_port, wait_for
from models.engine.warehouse.snapshots import KEPT_SNAPSHOTS

ROOT = Path(__file__).parents[2]
BREAKEVEN = str(Path(sys.executable).parent / "breakeven")
DISK_MIB, WORKERS = 512, 2
CHANGED = "progress/scribe-bert.csv"
HOUR = 3600


class Held(NamedTuple):
    """What the steady processes and the disk held at one moment."""

    at: float
    mib: dict[str, float]
    files: dict[str, int]
    disk_kib: int


class World:
    """The running product: its folder, its port, its processes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data, self.port = folder, folder / "disk", free_port()
        self.config, self.log = folder / "breakeven.toml", folder / "log"
        shutil.copytree(ROOT / "data/sample", folder, dirs_exist_ok=True)
        self.data.mkdir()
        mount(self.data, f"size={DISK_MIB}m")
        text = self.config.read_text().replace("../demo/", "disk/")
        every = 'schedule.cost = "* * * * *"\nschedule.progress = "* * * * *"\nraw.keep_days = 0\n'
        self.config.write_text(every + text)
        self.minute = 0

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "up") and self.up.poll() is None:
            self.stop()
        subprocess.run(["umount", "--lazy", str(self.data)], check=False)

    def start(self) -> None:
        """Refreshes until as many snapshots are there as are kept, then runs `up`."""
        for _ in range(KEPT_SNAPSHOTS + 1):
            self.change()
            for verb in ("ingest", "build"):
                subprocess.run(self.command(verb), check=True, capture_output=True)
            self.age()
        listen = ("--port", str(self.port), "--workers", str(WORKERS))
        with self.log.open("wb") as log:
            self.up = subprocess.Popen(self.command("up", *listen), stdout=log, stderr=log)
        wait_for(self.port)
        while len(self.workers()) < WORKERS or "schedule" not in self.named():
            time.sleep(0.2)
        self.steady = self.named() | {"oldest worker": self.workers()[0]}

    def stop(self) -> int:
        """Ends it as an operator does; returns its exit code."""
        self.up.terminate()
        return self.up.wait(60)

    def command(self, verb: str, *options: str) -> list[str]:
        """The command line of a verb over this world."""
        return [BREAKEVEN, verb, "--config", str(self.config), *options]

    def change(self) -> None:
        """Changes what a run reported, so that the next refresh has something to publish."""
        self.minute += 1
        path = self.folder / CHANGED
        lines = path.read_text().splitlines()
        cells = lines[-1].split(",")
        cells[4] = f"{1.6 + self.minute / 1000:.4f}"
        path.write_text("\n".join([*lines[:-1], ",".join(cells)]) + "\n")

    def age(self) -> None:
        """Makes each new snapshot an hour older: what is kept for an hour goes at the next one."""
        for snapshot in (self.data / "snapshots").glob("*.duckdb"):
            with suppress(FileNotFoundError):
                written = snapshot.stat().st_mtime
                if written > time.time() - HOUR:
                    os.utime(snapshot, (written - HOUR, written - HOUR))

    def published(self) -> str:
        """What names the current snapshot."""
        return (self.data / "snapshots/current.json").read_text()

    def named(self) -> dict[str, int]:
        """The scheduler and the web server's master."""
        found: dict[str, int] = {}
        for pid in children(self.up.pid):
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            found |= {name: pid for name in ("schedule", "serve") if name in words}
        return found

    def workers(self) -> list[int]:
        """The web server's workers, the oldest first."""
        master = self.named().get("serve")
        return sorted(children(master), key=started) if master else []

    def held(self) -> Held:
        """What the processes that no fault kills hold now, and the disk."""
        return Held(
            time.monotonic(),
            {name: anonymous(pid) for name, pid in self.steady.items()},
            {name: open_files(pid) for name, pid in self.steady.items()},
            shutil.disk_usage(self.data).used // 1024,
        )


def mount(folder: Path, options: str) -> None:
    """Mounts a tmpfs, or mounts it anew with other options."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)


def children(pid: int) -> list[int]:
    """The child processes of a process."""
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def started(pid: int) -> int:
    """When a process was started, in clock ticks."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except FileNotFoundError:
        return sys.maxsize


def anonymous(pid: int) -> float:
    """MiB of a process's own, without files that it maps."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("RssAnon:")[2].split()[0]) / 1024


def open_files(pid: int) -> int:
    """How many files a process has open, without connections."""
    count = 0
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            count += not str(handle.readlink()).startswith("socket:")
    return count
