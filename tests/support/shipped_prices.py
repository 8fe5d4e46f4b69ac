"""The shipped prices, delivered once in a process and copied to where a test begins.

Every pull takes them where they are not delivered yet, and that is as much work as the rest of a
small pull.
"""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from ingest import pull
from models.config.loading import validated_settings


def deliver(data: Path) -> None:
    """As an earlier pull would have; a folder that is there already is left as it is."""
    if not data.exists():
        shutil.copytree(delivered(), data / "raw")


@cache
def delivered() -> Path:
    """The folder of raw deliveries that holds them, pulled by the first who asks."""
    home = Path(mkdtemp(prefix="shipped-prices-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    settings = validated_settings({}, home=home)
    pull.pull(settings, ["prices"]).raise_failures()
    return settings.data / "raw"
