"""A refusal of the config never shows a secret, wherever the mistake is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from models.config.feeds import SourceEntry
from models.config.loading import load, validated_settings
from models.config.refusals.shown_values import is_secret
from models.config.source_options import accepted
from models.contract.errors import ConfigError

HOOK = "https://hooks.example.com/T0/S3CRET"
CHAT = {"name": "ops", "kind": "chat", "url": HOOK}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            {"recipients": [{**CHAT, "location": "x"}]},
            "url = …, location = 'x'}: kind 'chat' takes",
        ),
        ({"recipients": [{**CHAT, "url": ["S3CRET"]}]}, "[[recipients]] no. 1: url = …: "),
        (
            {"recipients": {"a": CHAT}},
            "recipients = {a = {name = 'ops', kind = 'chat', url = …}}: ",
        ),
        (
            {"recipients": [{"name": "ops", "kind": "chat", "location": "slack://T0/S3CRET"}]},
            "{name = 'ops', kind = 'chat', location = 'slack://…'}: kind 'chat' takes url",
        ),
        (
            {"recipients": [{"name": "ops", "kind": "chat", "to": [HOOK]}]},
            "{name = 'ops', kind = 'chat', to = ['https://…']}: kind 'chat' takes url",
        ),
        ({"recipients": ["slack://T0/S3CRET"]}, "[[recipients]] no. 1 = 'slack://…': "),
        (
            {"recipients": [{"name": "ops", "kind": "email", "location": "s3://b/p"}]},
            "location = 's3://b/p'}: kind 'email' takes to",
        ),
        ({"smtp": {"password": 7353}}, "smtp.password = …: "),
        ({"smtp": {"port": {"password": "S3CRET"}}}, "smtp.port = {password = …}: "),
        ({"smtp": "smtp://ann:S3CRET@mail"}, "smtp = 'smtp://…@mail': "),
        ({"cost": {"settle_days": {"api_key": "S3CRET"}}}, "cost.settle_days = {api_key = …}: "),
    ],
)
def test_a_refused_config_shows_no_secret(table: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        validated_settings(table, home=tmp_path)
    assert said in str(refused.value)
    for secret in ("S3CRET", "7353"):
        assert secret not in str(refused.value)


def test_a_refused_environment_shows_no_secret(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text("[smtp]\npassword = [1]\n")
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "b.toml", {"BREAKEVEN_SMTP__PORT": "smtp://ann:S3CRET@mail"})
    assert "S3CRET" not in str(refused.value)


class Options(BaseModel):
    token: int = 0
    token_file: int = 0


@pytest.mark.parametrize(("option", "shown"), [("token", "…"), ("token_file", "'S3CRET'")])
def test_a_refused_option_of_a_source_shows_no_secret(option: str, shown: str) -> None:
    entry = SourceEntry.model_validate({"kind": "mlflow", option: "S3CRET"})
    with pytest.raises(ConfigError, match=f"^\\[\\[sources\\]\\] mlflow: {option} = {shown}: "):
        accepted(entry, Options)


def test_every_declared_secret_is_known_by_its_name() -> None:
    assert [is_secret([key]) for key in ("password", "url", "user", "location")] == (
        [True, True, False, False]
    )
