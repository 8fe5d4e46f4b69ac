"""What AWS answered, item by item, as a delivery: new only where it says something new.

A row is one item of an answer as JSON text, with who was asked, where, by which operation, and when
it was seen. An answer that says the same as the last one is no new delivery, whatever the order of
its items; after `CONFIRMED` it is delivered again, so that a price which still stands is not taken
for one that nobody has seen since (METHOD §2.5: 45 days).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from botocore import xform_name
from botocore.exceptions import ClientError

from ingest import aws
from ingest.source import ALL, Batch
from models.raw.zone import Staging

SCHEMA = pa.schema(
    [
        ("observed_on", pa.date32()),
        ("said_at", pa.timestamp("us")),
        *((name, pa.string()) for name in ("account", "region", "operation", "item")),
    ]
)
CONFIRMED = timedelta(days=30)
"""A good while before a price is called stale."""
RESTARTS = 2
"""How often a listing whose token AWS no longer knows is begun again."""


@dataclass(frozen=True)
class Item:
    """One thing AWS said, as JSON text; `mark` is the same for the same news."""

    account: str
    region: str
    operation: str
    text: str
    mark: str


@dataclass(frozen=True)
class Asked:
    """One client, in one region of one account."""

    client: Any
    account: str
    region: str
    _request_ids: list[str] = field(default_factory=list)

    def called(self) -> list[str]:
        """What AWS called the requests since the last time."""
        ids = self._request_ids.copy()
        self._request_ids.clear()
        return ids

    def items(
        self, operation: str, member: str, passing: Iterable[str] = (), **request: object
    ) -> list[Item]:
        """Everything on all pages, in no order. `passing` names fields that are no news."""
        action = f"{self.client.meta.service_model.signing_name}:{operation}"
        with aws.refusals(action):
            found = self._pages(operation, member, request)
        return [self._item(operation, each, frozenset(passing)) for each in found]

    def _pages(self, operation: str, member: str, request: Mapping[str, object]) -> list[Any]:
        for _ in range(RESTARTS):
            try:
                return self._listed(operation, member, request)
            except ClientError as error:
                if "NextToken" not in error.response["Error"]["Code"]:
                    raise
        return self._listed(operation, member, request)

    def _listed(self, operation: str, member: str, request: Mapping[str, object]) -> list[Any]:
        ask = getattr(self.client, xform_name(operation))
        token: dict[str, str] = {}
        found: list[Any] = []
        while True:
            page = ask(**request, **token)
            self._request_ids.append(page["ResponseMetadata"]["RequestId"])
            found += page.get(member, [])
            token = {name: page[name] for name in ("NextToken", "nextToken") if page.get(name)}
            if not token:
                return found

    def _item(self, operation: str, said: Any, passing: frozenset[str]) -> Item:  # noqa: ANN401
        """The price list writes its items as text, all else is told in fields."""
        told = json.loads(said) if isinstance(said, str) else said
        text = said if isinstance(said, str) else written(told)
        news = written({name: value for name, value in told.items() if name not in passing})
        mark = sha256(f"{self.account} {self.region} {operation} {news}".encode()).hexdigest()
        return Item(self.account, self.region, operation, text, mark)


def batch_of(unit: str, items: Iterable[Item], asked: Asked, today: date) -> Batch:
    """The answer as one delivery of `unit`."""
    ordered = sorted(items, key=lambda item: (item.mark, item.text))
    return Batch(unit, ALL, partial(_fill, ordered, unit, asked.called(), today))


def written(told: object) -> str:
    """As JSON in one spelling; times are ISO."""
    return json.dumps(told, sort_keys=True, default=datetime.isoformat)


def write(rows: list[dict[str, Any]], origin: str, staging: Staging, etag: str = "") -> None:
    """Rows of `SCHEMA` as the one file of a delivery."""
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=origin, etag=etag)


def row(item: Item, today: date, said_at: datetime) -> dict[str, Any]:
    """An item seen today."""
    return {
        "observed_on": today,
        "said_at": said_at.replace(tzinfo=None),
        "account": item.account,
        "region": item.region,
        "operation": item.operation,
        "item": item.text,
    }


def _fill(
    items: list[Item], unit: str, request_ids: list[str], today: date, staging: Staging
) -> None:
    mark = sha256("".join(item.mark for item in items).encode()).hexdigest()
    known = staging.known(unit, mark)
    if known and today - _seen(known[0].folder / known[1].name) < CONFIRMED:
        staging.reuse(*known)
        return
    staging.request_ids += request_ids
    write([row(item, today, staging.pulled_at) for item in items], unit, staging, mark)


def _seen(path: Any) -> date:  # noqa: ANN401
    first: date = pq.read_table(path, columns=["observed_on"])["observed_on"][0].as_py()
    return first
