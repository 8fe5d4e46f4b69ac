"""Writes an export as AWS does: a folder per billing period, chunks, and a manifest last."""

import json
import uuid
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from generator.charges import Charge
from generator.focus import TYPE_NAMES, Export
from generator.timeline import next_month
from generator.workloads import PLATFORM

BUCKET = "s3://example-billing-exports/finops"
NAMESPACE = uuid.UUID("6f3c1e0e-52c4-4a58-9a9e-3c6b6f1f0b52")


@dataclass(frozen=True)
class Delivery:
    """One execution of an export for one billing period.

    `folder` is the name of an execution's own folder, where the export is set to keep every
    execution; it is empty where each execution overwrites the last.
    """

    export: Export
    month: date
    lines: list[Charge]
    chunks: int = 1
    folder: str = ""
    partition: str = "BILLING_PERIOD"
    again: str = ""
    """Why the month was exported a second time: another execution, which the manifest names."""

    @property
    def period(self) -> str:
        """The folder name of the billing period."""
        return f"{self.partition}={self.month:%Y-%m}"

    def write(self, root: Path) -> None:
        """Writes the data files, then the manifest that names them."""
        names = [self.write_chunk(root, index) for index in range(self.chunks)]
        manifest = json.dumps(self.manifest(names), indent=2) + "\n"
        home = root / self.export.name / "metadata" / self.period
        for folder in {home, home / self.folder}:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{self.export.name}-Manifest.json").write_text(manifest, encoding="utf-8")

    def write_chunk(self, root: Path, index: int) -> str:
        """Writes one Parquet file with a part of the lines; returns its path in the bucket."""
        parts = (
            "data",
            self.period,
            self.folder,
            f"{self.export.name}-{index + 1:05}.snappy.parquet",
        )
        path = Path(self.export.name, *(part for part in parts if part))
        size = -(-len(self.lines) // self.chunks)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        table = self.export.table(self.lines[index * size : (index + 1) * size])
        pq.write_table(table, root / path, compression="snappy", store_schema=False)
        return path.as_posix()

    def manifest(self, names: list[str]) -> dict[str, Any]:
        """Returns the manifest of an export: its files and columns, as AWS writes it last."""
        export = self.export.name
        execution = str(uuid.uuid5(NAMESPACE, f"{export} {self.month} {self.folder}{self.again}"))
        types = {
            name: TYPE_NAMES.get(kind, "map") for name, (kind, _) in self.export.columns.items()
        }
        return {
            "assemblyId": execution,
            "account": PLATFORM,
            "columns": [{"name": name, "type": kind} for name, kind in types.items()],
            "charset": "UTF-8",
            "compression": "Parquet",
            "contentType": "application/x-parquet",
            "reportId": str(uuid.uuid5(NAMESPACE, export)),
            "reportName": export,
            "billingPeriod": {
                "start": f"{self.month:%Y-%m-%d}T00:00:00.000Z",
                "end": f"{next_month(self.month):%Y-%m-%d}T00:00:00.000Z",
            },
            "executionId": execution,
            "exportArn": f"arn:aws:bcm-data-exports:us-east-1:{PLATFORM}:export/{export}",
            "dataFiles": [f"{BUCKET}/{name}" for name in names],
            "schema": "2",
            "timeFormat": "YYYY-MM-DDTHH:mm:ssZ",
        }
