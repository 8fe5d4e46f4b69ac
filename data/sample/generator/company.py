"""Builds bill lines other than training runs': servers, storage, credits, support and tax."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from generator.charges import (
    ZERO,
    Charge,
    identifier,
    instance_day,
    instance_hour,
    money,
    storage_day,
)
from generator.services import BUCKET, EC2, LUSTRE, SUPPORT, Service
from generator.timeline import COST_UNTIL, DAY, at, clock_hours, days, midnight, months, next_month
from generator.workloads import ATLAS, LUMEN, PLATFORM, RESEARCH, SCRIBE, TRN, Workload

START = at("2025-03-01T00:00")
WEB_FLEET = "m5.24xlarge"
CREDITS: tuple[tuple[str, Decimal, dict[str, str]], ...] = (
    ("2025-09-30", Decimal(6000), ATLAS.tags),
    ("2025-10-31", Decimal(5000), {}),
    ("2025-11-30", Decimal(4000), {}),
)
"""A one-off migration programme: day, dollars, tags of the usage it was applied to."""
GOODWILL = ("2026-03-18", Decimal("250"))
TAX = Decimal("0.015")
SUPPORT_TIERS = (
    (Decimal(10_000), Decimal("0.10")),
    (Decimal(70_000), Decimal("0.07")),
    (Decimal(170_000), Decimal("0.05")),
)
"""Business support: the share of each slice of a month's usage."""


def charges() -> Iterator[Charge]:
    """Yields every bill line that is no training run's, before commitments, tax and support."""
    yield from unrelated()
    yield from shared_file_systems()
    yield from tagged_with_a_workload_only()
    yield from untagged_accelerators()
    yield from credits_and_refund()


def unrelated() -> Iterator[Charge]:
    """Yields bill lines of a web fleet, S3 buckets, and inference on Inferentia."""
    fleet = identifier("i", "web")
    for hour, share in clock_hours(START, COST_UNTIL):
        yield instance_hour(hour, share, PLATFORM, WEB_FLEET, fleet, {"user:team": "web"})
    for account, terabytes in ((PLATFORM, 9), (RESEARCH, 31)):
        for day, hours in days(START, COST_UNTIL):
            yield bucket_day(day, hours, account, terabytes)
    serving = identifier("i", "serving")
    for day, hours in days(at("2026-02-01T00:00"), COST_UNTIL):
        yield instance_day(day, hours, PLATFORM, "inf2.8xlarge", serving, {"user:team": "web"})


def bucket_day(day: datetime, hours: Decimal, account: str, terabytes: int) -> Charge:
    """Returns a bill line for a day of S3 storage."""
    held = Decimal(terabytes * 1000) * hours / 24
    return storage_day(BUCKET, day, held, account, f"company-data-{account[-1]}", {})


def shared_file_systems() -> Iterator[Charge]:
    """Yields bill lines of FSx for Lustre, tagged with a workload but no run."""
    for workload, gigabytes, first in (
        (ATLAS, 2400, START),
        (LUMEN, 1200, at("2025-03-15T00:00")),
    ):
        for day, hours in days(first, COST_UNTIL):
            held = Decimal(gigabytes) * hours / 24
            resource = identifier("fs", workload.name)
            yield storage_day(LUSTRE, day, held, workload.account, resource, workload.tags)


def tagged_with_a_workload_only() -> Iterator[Charge]:
    """Yields lines of two machines tagged with a workload but no run: one shared, one forgotten."""
    for month in months():
        if month >= date(2025, 6, 1):
            for offset in range(2, 12):
                first = midnight(month + timedelta(days=offset)) + timedelta(hours=9)
                yield from box(SCRIBE, "trn1.2xlarge", first, first + timedelta(hours=8))
    forgotten = at("2026-05-04T12:00")
    yield from box(LUMEN, TRN, forgotten, forgotten + timedelta(days=3))


def box(
    workload: Workload, instance_type: str, first: datetime, last: datetime
) -> Iterator[Charge]:
    """Yields an instance's bill lines by hour, tagged with a workload but no run."""
    resource = identifier("i", workload.name, instance_type)
    for hour, share in clock_hours(first, last):
        yield instance_hour(hour, share, workload.account, instance_type, resource, workload.tags)


def untagged_accelerators() -> Iterator[Charge]:
    """Yields lines of a notebook without tags, and of a run whose tags name no workload."""
    notebook = identifier("i", "notebook")
    for day, _ in days(at("2026-03-02T00:00"), at("2026-06-27T00:00")):
        if day.weekday() < 5:
            first = day + timedelta(hours=13)
            for hour, share in clock_hours(first, first + timedelta(hours=4)):
                yield instance_hour(hour, share, RESEARCH, "g5.12xlarge", notebook, {})
    ablation = identifier("i", "ablation")
    first = at("2025-06-11T10:00")
    for hour, share in clock_hours(first, first + timedelta(hours=6)):
        tags = {"user:run": "scratch-ablation"}
        yield instance_hour(hour, share, RESEARCH, "p4d.24xlarge", ablation, tags)


def credits_and_refund() -> Iterator[Charge]:
    """Yields credits of a migration programme, and a refund for no particular charge."""
    for day, dollars, tags in CREDITS:
        line = one_off(day, RESEARCH, -dollars, "AWS Migration Acceleration Program credit")
        yield replace(line, category="Credit", pricing=None, tags=tags)
    day, dollars = GOODWILL
    line = one_off(day, PLATFORM, -dollars, "Refund: service issue, case 1500012345")
    yield replace(line, category="Adjustment", charge_class="Correction", pricing=None, region=None)


def one_off(day: str, account: str, amount: Decimal, description: str) -> Charge:
    """Returns a one-day bill line without usage."""
    start = at(day)
    line = Charge(start, start + DAY, account, EC2, description, frequency="One-Time")
    return costing(line, amount)


def support_and_tax(lines: Iterable[Charge]) -> Iterator[Charge]:
    """Yields monthly lines: Business support on the payer, and sales tax per account."""
    usage_billed: defaultdict[tuple[date, str], Decimal] = defaultdict(Decimal)
    for line in lines:
        if line.category in ("Usage", "Purchase"):
            usage_billed[line.month, line.account] += line.billed
    for month in months():
        total = usage_billed[month, PLATFORM] + usage_billed[month, RESEARCH]
        yield monthly(
            month, PLATFORM, SUPPORT, "Purchase", support_fee(total), "AWS Support (Business)"
        )
        for account in (PLATFORM, RESEARCH):
            tax = money(usage_billed[month, account] * TAX)
            yield monthly(month, account, EC2, "Tax", tax, "Tax for product code AmazonEC2")


def support_fee(spend: Decimal) -> Decimal:
    """Returns the dollars of Business support for a month's spend."""
    fee, left = ZERO, spend
    for size, share in SUPPORT_TIERS:
        fee, left = fee + min(left, size) * share, max(left - size, ZERO)
    return money(max(fee, Decimal(100)))


def monthly(
    month: date, account: str, service: Service, category: str, amount: Decimal, description: str
) -> Charge:
    """Returns a bill line for a whole billing period."""
    line = Charge(
        midnight(month),
        midnight(next_month(month)),
        account,
        service,
        description,
        category=category,
        frequency="Recurring",
        pricing=None if category == "Tax" else "Standard",
        region=None,
        usage_type=None if category == "Tax" else "Dollar",
    )
    return costing(line, amount)


def costing(line: Charge, amount: Decimal) -> Charge:
    """Returns the line with one amount as billed, effective, contracted and list cost."""
    return replace(line, billed=amount, effective=amount, contracted=amount, listed=amount)
