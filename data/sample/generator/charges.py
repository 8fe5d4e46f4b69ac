"""Defines a line of the simulated bill, and computes its list, contracted and billed costs."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from generator.prices import charged_price, list_price
from generator.services import EC2, Service, Storage
from generator.timeline import HOUR

ZERO = Decimal(0)
SMALLEST = Decimal("0.000000001")
"""Amounts have nine decimals, which a double carries exactly enough."""
ENTERPRISE_DISCOUNT = Decimal("0.05")
PRIVATE_TRN1_DISCOUNT = Decimal("0.12")
PRIVATE_RATE_FROM = date(2026, 1, 1)
"""From then on trn1 has a private rate, which replaces the enterprise discount."""

PREFIXES = {"us-east-1": "", "us-west-2": "USW2-"}
REGION_NAMES = {"us-east-1": "US East (N. Virginia)", "us-west-2": "US West (Oregon)"}


@dataclass(frozen=True)
class Charge:
    """A line of the bill. Money is exact here and becomes a double when it is delivered."""

    start: datetime
    end: datetime
    account: str
    service: Service
    description: str
    billed: Decimal = ZERO
    effective: Decimal = ZERO
    contracted: Decimal = ZERO
    listed: Decimal | None = ZERO
    category: str = "Usage"
    charge_class: str | None = None
    frequency: str = "Usage-Based"
    pricing: str | None = "Standard"
    region: str | None = "us-east-1"
    usage_type: str | None = None
    operation: str | None = None
    resource: str | None = None
    resource_type: str | None = None
    instance_type: str | None = None
    quantity: Decimal | None = None
    unit: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    discounts: Mapping[str, Decimal] = field(default_factory=dict)
    plan: str | None = None
    plan_status: str | None = None
    reservation: str | None = None
    reservation_status: str | None = None
    billed_in: date | None = None

    @property
    def month(self) -> date:
        """First day of the billing period that carries the line."""
        return self.billed_in or self.start.date().replace(day=1)


def money(amount: Decimal) -> Decimal:
    """Returns a number rounded to nine decimals."""
    return amount.quantize(SMALLEST)


def identifier(prefix: str, *parts: object) -> str:
    """Returns a made-up resource ID, always the same for the same parts."""
    digest = hashlib.sha256(" ".join(map(str, parts)).encode()).hexdigest()
    return f"{prefix}-0{digest[:16]}"


def discount(instance_type: str | None, day: date) -> tuple[str, Decimal]:
    """Returns the name and fraction of the discount on a line's list price."""
    private = (instance_type or "").startswith("trn1.") and day >= PRIVATE_RATE_FROM
    if private:
        return "PrivateRateDiscount", PRIVATE_TRN1_DISCOUNT
    return "EdpDiscount", ENTERPRISE_DISCOUNT


def usage(
    line: Charge, unit_price: Decimal, quantity: Decimal, *, shows_list: bool = True
) -> Charge:
    """Returns a bill line for a quantity at a unit price, less the negotiated discount."""
    gross = money(unit_price * quantity)
    name, share = discount(line.instance_type, line.start.date())
    reduction = money(gross * share)
    net = gross - reduction
    return replace(
        line,
        listed=gross if shows_list else None,
        contracted=net,
        effective=net,
        billed=net,
        quantity=quantity,
        discounts={name: -reduction},
    )


def instance_hour(
    hour: datetime,
    share: Decimal,
    account: str,
    instance_type: str,
    resource: str,
    tags: Mapping[str, str],
    region: str = "us-east-1",
    kind: str = "BoxUsage",
) -> Charge:
    """Returns a bill line for one instance and one clock hour, or part of it, on demand."""
    day = hour.date()
    price = charged_price(instance_type, region, day)
    what = "On Demand" if kind == "BoxUsage" else "Unused Reservation"
    line = Charge(
        hour,
        hour + HOUR,
        account,
        EC2,
        f"${price} per {what} Linux {instance_type} Instance Hour",
        region=region,
        usage_type=f"{PREFIXES[region]}{kind}:{instance_type}",
        operation="RunInstances",
        resource=resource,
        resource_type="instance",
        instance_type=instance_type,
        unit="Hours",
        tags=tags,
    )
    known = list_price(instance_type, region, day) is not None
    return usage(line, price, share, shows_list=known)


def instance_day(
    day: datetime,
    hours: Decimal,
    account: str,
    instance_type: str,
    resource: str,
    tags: Mapping[str, str],
) -> Charge:
    """Returns one bill line for the hours of an instance on a whole day, on demand."""
    line = instance_hour(day, hours, account, instance_type, resource, tags)
    return replace(line, end=day + timedelta(days=1))


def storage_day(
    kind: Storage,
    day: datetime,
    gigabytes: Decimal,
    account: str,
    resource: str,
    tags: Mapping[str, str],
    region: str = "us-east-1",
) -> Charge:
    """Returns a bill line for a day of storage at a GB-month price of 30 days."""
    line = Charge(
        day,
        day + timedelta(days=1),
        account,
        kind.service,
        f"${kind.price} per GB-month of storage",
        region=region,
        usage_type=PREFIXES[region] + kind.usage_type,
        operation=kind.operation,
        resource=resource,
        resource_type=kind.resource_type,
        unit="GB-Months",
        tags=tags,
    )
    return usage(line, kind.price, money(gigabytes / 30))
