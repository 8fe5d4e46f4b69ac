"""What tests hold in their hands: a config, a bucket, a small AWS. Started by `conftest.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import boto3

from models.config.loading import validated_settings
from models.config.settings import Settings
from tests.support import shipped_prices

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}
"""Nothing of this machine's own AWS configuration."""


class Configured:
    """Settings over a scratch folder, from `[[sources]]` entries and other keys.

    The shipped prices are delivered there already, unless the folder is `untouched`.
    """

    def __init__(self, home: Path, *, untouched: bool = False) -> None:
        self.home, self.untouched = home, untouched

    def __call__(self, *sources: dict[str, Any], **table: object) -> Settings:
        settings = validated_settings({"sources": list(sources), **table}, home=self.home)
        if not self.untouched:
            shipped_prices.deliver(settings.data)
        return settings


class S3:
    """One bucket `bills` on a moto server, and what was asked of it."""

    def __init__(self, url: str, log: Path) -> None:
        self.log = log
        self.client = boto3.client("s3", endpoint_url=url, region_name="us-east-1")
        self.bucket = "bills"

    def put_folder(self, folder: Path, prefix: str) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                key = f"{prefix}/{path.relative_to(folder).as_posix()}"
                self.client.put_object(Bucket=self.bucket, Key=key, Body=path.read_bytes())

    def asked(self) -> list[str]:
        """`GET /bills/key` of every object that was fetched since the last time."""
        found = re.findall(r'"(GET /bills/\S+)', self.log.read_text())
        self.log.write_text("")
        return [line for line in found if "list-type" not in line]


class Fake:
    """The process of `tests.support.aws` and the world it shows."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url

    def shows(self, **world: object) -> None:
        document = {"account": "999900000001", "bill": [], "metrics": [], **world}
        (self.folder / "world.json").write_text(json.dumps(document))

    def asked(self, operation: str) -> list[dict[str, Any]]:
        log = self.folder / "asked.jsonl"
        lines = map(json.loads, log.read_text().splitlines() if log.exists() else [])
        return [line["asked"] for line in lines if line["operation"] == operation]

    def places(self, operation: str) -> set[tuple[str, str]]:
        """The account and region that were asked; `testing` is the caller's own key."""
        log = self.folder / "asked.jsonl"
        lines = map(json.loads, log.read_text().splitlines())
        asked = (line for line in lines if line["operation"] == operation)
        return {(line["key"].removeprefix("ASIA")[:12], line["region"]) for line in asked}

    def forget(self) -> None:
        (self.folder / "asked.jsonl").write_text("")
