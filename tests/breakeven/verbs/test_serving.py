"""`breakeven serve` in a process of its own, as its users start and stop it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from breakeven import main
from models.config.loading import load
from tests.support.dashboard.server import PLAIN, free_port, wait_for


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


def test_no_address_is_named_where_the_folder_cannot_be_written(tmp_path: Path) -> None:
    config = tmp_path / "breakeven.toml"
    config.write_text(PLAIN, encoding="utf-8")
    (load(config, {}).data / "config_seen.lock").mkdir(parents=True)
    asked = ["serve", "--config", str(config), "--port", str(free_port())]
    result = CliRunner().invoke(main, asked)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "cannot write" in result.stderr
