"""Loads the config for verbs that write beside the warehouse, and closes what they write."""

from __future__ import annotations

from pathlib import Path

from models.config.loading import load
from models.config.settings import Settings
from models.raw.private_files import close_to_others


def load_to_write(config: Path | None) -> Settings:
    """Loads the settings; from then on this process writes files that others cannot read."""
    settings = load(config)
    close_to_others(settings)
    return settings
