"""Companies drawn by Hypothesis, and what may be done to them without changing what they saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

REGION = "xx-drawn-1"
Rows = list[dict[str, Any]]
HOURS = Decimal(24)


def at(month: int, day: int) -> datetime:
    """Midnight of a day of the drawn year, in the bill's zone: UTC, unsaid."""
    return datetime.fromisoformat(f"2025-{month:02}-{day:02}")


@dataclass(frozen=True)
class Run:
    """A run of whole days, with samples at noon; it makes the same epochs every day."""

    name: str
    machine: str
    start: datetime
    rates: tuple[Decimal, ...]
    """Effective dollars per instance-hour, a day."""
    pace: Decimal
    loss: float | None
    tagged: bool = True
    resumed_from: str | None = None
    first: int = 0
    recipe: str | None = None
    epoch_tokens: int | None = None
    """Tokens an epoch, which its samples then count too."""

    @property
    def trainium(self) -> bool:
        """Its hardware."""
        return self.machine.startswith("trn")


@dataclass(frozen=True)
class Workload:
    """Runs, storage, credits and idle boxes of one workload, in a region of its own prices."""

    name: str
    runs: tuple[Run, ...]
    storage: tuple[Decimal, ...]
    credits: tuple[Decimal, ...]
    scale: int = 1

    @property
    def region(self) -> str:
        """Where it runs: one region a price list."""
        return f"{REGION}-{self.scale}"

    def charges(self) -> Iterator[dict[str, Any]]:
        """Its lines."""
        for run in self.runs:
            for number, rate in enumerate(run.rates):
                day = run.start + timedelta(days=number)
                yield self._line(day, HOURS * rate, run)
        for month, amount in enumerate(self.storage):
            day = at(month % 12 + 1, 3)
            yield self._line(day, amount, None, SkuMeter="XX-EBS:VolumeUsage.gp3")
        for month, amount in enumerate(self.credits):
            day = at(month % 12 + 1, 7)
            yield self._line(day, -amount, None, ChargeCategory="Credit")

    def _line(
        self, day: datetime, amount: Decimal, run: Run | None, **further: object
    ) -> dict[str, Any]:
        given = line(day, amount * self.scale)
        given |= {"RegionId": self.region, "workload": self.name, **further}
        if run is None:
            return given
        return given | {
            "run": f"{self.name}/{run.name}" if run.tagged else None,
            "SkuMeter": f"XX-BoxUsage:{run.machine}",
            "ConsumedQuantity": HOURS,
            "ConsumedUnit": "Hours",
            "ListCost": HOURS * 30 * self.scale,
        }

    def samples(self) -> Iterator[dict[str, Any]]:
        """Its log: at the run's start, every noon, and its end."""
        for run in self.runs:
            length = len(run.rates)
            marks = [Decimal(0), *(Decimal(day) + Decimal("0.5") for day in range(length))]
            for number, part in enumerate([*marks, Decimal(length)]):
                epoch = (run.first + part) * run.pace
                resumed = run.resumed_from and f"{self.name}/{run.resumed_from}"
                worse = 0 if part == length else 1 / (1 + number)
                yield {
                    "observed_at": run.start + timedelta(days=float(part)),
                    "workload": self.name,
                    "run": f"{self.name}/{run.name}",
                    "epoch": epoch,
                    "loss": None if run.loss is None else run.loss + worse,
                    "resumed_from": resumed,
                    "recipe": run.recipe,
                    "samples_per_epoch": run.epoch_tokens,
                    "tokens": run.epoch_tokens and epoch * run.epoch_tokens,
                }

    def prices(self) -> Iterator[dict[str, Any]]:
        """On-demand prices of its region, with a cut."""
        for machine, since, dollars in (
            ("p4d.24xlarge", at(1, 1), 30),
            ("p4d.24xlarge", at(9, 15), 22),
            ("trn1.32xlarge", at(1, 1), 30),
        ):
            yield {
                "instance_type": machine,
                "region": self.region,
                "purchase_option": "on_demand",
                "usd_per_hour": Decimal(dollars * self.scale),
                "effective_from": since.date(),
                "observed_on": since.date(),
            }

    def with_run(self, run: Run, *others: Run, name: str) -> Workload:
        """The same with `run` (by its name) in place of its own, and `others` besides."""
        kept = [run if each.name == run.name else each for each in self.runs]
        return replace(self, name=name, runs=(*kept, *others))


def line(day: datetime, cost: Decimal) -> dict[str, Any]:
    """A plain line of a bill."""
    return {
        "BillingAccountId": "999900000001",
        "SubAccountId": "999900000001",
        "BillingPeriodStart": day.date().replace(day=1),
        "ChargePeriodStart": day,
        "ChargePeriodEnd": day + timedelta(days=1),
        "BillingCurrency": "USD",
        "ProviderName": "AWS",
        "ChargeCategory": "Usage",
        "BilledCost": cost,
        "EffectiveCost": cost,
        "ListCost": cost,
        "ContractedCost": cost,
    }


def cut(run: Run) -> tuple[Run, Run]:
    """A run of two days or more as two, the second, whose name comes first, from midnight on."""
    begin = replace(run, rates=run.rates[:1])
    rest = replace(
        run,
        name=f"+{run.name}",
        start=run.start + timedelta(days=1),
        rates=run.rates[1:],
        resumed_from=run.name,
        first=1,
    )
    return begin, rest


def tuned(run: Run) -> Run:
    """The same in another recipe, which takes a quarter of the dollars on GPU."""
    factor = 1 if run.trainium else Decimal("0.25")
    paid = tuple(rate * factor for rate in run.rates)
    return replace(run, name=f"q{run.name}", recipe="qlora", rates=paid)


def in_tokens(run: Run) -> Run:
    """The same work, counted in tokens: on Trainium in half as many epochs, of twice as many."""
    size = 2 if run.trainium else 1
    return replace(run, pace=run.pace / size, epoch_tokens=size * 10_000)


rates = st.decimals("0.01", 40, places=2)
paces = st.decimals("0.5", 6, places=3)
losses = st.sampled_from([1.4, 1.5, 1.51, 1.6])
amounts = st.lists(st.decimals("0.01", 900, places=7), min_size=1, max_size=12)


@st.composite
def workloads(draw: st.DrawFn, name: str = "plain") -> Workload:
    """Three GPU runs in spring, two Trainium runs and more from autumn on."""
    silent = draw(st.booleans()) and draw(st.booleans())
    found = []
    for number in range(3 + draw(st.integers(2, 3))):
        gpu = number < 3
        start = at(2 if gpu else 8, 1) + timedelta(days=draw(st.integers(0, 110)))
        length = draw(st.integers(2, 3))
        found.append(
            Run(
                f"{number}",
                "p4d.24xlarge" if gpu else "trn1.32xlarge",
                start,
                tuple(draw(st.lists(rates, min_size=length, max_size=length))),
                draw(paces),
                None if silent else draw(losses),
            )
        )
    return Workload(name, tuple(found), tuple(draw(amounts)), tuple(draw(amounts)))


companies = st.tuples(*(workloads(name) for name in ("one", "two", "three")))
"""Workloads drawn apart, so that one derivation of the marts answers for several."""
