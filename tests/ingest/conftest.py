"""AWS on loopback: moto's server for S3, `fake_aws.py` for what moto cannot do (AWS.md §8)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from models.settings import Settings, parse

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}


@pytest.fixture(autouse=True)
def no_real_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine's own AWS configuration says, tests do not use it."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}.items():
        monkeypatch.setenv(name, value)


class Configured:
    """Settings over a scratch folder, from `[[sources]]` entries and other keys."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *sources: dict[str, Any], **table: Any) -> Settings:
        return parse({"sources": list(sources), **table}, home=self.home)


@pytest.fixture
def configured(tmp_path: Path) -> Configured:
    return Configured(tmp_path)


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


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    log = tmp_path_factory.mktemp("moto") / "log"
    with log.open("a") as stderr:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr, text=True)
        yield _address(process, log), log
        process.kill()
        process.wait()


def _address(process: subprocess.Popen[str], log: Path) -> str:
    """moto writes where it listens to its log."""
    while process.poll() is None:
        found = re.search(r"Running on (http://127\.0\.0\.1:\d+)", log.read_text())
        if found:
            return found[1]
    raise AssertionError(log.read_text())


@pytest.fixture
def s3(s3_server: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> S3:
    url, log = s3_server
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    boto3.client("s3").create_bucket(Bucket="bills")
    objects = boto3.resource("s3").Bucket("bills").objects
    objects.all().delete()
    store = S3(url, log)
    store.asked()
    return store


class Fake:
    """The process of `fake_aws.py` and the world it shows."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url

    def shows(self, **world: Any) -> None:
        document = {"account": "999900000001", "bill": [], "metrics": [], **world}
        (self.folder / "world.json").write_text(json.dumps(document))

    def asked(self, operation: str) -> list[dict[str, Any]]:
        log = self.folder / "asked.jsonl"
        lines = map(json.loads, log.read_text().splitlines() if log.exists() else [])
        return [line["asked"] for line in lines if line["operation"] == operation]

    def forget(self) -> None:
        (self.folder / "asked.jsonl").write_text("")


@pytest.fixture
def aws(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Fake]:
    folder = tmp_path_factory.mktemp("aws")
    command = [sys.executable, str(Path(__file__).with_name("fake_aws.py")), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        fake = Fake(folder, process.stdout.readline().strip())
        fake.shows()
        monkeypatch.setenv("AWS_ENDPOINT_URL", fake.url)
        yield fake
        process.kill()
