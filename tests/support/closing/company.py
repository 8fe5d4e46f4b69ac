"""A company whose bill AWS rewrites while its months are closed, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from models.closing import closing
from models.closing.draft import Drafted
from models.config.settings import Settings
from tests.support.world import ACCOUNT, World, one_core

MONTHS = ("2025-06", "2025-07", "2025-08", "2025-09")
OTHER = "999900000002"
RUNS = ("t1", "t2", "t3", "t4")


@dataclass
class Company:
    """Two GPU runs in May, one Trainium run each month from June; tax, credit and a second account.

    `rates` are the dollars of a Trainium hour, by month: what AWS restates.
    """

    world: World
    rates: dict[str, str]

    def bill(self) -> None:
        """Ingests the bill as AWS tells it now."""
        self.world.charges.clear()
        self.world.samples.clear()
        self.world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10)
        self.world.run("g2", "p4d.24xlarge", "2025-05-12T00:00:00", 110, 25, 10)
        for name, month in zip(RUNS, MONTHS, strict=True):
            rate = Decimal(self.rates[month])
            self.world.run(name, "trn1.32xlarge", f"{month}-02T00:00:00", 25, rate, 4)
            tags = {"workload": "atlas-7b"}
            self.world.charge(f"{month}-05T00:00:00", -rate, ChargeCategory="Credit", tags=tags)
            self.world.charge(f"{month}-01T00:00:00", rate / 7, ChargeCategory="Tax")
            self.world.charge(f"{month}-03T00:00:00", rate / 3, SubAccountId=OTHER)
        self.world.charge("2025-10-30T00:00:00", "1.00")
        self.world.pulled(**self.world.config)

    def restate(self, rates: Mapping[str, str]) -> None:
        """AWS changes some months."""
        self.rates |= rates
        self.bill()

    @property
    def settings(self) -> Settings:
        """The config."""
        return self.world.settings(**self.world.config)

    def close(self, month: str, reason: str = "") -> Drafted:
        """As the controller does."""
        with one_core():
            return closing.close(self.settings, month, by="C", reason=reason)


def company(folder: Path) -> Company:
    """Before its first build: an engineer's ten days in May, $16 an hour throughout."""
    world = World(folder)
    world.config |= {
        "fiscal": {"first_month": 2},
        "investments": [
            {
                "workload": "atlas-7b",
                "date": "2025-05-20",
                "kind": "engineering",
                "days": 1,
                "day_rate": 1000,
            }
        ],
    }
    return Company(world, dict.fromkeys(MONTHS, "16"))


__all__ = ["ACCOUNT", "MONTHS", "OTHER", "Company", "company"]
