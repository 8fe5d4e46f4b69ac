"""`breakeven serve` in a process of its own, as its users start and stop it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner
from gunicorn.config import Config

from breakeven import main
from dashboard.server.gunicorn_server import OurLog
from models.config.loading import load
from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, free_port, wait_for


@contextmanager
def started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str, Path]]:
    """`breakeven serve` that has answered once, so a worker is there: process, address and log."""
    config, log, port = folder / "breakeven.toml", folder / "server.log", free_port()
    config.write_text(PLAIN, encoding="utf-8")
    verb = [sys.executable, "-m", "breakeven", "serve", "--config", str(config), *options]
    with (
        log.open("wb") as said,
        subprocess.Popen([*verb, "--port", str(port)], stdout=said, stderr=said) as server,
    ):
        try:
            wait_for(port, server, log)
            assert requests.get(f"http://127.0.0.1:{port}/livez", timeout=PATIENCE_SECONDS).ok
            yield server, f"http://127.0.0.1:{port}", log
        finally:
            server.kill()


@pytest.mark.kill
def test_ctrl_c_ends_it_without_a_word(tmp_path: Path) -> None:
    """DuckDB's binding tells at exit of each object that was not freed: eighty lines."""
    with started(tmp_path) as (server, url, log):
        server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE_SECONDS) == 0
    assert log.read_text(encoding="utf-8") == f"Open {url}  (Ctrl-C stops)\n"


def test_a_worker_that_ctrl_c_ends_while_it_starts_is_no_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = OurLog(Config())
    for name in ("SIGQUIT", "SIGSEGV"):
        log.warning("Worker (pid:%s) was sent %s!", 7, name)
    assert caplog.messages == ["Worker (pid:7) was sent SIGSEGV!"]


@pytest.mark.kill
def test_a_worker_that_is_killed_is_told_in_a_line_of_json(tmp_path: Path) -> None:
    """As every other line is: gunicorn's own would be plain text."""
    with started(tmp_path, "--workers", "1") as (server, url, log):
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
        (worker,) = children.read_text(encoding="utf-8").split()
        os.kill(int(worker), signal.SIGKILL)
        assert requests.get(f"{url}/livez", timeout=PATIENCE_SECONDS).ok
        server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE_SECONDS) == 0
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
