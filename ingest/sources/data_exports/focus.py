"""The bill itself: AWS Data Exports in FOCUS 1.0 or 1.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ingest.sources.data_exports.data_export import DataExport


@dataclass(frozen=True)
class Focus(DataExport):
    """One location that holds one FOCUS export, or several."""

    kind: ClassVar[str] = "focus"
    format: ClassVar[str] = "focus"
