"""The base class of the feeds that ask AWS about instance types: prices, offers, reservations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ingest.aws.instance_types import InstanceTypeOptions, machines_to_ask_about
from ingest.source import Group, Options
from models.config.settings import Settings
from models.engine.fleet import Machine


@dataclass(frozen=True)
class PriceFeed:
    """The base class of feeds of AWS prices; a subclass sets its `kind` and `format`.

    All its deliveries stay live, and they are the same for every region, where it says nothing
    else.
    """

    group: ClassVar[Group] = "prices"
    accepts: ClassVar[type[Options]] = InstanceTypeOptions
    append: ClassVar[bool] = True
    regional: ClassVar[bool] = False

    name: str
    options: InstanceTypeOptions
    settings: Settings

    def machines(self, region: str | None) -> list[Machine]:
        """Returns the (instance type, region) pairs that a feed asks AWS about, sorted."""
        return machines_to_ask_about(self.name, self.options, self.settings, region)
