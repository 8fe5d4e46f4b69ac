"""Builds the simulated bill of the whole demo company, as AWS had delivered it by a day."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from generator import charges, cluster, commitment, company, focus, prices, timeline, training
from generator.charges import Charge, money
from generator.company import TAX, monthly
from generator.delivery import Delivery
from generator.focus import FOCUS_1_0, FOCUS_1_2
from generator.history import all_runs
from generator.services import EC2
from generator.timeline import COST_UNTIL, FOCUS_1_2_FROM, at, days, next_month

from story import blocks, pools
from story.history import TAGGED_FROM, further_runs
from story.workloads import APPLIED, H200, ML, TRN2

FIRST_MONTH = date(2024, 11, 1)
TWICE = ("scribe-t26", at("2026-07-06T12:00"), at("2026-07-07T12:00"))
"""A run, and the hours of July that AWS billed twice until it corrected the month in October."""
CORRECTED_ON = at("2026-10-01T00:00")
OWNERS = ("user:workload", "user:run")


def widen() -> None:
    """Adds accounts, a region, prices and earlier months to the sample's generator, in place."""
    timeline.FIRST_MONTH = FIRST_MONTH
    focus.ACCOUNT_NAMES.update({ML: "example-ml", APPLIED: "example-applied"})
    charges.PREFIXES["us-east-2"] = "USE2-"
    charges.REGION_NAMES["us-east-2"] = "US East (Ohio)"
    never = date(9999, 1, 1)  # no on-demand price of these is public
    prices.on_demand()[TRN2, "us-east-2"] = [(never, Decimal("35.7608"))]
    prices.on_demand()[H200, "us-east-1"] = [(never, Decimal("41.20"))]


def bill(until: datetime) -> list[Charge]:
    """Returns the correct bill up to a time, without the hours that AWS billed twice; sorted."""
    usage = [line for line in _usage() if line.start < min(until, COST_UNTIL)]
    lines = [line for line in commitment.applied(usage) if line.start < until]
    lines += [line for line in _monthly(lines) if line.start < until]
    known = cluster.named(line for line in lines if line.month <= until.date())
    return sorted(known, key=_order)


def _usage() -> Iterator[Charge]:
    yield from training.charges(all_runs())
    yield from company.charges()
    yield from blocks.fees()
    for day, hours in days(at(f"{FIRST_MONTH}T00:00"), COST_UNTIL):
        yield company.bucket_day(day, hours, ML, 4)
    for machine in pools.machines():
        yield from machine.lines()
    of_pools = pools.members()
    for line in training.charges(further_runs()):
        in_pool = line.instance_type and line.tags.get("user:run") in of_pools
        if not in_pool:
            yield blocks.paid_by_block(_before_tags(line))


def _before_tags(line: Charge) -> Charge:
    return replace(line, tags={}) if line.account == ML and line.start < TAGGED_FROM else line


def _monthly(lines: list[Charge]) -> Iterator[Charge]:
    """Yields a bill's monthly support and tax lines, for all accounts."""
    yield from company.support_and_tax(lines)
    billed: defaultdict[tuple[date, str], Decimal] = defaultdict(Decimal)
    for line in lines:
        if line.account in (ML, APPLIED):
            billed[line.month, line.account] += line.billed
    for (month, account), amount in sorted(billed.items()):
        tax = money(amount * TAX)
        yield monthly(month, account, EC2, "Tax", tax, "Tax for product code AmazonEC2")


def _order(line: Charge) -> tuple[object, ...]:
    parts = (line.category, line.usage_type, line.resource, line.plan_status, line.charge_class)
    return line.month, line.account, line.start, *(part or "" for part in parts)


def as_delivered(until: datetime) -> list[Charge]:
    """Returns the bill as AWS exported it by a time; until corrected, with hours billed twice."""
    lines = bill(until)
    if until >= CORRECTED_ON:
        return lines
    run, first, last = TWICE
    again = [
        line
        for line in lines
        if line.instance_type and line.tags.get("user:run") == run and first <= line.start < last
    ]
    return sorted([*lines, *again], key=_order)


def write(root: Path, until: datetime) -> None:
    """Writes the bill by month as FOCUS 1.0 or 1.2 exports below a folder."""
    by_month: defaultdict[date, list[Charge]] = defaultdict(list)
    for line in as_delivered(until):
        by_month[line.month].append(line)
    month = FIRST_MONTH
    while month <= until.date():
        export = FOCUS_1_2 if month >= FOCUS_1_2_FROM else FOCUS_1_0
        Delivery(export, month, by_month[month]).write(root)
        month = next_month(month)


def totals(lines: Iterable[Charge]) -> dict[str, dict[str, str]]:
    """Returns billed dollars by month and account, summed without breakeven's code as a check."""
    sums: defaultdict[str, defaultdict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for line in lines:
        sums[f"{line.month:%Y-%m}"][line.account] += line.billed
    return {
        month: {account: f"{amount:.9f}" for account, amount in sorted(accounts.items())}
        for month, accounts in sorted(sums.items())
    }
