"""W&B's client in one version, in a folder of its own: its packages are none of the tests'."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

VERSION = "0.31.0"
INSTALLED = Path(__file__).parents[3] / ".venv" / f"wandb-{VERSION}"
"""No part of the repository."""


def wandb_client() -> Path:
    """The folder with the client; it is fetched by pip the first time."""
    if not INSTALLED.exists():
        made = INSTALLED.with_suffix(".new")
        line = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
        options = ["--upgrade", "--target", str(made), f"wandb=={VERSION}"]
        subprocess.run([*line, *options], check=True, timeout=300)
        made.rename(INSTALLED)
    return INSTALLED
