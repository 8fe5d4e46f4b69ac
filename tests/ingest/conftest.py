"""AWS on loopback: moto's server for S3, `tests.support.aws` for what moto cannot do."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import boto3
import pytest

from ingest.servers import json_server
from tests.support.ingest.fake_aws import ENVIRONMENT, S3, Configured, Fake

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def processes() -> ForkServerContext:
    """Starts processes of `crashes.py` quickly: what they need is imported only once."""
    context = multiprocessing.get_context("forkserver")
    # Arrow imports pandas when it first makes a table, longer than a pull takes
    context.set_forkserver_preload(
        ["pandas", "tests.support.ingest.crashes", "tests.support.ingest.kill_trials"]
    )
    return context


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy server is asked again at once, and not after seconds."""
    monkeypatch.setattr(json_server.RETRIES, "backoff_factor", 0)


@pytest.fixture(autouse=True)
def no_real_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine's own AWS configuration says, tests do not use it."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def untouched(tmp_path: Path) -> Configured:
    """Where nothing was delivered yet, not even the shipped prices."""
    return Configured(tmp_path, untouched=True)


@pytest.fixture
def configured(tmp_path: Path) -> Configured:
    return Configured(tmp_path)


@pytest.fixture(scope="session")
def bytecode(pytestconfig: pytest.Config) -> dict[str, str]:
    """For servers: where what Python compiled is kept for the next run, whatever the shell says.

    Compiling what they import is most of what MLflow's and moto's do.
    """
    if not pytestconfig.pluginmanager.hasplugin("cacheprovider") or not pytestconfig.cache:
        return {}
    kept = pytestconfig.cache.mkdir("bytecode")
    return {"PYTHONPYCACHEPREFIX": str(kept), "PYTHONDONTWRITEBYTECODE": ""}


@pytest.fixture(scope="session")
def s3_server(
    tmp_path_factory: pytest.TempPathFactory, bytecode: dict[str, str]
) -> Iterator[tuple[str, Path]]:
    log = tmp_path_factory.mktemp("moto") / "log"
    with log.open("a") as stderr:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            text=True,
            env={**os.environ, **bytecode},
        )
        yield _address(process, log), log
        process.kill()
        process.wait()


def _address(
    process: subprocess.Popen[Any],
    log: Path,
    said: str = r"Running on (http://127\.0\.0\.1:\d+)",
) -> str:
    """Servers write where they listen to their logs."""
    while process.poll() is None:
        found = re.search(said, log.read_text())
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


@pytest.fixture(scope="session")
def aws_server(
    tmp_path_factory: pytest.TempPathFactory, bytecode: dict[str, str]
) -> Iterator[Fake]:
    folder = tmp_path_factory.mktemp("aws")
    command = [sys.executable, "-m", "tests.support.aws", str(folder)]
    environment = {**os.environ, **bytecode}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY, env=environment
    ) as process:
        assert process.stdout
        yield Fake(folder, process.stdout.readline().strip())
        process.kill()


@pytest.fixture
def aws(aws_server: Fake, monkeypatch: pytest.MonkeyPatch) -> Fake:
    monkeypatch.setenv("AWS_ENDPOINT_URL", aws_server.url)
    aws_server.shows()
    aws_server.forget()
    return aws_server


@pytest.fixture(scope="session")
def mlflow_server(
    tmp_path_factory: pytest.TempPathFactory, bytecode: dict[str, str]
) -> Iterator[str]:
    """A real tracking server on loopback: its WSGI application, as its own command serves it."""
    if not all(map(find_spec, ("mlflow", "sqlalchemy", "alembic"))):
        pytest.skip("needs MLflow's server: pip install mlflow-skinny sqlalchemy alembic")
    folder = tmp_path_factory.mktemp("mlflow")
    log = folder / "log"
    environment = {
        **os.environ,
        **bytecode,
        "_MLFLOW_SERVER_FILE_STORE": f"sqlite:///{folder}/runs.db",
        "_MLFLOW_SERVER_ARTIFACT_ROOT": f"{folder}/artifacts",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "HOME": str(folder),
    }
    command = [sys.executable, "-m", "gunicorn", "--workers", "1", "--bind", "127.0.0.1:0"]
    with log.open("a") as stderr:
        process = subprocess.Popen(
            [*command, "mlflow.server:app"], stderr=stderr, env=environment, cwd=folder
        )
        yield _address(process, log, r"Listening at: (http://127\.0\.0\.1:\d+)")
        process.terminate()
        process.wait()
