"""The one way to the files that ship with the product: seeds, the config template, the sample."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "data"


def shipped(name: str) -> Path:
    """The path of a shipped file or folder, such as `prices.csv` or `sample/breakeven.toml`."""
    return FOLDER / name
