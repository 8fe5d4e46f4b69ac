"""Runs tests in a copy of this process, so that what stands there changes nothing here."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import time
from collections.abc import Callable, Sequence

import pytest

GRACE = 20
"""Seconds of processor between the signal and the end."""
Before = Callable[[pytest.Item], None]


def run_apart(
    session: pytest.Session,
    items: Sequence[pytest.Item],
    prepare: Callable[[], None],
    *,
    most: int | None = None,
    before: Before = lambda _: None,
) -> tuple[str, list[str]]:
    """How a copy ended, in which tests run until one fails; or all, and which failed.

    `prepare` is called there first, `before` before each test. With `most` seconds of processor it
    ends with the first failure: `killed`, `survived`, `slow` or `broken`.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _run(session, items, prepare, writing, most, before)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        failed = pipe.read().splitlines()
    _, ended = os.waitpid(child, 0)
    factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
    for left in factory.getbasetemp().iterdir():
        shutil.rmtree(left, ignore_errors=True)
    if code := os.waitstatus_to_exitcode(ended):
        return ("slow" if code == -signal.SIGXCPU else "broken"), []
    return ("killed" if failed else "survived"), failed


def _run(
    session: pytest.Session,
    items: Sequence[pytest.Item],
    prepare: Callable[[], None],
    writing: int,
    most: int | None,
    before: Before,
) -> None:
    if most is not None:
        spent = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (spent + most, spent + most + GRACE))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    prepare()
    session.testsfailed = 0
    for item, after in zip(items, [*items[1:], None], strict=True):
        before(item)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.testsfailed:
            os.write(writing, f"{item.nodeid}\n".encode())
            session.testsfailed = 0
            if most is not None:
                session._setupstate.teardown_exact(None)  # ends what it started, servers too
                return


def processor() -> float:
    """Seconds of this process and of its children."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)
