"""Where others reach the dashboard it is not opened to them by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from breakeven import main
from dashboard.server import gunicorn_server
from tests.support.dashboard.server import PLAIN, free_port, served

PROXIED = 'auth = {mode = "proxy", trusted_proxies = ["127.0.0.1"]}\n'
OPEN = {"BREAKEVEN_SERVE__INSECURE_NO_AUTH": "true"}


@pytest.mark.parametrize("verb", ["serve", "up"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_an_open_address_is_refused_with_the_remedy(tmp_path: Path, verb: str, host: str) -> None:
    config = tmp_path / "breakeven.toml"
    config.write_text(PLAIN, encoding="utf-8")
    ended = CliRunner().invoke(main, [verb, "--config", str(config), "--host", host])
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr == (
        "breakeven: whoever reaches this address could read the bill and close months without "
        f"signing in: {host} (listen on 127.0.0.1; or set auth.mode, so that people sign in; or, "
        "behind a proxy that authenticates, --insecure-no-auth "
        "(BREAKEVEN_SERVE__INSECURE_NO_AUTH=true))\n"
    )


def test_it_listens_there_if_something_in_front_lets_only_some_through(tmp_path: Path) -> None:
    with served(tmp_path, PLAIN, "--host", "0.0.0.0", "--insecure-no-auth") as server:
        assert server.ask("GET", "/livez").status == 200


@pytest.mark.parametrize(
    ("text", "environ"), [(PLAIN, OPEN), (PROXIED + PLAIN, {})], ids=["environment", "sign-in"]
)
def test_it_is_told_by_the_environment_or_people_sign_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, environ: dict[str, str]
) -> None:
    """All that comes before it listens is done, in this process."""
    config, listened = tmp_path / "breakeven.toml", list[tuple[str, int]]()
    config.write_text(text, encoding="utf-8")
    monkeypatch.setattr(gunicorn_server, "serve", lambda _, *at: listened.append(at[:2]))
    line = ["serve", "--config", str(config), "--host", "0.0.0.0", "--port", str(free_port())]
    ended = CliRunner().invoke(main, line, env=environ)
    assert (ended.exit_code, ended.exception) == (0, None)
    assert [host for host, _ in listened] == ["0.0.0.0"]
