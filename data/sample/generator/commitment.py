"""Applies a Compute Savings Plan to the simulated bill, hour by hour: covered, paid, unused."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from generator.charges import ZERO, Charge, money
from generator.services import PLANS
from generator.timeline import COST_UNTIL, HOUR, at, clock_hours
from generator.workloads import PLATFORM

PLAN = "arn:aws:savingsplans::999900000001:savingsplan/5b1d6c52-0f0e-4b7e-9d43-2c1f6a6f8a10"
SINCE = at("2026-01-01T00:00")
HOURLY = Decimal("5.00")
"""Dollars committed an hour for a year, nothing upfront."""
RATE = Decimal("0.72")
"""Simulated: what the plan charges of the list price of anything that it covers."""
COVERS = ("trn1.32xlarge", "m5.24xlarge")
"""Highest first: trn1 training, then the web fleet. Spot is never covered."""


def applied(lines: Iterable[Charge]) -> Iterator[Charge]:
    """Yields the bill lines with a Savings Plan applied: covered usage, fees, unused hours."""
    eligible: defaultdict[datetime, list[Charge]] = defaultdict(list)
    for line in lines:
        if is_eligible(line):
            eligible[line.start].append(line)
        else:
            yield line
    for hour, _ in clock_hours(SINCE, COST_UNTIL):
        yield fee(hour)
        yield from cover(hour, sorted(eligible[hour], key=order))


def is_eligible(line: Charge) -> bool:
    """Whether the Savings Plan can cover a line: on-demand hours of its instance types."""
    on_demand = line.pricing == "Standard" and (line.usage_type or "").startswith("BoxUsage:")
    return on_demand and line.start >= SINCE and line.instance_type in COVERS


def order(line: Charge) -> tuple[int, str, str, str]:
    """Returns the sort key by which the Savings Plan covers lines: type, account, run, machine."""
    rank = COVERS.index(line.instance_type or "")
    return rank, line.account, line.tags.get("user:run", ""), line.resource or ""


def cover(hour: datetime, lines: list[Charge]) -> Iterator[Charge]:
    """Yields an hour's lines split into covered and on-demand, and the unused commitment."""
    left = HOURLY
    for line in lines:
        used, rest = split(line, left)
        if used:
            left -= used.effective
            yield used
        if rest:
            yield rest
    if left:
        yield unused(hour, left)


def split(line: Charge, left: Decimal) -> tuple[Charge | None, Charge | None]:
    """Returns a line's part covered by the Savings Plan, and its on-demand part; None if absent."""
    quantity = line.quantity or ZERO
    full = money((line.listed or ZERO) * RATE)
    if not left or not full:
        return None, line
    if full <= left:
        return covered(line, quantity, full), None
    part = money(quantity * left / full)
    return covered(line, part, left), scaled(line, quantity - part)


def scaled(line: Charge, quantity: Decimal) -> Charge:
    """Returns the line with quantity and costs scaled down to a smaller quantity."""
    share = quantity / (line.quantity or quantity)
    net = money(line.contracted * share)
    return replace(
        line,
        listed=money((line.listed or ZERO) * share),
        contracted=net,
        effective=net,
        billed=net,
        quantity=quantity,
        discounts={name: money(amount * share) for name, amount in line.discounts.items()},
    )


def covered(line: Charge, quantity: Decimal, cost: Decimal) -> Charge:
    """Returns a covered line: $0 billed, effective cost at the Savings Plan's rate."""
    return replace(
        scaled(line, quantity),
        billed=ZERO,
        effective=cost,
        pricing="Committed",
        discounts={},
        plan=PLAN,
        plan_status="Used",
    )


def fee(hour: datetime) -> Charge:
    """Returns the Savings Plan's hourly fee line, on the account that bought it."""
    line = plan_line(hour, "1 year No Upfront Compute Savings Plan")
    return replace(
        line,
        category="Purchase",
        frequency="Recurring",
        usage_type="ComputeSP:1yrNoUpfront",
        billed=HOURLY,
        contracted=HOURLY,
        listed=HOURLY,
        quantity=Decimal(1),
    )


def unused(hour: datetime, left: Decimal) -> Charge:
    """Returns the line for commitment that covered nothing in an hour."""
    line = plan_line(hour, "Unused Compute Savings Plan commitment")
    usage_type = "ComputeSP:1yrNoUpfront"
    return replace(line, usage_type=usage_type, effective=left, plan_status="Unused")


def plan_line(hour: datetime, description: str) -> Charge:
    """Returns a line about the Savings Plan itself, for an hour."""
    return Charge(
        hour,
        hour + HOUR,
        PLATFORM,
        PLANS,
        description,
        pricing="Committed",
        region=None,
        resource=PLAN,
        resource_type="SavingsPlan",
        unit="Hours",
        plan=PLAN,
    )
