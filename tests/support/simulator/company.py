"""A company as it knows itself: what ran, what that cost, and how far it got.

Nothing here is in FOCUS terms: a bill is written from these facts (`export`), and the answers are
reckoned from them (`spend`, `work`, `baseline`, `saving`). Neither sees the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

MAIN, OTHER = "999900000001", "999900000002"
REGION = "xx-simulated-1"
"""A region the shipped prices do not know: the company's own price list is all there is."""
ACCELERATORS = {"p4d.24xlarge": 8, "p5.48xlarge": 8, "trn1.32xlarge": 16}
P4D, P5, TRN1 = ACCELERATORS
PLACES = Decimal("1e-9")
AS_OF = date(2026, 6, 30)
SETTLED = date(2026, 6, 27)


class Price(NamedTuple):
    """Dollars per instance-hour from a day on, as seen on another."""

    machine: str
    series: str
    since: date
    seen: date
    dollars: Decimal


@dataclass(frozen=True)
class Charge:
    """One line of the bill. `bucket` is METHOD §2.6's; `shared` may turn out to be overhead."""

    day: date
    bucket: str
    effective: Decimal
    billed: Decimal
    listed: Decimal
    workload: str | None = None
    run: str | None = None
    component: str = "other"
    machine: str | None = None
    option: str = "on_demand"
    hours: Decimal = Decimal(0)
    commitment: str | None = None
    account: str = MAIN
    month: str = ""
    corrects: bool = False
    tagged: bool = True
    """Whether the line carries the workload's tag; else only the run's log says whose it is."""

    @property
    def priced(self) -> Decimal:
        """At list prices: dollars given back without hours have none, whatever the bill says."""
        back = (self.corrects or self.bucket == "refund") and not self.hours
        return Decimal(0) if back else self.listed

    @property
    def period(self) -> str:
        """The billing month: the day's own, but for corrections."""
        return self.month or f"{self.day:%Y-%m}"


@dataclass(frozen=True)
class Sample:
    """One line of a progress log."""

    at: datetime
    workload: str
    run: str
    epoch: Decimal
    loss: float | None = None
    further: tuple[tuple[str, Any], ...] = ()
    in_tokens: bool = False
    """Whether `epoch` is billions of tokens, and the log has no epochs."""


@dataclass(frozen=True)
class Run:
    """What a training run was meant to be."""

    workload: str
    name: str
    machine: str
    start: datetime
    hours: int
    epochs: Decimal
    loss: float | None = 1.5
    instances: int = 1
    options: tuple[str, ...] = ("on_demand",)
    discount: Decimal = Decimal(0)
    plan: str | None = None
    step: int = 7
    falls: tuple[tuple[int, Decimal], ...] = ()
    """Restarts: after so many samples the counter falls back by so many epochs."""
    first: Decimal = Decimal(0)
    tagged: bool = True
    in_tokens: bool = False
    """Whether it reports tokens alone: then `epochs` are billions of them."""
    told: tuple[tuple[str, Any], ...] = ()
    """What its log says besides: recipe, purpose, resumed_from, samples_per_epoch."""

    def attribute(self, name: str) -> Any:  # noqa: ANN401 - as the log's column is
        """What the log says of `name`; None where it says nothing."""
        return dict(self.told).get(name)


@dataclass(frozen=True)
class Block:
    """A Capacity Block: hours paid for on a day, used or not; times are UTC."""

    name: str
    machine: str
    instances: int
    start: datetime
    end: datetime
    rate: Decimal
    paid: date

    @property
    def fee(self) -> Decimal:
        """Dollars of the whole block."""
        return self.rate * sum((hours for _, hours in self.days()), Decimal(0))

    def days(self) -> Iterator[tuple[date, Decimal]]:
        """Its days, with the instance-hours of each."""
        since = self.start
        while since < self.end:
            midnight = datetime.combine(since.date() + timedelta(days=1), time())
            until = min(self.end, midnight)
            seconds = int((until - since).total_seconds())
            yield since.date(), Decimal(seconds) / 3600 * self.instances
            since = until


@dataclass
class Company:
    """All facts, and the config a reader of METHOD would write for it."""

    prices: list[Price] = field(default_factory=list)
    charges: list[Charge] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    blocks: dict[str, Block] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)

    def price(self, machine: str, series: str, day: date) -> Decimal | None:
        """The price in force (METHOD §2.5): the newest observation of the newest change."""
        mine = [p for p in self.prices if (p.machine, p.series) == (machine, series)]
        due = [p for p in mine if p.since <= day]
        if not due:
            return None
        if series != "on_demand" and day >= max(p.seen for p in mine) + timedelta(days=45):
            return None
        return max(due, key=lambda p: (p.since, p.seen)).dollars

    def stale(self, machine: str, day: date) -> bool:
        """Whether an on-demand price was not confirmed for 45 days."""
        seen = [p.seen for p in self.prices if (p.machine, p.series) == (machine, "on_demand")]
        return day >= max(seen) + timedelta(days=45)


def dollars(amount: Decimal | float | str) -> Decimal:
    """`amount` to nine places, as AWS writes it."""
    return Decimal(amount).quantize(PLACES)
