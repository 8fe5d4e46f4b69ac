"""`breakeven serve` in a process of its own, as its users start and stop it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

from breakeven import main
from models.config.loading import load
from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, free_port, wait_for


@pytest.mark.kill
def test_ctrl_c_ends_it_without_a_word(tmp_path: Path) -> None:
    """DuckDB's binding tells at exit of each object that was not freed: eighty lines."""
    config, log, port = tmp_path / "breakeven.toml", tmp_path / "server.log", free_port()
    config.write_text(PLAIN, encoding="utf-8")
    verb = [sys.executable, "-m", "breakeven", "serve", "--config", str(config)]
    with log.open("wb") as said:
        server = subprocess.Popen([*verb, "--port", str(port)], stdout=said, stderr=said)
    wait_for(port, server, log)
    server.send_signal(signal.SIGINT)
    assert server.wait(30) == 0
    assert log.read_text(encoding="utf-8") == f"Open http://127.0.0.1:{port}  (Ctrl-C stops)\n"


@pytest.mark.kill
def test_a_worker_that_is_killed_is_told_in_a_line_of_json(tmp_path: Path) -> None:
    """As every other line is: gunicorn's own would be plain text."""
    config, log, port = tmp_path / "breakeven.toml", tmp_path / "server.log", free_port()
    config.write_text(PLAIN, encoding="utf-8")
    verb = [sys.executable, "-m", "breakeven", "serve", "--config", str(config), "--workers", "1"]
    with log.open("wb") as said:
        server = subprocess.Popen([*verb, "--port", str(port)], stdout=said, stderr=said)
    wait_for(port, server, log)
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    (worker,) = children.read_text(encoding="utf-8").split()
    os.kill(int(worker), signal.SIGKILL)
    assert requests.get(f"http://127.0.0.1:{port}/livez", timeout=PATIENCE_SECONDS).ok
    server.send_signal(signal.SIGINT)
    assert server.wait(30) == 0
    told = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()[1:]]
    assert any("SIGKILL" in line["event"] for line in told if line["level"] == "error")


def test_no_address_is_named_where_the_folder_cannot_be_written(tmp_path: Path) -> None:
    config = tmp_path / "breakeven.toml"
    config.write_text(PLAIN, encoding="utf-8")
    (load(config, {}).data / "config_seen.lock").mkdir(parents=True)
    asked = ["serve", "--config", str(config), "--port", str(free_port())]
    result = CliRunner().invoke(main, asked)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "cannot write" in result.stderr
