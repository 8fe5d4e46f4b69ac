"""Finds the files that ship with the product: price seeds, the sample, pages of documentation.

In a checkout they stand beside the packages, as `data/`, `docs/` and `deploy/`; the wheel holds
them within this package, below `models/shipped`.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
INSTALLED = PACKAGE / "shipped"
FOLDER = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent


def shipped(name: str) -> Path:
    """Returns the path of a file or folder that ships with the product: `data/prices.csv`."""
    return FOLDER / name


def shipped_name(name: str) -> str:
    """Returns a shipped file's name for messages: its path if installed, else the name as given."""
    return str(shipped(name)) if INSTALLED.is_dir() else name
