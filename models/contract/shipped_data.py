"""Finds the files that ship with the product: price seeds, the config template, the sample."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "data"


def shipped(name: str) -> Path:
    """Returns the path of a file or folder that ships with the product, such as `prices.csv`."""
    return FOLDER / name
