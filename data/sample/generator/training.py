"""Simulates the lines that training runs leave on the bill."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

from generator.charges import (
    PREFIXES,
    Charge,
    identifier,
    instance_hour,
    money,
    storage_day,
    usage,
)
from generator.runs import Run
from generator.services import TRANSFER, VOLUME
from generator.timeline import DAY, RUN_COST_UNTIL, at, clock_hours, days

VOLUME_GB = Decimal(2000)
"""gp3 volume of each node."""
TRANSFER_PRICE = Decimal("0.01")
EVALUATION_HOURS = 3
BILLED_TWICE = ("atlas-g05", at("2025-05-02T00:00"), at("2025-05-02T06:00"))
"""A run, and the hours of its first node that AWS billed twice and corrected a month later."""
CORRECTED_IN = date(2025, 6, 1)


def charges(runs: Iterable[Run]) -> Iterator[Charge]:
    """Yields bill lines of the training runs, up to the day when the bill ends."""
    for run in runs:
        until = min(run.end, RUN_COST_UNTIL)
        if run.start < until:
            yield from accelerators(run, until)
            yield from storage_and_network(run, until)


def tags(run: Run) -> dict[str, str]:
    """Returns the tags of everything that a run uses."""
    return {**run.workload.tags, "user:run": run.name}


def node(run: Run, number: int) -> str:
    """Returns the instance ID of one of a run's nodes."""
    return identifier("i", run.name, number)


def accelerators(run: Run, until: datetime) -> Iterator[Charge]:
    """Yields instance-hours of a run: its nodes, reserved machines, and one that evaluated it."""
    for number in range(run.workload.nodes):
        for hour, share in clock_hours(run.start, until):
            line = own_hour(run, number, hour, share)
            yield with_reservation(line, run, "Used")
            if was_billed_twice(run, number, hour):
                yield line
                yield correction(line)
    yield from held_before(run)
    yield from evaluation(run)


def own_hour(run: Run, number: int, hour: datetime, share: Decimal) -> Charge:
    """Returns the bill's line for an hour, or part of it, of a run's node: on demand or Spot."""
    line = instance_hour(
        hour,
        share,
        run.workload.account,
        run.instance_type,
        node(run, number),
        tags(run),
        run.workload.region,
    )
    return on_spot(line) if run.purchase == "spot" else line


def on_spot(line: Charge) -> Charge:
    """Returns a line repriced at its day's simulated Spot price, without any discount."""
    price = spot_price(line.start.date())
    cost = money(price * (line.quantity or Decimal(0)))
    kind = f"SpotUsage:{line.instance_type}"
    return replace(
        line,
        description=f"{line.instance_type} Linux/UNIX Spot Instance-hour in US East (Virginia)",
        usage_type=kind,
        operation="RunInstances:SV001",
        pricing="Dynamic",
        contracted=cost,
        effective=cost,
        billed=cost,
        discounts={},
    )


def spot_price(day: date) -> Decimal:
    """Returns the simulated Spot price of trn1.32xlarge in us-east-1, dollars per hour."""
    wobble = Random(f"spot price {day.isocalendar()[:2]}").uniform(7.6, 9.4)
    return Decimal(f"{wobble:.4f}")


def was_billed_twice(run: Run, number: int, hour: datetime) -> bool:
    """Whether AWS billed this hour of this node twice."""
    name, first, last = BILLED_TWICE
    return run.name == name and number == 0 and first <= hour < last


def correction(line: Charge) -> Charge:
    """Returns the reversal of a line, in a later billing period."""
    return replace(
        line,
        charge_class="Correction",
        listed=None if line.listed is None else -line.listed,
        contracted=-line.contracted,
        effective=-line.effective,
        billed=-line.billed,
        quantity=-(line.quantity or Decimal(0)),
        discounts={name: -amount for name, amount in line.discounts.items()},
        billed_in=CORRECTED_IN,
    )


def with_reservation(line: Charge, run: Run, status: str) -> Charge:
    """Returns a line with its run's on-demand capacity reservation added, if the run has one."""
    if not run.reserved_before:
        return line
    return replace(line, reservation=identifier("cr", run.name), reservation_status=status)


def held_before(run: Run) -> Iterator[Charge]:
    """Yields idle hours of a run's reserved machines: billed as if used, and untagged."""
    for hour, share in clock_hours(run.start - run.reserved_before, run.start):
        for _ in range(run.workload.nodes):
            line = instance_hour(
                hour,
                share,
                run.workload.account,
                run.instance_type,
                identifier("cr", run.name),
                {},
                run.workload.region,
                kind="UnusedBox",
            )
            idle = replace(line, resource_type="capacity-reservation")
            yield with_reservation(idle, run, "Unused")


def evaluation(run: Run) -> Iterator[Charge]:
    """Yields a run's instance-hours of evaluation on other hardware; none if not evaluated."""
    if run.evaluates_on:
        first = run.end - timedelta(hours=EVALUATION_HOURS)
        resource = identifier("i", run.name, "evaluation")
        for hour, share in clock_hours(first, run.end):
            yield instance_hour(
                hour, share, run.workload.account, run.evaluates_on, resource, tags(run)
            )


def storage_and_network(run: Run, until: datetime) -> Iterator[Charge]:
    """Yields daily bill lines of a run's volumes and cross-zone traffic."""
    for day, hours in days(run.start, until):
        held = VOLUME_GB * run.workload.nodes * hours / 24
        yield storage_day(
            VOLUME,
            day,
            held,
            run.workload.account,
            identifier("vol", run.name),
            tags(run),
            run.workload.region,
        )
        yield traffic(run, day, hours)


def traffic(run: Run, day: datetime, hours: Decimal) -> Charge:
    """Returns a bill line for a day's traffic between zones."""
    gigabytes = money(hours * Decimal(Random(f"gb {run.name} {day}").randint(20, 60)))
    line = Charge(
        day,
        day + DAY,
        run.workload.account,
        TRANSFER,
        "$0.010 per GB - regional data transfer - in/out/between EC2 AZs",
        region=run.workload.region,
        usage_type=PREFIXES[run.workload.region] + "DataTransfer-Regional-Bytes",
        operation="InterZone-In",
        resource=node(run, 0),
        resource_type="instance",
        unit="GB",
        tags=tags(run),
    )
    return usage(line, TRANSFER_PRICE, gigabytes)
