"""A small world: a FOCUS bill and progress files as AWS and a training job would write them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest import pull
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.engine import build
from models.engine.sql.sql_cache import SqlCache
from models.engine.warehouse.reader import Reader
from tests.support import shared_worlds, shipped_prices

LIST = {"p4d.24xlarge": "32.7726", "trn1.32xlarge": "21.50"}
ACCOUNT = "999900000001"


@dataclass
class World:
    """Charges and samples of a small company; `build` takes them the ordinary way to marts."""

    folder: Path
    charges: list[dict[str, Any]] = field(default_factory=list)
    samples: list[dict[str, Any]] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)

    def charge(self, day: str, cost: object, **columns: object) -> None:
        """One FOCUS line; `cost` is effective and billed, list unless said otherwise."""
        start = datetime.fromisoformat(day)
        line: dict[str, Any] = {
            "BillingAccountId": ACCOUNT,
            "SubAccountId": ACCOUNT,
            "BillingPeriodStart": f"{start:%Y-%m}-01",
            "ChargePeriodStart": start.isoformat(),
            "ChargePeriodEnd": (start + timedelta(hours=1)).isoformat(),
            "BillingCurrency": "USD",
            "ChargeCategory": "Usage",
            "BilledCost": cost,
            "EffectiveCost": cost,
            "ListCost": cost,
            "ContractedCost": cost,
            "RegionId": "us-east-1",
        }
        tags = columns.pop("tags", None)
        self.charges.append(line | columns | ({"Tags": json.dumps(tags)} if tags else {}))

    def hours(
        self,
        day: str,
        hours: object,
        instance_type: str,
        rate: object,
        tags: Mapping[str, str],
        **columns: object,
    ) -> None:
        """Instance-hours on one day at an effective hourly `rate`."""
        amount = Decimal(str(hours)) * Decimal(str(rate))
        listed = Decimal(str(hours)) * Decimal(LIST.get(instance_type, str(rate)))
        given: dict[str, object] = {
            "ListCost": listed,
            "x_UsageType": f"BoxUsage:{instance_type}",
            "ConsumedQuantity": hours,
            "ConsumedUnit": "Hours",
            "tags": tags,
        }
        self.charge(day, amount, **given | columns)

    def run(
        self,
        name: str,
        instance_type: str,
        start: str,
        hours: object,
        rate: object,
        epochs: object,
        *,
        workload: str = "atlas-7b",
        loss: float | None = 1.5,
        **sample: object,
    ) -> None:
        """A run: its hours day by day from `start`, and its progress from 0 to `epochs`."""
        left, day = Decimal(str(hours)), datetime.fromisoformat(start)
        while left > 0:
            today = min(left, Decimal(24))
            self.hours(
                day.isoformat(), today, instance_type, rate, {"workload": workload, "run": name}
            )
            left -= today
            day += timedelta(days=1)
        end = datetime.fromisoformat(start) + timedelta(hours=float(str(hours)))
        for at, epoch in ((datetime.fromisoformat(start), 0), (end, epochs)):
            self.sample(at.isoformat(), name, epoch, workload=workload, loss=loss, **sample)

    def sample(
        self, at: str, run: str, epoch: object, *, workload: str = "atlas-7b", **columns: object
    ) -> None:
        """One line of progress."""
        line = {"observed_at": at, "workload": workload, "run": run, "epoch": epoch}
        self.samples.append(
            line | {name: value for name, value in columns.items() if value is not None}
        )

    def settings(self, **config: object) -> Settings:
        """The config of this world, in a folder of its own."""
        sources = [
            {"kind": "focus", "location": "bill.csv"},
            {"kind": "progress_file", "location": "progress.csv"},
        ]
        base = {"as_of": "2025-10-31", "sources": sources[: 1 + bool(self.samples)], **self.config}
        return validated_settings({**base, **config}, home=self.folder)

    def build(self, **config: object) -> Marts:
        """Ingests, builds, publishes."""
        settings = self.pulled(**config)
        build_once(settings)
        return Marts(settings)

    def pulled(self, **config: object) -> Settings:
        """Ingests, and builds nothing: for `some_marts`."""
        settings = self.settings(**config)
        write(self.folder / "bill.csv", self.charges)
        write(self.folder / "progress.csv", self.samples)
        pull_once(settings)
        return settings


@dataclass
class Marts:
    """The published snapshot of a world."""

    settings: Settings

    @cached_property
    def _reader(self) -> Reader:
        """Opened once: it follows whatever is published next."""
        return Reader(self.settings.data / "snapshots")

    def rows(self, sql: str, *parameters: object) -> list[dict[str, Any]]:
        """Rows of a query on the snapshot."""
        return self._reader.rows(sql, parameters)

    def row(self, sql: str, *parameters: object) -> dict[str, Any]:
        """The one row of a query."""
        (only,) = self.rows(sql, *parameters)
        return only

    def standing(self, workload: str = "atlas-7b") -> dict[str, Any]:
        """The workload's row of `break_even`."""
        return self.row("SELECT * FROM break_even WHERE workload = ?", workload)


@contextmanager
def one_core(*, served: bool = False) -> Iterator[None]:
    """Worlds are built beside each other, one a core: with more threads they wait for one another.

    Their files have small blocks, for tables of a few rows, and no compiled SQL beside them: tests
    share it. What a process of its own builds again, as a server does that closes a month
    (`served`), has it: else that process compiles all of it. The simulator, the properties and
    every process of its own do all that as users do.
    """
    one = partial(duckdb.connect, config={"threads": 1, "default_block_size": "16384"})
    with pytest.MonkeyPatch.context() as here:
        here.setattr(duckdb, "connect", one)
        if not served:
            here.setattr(SqlCache, "save", lambda _: None)
        yield


def pull_once(settings: Settings) -> None:
    """Pulls, or takes what the same pull of the same files brought."""
    step = shared_worlds.step("pull", settings, reads_sources=True)
    if not step.take():
        shipped_prices.deliver(settings.data)
        with one_core():
            pull.pull(settings).raise_failures()
        step.add()


def build_once(settings: Settings) -> None:
    """Builds, or takes what the same build of the same deliveries made."""
    step = shared_worlds.step("build", settings)
    if not step.take():
        with one_core():
            build.build(settings)
        step.add()


def pulled_by_month(world: World, **config: object) -> Settings:
    """Ingests the charges as AWS delivers them: a folder for each month's bill."""
    for month in sorted({line["BillingPeriodStart"][:7] for line in world.charges}):
        folder = world.folder / "bill" / f"BILLING_PERIOD={month}"
        folder.mkdir(parents=True)
        lines = [line for line in world.charges if line["BillingPeriodStart"].startswith(month)]
        write(folder / "bill.csv", lines)
    settings = world.settings(sources=[{"kind": "focus", "location": "bill"}], **config)
    pull_once(settings)
    return settings


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Rows as a CSV with every column any of them has."""
    rows = list(rows)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
