"""Fetches Spot price changes of billed accelerator types in one account and region, for free.

Key: account and region, and the UTC month; a month is only ever replaced by one with more changes.
Cursor: the newest live change, else the 90 days that AWS keeps. AWS also returns the last change
before the requested time, so that the price at that time is known; a change that is delivered
already is delivered again only after `CONFIRMED`. UltraServers have no Spot price.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, ClassVar

import pyarrow.parquet as pq

from ingest import aws
from ingest.aws.listings import CONFIRMED, ListedItem, Lister, item_row, write_rows
from ingest.aws.price_feed import PriceFeed
from ingest.billing_months import midnight
from ingest.source import Batch, FetchContext
from models.raw.staging import Staging

AWS_KEEPS = timedelta(days=90)
LINUX = ["Linux/UNIX"]
NOT_SOLD = ("trn2u.", "p6e-")
Rows = dict[str, dict[str, Any]]


class SpotPrices(PriceFeed):
    """The Spot price feed of one account and region."""

    kind: ClassVar[str] = "spot_prices"
    format: ClassVar[str] = "spot_prices"
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = True

    @property
    def location(self) -> str:
        """The feed's location in words: Spot prices, their region, and the role that reads them."""
        return f"Spot prices in {self.options.region_label} of {self.options.caller_label}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery per month that has new Spot price changes, or old ones to confirm."""
        client = aws.client("ec2", self.options)
        region = client.meta.region_name
        machines = self.machines(region)
        types = [m.instance_type for m in machines if not m.hosted]
        types = [kind for kind in types if not kind.startswith(NOT_SOLD)]
        if types:
            lister = Lister(client, aws.account(self.options), region)
            yield from self._months(context, lister, types)

    def _months(self, context: FetchContext, lister: Lister, types: list[str]) -> Iterator[Batch]:
        unit = f"{lister.account}-{lister.region}"
        live = [d for d in context.zone.live(self.format) if d.key.source == self.name]
        known = {d.key.period: _rows(d.paths) for d in live if d.key.unit == unit and d.present}
        changed: dict[str, list[ListedItem]] = {}
        for item in self._price_changes(lister, types, known):
            month = _instant(item.text).strftime("%Y-%m")
            seen = known.get(month, {}).get(item.text)
            if not seen or self.settings.today - seen["observed_on"] >= CONFIRMED:
                changed.setdefault(month, []).append(item)
        called = lister.take_request_ids()
        for month, items in sorted(changed.items()):
            fill = partial(self._fill, known.get(month, {}), items, called)
            yield Batch(unit, month, fill)

    def _price_changes(
        self, lister: Lister, types: list[str], known: dict[str, Rows]
    ) -> Iterator[ListedItem]:
        """Lists Spot price changes since the newest delivered; all of them for new types."""
        delivered = [json.loads(text) for rows in known.values() for text in rows]
        seen = {item["InstanceType"] for item in delivered}
        earliest = midnight(self.settings.today) - AWS_KEEPS
        newest = max([earliest, *map(_at, delivered)])
        new = [kind for kind in types if kind not in seen]
        old = [kind for kind in types if kind in seen]
        for some, start in ((new, earliest), (old, newest)):
            if some:
                yield from lister.list_items(
                    "DescribeSpotPriceHistory",
                    "SpotPriceHistory",
                    InstanceTypes=some,
                    ProductDescriptions=LINUX,
                    StartTime=start,
                )

    def _fill(
        self, known: Rows, items: list[ListedItem], request_ids: list[str], staging: Staging
    ) -> None:
        new = {item.text: item_row(item, self.settings.today, staging.pulled_at) for item in items}
        staging.request_ids += request_ids
        merged = sorted((known | new).items())
        write_rows(
            [each for _, each in merged], f"{staging.key.unit} {staging.key.period}", staging
        )


def _rows(paths: Iterable[Any]) -> Rows:
    return {each["item"]: each for path in paths for each in pq.read_table(path).to_pylist()}


def _instant(text: str) -> datetime:
    return _at(json.loads(text))


def _at(item: dict[str, str]) -> datetime:
    return datetime.fromisoformat(item["Timestamp"]).astimezone(UTC)
