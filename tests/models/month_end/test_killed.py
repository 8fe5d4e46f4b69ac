"""Killed at any point, writing a close leaves no close or a whole one."""

from __future__ import annotations

import multiprocessing
import signal
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from models.errors import StorageError
from models.month_end.closes import Closes
from tests.models.month_end.killed import add_killed, small


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.models.month_end.killed"])
    return context


def killed(processes: ForkServerContext, data: Path, step: int) -> tuple[int | None, int]:
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=add_killed, args=(data, step, theirs))
    process.start()
    theirs.close()
    process.join(60)
    return process.exitcode, ours.recv() if process.exitcode == 0 else 0


def test_no_close_or_a_whole_one(processes: ForkServerContext, tmp_path: Path) -> None:
    exitcode, steps = killed(processes, tmp_path / "whole", 0)
    assert exitcode == 0
    assert steps >= 8
    found = []
    for step in range(1, steps + 1):
        data = tmp_path / f"{step}"
        assert killed(processes, data, step)[0] == -signal.SIGKILL
        found.append([close.closed_by for close in Closes(data).every()])
        if found[-1]:
            assert Closes(data).every() == [small("first")]
            with pytest.raises(StorageError, match="is there already"):
                Closes(data).add(small("second"))
        else:
            Closes(data).add(small("second"))
        assert len(Closes(data).every()) == 1
    assert found == sorted(found), "once it is there it stays"
    assert {len(closes) for closes in found} == {0, 1}
