"""Runs subcommands as separate processes, and ends them together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

ENDING, GRACE = 3.0, 15.0
"""Seconds that a process gets to end by itself, and then after SIGTERM before SIGKILL."""


def run_until_first_ends(*verbs: list[str], environ: dict[str, str] | None = None) -> int:
    """Runs subcommands as processes until one ends, ends the others, and returns its exit code.

    Ctrl-C ends them all and returns 0; SIGTERM ends them all and exits this process with 0.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    children: list[subprocess.Popen[bytes]] = []
    try:
        for verb in verbs:
            command = [sys.executable, "-m", "breakeven", *verb]
            children.append(subprocess.Popen(command, env=environ))
        return _first_ended(children).wait()
    except KeyboardInterrupt:
        return 0  # the terminal sent it to the children as well
    except SystemExit:
        for child in children:
            child.terminate()
        raise
    finally:
        for child in children:
            stop(child)


def _first_ended(children: list[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Waits for one of some processes to end and returns it; reaps orphans, as process 1 has to."""
    ours = {child.pid: child for child in children}
    while True:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        if ended and ended.si_pid in ours:
            return ours[ended.si_pid]
        if ended:
            os.waitpid(ended.si_pid, 0)


def stop(child: subprocess.Popen[bytes]) -> None:
    """Ends a process: SIGTERM unless it ends by itself within 3 s, and SIGKILL 15 s after that."""
    for insist in (child.terminate, child.kill):
        try:
            child.wait(timeout=GRACE if insist == child.kill else ENDING)
        except subprocess.TimeoutExpired:
            insist()
    child.wait()
