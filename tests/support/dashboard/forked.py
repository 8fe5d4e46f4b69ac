"""Servers in processes of their own, forked from one that has imported the dashboard.

Importing it takes most of a second of CPU, and the tests start two dozen servers.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

from breakeven import main

ROOT = Path(__file__).parents[3]


class Forked:
    """A process that runs `target` in an environment, with all its output in a log.

    It is asked and ended as a `subprocess.Popen` is.
    """

    def __init__(
        self,
        log: Path,
        target: Callable[..., object],
        *args: object,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.support.dashboard.preloaded"])
        given = (log, {**os.environ, **(environ or {})}, target, args)
        self._process = context.Process(target=_run, args=given)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Its exit status; none while it runs."""
        return self._process.exitcode

    def wait(self, seconds: float) -> int | None:
        """Its exit status, when it has ended; none after so many seconds."""
        self._process.join(seconds)
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def terminate(self) -> None:
        self._process.terminate()


def command(*arguments: str) -> None:
    """Runs `breakeven` with these arguments."""
    main(arguments, prog_name="breakeven")


def _run(
    log: Path, environ: Mapping[str, str], target: Callable[..., object], args: tuple[object, ...]
) -> None:
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environ)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    target(*args)
