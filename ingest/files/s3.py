"""An S3 prefix as a store. Its mark is ETag and size, which a listing gives.

AWS bills each request, however little: it is in the ledger before it is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any

from pydantic import Field

from ingest import aws
from ingest.files.store import CHUNK, Folder, Item, Store, written
from ingest.paid_requests.ledger import Ledger
from ingest.paid_requests.metering import Meter
from models.config.settings import Settings
from models.contract.errors import ConfigError

SCHEME = "s3://"
PRICES = {"ListObjectsV2": Decimal("0.000005"), "GetObject": Decimal("0.0000004")}
"""Dollars for one request: $0.005 and $0.0004 for 1,000, S3 Standard in us-east-1 by AWS's price
page (aws.amazon.com/s3/pricing); other regions differ by fractions of that."""


class Place(aws.Access):
    """Options of a source of files. `location`: `s3://bucket/prefix`, a path, or a glob."""

    location: str = Field(min_length=1)


@dataclass(frozen=True)
class Purse:
    """The ledger that a source's requests are paid from."""

    ledger: Ledger
    source: str


@dataclass(frozen=True)
class Bucket:
    """Objects under `s3://bucket/prefix`, or the one object of that name."""

    location: str
    access: aws.Access
    purse: Purse | None = None
    """Who pays; without one nothing is asked."""

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401
        client = aws.client("s3", self.access)
        if self.purse:
            account = self.access.account or ""
            Meter(client, self.purse.ledger, self.purse.source, account, PRICES)
        return client

    @property
    def _parts(self) -> tuple[str, str]:
        bucket, _, prefix = self.location.removeprefix(SCHEME).partition("/")
        if not bucket:
            raise ConfigError(
                "no bucket in location", value=self.location, remedy="s3://bucket/prefix"
            )
        return bucket, prefix.strip("/")

    def items(self) -> list[Item]:
        """Objects below the prefix; or the object itself."""
        bucket, prefix = self._parts
        below = self._listed(bucket, f"{prefix}/" if prefix else "")
        if below or not prefix:
            return below
        exact = f"{SCHEME}{bucket}/{prefix}"
        return [item for item in self._listed(bucket, prefix) if item.uri == exact]

    def mark(self, item: Item) -> str:
        """ETag and size."""
        return f"{item.etag}:{item.size}"

    def read(self, item: Item) -> bytes:
        """Its bytes."""
        with aws.refusals(f"s3:GetObject {item.uri}"):
            return bytes(self._get(item)["Body"].read())

    def save(self, item: Item, target: Path, stop: Event) -> str:
        """Downloads exactly the version that was listed."""
        with aws.refusals(f"s3:GetObject {item.uri}"):
            return written(self._get(item)["Body"].iter_chunks(CHUNK), target, stop)

    def _get(self, item: Item) -> Any:  # noqa: ANN401
        bucket, _, key = item.uri.removeprefix(SCHEME).partition("/")
        return self._client.get_object(Bucket=bucket, Key=key, IfMatch=f'"{item.etag}"')

    def _listed(self, bucket: str, prefix: str) -> list[Item]:
        base = prefix if prefix.endswith("/") else prefix.rpartition("/")[0] + "/"
        base = "" if base == "/" else base
        with aws.refusals(f"s3:ListBucket {SCHEME}{bucket}/{prefix}"):
            pages = self._client.get_paginator("list_objects_v2")
            return [
                Item(
                    path=found["Key"].removeprefix(base),
                    uri=f"{SCHEME}{bucket}/{found['Key']}",
                    size=found["Size"],
                    modified=found["LastModified"],
                    etag=found["ETag"].strip('"'),
                )
                for page in pages.paginate(Bucket=bucket, Prefix=prefix)
                for found in page.get("Contents", [])
                if not found["Key"].endswith("/")
            ]


def opened(place: Place, settings: Settings, purse: Purse | None = None) -> Store:
    """The store at a configured location: S3, or a path relative to the config file."""
    location = place.location
    if location.startswith(SCHEME):
        return Bucket(location.rstrip("/"), place, purse)
    if "://" in location:
        raise ConfigError("unknown location", value=location, remedy="s3://bucket/prefix or a path")
    path = settings.resolve(location)
    if settings.data.is_relative_to(path):
        raise ConfigError(
            "this location holds the warehouse itself",
            value=location,
            remedy="put the files into a folder of their own",
        )
    return Folder(path)
