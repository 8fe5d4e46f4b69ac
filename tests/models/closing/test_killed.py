"""Killed at any point, closing a month leaves no close or a whole one, and nothing in the way."""

from __future__ import annotations

import multiprocessing
import signal
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from models.contract.errors import CloseError
from models.records.closes import Closes
from tests.support.closing.killed import close, close_killed, small

pytestmark = pytest.mark.kill


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.closing.killed"])
    return context


def killed(processes: ForkServerContext, folder: Path, step: int) -> tuple[int | None, int]:
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=close_killed, args=(folder, step, theirs))
    process.start()
    theirs.close()
    process.join(60)
    return process.exitcode, ours.recv() if process.exitcode == 0 else 0


def test_no_close_or_a_whole_one(processes: ForkServerContext, tmp_path: Path) -> None:
    """From the lock on; whoever closes next is not kept from it by what was left."""
    exitcode, steps = killed(processes, made(tmp_path / "whole"), 0)
    assert exitcode == 0
    assert steps >= 12
    found = []
    for step in range(1, steps + 1):
        folder = made(tmp_path / f"{step}")
        closes = Closes(folder / "data")
        assert killed(processes, folder, step)[0] == -signal.SIGKILL
        found.append([close.closed_by for close in closes.every()])
        if found[-1]:
            assert closes.every() == [small("first")]
            with pytest.raises(CloseError, match="2025-09 is closed already: version 1 by first"):
                close(folder, "second")
        else:
            close(folder, "second")
        assert [path.name for path in closes.folder.glob("*/*")] == ["0001.json"]
    assert found == sorted(found), "once it is there it stays"
    assert {len(closed) for closed in found} == {0, 1}


def made(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True)
    return folder
