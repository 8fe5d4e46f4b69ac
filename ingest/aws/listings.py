"""Lists what an AWS operation returns; delivers it if it changed, else after 30 days.

A row is one item of a response as JSON text, with account, region, operation and the day it was
seen. A response with the same items as last time, in any order, is not delivered again. After
`CONFIRMED` it is delivered all the same, so that an unchanged price does not become stale, which a
price does after 45 days without an observation (METHOD §2.5).
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
from models.raw.staging import Staging

SCHEMA = pa.schema(
    [
        ("observed_on", pa.date32()),
        ("said_at", pa.timestamp("us")),
        *((name, pa.string()) for name in ("account", "region", "operation", "item")),
    ]
)
CONFIRMED = timedelta(days=30)
"""After this time unchanged items are delivered again."""
RESTARTS = 2
"""How often a listing starts anew because AWS rejected its page token."""


@dataclass(frozen=True)
class ListedItem:
    """One item of an AWS listing as JSON text, with a hash of its content (`fingerprint`)."""

    account: str
    region: str
    operation: str
    text: str
    fingerprint: str


@dataclass(frozen=True)
class Lister:
    """Lists the items that AWS operations return, for one account and region."""

    client: Any
    account: str
    region: str
    _request_ids: list[str] = field(default_factory=list)

    def take_request_ids(self) -> list[str]:
        """Returns the ids of the AWS requests made since the last call, and forgets them."""
        ids = self._request_ids.copy()
        self._request_ids.clear()
        return ids

    def list_items(
        self, operation: str, member: str, ignoring: Iterable[str] = (), **request: object
    ) -> list[ListedItem]:
        """Returns the items on all pages of an AWS operation, in no particular order.

        `member` names the response's list; fields named in `ignoring` do not count as a change.
        """
        action = f"{self.client.meta.service_model.signing_name}:{operation}"
        with aws.refusals(action):
            found = self._pages(operation, member, request)
        return [self._item(operation, each, frozenset(ignoring)) for each in found]

    def nothing(self, operation: str, **asked: object) -> ListedItem:
        """Makes an item of the request alone, which records that AWS listed nothing for it."""
        return self._item(operation, asked, frozenset())

    def _pages(self, operation: str, member: str, request: Mapping[str, object]) -> list[Any]:
        """Lists the items of all pages; starts anew, up to twice, if AWS rejects a page token."""
        for _ in range(RESTARTS):
            try:
                return self._listed(operation, member, request)
            except ClientError as error:
                if "NextToken" not in error.response["Error"]["Code"]:
                    raise
        return self._listed(operation, member, request)

    def _listed(self, operation: str, member: str, request: Mapping[str, object]) -> list[Any]:
        """Reads the items of all pages of an AWS operation into one list."""
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

    def _item(self, operation: str, element: Any, ignoring: frozenset[str]) -> ListedItem:  # noqa: ANN401
        """Makes a `ListedItem` of one response element; its fingerprint skips ignored fields."""
        fields = json.loads(element) if isinstance(element, str) else element
        text = element if isinstance(element, str) else canonical_json(fields)
        stable = canonical_json(
            {name: value for name, value in fields.items() if name not in ignoring}
        )
        fingerprint = sha256(
            f"{self.account} {self.region} {operation} {stable}".encode()
        ).hexdigest()
        return ListedItem(self.account, self.region, operation, text, fingerprint)


def batch_of(unit: str, items: Iterable[ListedItem], lister: Lister, today: date) -> Batch:
    """Returns a delivery of listed AWS items, sorted; its file is written when it is filled."""
    ordered = sorted(items, key=lambda item: (item.fingerprint, item.text))
    return Batch(unit, ALL, partial(_fill, ordered, unit, lister.take_request_ids(), today))


def canonical_json(fields: object) -> str:
    """Converts a document to JSON text with sorted keys: equal documents give equal texts."""
    return json.dumps(fields, sort_keys=True, default=datetime.isoformat)


def write_rows(rows: list[dict[str, Any]], origin: str, staging: Staging, etag: str = "") -> None:
    """Writes rows of listed items as the next Parquet file of a delivery."""
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=origin, etag=etag)


def item_row(item: ListedItem, today: date, said_at: datetime) -> dict[str, Any]:
    """Returns a listed AWS item as a row (dict), with the day and the time of the listing."""
    return {
        "observed_on": today,
        "said_at": said_at.replace(tzinfo=None),
        "account": item.account,
        "region": item.region,
        "operation": item.operation,
        "item": item.text,
    }


def _fill(
    items: list[ListedItem], unit: str, request_ids: list[str], today: date, staging: Staging
) -> None:
    """Writes listed items to a delivery, or reuses an equal live file under 30 days old."""
    fingerprint = sha256("".join(item.fingerprint for item in items).encode()).hexdigest()
    known = staging.known(unit, fingerprint)
    if known and today - _seen(known[0].folder / known[1].name) < CONFIRMED:
        staging.reuse(*known)
        return
    staging.request_ids += request_ids
    write_rows(
        [item_row(item, today, staging.pulled_at) for item in items], unit, staging, fingerprint
    )


def _seen(path: Any) -> date:  # noqa: ANN401
    """Returns the day on which the items of a delivered file were seen."""
    first: date = pq.read_table(path, columns=["observed_on"])["observed_on"][0].as_py()
    return first
