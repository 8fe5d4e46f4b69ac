"""Defines the source of AWS Data Exports in CUR 2.0, the Cost and Usage Report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ingest.sources.bill.data_exports.data_export import DataExport


@dataclass(frozen=True)
class Cur2(DataExport):
    """The CUR 2.0 feed: a location with one AWS Data Export, or several."""

    kind: ClassVar[str] = "cur2"
    format: ClassVar[str] = "cur2"
