"""A W&B server on loopback, and a source that reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from models.config.settings import Settings
from tests.support.ingest.fake_aws import Configured
from tests.support.loopback import serving
from tests.support.wandb.server import AnsweringServer, WandBServer

Reading = Callable[..., Settings]


@pytest.fixture
def wandb() -> Iterator[WandBServer]:
    """The server; every query that it was asked fits the schema."""
    server = WandBServer()
    with serving(AnsweringServer(server)):
        yield server
    assert server.errors == []


@pytest.fixture
def reading(
    configured: Configured, wandb: WandBServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Reading:
    """Settings whose only source reads projects of the server, with the key in a file."""
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    (tmp_path / "key").write_text(f"{wandb.key}\n")

    def made(*projects: str, **options: Any) -> Settings:  # noqa: ANN401
        source = {"kind": "wandb", "location": wandb.url, "entity": wandb.entity}
        about = {"projects": list(projects), "token_file": "key", **options}
        given = {key: value for key, value in (source | about).items() if value is not None}
        settings: Settings = configured(given, as_of="2025-10-31")
        return settings

    return made
