"""Fifty random points at which ingest, build or publish is killed: does anything tell afterwards?

    python -m benchmarks.crashes [--points 50] [--seed 2026]

Half are a SIGKILL before the n-th step on disk or network; half end the process in the midst of its
work, after a drawn share of its processor time, in whatever DuckDB or Python does then. Each time
the published snapshot must stand, and after a restart as the scheduler makes it be, row for row,
that of a run that never failed, without an answer of Cost Explorer paid for again. Then the same on
a disk that runs full, at ten sizes. Exits 1 at the first difference.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.support.ingest.fake_aws import ENVIRONMENT, Fake
from tests.support.ingest.kill_trials import TODAY, Trial, kills

ROOT = Path(__file__).parent.parent
ROOMS = 10


def main() -> None:
    """Says how each ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--seed", type=int, default=2026)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.support.aws", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
            assert server.stdout
            fake = Fake(Path(folder), server.stdout.readline().strip())
            try:
                measure(fake, Path(folder), asked.points, asked.seed)
            finally:
                server.kill()


def measure(fake: Fake, folder: Path, points: int, seed: int) -> None:
    """All points, then all disks."""
    environ = {**ENVIRONMENT, "AWS_ENDPOINT_URL": fake.url}
    os.environ.update(environ)
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.support.ingest.kill_trials"])
    trial = Trial(folder, processes, fake, environ)
    trial.prepare()
    say(f"a whole run: {trial.steps} steps, {trial.seconds:.2f} s, {trial.asked} paid requests")
    ended: Counter[str] = Counter()
    for kill in kills(seed, points, trial.steps, trial.seconds):
        code = trial.killed(kill)
        ended[signal.Signals(-code).name if code else "had ended before"] += 1
    say(f"{points} points, seed {seed}, as if nothing had happened: {dict(ended)}")
    fake.shows(bill=trial.bill, cost_now=TODAY)
    for room in range(ROOMS):
        refused = trial.on_a_full_disk(room / ROOMS)
        if refused is None:
            say("this system lets nobody make a disk of their own")
            return
        how = refused.partition(": ")[0] or "done"
        say(f"{room * 100 // ROOMS:3} % of the room that it takes: {how}")


def say(line: str) -> None:
    """One line of the result."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
