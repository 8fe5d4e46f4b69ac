"""`[auth]`: what is wrong or missing is one clear line, and a secret stands in no config file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from models.config.loading import load, validated_settings
from models.contract.errors import ConfigError


@pytest.mark.parametrize(
    ("auth", "line"),
    [
        ({"mode": "saml"}, "auth.mode = 'saml': Input should be 'none', 'oidc' or 'proxy'"),
        ({"mode": "oidc"}, "mode 'oidc' needs issuer and client_id"),
        ({"mode": "proxy"}, "mode 'proxy' needs trusted_proxies"),
        ({"mode": "proxy", "jwt_header": "X-Id"}, "mode 'proxy' needs issuer and jwt_audience"),
        ({"issuer": "http://id.example"}, "an address that begins with https://"),
        ({"issuer": "https://u:S3CRET@id.example"}, "without user and password"),
        ({"trusted_proxies": ["10.0.0.1/8"]}, "10.0.0.1/8 has host bits set"),
        ({"trusted_proxies": ["0.0.0.0/0"]}, "whoever reaches the port could take any name"),
        ({"trusted_proxies": ["::/0"]}, "whoever reaches the port could take any name"),
        ({"user_header": "X_User"}, "the name of a header: letters, digits and hyphens"),
        ({"client_secret": "S3CRET", "mode": "oidc"}, "mode 'oidc' needs"),
        ({"isuer": "https://id.example"}, "did you mean auth.issuer?"),
    ],
)
def test_a_wrong_value_is_one_line_without_secrets(auth: dict[str, Any], line: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        validated_settings({"auth": auth}, home=Path())
    assert line in str(refusal.value)
    assert "S3CRET" not in str(refusal.value)


def test_the_client_secret_comes_from_the_environment_or_a_file(tmp_path: Path) -> None:
    config = tmp_path / "breakeven.toml"
    lines = 'auth.mode = "oidc"\nauth.issuer = "https://id.example"\n'
    config.write_text(lines)
    environ = {"BREAKEVEN_AUTH__CLIENT_ID": "x", "BREAKEVEN_AUTH__CLIENT_SECRET": "S3CRET"}
    assert load(config, environ).client_secret == "S3CRET"
    (tmp_path / "secret").write_text("from a file\n")
    config.write_text(lines + 'auth.client_id = "x"\nauth.client_secret_file = "secret"\n')
    assert load(config, {}).client_secret == "from a file"
    (tmp_path / "secret").unlink()
    with pytest.raises(ConfigError, match=r"auth.client_secret_file cannot be read"):
        _ = load(config, {}).client_secret
    config.write_text(lines + 'auth.client_secret = "S3CRET"\n')
    with pytest.raises(ConfigError, match=r"auth.client_secret is in the file") as refusal:
        load(config, {})
    assert "S3CRET" not in str(refusal.value)
