"""Runs the provider of `provider.js` on loopback."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from tests.support.dashboard.server import PATIENCE_SECONDS, free_port, wait_for

HERE = Path(__file__).parent
INSTALLED = HERE.parents[2] / ".venv" / "provider"
"""Where npm puts the provider: no part of the repository."""
SECRET = "known-to-both-alone"


def installed() -> Path:
    """The folder with the provider in it, from npm unless it is there."""
    INSTALLED.mkdir(exist_ok=True)
    with FileLock(INSTALLED / "lock"):  # several test processes may want it at once
        for name in ("package.json", "provider.js"):
            shutil.copyfile(HERE / name, INSTALLED / name)
        if not (INSTALLED / "node_modules" / "oidc-provider").is_dir():
            line = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund"]
            subprocess.run(line, cwd=INSTALLED, check=True, capture_output=True, timeout=300)
    return INSTALLED


@contextmanager
def provider(folder: Path, back: str) -> Iterator[str]:
    """The address of a provider that sends browsers back to `back`, until the block ends."""
    port, log = free_port(), folder / "provider.log"
    line = ["node", "provider.js", str(port), back]
    with log.open("wb") as told:
        process = subprocess.Popen(line, cwd=installed(), stdout=told, stderr=told)
    try:
        wait_for(port, process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
