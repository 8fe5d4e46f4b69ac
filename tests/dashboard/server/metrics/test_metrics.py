"""Prometheus is told how readers are served, and how pulls, builds and savings stand."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from breakeven import main
from dashboard.server.metrics.place import MetricsPlace, metrics_place
from models.config.loading import load, validated_settings
from models.contract.errors import ConfigError
from tests.support.dashboard import bought, world
from tests.support.dashboard.forked import ROOT
from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, free_port, served

TOKEN = "a token of some length"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}
SECRET = {"BREAKEVEN_SERVE__METRICS_TOKEN": TOKEN}
CONFIG = """
warehouse.path = "warehouse.duckdb"
cost.api_budget_usd_per_day = 1.5
serve.metrics = {metrics}
[[sources]]
kind = "cost_explorer"
[[sources]]
kind = "spot_prices"
regions = ["us-east-1"]
"""
Labels = tuple[tuple[str, str], ...]


class Scraped:
    """The samples of one answer, by name and labels."""

    def __init__(self, url: str) -> None:
        answer = requests.get(url, headers=WITH_TOKEN, timeout=PATIENCE_SECONDS)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        self.values: dict[tuple[str, Labels], float] = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
        }

    def value(self, name: str, **labels: str) -> float | None:
        return self.values.get((f"breakeven_{name}", tuple(sorted(labels.items()))))

    def labels(self, name: str, label: str) -> set[str]:
        return {dict(labels)[label] for of, labels in self.values if of == f"breakeven_{name}"}


def appended(path: Path, *documents: Mapping[str, object]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")


def test_requests_of_all_workers_are_counted_by_route(tmp_path: Path) -> None:
    world.publish(tmp_path)
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    text = f'serve.metrics = "/metrics"\nserve.metrics_token_file = "token"\n{PLAIN}'
    with served(tmp_path, text, "--workers", "2") as server:

        def asked(number: int) -> int:
            return server.ask("GET", f"/sql/no_mart_{number}").status

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(asked, range(60))) == {404}
        assert server.ask("GET", "/sql/runs").status == 200
        assert server.ask("GET", "/no/such/page").status == 404
        assert server.ask("BREW", "/livez").status in (400, 405)
        for headers in ({}, {"Authorization": "Bearer another"}, {"Authorization": "Basic YTpi"}):
            answer = server.ask("GET", "/metrics", **headers)
            assert answer.status == 401
            assert "breakeven_" not in answer.text
        found = Scraped(f"{server.url}/metrics")
        count = "http_requests_total"
        assert found.value(count, route="/sql/<mart>", method="GET", status="404") == 60
        assert found.value(count, route="/sql/<mart>", method="GET", status="200") == 1
        assert found.value(count, route="/metrics", method="GET", status="401") == 3
        took = "http_request_duration_seconds"
        assert found.value(f"{took}_count", route="/sql/<mart>") == 61
        assert found.value(f"{took}_bucket", route="/sql/<mart>", le="+Inf") == 61
        assert not any("no_mart" in route for route in found.labels(count, "route"))
        assert found.labels(count, "method") <= {"GET", "other"}
        of = server.process.pid
        workers = Path(f"/proc/{of}/task/{of}/children").read_text(encoding="utf-8").split()
        assert len(workers) == 2
        for worker in workers:
            os.kill(int(worker), signal.SIGKILL)
        after = Scraped(f"{server.url}/metrics")
        assert after.value(count, route="/sql/<mart>", method="GET", status="404") == 60
    assert TOKEN not in server.logged()


def lay_journals(folder: Path) -> datetime:
    """What two days of pulls, a failing build and a refused letter leave; when the first began."""
    now = datetime.now(UTC).replace(microsecond=0)
    began = now - timedelta(days=2)
    today, old = now.isoformat(), began.isoformat()
    until = (began + timedelta(hours=7)).isoformat()
    appended(
        folder / "deliveries.jsonl",
        {"source": "cost_explorer", "at": old, "error": "", "fresh_until": until},
        {"source": "cost_explorer", "at": today, "error": "AccessDenied"},
    )
    paid = {"dollars": "0.01", "source": "cost_explorer", "account": ""}
    appended(folder / "requests.jsonl", {"at": old, **paid}, *[{"at": today, **paid}] * 3)
    appended(folder / "sent.jsonl", {"at": old, "error": None}, {"at": today, "error": "refused"})
    build = {"last_attempt": today, "failed": True, "last_success": old}
    appended(folder / "build.json", build | {"seconds": 2.5, "lines": 10_000})
    return began


def test_how_everything_stands_is_told_on_a_port_of_its_own(tmp_path: Path) -> None:
    world.publish(tmp_path, edit=bought.edit)
    began = lay_journals(tmp_path)
    port = free_port()
    with served(tmp_path, CONFIG.format(metrics=port), environ=SECRET) as server:
        assert server.ask("GET", "/metrics").status == 404
        url = f"http://127.0.0.1:{port}"
        assert requests.get(f"{url}/", timeout=PATIENCE_SECONDS).status_code == 404
        # Prometheus names a pod by its address, which no `serve.hosts` can know
        refused = requests.get(f"{url}/metrics", headers={"Host": "10.1.2.3"}, timeout=60)
        assert refused.status_code == 401
        found = Scraped(f"{url}/metrics")
        check_journals(found, began)
        check_snapshot(found)
        page = (Path(ROOT) / "docs/operations/metrics.md").read_text(encoding="utf-8")
        scraped = {re.sub("_(bucket|count|sum|created)$", "", name) for name, _ in found.values}
        assert set(re.findall(r"`(breakeven_\w+)`", page)) == scraped
        current = tmp_path / "snapshots" / "current.json"
        current.write_text('{"file": "none.duckdb"}', encoding="utf-8")
        gone = Scraped(f"{url}/metrics")
        assert gone.value("snapshot_readable") == 0
        assert gone.value("status", workload="atlas-7b", status="broke_even") is None
        assert gone.value("aws_requests_today") == 3


def check_journals(found: Scraped, began: datetime) -> None:
    source = {"source": "cost_explorer"}
    assert found.value("feed_last_success_timestamp_seconds", **source) == began.timestamp()
    age = found.value("feed_age_seconds", **source)
    assert age is not None
    assert age >= 2 * 86400
    assert found.value("feed_stale", **source) == 1
    assert found.value("feed_failing", **source) == 1
    assert found.value("feed_stale", source="spot_prices") == 1, "it was never pulled"
    assert found.value("feed_age_seconds", source="spot_prices") is None
    for act in ("pull", "build", "send"):
        assert found.value("last_success_timestamp_seconds", act=act) == began.timestamp()
    assert found.value("last_success_timestamp_seconds", act="close") is None
    assert found.value("build_failing") == 1
    assert found.value("build_seconds") == 2.5
    assert found.value("build_lines") == 10_000
    assert found.value("aws_requests_today") == 3
    assert found.value("aws_dollars_today") == 0.03
    assert found.value("aws_dollars_cap") == 1.5


def check_snapshot(found: Scraped) -> None:
    assert found.value("snapshot_readable") == 1
    age = found.value("snapshot_age_seconds")
    assert age is not None
    assert age >= 0
    settled = datetime(2026, 10, 28, tzinfo=UTC).timestamp()
    assert found.value("snapshot_settled_through_timestamp_seconds") == settled
    assert found.value("status", workload="atlas-7b", status="broke_even") == 1
    assert found.labels("status", "workload") >= {each.name for each in world.WORKLOADS}
    assert found.value("progress_ratio", workload="atlas-7b") is not None
    assert found.value("net_saving_dollars", workload="atlas-7b") is not None
    assert found.value("tie_out_remainder_dollars", basis="billed") == 12.3
    assert found.value("tie_out_remainder_dollars", basis="effective") == 0


def place(**serve: object) -> MetricsPlace | None:
    return metrics_place(
        validated_settings({"serve": {"metrics_token": TOKEN} | serve}, home=Path("/"))
    )


def test_the_place_is_a_port_or_a_path() -> None:
    assert place() is None
    assert place(metrics="/metrics") == MetricsPlace(TOKEN, path="/metrics")
    assert place(metrics=9464) == MetricsPlace(TOKEN, host="127.0.0.1", port=9464)
    assert place(metrics="[::1]:9464") == MetricsPlace(TOKEN, host="::1", port=9464)
    for wrong in ("metrics", "/", "/runs", "here:port", 0, 65536, "http://here/metrics"):
        with pytest.raises(ConfigError, match="a port, host:port, or a path of the dashboard"):
            place(metrics=wrong)


def test_without_a_token_nothing_starts(tmp_path: Path) -> None:
    config = tmp_path / "breakeven.toml"
    for given, said in (
        ("", "it has no token"),
        ('serve.metrics_token = "guess me"\n', "its token can be guessed"),
        ('serve.metrics_token_file = "none"\n', "none, No such file or directory"),
    ):
        config.write_text(f"serve.metrics = 9464\n{given}", encoding="utf-8")
        with pytest.raises(ConfigError, match=said) as refusal:
            metrics_place(load(config, {}))
        assert "guess me" not in str(refusal.value)
    line = ["up", "--config", str(config), "--port", str(free_port())]
    ended = CliRunner().invoke(main, line)
    assert ended.exit_code == 1
    (said,) = ended.stderr.splitlines()
    assert said.startswith("breakeven: serve.metrics_token_file cannot be read")
