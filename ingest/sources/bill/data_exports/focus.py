"""Defines the source of AWS Data Exports in the FOCUS format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ingest.sources.bill.data_exports.data_export import DataExport


@dataclass(frozen=True)
class Focus(DataExport):
    """The FOCUS feed: a location with one AWS Data Export, or several."""

    kind: ClassVar[str] = "focus"
    format: ClassVar[str] = "focus"
