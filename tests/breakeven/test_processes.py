"""Processes that run together end together: real children, each a few lines of Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

DRIVER = """
import sys
from breakeven import processes
interpreter, processes.ENDING, processes.GRACE = sys.argv[1], 0.05, 0.2
sys.executable = interpreter  # a script that runs the code it is given in place of a verb
sys.exit(processes.run_until_first_ends(*([code] for code in sys.argv[2:])))
"""
LASTS = "import os, sys, time; open({file!r}, 'w').write(f'{{os.getpid()}}\\n'); time.sleep(60)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + LASTS
ORPHAN = """
import os, sys, time
read, write = os.pipe()
if not os.fork():
    orphan = os.fork()
    if orphan:
        os.write(write, str(orphan).encode())
    os._exit(0)
os.wait()
orphan = int(os.read(read, 20))
while True:
    try:
        os.kill(orphan, 0)
    except ProcessLookupError:
        sys.exit(7)
    time.sleep(0.01)
"""
"""Leaves a child of its child behind, waits until somebody has taken note of its end, and ends."""
ADOPTS = "import ctypes; assert not ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER"
WAITS_FOR = (
    "import os, sys, time\nwhile not os.path.exists({file!r}) or not open({file!r}).read():"
    "\n    time.sleep(0.01)\nsys.exit({code})"
)


@pytest.fixture
def interpreter(tmp_path: Path) -> Path:
    """Called as `interpreter -m breakeven CODE`, runs the code."""
    script = tmp_path / "interpreter"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -c "$3"\n')
    script.chmod(0o755)
    return script


def started(interpreter: Path, *codes: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", DRIVER, str(interpreter), *codes])


def is_running(file: Path) -> bool:
    """Whether the process that wrote its number to `file` is still there."""
    try:
        os.kill(int(file.read_text()), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("other", [LASTS, STUBBORN], ids=["meek", "stubborn"])
def test_the_first_that_ends_gives_the_code_and_ends_the_other(
    interpreter: Path, tmp_path: Path, other: str
) -> None:
    """Even one that ignores SIGTERM is killed in the end."""
    file = tmp_path / "other"
    first = WAITS_FOR.format(file=str(file), code=7)
    assert started(interpreter, other.format(file=str(file)), first).wait(30) == 7
    assert not is_running(file)


def test_the_end_of_an_orphan_ends_nobody(interpreter: Path, tmp_path: Path) -> None:
    """Process 1 of a container is given what others leave behind."""
    other = LASTS.format(file=str(tmp_path / "other"))
    driver = [sys.executable, "-c", ADOPTS + DRIVER, str(interpreter), ORPHAN, other]
    assert subprocess.run(driver, timeout=30, check=False).returncode == 7


def test_a_signal_is_no_failure_and_ends_all(interpreter: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one", "two")]
    driver = started(interpreter, *(LASTS.format(file=str(file)) for file in files))
    until = time.monotonic() + 20
    while not all(file.exists() and file.read_text() for file in files):
        assert time.monotonic() < until
        time.sleep(0.01)
    driver.send_signal(signal.SIGTERM)
    assert driver.wait(30) == 0
    assert [is_running(file) for file in files] == [False, False]
