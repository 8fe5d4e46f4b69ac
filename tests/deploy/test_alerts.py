"""Prometheus loads the alerts, and each fires when it should and not before."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from tests.support.dashboard import bought, world
from tests.support.dashboard.server import PATIENCE_SECONDS, free_port, served

ROOT = Path(__file__).parents[2]
ALERTS, SERIES = ROOT / "deploy/alerts.yaml", ROOT / "tests/deploy/alert_series.yaml"
METRICS = ROOT / "docs/operations/metrics.md"
TOKEN = "a token of some length"
CONFIG = """
warehouse.path = "warehouse.duckdb"
serve.metrics = {port}
serve.metrics_token_file = "token"
"""
PROMETHEUS = """
global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}
rule_files: [{alerts}]
scrape_configs:
  - job_name: breakeven
    authorization: {{credentials_file: {folder}/token}}
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""
NAME = re.compile(r"breakeven_[a-z_]+")


def rules() -> dict[str, dict[str, Any]]:
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def test_every_alert_rests_on_documented_metrics_and_says_what_to_do() -> None:
    documented = set(NAME.findall(METRICS.read_text(encoding="utf-8")))
    page = (ROOT / "docs/operations/alert-on.md").read_text(encoding="utf-8")
    played = yaml.safe_load(SERIES.read_text(encoding="utf-8"))["tests"]
    fired = {
        each["alertname"]
        for test in played
        for each in test["alert_rule_test"]
        if each.get("exp_alerts")
    }
    assert fired == set(rules())
    for name, rule in rules().items():
        used = {metric.removesuffix("_bucket") for metric in NAME.findall(rule["expr"])}
        assert used, name
        assert used <= documented, name
        assert set(rule["annotations"]) == {"summary", "action"}
        assert f"`{name}`" in page


@pytest.mark.systems
def test_each_alert_fires_when_it_should() -> None:
    for command in (("check", "rules", ALERTS), ("test", "rules", SERIES)):
        ended = subprocess.run(
            ["promtool", *command], capture_output=True, text=True, timeout=60, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.systems
def test_a_real_prometheus_scrapes_what_it_alerts_on(tmp_path: Path) -> None:
    world.publish(tmp_path, edit=bought.edit)
    (tmp_path / "token").write_text(TOKEN, encoding="utf-8")
    port, own = free_port(), free_port()
    config = tmp_path / "prometheus.yaml"
    text = PROMETHEUS.format(alerts=ALERTS, folder=tmp_path, port=port)
    config.write_text(text, encoding="utf-8")
    command = ["prometheus", f"--config.file={config}", f"--web.listen-address=127.0.0.1:{own}"]
    with served(tmp_path, CONFIG.format(port=port)), (tmp_path / "log").open("wb") as log:
        watching = subprocess.Popen(
            [*command, f"--storage.tsdb.path={tmp_path}/series"], stdout=log, stderr=log
        )
        try:
            found = alerts(own)
        finally:
            watching.terminate()
            watching.wait(PATIENCE_SECONDS)
    assert ("BreakevenTieOutRemainder", "billed", "1.23e+01") in found, (
        tmp_path / "log"
    ).read_text()
    assert not any(name == "BreakevenDown" for name, _, _ in found)


def alerts(port: int) -> set[tuple[str, str, str]]:
    """The alerts of a Prometheus that has scraped and judged, with basis and value."""
    pause = threading.Event()
    found: set[tuple[str, str, str]] = set()
    for _ in range(PATIENCE_SECONDS * 5):
        pause.wait(0.2)
        try:
            answer = requests.get(f"http://127.0.0.1:{port}/api/v1/alerts", timeout=5)
            document = json.loads(answer.text)
        except (requests.ConnectionError, ValueError):
            continue
        found = {
            (each["labels"]["alertname"], each["labels"].get("basis", ""), each["value"])
            for each in document["data"]["alerts"]
        }
        names = {name for name, _, _ in found}
        if "BreakevenTieOutRemainder" in names and "BreakevenDown" not in names:
            break
    return found
