"""Reads files below an S3 prefix, and records each request in the ledger before it is sent.

A file's fingerprint is its ETag and size, which a listing has.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any

from ingest import aws
from ingest.files.copying import CHUNK, write_chunks
from ingest.files.store import FileEntry, is_hidden
from ingest.paid_requests.ledger import RequestLedger
from ingest.paid_requests.metering import MeteredClient
from models.contract.errors import ConfigError

SCHEME = "s3://"
PRICES = {"ListObjectsV2": Decimal("0.000005"), "GetObject": Decimal("0.0000004")}
"""Dollars for one request: $0.005 and $0.0004 for 1,000, S3 Standard in us-east-1 by AWS's price
page (aws.amazon.com/s3/pricing); other regions differ by fractions of that."""


def bucket_and_prefix(location: str) -> tuple[str, str]:
    """Returns the bucket and the prefix of a location in S3; `ConfigError` if it has no bucket."""
    bucket, _, prefix = location.removeprefix(SCHEME).partition("/")
    if not bucket:
        raise ConfigError("no bucket in location", value=location, remedy="s3://bucket/prefix")
    return bucket, prefix.strip("/")


@dataclass(frozen=True)
class BilledTo:
    """The ledger of paid requests, and the source in whose name S3 requests are recorded."""

    ledger: RequestLedger
    source: str


@dataclass(frozen=True)
class Bucket:
    """A store of files in S3: objects under `s3://bucket/prefix`, or one object."""

    location: str
    access: aws.Access
    billed_to: BilledTo | None = None
    """Where requests are recorded; without it none may be sent."""

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401
        client = aws.client("s3", self.access)
        if self.billed_to:
            account = self.access.account or ""
            MeteredClient(client, self.billed_to.ledger, self.billed_to.source, account, PRICES)
        return client

    @property
    def _parts(self) -> tuple[str, str]:
        return bucket_and_prefix(self.location)

    def entries(self) -> list[FileEntry]:
        """Lists the S3 objects below the prefix, or the one object of that name; no hidden ones."""
        bucket, prefix = self._parts
        below = self._listed(bucket, f"{prefix}/" if prefix else "")
        if below or not prefix:
            return [entry for entry in below if not is_hidden(entry.path)]
        exact = f"{SCHEME}{bucket}/{prefix}"
        return [entry for entry in self._listed(bucket, prefix) if entry.uri == exact]

    def fingerprint(self, entry: FileEntry) -> str:
        """Returns an S3 object's ETag and size, which change when its bytes do."""
        return f"{entry.etag}:{entry.size}"

    def read(self, entry: FileEntry) -> bytes:
        """Returns the bytes of an S3 object."""
        with aws.refusals(f"s3:GetObject {entry.uri}"):
            return bytes(self._get(entry)["Body"].read())

    def download(self, entry: FileEntry, target: Path, stop: Event) -> str:
        """Downloads the listed version of an S3 object to a file, and returns its SHA-256."""
        with aws.refusals(f"s3:GetObject {entry.uri}"):
            return write_chunks(self._get(entry)["Body"].iter_chunks(CHUNK), target, stop)

    def _get(self, entry: FileEntry) -> Any:  # noqa: ANN401
        bucket, _, key = entry.uri.removeprefix(SCHEME).partition("/")
        return self._client.get_object(Bucket=bucket, Key=key, IfMatch=f'"{entry.etag}"')

    def _listed(self, bucket: str, prefix: str) -> list[FileEntry]:
        base = prefix if prefix.endswith("/") else prefix.rpartition("/")[0] + "/"
        base = "" if base == "/" else base
        with aws.refusals(f"s3:ListBucket {SCHEME}{bucket}/{prefix}"):
            pages = self._client.get_paginator("list_objects_v2")
            return [
                FileEntry(
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
