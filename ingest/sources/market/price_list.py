"""Fetches on-demand list prices of billed accelerator types from the AWS Price List, for free.

Key: the region, since prices are the same for every account, and `all`. All deliveries stay live;
one is new only when a price or a product changed, not when the list was merely published again. One
request (a page holds 100 products) per instance type and region on the bill; `region` limits it to
one. The API itself is asked in `API_REGION`, because few regions serve it. Without `marketoption`
Capacity Blocks and unused reservations would match as well, at $0. No product at all means that AWS
publishes no price, not a price of $0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ingest import aws
from ingest.aws.listings import ListedItem, Lister, batch_of
from ingest.aws.price_feed import PriceFeed
from ingest.source import Batch, FetchContext
from models.engine.fleet import Machine

API_REGION = "us-east-1"
PUBLISHED = ("version", "publicationDate")
"""Fields of the list as a whole, which change even if no price does."""
LINUX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "licenseModel": "No License required",
    "marketoption": "OnDemand",
}


class PriceList(PriceFeed):
    """The AWS Price List feed: on-demand prices of billed, or configured, accelerator types."""

    kind: ClassVar[str] = "price_list"
    format: ClassVar[str] = "price_list"

    @property
    def location(self) -> str:
        """The feed's location in words: the Price List, of a region or all regions on the bill."""
        return f"the Price List of {self.options.region or 'every region on the bill'}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields one delivery of on-demand prices per region that has any."""
        machines = self.machines(self.options.region)
        there = self.options.model_copy(update={"region": API_REGION})
        client = aws.client("pricing", there)
        for region in sorted({machine.region for machine in machines}):
            lister = Lister(client, "", region)
            of_region = [machine for machine in machines if machine.region == region]
            items = [item for machine in of_region for item in _products(lister, machine)]
            if items:
                yield batch_of(region, items, lister, self.settings.today)


def _products(lister: Lister, machine: Machine) -> list[ListedItem]:
    """Lists an instance type's products in a region; of EC2 Linux, shared, on demand only."""
    filters = [_filter("regionCode", machine.region)]
    if machine.hosted:  # SageMaker often leaves instanceType blank: its usage type tells
        filters += [_filter("usagetype", f":{machine.instance_type}", "CONTAINS")]
    else:
        filters += [_filter("instanceType", machine.instance_type)]
        filters += [_filter(field, value) for field, value in LINUX.items()]
    service = "AmazonSageMaker" if machine.hosted else "AmazonEC2"
    request = {"ServiceCode": service, "Filters": filters, "FormatVersion": "aws_v1"}
    return lister.list_items("GetProducts", "PriceList", PUBLISHED, **request)


def _filter(field: str, value: str, kind: str = "TERM_MATCH") -> dict[str, str]:
    return {"Type": kind, "Field": field, "Value": value}
