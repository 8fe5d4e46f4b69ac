"""Does it run for long? A hundred readers, a refresh a minute, closes, exports, and faults.

    python -m benchmarks.serving.soak [--minutes 10]

`breakeven up` over the sample. Injected are: `kill -9` of a worker every 20 s, a disk without a
byte left for 45 s once (a tmpfs of its own, in a mount namespace: needs root or user namespaces),
and 20 clients that never send the end of a request. Goal, a line of verdict each: no error but
those; memory and open files of the processes that no fault kills, and the disk, the same in the
last third as in the middle one (memory and disk within 5 %). Of memory the median counts: a build
takes twice as much for two seconds, and a look each second meets that peak by chance. Each new
snapshot is made an hour older at once, so that what is kept for an hour is cleared away within the
run. The disk is full within the first third; a run of less than four minutes has too few refreshes
in each third to judge the scheduler by. Exits 1 if one is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median

from benchmarks.reduction import machine
from benchmarks.serving import callbacks, readers
from benchmarks.serving.soak_faults import Faults, Office, chance, is_broken_off
from benchmarks.serving.soak_world import Held, World

READERS, PAUSE = 100, 5.0
VERB_SECONDS = 30.0
"""How long before its end a verb may have met the full disk."""
FLAT, SPARE_FILES, SPARE_KIB = 1.05, 3, 1024
PATHS = (
    *("/", "/workload/atlas-13b", "/workload/lumen-7b", "/compare", "/compare?by=tag_team"),
    *("/runs", "/rates", "/rates?period=week", "/decide", "/trust", "/finance"),
)
DOWNLOADS = ("/csv/runs", "/csv/rates", "/csv/tie_out", "/statement/2025-03.xlsx", "/readyz")
INSIDE = "--inside"
OURS = "benchmarks.serving.soak"
"""Given where the mount namespace is there already."""


class Seen:
    """What the readers saw: milliseconds of each answer, and what went wrong when."""

    def __init__(self, faults: Faults) -> None:
        self.faults, self.took = faults, list[float]()
        self.unexplained: list[str] = []
        self.injected = 0

    def error(self, at: float, error: Exception) -> None:
        """Counts an error as injected, or keeps it."""
        now = time.time()
        killed = is_broken_off(error) and self.faults.explains("kill", at, now)
        full = "503" in str(error) and self.faults.explains("full", at, now)
        if killed or full:
            self.injected += 1
        else:
            self.unexplained.append(f"{datetime.fromtimestamp(at, UTC):%H:%M:%S} {error!r}"[:300])


def main() -> None:
    """Runs it in a mount namespace of its own, and says what held."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.inside:
        own = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else [])]
        os.execvp(own[0], [*own, sys.executable, "-m", OURS, *sys.argv[1:], INSIDE])
    with tempfile.TemporaryDirectory(prefix="breakeven-soak-") as folder, World(Path(folder)) as it:
        sys.exit(soak(it, given.minutes))


def soak(world: World, minutes: float) -> bool:
    """Runs everything for some minutes; whether a goal was missed."""
    world.start()
    stopping = threading.Event()
    faults, office = Faults(world, stopping), Office(world, stopping)
    seen, bodies = Seen(faults), list(readers.questions(world.port, PATHS))
    jobs: list[Callable[[], None]] = [
        office.work,
        faults.kill_workers,
        faults.be_slow,
        faults.fill_disk,
    ]
    jobs += [partial(read, world.port, bodies, seen, stopping, seed) for seed in range(READERS)]
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    held = []
    until = time.monotonic() + minutes * 60
    while time.monotonic() < until:
        held.append(world.held())
        world.age()
        time.sleep(1)
    stopping.set()
    for thread in threads:
        thread.join()
    last, code = world.published(), world.stop()
    print(f"{machine()}\n{minutes:g} minutes: {dict(faults.counts)}")
    verdicts = [
        *verdicts_of_work(seen, office, faults, minutes),
        (f"ended with exit code {code}", code == 0),
        ("after the full disk a refresh was published again", last != faults.after_full),
        *verdicts_of_log(world, faults),
        *flat(held),
    ]
    for line, good in verdicts:
        print(f"{'ok  ' if good else 'FAIL'} {line}")
    return not all(good for _, good in verdicts)


def read(port: int, bodies: list[bytes], seen: Seen, stopping: threading.Event, seed: int) -> None:
    """One person: opens pages, moves controls, downloads a file now and then."""
    dice, page = chance(seed), dict[str, str]()
    stopping.wait(dice.random() * PAUSE)
    while not stopping.is_set():
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        started, at = time.perf_counter(), time.time()
        try:
            page = page or readers.sent_by_a_page(connection)
            if dice.random() < 0.05:
                download(connection, dice.choice(DOWNLOADS))
            else:
                readers.post(connection, dice.choice(bodies), page)
        except (OSError, HTTPException, ValueError) as error:
            seen.error(at, error)
        connection.close()
        spent = time.perf_counter() - started
        seen.took.append(spent * 1000)
        stopping.wait(max(0.0, PAUSE - spent))


def download(connection: HTTPConnection, path: str) -> None:
    """Takes a file; raises `ValueError` where the answer is not 200."""
    connection.request("GET", path)
    answer = connection.getresponse()
    data = answer.read()
    if answer.status != 200:
        raise ValueError(f"{path}: {answer.status} {data[:200]!r}")


Verdict = tuple[str, bool]


def verdicts_of_work(
    seen: Seen, office: Office, faults: Faults, minutes: float
) -> Iterator[Verdict]:
    """Yields how readers, refreshes, closes and exports fared."""
    yield (
        f"readers: {len(seen.took):,} answers, p95 {callbacks.p95(seen.took):.0f} ms, "
        f"{seen.injected} errors injected, others: {seen.unexplained[:5] or 'none'}",
        not seen.unexplained,
    )
    least = int(minutes) - 2
    yield f"refreshes: {office.refreshes} published, at least {least}", office.refreshes >= least
    wrong = [
        line for at, line in office.failed if not faults.explains("full", at - VERB_SECONDS, at)
    ]
    yield f"by hand: {dict(office.done)}, failed: {wrong[:3] or 'none'}", not wrong


def verdicts_of_log(world: World, faults: Faults) -> Iterator[Verdict]:
    """Yields whether the log has errors that no fault explains."""
    wrong = []
    for line in world.log.read_text(errors="replace").splitlines():
        if not line.startswith("{"):
            wrong += [line] if "Traceback" in line else []
            continue
        entry = json.loads(line)
        at = datetime.fromisoformat(entry["at"]).timestamp()
        expected = "SIGKILL" in entry["event"] or faults.explains("full", at, at)
        if entry["level"] in ("error", "critical") and not expected:
            wrong.append(f"{entry['event']} {entry.get('exception', '')}"[:300])
    yield f"the log's errors that no fault explains: {wrong[:3] or 'none'}", not wrong


def flat(held: list[Held]) -> Iterator[Verdict]:
    """Yields whether the last third holds no more than the middle one."""
    third = len(held) // 3
    middle, last = held[third : 2 * third], held[2 * third :]
    for name in held[0].mib:
        before, after = (median(each.mib[name] for each in part) for part in (middle, last))
        most = max(each.mib[name] for each in held)
        yield (
            f"memory of {name}: {before:.1f} → {after:.1f} MiB, at most {most:.1f}",
            after <= before * FLAT,
        )
        files, more = (max(each.files[name] for each in part) for part in (middle, last))
        yield f"open files of {name}: {files} → {more}", more <= files + SPARE_FILES
    disk, full = (max(each.disk_kib for each in part) for part in (middle, last))
    yield f"disk: {disk:,} → {full:,} KiB", full <= disk * FLAT + SPARE_KIB


if __name__ == "__main__":
    main()
