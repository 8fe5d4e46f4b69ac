"""Where others reach the dashboard it is not opened to them by mistake."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.server.protection.open_address import is_loopback
from tests.support.dashboard import world
from tests.support.dashboard.server import PLAIN, ROOT, served

OPEN = {"BREAKEVEN_SERVE__INSECURE_NO_AUTH": "true"}


@pytest.mark.parametrize("verb", ["serve", "up"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_an_open_address_is_refused_with_the_remedy(tmp_path: Path, verb: str, host: str) -> None:
    config = tmp_path / "breakeven.toml"
    config.write_text(PLAIN, encoding="utf-8")
    line = [sys.executable, "-m", "breakeven", verb, "--config", str(config), "--host", host]
    environ = {**os.environ, "PYTHONPATH": ROOT}
    ended = subprocess.run(
        line, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        "breakeven: whoever reaches this address reads the bill and closes months: nobody signs "
        f"in: {host} (listen on 127.0.0.1; or, if something in front lets only some through, "
        "--insecure-no-auth (BREAKEVEN_SERVE__INSECURE_NO_AUTH=true))\n"
    )


def test_it_listens_there_if_something_in_front_lets_only_some_through(tmp_path: Path) -> None:
    world.publish(tmp_path)
    with served(tmp_path, PLAIN, "--host", "0.0.0.0", "--insecure-no-auth") as server:
        assert server.ask("GET", "/livez").status == 200
    with served(tmp_path, PLAIN, "--host", "0.0.0.0", environ=OPEN) as server:
        assert server.ask("GET", "/livez").status == 200


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("localhost.example.com", False),
        ("0.0.0.0", False),
        ("", False),
    ],
)
def test_what_loopback_is(host: str, only_here: bool) -> None:
    assert is_loopback(host) == only_here
