"""A run as it happened: its hours day by day on the bill, its samples in the log."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from tests.support.simulator.company import Charge, Company, Run, Sample, dollars

PLAN_RATE = Decimal("0.55")
"""What an hour under the Savings Plan costs of its list price."""
PREPAID = ("committed", "capacity_block")


def trains(company: Company, run: Run) -> None:
    """Adds a run's charges and samples."""
    company.runs.append(run)
    company.charges.extend(_charges(company, run))
    company.samples.extend(_samples(run))


def _charges(company: Company, run: Run) -> Iterator[Charge]:
    for day, hours in _days(run.start, run.hours):
        parts = len(run.options)
        for number, option in enumerate(run.options):
            share = hours * run.instances / parts
            yield hour(company, day, run, option, share, first=number == 0)


def hour(
    company: Company, day: date, run: Run, option: str, hours: Decimal, *, first: bool = True
) -> Charge:
    """Hours of one day bought one way."""
    listed = company.price(run.machine, "on_demand", day) or Decimal(0)
    rate = listed * (1 - run.discount)
    if option == "spot":
        rate = company.price(run.machine, "spot", day) or listed * Decimal("0.4")
    if option == "committed":
        rate = listed * PLAN_RATE
    if option == "capacity_block":
        rate = listed = company.blocks[str(run.plan)].rate
    effective = dollars(hours * rate)
    return Charge(
        day,
        "direct",
        effective,
        Decimal(0) if option in PREPAID else effective,
        dollars(hours * listed),
        run.workload,
        run.name,
        "accelerator",
        run.machine,
        option,
        hours,
        run.plan if option in PREPAID else None,
        tagged=run.tagged,
    )


def _days(start: datetime, hours: int) -> Iterator[tuple[date, Decimal]]:
    """UTC days with the hours that fall on each."""
    end = start + timedelta(hours=hours)
    while start < end:
        midnight = datetime.combine(start.date() + timedelta(days=1), time())
        until = min(end, midnight)
        yield start.date(), Decimal(int((until - start).total_seconds())) / 3600
        start = until


def _samples(run: Run) -> Iterator[Sample]:
    """Evenly from `first` to `epochs`, falling back where it restarted, and at the very end."""
    steps = run.hours // run.step
    falls, behind = dict(run.falls), Decimal(0)
    for number in range(steps + 1):
        behind = max(Decimal(0), behind - Decimal("0.125")) + falls.get(number, Decimal(0))
        gained = (run.epochs - run.first) * number / max(steps, 1)
        at = run.start + timedelta(hours=run.step * number, minutes=13 * (number % 3))
        epoch = max(run.first + gained - behind, Decimal(0)).quantize(Decimal("1e-6"))
        loss = None if run.loss is None else run.loss + 0.5 * (steps - number) / max(steps, 1)
        yield Sample(at, run.workload, run.name, epoch, loss, run.told, run.in_tokens)
