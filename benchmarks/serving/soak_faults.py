"""What is done to the product in the soak: refreshes, closes and exports; faults; slow clients."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException

from benchmarks.serving.soak_world import DISK_MIB, World, mount

KILL_EVERY, SLOW, AFTER_A_KILL, FULL_SECONDS = 20, 20, 1.0, 45
MONTHS = ("2025-03", "2025-04", "2025-05", "2025-06", "2025-07")
BUSY = "is writing"


class Faults:
    """Injects faults and remembers when, so that only other errors count."""

    def __init__(self, world: World, stopping: threading.Event) -> None:
        self.world, self.stopping = world, stopping
        self.windows: list[tuple[str, float, float]] = []
        self.counts: Counter[str] = Counter()
        self.after_full = ""

    @contextmanager
    def window(self, kind: str, after: float) -> Iterator[None]:
        """Says that a fault goes on, and for some seconds after."""
        place, began = len(self.windows), time.time()
        self.windows.append((kind, began, float("inf")))
        yield
        self.windows[place] = (kind, began, time.time() + after)

    def explains(self, kind: str, since: float, until: float) -> bool:
        """Whether a fault of this kind went on at some time between."""
        return any(
            of == kind and began <= until and since <= ended for of, began, ended in self.windows
        )

    def kill_workers(self) -> None:
        """Kills the youngest worker again and again; the oldest stays, to be measured."""
        while not self.stopping.wait(KILL_EVERY):
            workers = self.world.workers()
            if len(workers) > 1:
                with self.window("kill", AFTER_A_KILL), suppress(ProcessLookupError):
                    os.kill(workers[-1], signal.SIGKILL)
                    self.counts["kill -9"] += 1

    def fill_disk(self) -> None:
        """Leaves no byte on the disk while the first refresh is due, then room again."""
        if self.stopping.wait((50 - time.time()) % 60):
            return
        with self.window("full", 20.0):
            used = shutil.disk_usage(self.world.data).used
            mount(self.world.data, f"remount,size={used}")
            self.stopping.wait(FULL_SECONDS)
            self.counts["full disk, s"] += FULL_SECONDS
            self.after_full = self.world.published()
            mount(self.world.data, f"remount,size={DISK_MIB}m")

    def be_slow(self) -> None:
        """Clients that never send the end of a request, anew whenever they are ended."""
        wires: list[socket.socket] = []
        while not self.stopping.wait(1):
            wires = [wire for wire in wires if not self._ended(wire)]
            while len(wires) < SLOW:
                wire = socket.create_connection(("127.0.0.1", self.world.port))
                wire.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n")
                wire.setblocking(False)
                wires.append(wire)
                self.counts["slow clients"] += 1
        for wire in wires:
            wire.close()

    def _ended(self, wire: socket.socket) -> bool:
        try:
            wire.recv(1 << 10)
        except BlockingIOError:
            return False
        except OSError:
            pass
        wire.close()
        self.counts["slow clients ended"] += 1
        return True


class Office:
    """Refreshes what was reported, closes months and exports, as people and the scheduler do."""

    def __init__(self, world: World, stopping: threading.Event) -> None:
        self.world, self.stopping = world, stopping
        self.done: Counter[str] = Counter()
        self.failed: list[tuple[float, str]] = []
        self.refreshes = 0

    def work(self) -> None:
        """A change every minute, and between two refreshes closes and exports."""
        number, seen = 0, self.world.published()
        while not self.stopping.is_set():
            self.world.change()
            if self.stopping.wait(60 - time.time() % 60 + 25):  # the refresh begins at the minute
                return
            self.refreshes += self.world.published() != seen
            seen = self.world.published()
            month = MONTHS[number % len(MONTHS)]  # in order: the next one once this is closed
            again = ("--reason", "soak") if number >= len(MONTHS) else ()
            closed = self.run("close", month, "--by", "soak", *again)
            self.run("export", "monthly_summary", "--output", str(self.world.folder / "out.csv"))
            form = ("--format", "xlsx", "--output", str(self.world.folder / "out.xlsx"))
            self.run("export", "statement", "--month", month, *form)
            if closed:
                self.run("verify", month)
            number += closed

    def run(self, verb: str, *options: str) -> bool:
        """Runs a verb; while the scheduler writes it is tried again, as a person would."""
        for _ in range(20):
            ended = subprocess.run(
                self.world.command(verb, *options), capture_output=True, text=True, check=False
            )
            if not (ended.returncode == 1 and BUSY in ended.stderr) or self.stopping.wait(3):
                break
        self.done[verb] += ended.returncode == 0
        if ended.returncode:
            self.failed.append((time.time(), f"{verb}: {ended.stderr.strip()[-300:]}"))
        return ended.returncode == 0


def is_broken_off(error: Exception) -> bool:
    """Whether a request broke off, as it does when its worker is killed."""
    return isinstance(error, (OSError, HTTPException)) and not isinstance(error, TimeoutError)


def chance(seed: int) -> random.Random:
    """Dice of their own for each reader, the same in each run."""
    return random.Random(seed)
