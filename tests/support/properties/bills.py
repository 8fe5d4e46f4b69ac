"""Bills that say whatever a bill can say, drawn by Hypothesis."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.support.properties.drawn import at, line

PAYER = "999900000001"
"""Who pays for the block."""
PAYERS = (PAYER, "999900000002", None)
FEE, HELD = "CapacityBlockFee:p5.48xlarge", "BoxUsage:p5.48xlarge"
USAGES = (
    None, "BoxUsage:p4d.24xlarge", "USE1-BoxUsage:trn1.32xlarge", "SpotUsage:trn1.32xlarge",
    "EBS:VolumeUsage", "UnusedBox:p5.48xlarge", "DataTransfer-Out-Bytes", "Requests-Tier1",
)  # fmt: skip
BLOCK = {
    "instance_type": "p5.48xlarge",
    "instances": 2,
    "start": datetime(2025, 10, 30, 11, 30, tzinfo=UTC),
    "end": datetime(2025, 11, 2, 11, 30, tzinfo=UTC),
    "fee": 7200,
}
amounts = st.decimals(Decimal("-1e8"), Decimal("1e8"), places=9)
days = st.integers(0, 6).map(lambda later: at(10, 28) + timedelta(days=later))
OWNED: dict[str, st.SearchStrategy[Any]] = {
    "workload": st.sampled_from(["w", "v", None]),
    "run": st.sampled_from(["r1", "r2", None]),
}
ANYTHING: dict[str, st.SearchStrategy[Any]] = OWNED | {
    "BillingAccountId": st.sampled_from(PAYERS),
    "SubAccountId": st.sampled_from(["999900000001", "999900000003", None]),
    "ProviderName": st.sampled_from(["AWS", None, "Databricks"]),
    "ServiceName": st.sampled_from(["Amazon EC2", None, "AWS Support (Business)"]),
    "ChargeCategory": st.sampled_from(
        ["Usage", "Usage", "Usage", "Purchase", "Tax", "Credit", "Adjustment"]
    ),
    "ChargeClass": st.sampled_from([None, None, "Correction"]),
    "ResourceId": st.sampled_from([None, "i-1"]),
    "CommitmentDiscountId": st.sampled_from([None, "plan"]),
    "CommitmentDiscountStatus": st.sampled_from([None, "Used", "Unused"]),
    "PricingCategory": st.sampled_from([None, "Standard", "Dynamic", "Committed"]),
    "SkuMeter": st.sampled_from(USAGES),
    "ConsumedQuantity": st.none() | st.decimals("0.001", 30, places=3),
    "ConsumedUnit": st.sampled_from(["Hours", None]),
    "RegionId": st.sampled_from(["us-east-1", None]),
    "BilledCost": amounts,
    "EffectiveCost": amounts,
    "ListCost": st.none() | amounts,
}
FREE: dict[str, st.SearchStrategy[Any]] = OWNED | {
    "ConsumedQuantity": st.decimals("0.001", 50, places=3)
}


def _filled(day: datetime, said: dict[str, Any]) -> dict[str, Any]:
    return line(day, Decimal(0)) | said


def _free(day: datetime, said: dict[str, Any]) -> dict[str, Any]:
    """Hours of the block, billed at $0."""
    return line(day, Decimal(0)) | {"SkuMeter": HELD, "ConsumedUnit": "Hours", **said}


@st.composite
def _paid(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The block's fee, in full or another, given back in part or not, and its hours."""
    fee = draw(st.just(Decimal(7200)) | st.decimals(1, 9000, places=9))
    back = draw(st.sampled_from([Decimal(0), fee, fee / 3])).quantize(Decimal("1e-9"))
    fees = [(at(10, 29), fee, "Purchase"), (at(11, 20), -back, "Adjustment")]
    said = [line(day, cost) | {"ChargeCategory": kind} for day, cost, kind in fees if cost]
    hours = st.lists(st.builds(_free, days, st.fixed_dictionaries(FREE)), max_size=9)
    return [row | {"SkuMeter": FEE, "RegionId": "us-east-1"} for row in said] + [
        row | {"RegionId": "us-east-1"} for row in draw(hours)
    ]


def of_company(number: int, account: str | None) -> str | None:
    """The account, where the bill is one of several companies'."""
    return account and f"{number}{account[1:]}"


lines = st.lists(
    st.builds(_filled, days, st.fixed_dictionaries(ANYTHING)), min_size=20, max_size=80
)
last = [line(at(12, 31), Decimal(1)) | {"BillingAccountId": payer} for payer in PAYERS]
"""Every account has been billed to the year's end: all of the block's days have come."""
bills = st.builds(lambda some, block: [*some, *block, *last], lines, _paid())
