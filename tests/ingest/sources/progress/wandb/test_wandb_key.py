"""W&B: the API key is found where W&B's client finds it, and is shown and stored nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import sources
from ingest.doctor import examine
from ingest.pull import pull
from ingest.servers import json_server
from ingest.source import Window
from ingest.sources.progress.wandb.api_key import CLOUD, key_in_netrc
from models.config.settings import Settings
from models.contract.errors import ConfigError, SourceError
from tests.ingest.sources.progress.wandb.conftest import Reading
from tests.ingest.sources.progress.wandb.pulls import brought, epochs
from tests.support.ingest.fake_aws import Configured
from tests.support.wandb.server import WandBServer


@pytest.fixture
def run(wandb: WandBServer) -> None:
    wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w").log(
        "2025-10-20T01:00:00", epoch=1
    )


@pytest.mark.usefixtures("run")
def test_a_key_that_wandb_login_wrote_is_used(
    wandb: WandBServer, reading: Reading, tmp_path: Path
) -> None:
    host = wandb.url.removeprefix("http://")
    (tmp_path / "netrc").write_text(f"machine {host}\n  login user\n  password {wandb.key}\n")
    config = reading("pretrain", token_file=None)
    brought(config)
    assert epochs(config) == {"r": [1]}


@pytest.mark.usefixtures("run")
def test_a_key_that_was_copied_with_an_ellipsis_is_one_line(
    wandb: WandBServer, reading: Reading, tmp_path: Path
) -> None:
    host = wandb.url.removeprefix("http://")
    (tmp_path / "netrc").write_text(f"machine {host} login user password S3CRET…")
    with pytest.raises(SourceError, match=r"no request can carry \(correct ~/.netrc\)") as raised:
        brought(reading("pretrain", token_file=None))
    assert "S3C" not in str(raised.value)


@pytest.mark.parametrize("host", ["api.forge.coreweave.com", "api.wandb.ai"])
@pytest.mark.parametrize("location", [CLOUD, "https://api.wandb.ai/"])
def test_the_cloud_has_two_addresses_and_one_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, location: str
) -> None:
    (tmp_path / "netrc").write_text(f"machine {host} login user password abc\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert key_in_netrc(location) == "abc"
    assert key_in_netrc("https://wandb.example") is None


@pytest.mark.parametrize("text", [b"machine", b"\xff", b""])
def test_a_netrc_that_is_none_has_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    (tmp_path / "netrc").write_bytes(text)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert key_in_netrc(CLOUD) is None


@pytest.mark.usefixtures("run")
def test_a_wrong_key_is_one_line_that_does_not_show_it(
    wandb: WandBServer, reading: Reading, tmp_path: Path
) -> None:
    config = reading("pretrain")
    (tmp_path / "key").write_text("S3CRET")
    with pytest.raises(SourceError, match=r"refused runs: 401 .*not logged in.*token_file") as said:
        brought(config)
    assert "S3CRET" not in str(said.value)


@pytest.mark.usefixtures("run")
def test_nothing_that_is_written_has_the_key(
    wandb: WandBServer, reading: Reading, tmp_path: Path
) -> None:
    config = reading("pretrain")
    brought(config)
    wandb.key = "another"
    assert pull(config, ["wandb"], Window()).results[0].errors
    written = [path for path in config.data.rglob("*") if path.is_file()]
    assert len(written) > 2
    key = (tmp_path / "key").read_bytes().strip()
    assert [path for path in written if key in path.read_bytes()] == []


def test_a_key_in_the_address_is_refused(configured: Configured) -> None:
    source = {"kind": "wandb", "entity": "team", "location": "https://api:secret@wandb.example"}
    with pytest.raises(ConfigError, match="location"):
        brought(configured(source))


def test_an_entity_must_be_named(configured: Configured) -> None:
    with pytest.raises(ConfigError, match="entity"):
        brought(configured({"kind": "wandb"}))


@pytest.mark.usefixtures("run", "at_once")
def test_what_the_server_says_is_one_line(
    wandb: WandBServer, reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(status: int, text: str) -> str:
        wandb.refuse = [(status, {"Retry-After": "0"}, text)] * 5
        with pytest.raises(SourceError) as raised:
            brought(reading("pretrain"))
        wandb.refuse = []
        return str(raised.value).partition(" refused ")[2]

    assert said(429, "rate limit exceeded").startswith("runs: 429 rate limit exceeded (W&B limits")
    assert said(200, "<html>sign in").startswith("runs: 200 <html>sign in")
    assert said(200, '{"message": "hello"}').startswith("runs: answered {'message': 'hello'}")
    denied = '{"errors": [{"message": "permission denied"}], "data": null}'
    assert said(200, denied).startswith("runs: permission denied (let the user of this API key")
    monkeypatch.setattr(json_server, "RETRIES", 0)
    gone = reading("pretrain", location="http://127.0.0.1:9")
    with pytest.raises(SourceError, match=r"W&B at http://127.0.0.1:9 cannot be reached.*refused"):
        brought(gone)


def test_histories_of_another_form_are_refused(wandb: WandBServer, reading: Reading) -> None:
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w")
    run.log("2025-10-20T01:00:00", epoch=1)
    config = reading("pretrain")
    for series in ("[]", '[{"epoch": 1}]', "null"):
        text = f'{{"data": {{"project": {{"run": {{"sampledHistory": {series}}}}}}}}}'
        wandb.fail_after(1, (200, {}, text))
        with pytest.raises(SourceError, match="refused history: answered"):
            brought(config)


@pytest.mark.usefixtures("at_once")
def test_a_limit_is_over_when_it_is_asked_again(
    wandb: WandBServer, reading: Reading, run: None
) -> None:
    wandb.refuse = [(429, {"RateLimit-Reset": "0"}, ""), (502, {}, "")]
    config = reading("pretrain")
    brought(config)
    assert epochs(config) == {"r": [1]}


def test_doctor_says_whether_the_server_answers(wandb: WandBServer, reading: Reading) -> None:
    def said(config: Settings) -> tuple[str, str]:
        (one,) = (one for one in examine(config) if one.check == "servers")
        return one.state, one.found

    wandb.run("empty", "r", "2025-10-20T00:00:00")
    config = reading("empty")
    where = next(iter(sources.named_sources(config))).location
    assert where == f"W&B at {wandb.url}, team empty"
    assert said(config) == ("warning", f"{where} answers, and has nothing that is read")
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w")
    run.log("2025-10-20T01:00:00", epoch=1)
    assert said(reading("pretrain")) == ("ok", f"W&B at {wandb.url}, team pretrain answers")
    assert said(reading("another")) == ("blocks", "no such project: team/another")
