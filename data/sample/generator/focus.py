"""Defines the columns of FOCUS 1.0 and 1.2 as AWS exports them, and their values for a line.

Names, order and types are those of AWS's table dictionary. The data types of a manifest are its
words as well.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

from generator.charges import REGION_NAMES, Charge
from generator.timeline import midnight, next_month
from generator.workloads import PLATFORM, RESEARCH

ACCOUNT_NAMES = {PLATFORM: "example-platform", RESEARCH: "example-research"}
ISSUER = "Amazon Web Services, Inc."

TEXT = pa.string()
NUMBER = pa.float64()
MOMENT = pa.timestamp("ms")
TEXTS = pa.map_(pa.string(), pa.string())
NUMBERS = pa.map_(pa.string(), pa.float64())
TYPE_NAMES = {TEXT: "string", NUMBER: "double", MOMENT: "timestamp_milliseconds"}

Value = Any
Column = tuple[pa.DataType, Callable[[Charge], Value]]


def number(value: object) -> float | None:
    """Converts a value to a float; None stays None."""
    return None if value is None else float(str(value))


def unit_price(total: Decimal | None, line: Charge) -> float | None:
    """Returns a cost per unit of a usage or purchase line; None without a cost or quantity."""
    if total is None or not line.quantity or line.category not in ("Usage", "Purchase"):
        return None
    return round(float(total / line.quantity), 10)


def sku(line: Charge) -> str | None:
    """Returns a made-up SKU, one per usage type and operation; None without a usage type."""
    if not line.usage_type:
        return None
    digest = hashlib.sha256(f"{line.usage_type} {line.operation}".encode()).hexdigest()
    return digest[:16].upper()


def sku_price(line: Charge) -> str | None:
    """Returns the SKU with AWS's codes for on-demand term and hourly rate; None without SKU."""
    found = sku(line)
    return found and f"{found}.JRTCKXETXF.6YS6EN2CT7"


def sku_details(line: Charge) -> Mapping[str, str]:
    """Returns type, series and system of an instance line as `SkuPriceDetails`; else {}."""
    if not line.instance_type:
        return {}
    series = line.instance_type.partition(".")[0]
    return {
        "InstanceType": line.instance_type,
        "InstanceSeries": series,
        "OperatingSystem": "Linux",
    }


def invoice(line: Charge) -> str | None:
    """Returns the id of a line's invoice; None from October 2026 on, which has none yet."""
    return None if line.month >= date(2026, 10, 1) else f"19{line.month:%y%m}0099"


def constant(value: Value) -> Callable[[Charge], Value]:
    """Returns a function that gives the same value for every line."""
    return lambda _: value


def plan_field(value: Value) -> Callable[[Charge], Value]:
    """Returns a function that gives a value for lines of a Savings Plan, and None for others."""
    return lambda line: value if line.plan else None


COMMON: dict[str, Column] = {
    "AvailabilityZone": (
        TEXT,
        lambda line: line.region and line.instance_type and f"{line.region}a",
    ),
    "BilledCost": (NUMBER, lambda line: number(line.billed)),
    "BillingAccountId": (TEXT, constant(PLATFORM)),
    "BillingAccountName": (TEXT, constant(ACCOUNT_NAMES[PLATFORM])),
    "BillingCurrency": (TEXT, constant("USD")),
    "BillingPeriodEnd": (MOMENT, lambda line: midnight(next_month(line.month))),
    "BillingPeriodStart": (MOMENT, lambda line: midnight(line.month)),
    "ChargeCategory": (TEXT, lambda line: line.category),
    "ChargeClass": (TEXT, lambda line: line.charge_class),
    "ChargeDescription": (TEXT, lambda line: line.description),
    "ChargeFrequency": (TEXT, lambda line: line.frequency),
    "ChargePeriodEnd": (MOMENT, lambda line: line.end),
    "ChargePeriodStart": (MOMENT, lambda line: line.start),
    "CommitmentDiscountCategory": (TEXT, plan_field("Spend")),
    "CommitmentDiscountId": (TEXT, lambda line: line.plan),
    "CommitmentDiscountName": (TEXT, constant(None)),
    "CommitmentDiscountStatus": (TEXT, lambda line: line.plan_status),
    "CommitmentDiscountType": (TEXT, plan_field("Savings Plan")),
    "ConsumedQuantity": (
        NUMBER,
        lambda line: number(line.quantity) if line.category == "Usage" else None,
    ),
    "ConsumedUnit": (TEXT, lambda line: line.unit if line.category == "Usage" else None),
    "ContractedCost": (NUMBER, lambda line: number(line.contracted)),
    "ContractedUnitPrice": (NUMBER, lambda line: unit_price(line.contracted, line)),
    "EffectiveCost": (NUMBER, lambda line: number(line.effective)),
    "InvoiceIssuerName": (TEXT, constant(ISSUER)),
    "ListCost": (NUMBER, lambda line: number(line.listed)),
    "ListUnitPrice": (NUMBER, lambda line: unit_price(line.listed, line)),
    "PricingCategory": (TEXT, lambda line: line.pricing),
    "PricingQuantity": (NUMBER, lambda line: number(line.quantity)),
    "PricingUnit": (TEXT, lambda line: line.unit),
    "ProviderName": (TEXT, constant("AWS")),
    "PublisherName": (TEXT, constant(ISSUER)),
    "RegionId": (TEXT, lambda line: line.region),
    "RegionName": (TEXT, lambda line: REGION_NAMES.get(line.region or "")),
    "ResourceId": (TEXT, lambda line: line.resource),
    "ResourceName": (TEXT, constant(None)),
    "ResourceType": (TEXT, lambda line: line.resource_type),
    "ServiceCategory": (TEXT, lambda line: line.service.category),
    "ServiceName": (TEXT, lambda line: line.service.name),
    "SkuId": (TEXT, sku),
    "SkuPriceId": (TEXT, sku_price),
    "SubAccountId": (TEXT, lambda line: line.account),
    "SubAccountName": (TEXT, lambda line: ACCOUNT_NAMES[line.account]),
    "Tags": (TEXTS, lambda line: sorted(line.tags.items())),
    "x_Discounts": (
        NUMBERS,
        lambda line: [(name, float(amount)) for name, amount in line.discounts.items()],
    ),
    "x_Operation": (TEXT, lambda line: line.operation),
    "x_ServiceCode": (TEXT, lambda line: line.service.code),
}
ONLY_1_0: dict[str, Column] = {
    "x_CostCategories": (TEXTS, constant([])),
    "x_UsageType": (TEXT, lambda line: line.usage_type),
}
ONLY_1_2: dict[str, Column] = {
    "BillingAccountType": (TEXT, constant("Account")),
    "CapacityReservationId": (TEXT, lambda line: line.reservation),
    "CapacityReservationStatus": (TEXT, lambda line: line.reservation_status),
    "CommitmentDiscountQuantity": (
        NUMBER,
        lambda line: number(line.effective or line.billed) if line.plan else None,
    ),
    "CommitmentDiscountUnit": (TEXT, plan_field("USD")),
    "InvoiceId": (TEXT, invoice),
    "PricingCurrency": (TEXT, constant("USD")),
    "PricingCurrencyContractedUnitPrice": (NUMBER, lambda line: unit_price(line.contracted, line)),
    "PricingCurrencyEffectiveCost": (NUMBER, lambda line: number(line.effective)),
    "PricingCurrencyListUnitPrice": (NUMBER, lambda line: unit_price(line.listed, line)),
    "ServiceSubcategory": (TEXT, lambda line: line.service.subcategory),
    "SkuMeter": (TEXT, lambda line: line.usage_type),
    "SkuPriceDetails": (TEXTS, lambda line: sorted(sku_details(line).items())),
    "SubAccountType": (TEXT, constant("Account")),
}


@dataclass(frozen=True)
class Export:
    """A Data Export: its name, which is its folder, and its columns."""

    name: str
    columns: Mapping[str, Column]

    def table(self, lines: Iterable[Charge]) -> pa.Table:
        """Returns bill lines as an Arrow table with this export's columns."""
        rows = list(lines)
        arrays = [
            pa.array([value(line) for line in rows], kind) for kind, value in self.columns.values()
        ]
        return pa.table(arrays, names=list(self.columns))


def in_order(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Returns the columns sorted by name as AWS lists them: capitals first."""
    return dict(sorted(columns.items()))


FOCUS_1_0 = Export("focus-1-0", in_order(COMMON | ONLY_1_0))
FOCUS_1_2 = Export("focus-1-2", in_order(COMMON | ONLY_1_2))
