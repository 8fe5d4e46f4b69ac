"""Fetches the Savings Plans that an account owns, and the hourly rates of such plans, for free.

Key: the account and `all`. All deliveries stay live; one is new only when a plan or a rate changed.
Rates are requested for the plan types and payment options that the account owns, and for the
instance types on the bill; an account without plans needs no further request. Plans never cover
Spot or Capacity Blocks, and only SageMaker's own plans cover its hours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, ClassVar

from ingest import aws
from ingest.aws.listings import ListedItem, Lister, batch_of
from ingest.aws.price_feed import PriceFeed
from ingest.source import Batch, FetchContext
from models.engine.fleet import Machine

OWNED = ["active", "queued", "payment-pending"]
TYPES = ("Compute", "EC2Instance", "SageMaker")


class SavingsPlans(PriceFeed):
    """The Savings Plans feed of one AWS account."""

    kind: ClassVar[str] = "savings_plans"
    format: ClassVar[str] = "savings_plans"

    @property
    def location(self) -> str:
        """The feed's location in words: Savings Plans, and the role that reads them."""
        return f"Savings Plans of {self.options.caller_label}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields one delivery of Savings Plans and rates; none without plans for accelerators."""
        account = aws.account(self.options)
        lister = Lister(aws.client("savingsplans", self.options), account, "")
        plans = lister.list_items("DescribeSavingsPlans", "savingsPlans", states=OWNED)
        owned = [json.loads(plan.text) for plan in plans]
        owned = [plan for plan in owned if plan["savingsPlanType"] in TYPES]
        if owned:
            machines = self.machines(self.options.region)
            rates = [
                *_rates(lister, owned, machines, False),
                *_rates(lister, owned, machines, True),
            ]
            yield batch_of(account, [*plans, *rates], lister, self.settings.today)


def _rates(
    lister: Lister, owned: list[dict[str, Any]], machines: list[Machine], hosted: bool
) -> list[ListedItem]:
    """Lists the hourly rates of the owned kinds of Savings Plan, for SageMaker or for EC2."""
    plans = [plan for plan in owned if (plan["savingsPlanType"] == "SageMaker") == hosted]
    mine = [machine for machine in machines if machine.hosted == hosted]
    if not plans or not mine:
        return []
    linux = {} if hosted else {"productDescription": ["Linux/UNIX"], "tenancy": ["shared"]}
    filters = {"region": _distinct(m.region for m in mine), **linux}
    filters["instanceType"] = _distinct(m.instance_type for m in mine)
    return lister.list_items(
        "DescribeSavingsPlansOfferingRates",
        "searchResults",
        savingsPlanTypes=_distinct(plan["savingsPlanType"] for plan in plans),
        savingsPlanPaymentOptions=_distinct(plan["paymentOption"] for plan in plans),
        products=["SageMaker" if hosted else "EC2"],
        serviceCodes=["AmazonSageMaker" if hosted else "AmazonEC2"],
        filters=[{"name": name, "values": values} for name, values in filters.items()],
    )


def _distinct(values: Iterable[str]) -> list[str]:
    return sorted(set(values))
