"""What the tests of the W&B source ask after each pull."""

from __future__ import annotations

from typing import Any

from ingest.pull import Report, pull
from ingest.source import Window
from models.config.settings import Settings
from models.raw.delivery import Delivery
from models.raw.zone import RawZone
from tests.support.ingest.price_answers import told


def brought(config: Settings, window: Window | None = None) -> Report:
    """The report of a pull, none of which may fail."""
    report = pull(config, ["wandb"], window or Window())
    report.raise_failures()
    return report


def live(config: Settings) -> dict[str, Delivery]:
    """The live deliveries by day."""
    return {d.key.period: d for d in RawZone(config.data / "raw").live("wandb")}


def samples(config: Settings) -> list[dict[str, Any]]:
    """Delivered samples, typed, in order of time."""
    return sorted(told(config, "wandb"), key=lambda row: (row["run"], row["observed_at"]))


def epochs(config: Settings) -> dict[str, list[int]]:
    """The delivered epochs of each run."""
    found: dict[str, list[int]] = {}
    for row in samples(config):
        found.setdefault(row["run"], []).append(int(row["epoch"]))
    return found
