"""AWS Data Exports of the Cost and Usage Report, CUR 2.0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ingest.sources.data_exports.data_export import DataExport


@dataclass(frozen=True)
class Cur2(DataExport):
    """The CUR 2.0 feed: a location that holds one AWS data export, or several."""

    kind: ClassVar[str] = "cur2"
    format: ClassVar[str] = "cur2"
