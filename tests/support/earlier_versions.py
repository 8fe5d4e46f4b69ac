"""What version 0.1.0 left with a user, to be opened, proved and built again (its MANIFEST.md)."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

KEPT = Path(__file__).parents[1] / "fixtures" / "0.1.0"


def unpacked(name: str, folder: Path) -> Path:
    """A copy of a kept folder in `folder`, whose packed files are unpacked."""
    copy = shutil.copytree(KEPT / name, folder / name)
    for packed in copy.rglob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    return copy
