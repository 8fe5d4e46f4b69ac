"""Loads the config for subcommands that write files, and keeps those files private."""

from __future__ import annotations

from pathlib import Path

from models.config.loading import load
from models.config.settings import Settings
from models.raw.private_files import close_to_others


def load_to_write(config: Path | None) -> Settings:
    """Loads the settings; lets only this user (or `files.group`) read what breakeven writes."""
    settings = load(config)
    close_to_others(settings)
    return settings
