"""Debian's Prometheus, with what kube-state-metrics told it, answers who held which node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import requests

from ingest.pull import Report, pull
from ingest.source import Window
from models.config.settings import Settings
from models.raw.zone import RawZone
from tests.support.dashboard.server import PATIENCE_SECONDS, free_port
from tests.support.ingest.fake_aws import Configured
from tests.support.ingest.price_answers import told
from tests.support.kubernetes.state_metrics import State

pytestmark = pytest.mark.systems
DAY = date(2026, 10, 30)
GPU, CORE = "nvidia_com_gpu", "aws_amazon_com_neuroncore"


def state() -> State:
    """A day of eight nodes; `n2` and `n5` are used again, and nobody sees anything from 20:00 on.

    Two kube-state-metrics watch it, as where one stands by for the other.
    """
    cluster = State(("ksm-0", "ksm-1"))
    cluster.node("n1", "i-0a", "00:00", "20:00", "p5.48xlarge")
    cluster.node("n2", "i-0b", "00:00", "09:00", "trn1.32xlarge")
    cluster.node("n2", "i-0c", "10:00", "20:00", "trn1.32xlarge")
    cluster.node("n3", "i-0d", "00:00", "20:00", "trn2.48xlarge", cores=128)
    cluster.node("n4", "i-0e", "00:00", "20:00", "trn2.48xlarge")
    cluster.node("n5", "i-0f", "00:00", "06:00", "p4d.24xlarge")
    cluster.node("n5", "i-10", "06:05", "12:00", "trn2.48xlarge", cores=64)
    cluster.node("n5", "i-11", "12:20", "20:00", "trn1.32xlarge", cores=32)
    labels = ',label_workload="atlas-7b",label_run="t7",label_user="ada"'
    done = (("Pending", "02:00"), ("Running", "02:03"), ("Succeeded", "05:00"))
    cluster.pod("u1", "n1", "02:00", "08:00", {GPU: 8, "cpu": 90}, labels, done, "05:00")
    job = ',label_training_kubeflow_org_job_name="bard-9"'
    cluster.pod("u2", "n2", "01:00", "08:30", {CORE: 8}, job)
    # its sidecar completed at 10:35, and the pod runs on
    cluster.pod("u3", "n2", "10:30", "20:00", {CORE: 32}, completed="10:35")
    cluster.pod("u4", "", "03:00", "04:00", {GPU: 1}, phases=(("Pending", "03:00"),))
    cluster.pod("u5", "n1", "00:00", "20:00", {"cpu": 2})
    cluster.pod("u6", "n3", "01:00", "02:00", {CORE: 32}, exported=True)
    cluster.pod("u7", "n4", "01:00", "02:00", {CORE: 32})
    cluster.pod("u8", "n5", "01:00", "05:58", {GPU: 8})
    cluster.pod("u9", "n5", "06:30", "11:00", {CORE: 32})
    cluster.pod("v1", "n5", "12:30", "19:00", {CORE: 32})
    return cluster


def scraped_without_its_labels() -> State:
    """A cluster whose series all have the node of kube-state-metrics: their own is exported."""
    cluster = State(name="other", scraped_on="ip-a")
    cluster.node("ip-a", "i-1a", "00:00", "20:00", "m5.xlarge")
    cluster.node("ip-b", "i-1b", "00:00", "20:00", "p5.48xlarge")
    cluster.node("ip-c", "i-1c", "00:00", "20:00", "trn2.48xlarge", cores=64)
    cluster.pod("w1", "ip-b", "01:00", "02:00", {GPU: 8}, exported=True)
    cluster.pod("w2", "ip-c", "01:00", "02:00", {CORE: 32}, exported=True)
    waiting = (("Pending", "01:00"),)
    cluster.pod("w3", "", "01:00", "02:00", {GPU: 8}, phases=waiting, exported=True)
    return cluster


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("prometheus")
    (folder / "metrics.txt").write_text(state().text(scraped_without_its_labels()))
    (folder / "prometheus.yml").write_text("global: {}\n")
    made = ("promtool", "tsdb", "create-blocks-from", "openmetrics", "metrics.txt", "data")
    subprocess.run(made, cwd=folder, check=True, capture_output=True)
    url = f"127.0.0.1:{free_port()}"
    command = ("prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data")
    keep = ("--storage.tsdb.retention.time=100y", "--query.lookback-delta=61s")
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, *keep, f"--web.listen-address={url}"], cwd=folder, stderr=log
        )
    session = requests.Session()
    retries = requests.adapters.Retry(
        total=None, connect=int(PATIENCE_SECONDS * 4), backoff_factor=0.25, backoff_max=0.25,
        status=int(PATIENCE_SECONDS * 4), status_forcelist=[503],
    )  # fmt: skip
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retries))
    session.get(f"http://{url}/-/ready", timeout=PATIENCE_SECONDS).raise_for_status()
    yield f"http://{url}"
    server.terminate()
    server.wait()


@pytest.fixture
def pulled(configured: Configured, prometheus: str) -> tuple[Settings, Report]:
    source = {"kind": "kubernetes", "cluster": "prod", "location": prometheus}
    settings = configured(source | {"selector": 'cluster="prod"'})
    report = pull(settings, ["kubernetes"], Window(DAY, DAY))
    report.raise_failures()
    return settings, report


def rows(settings: Settings) -> dict[str, dict[str, Any]]:
    return {row["job"]: row for row in told(settings, "observed_allocations")}


def clock(text: str) -> datetime:
    return datetime.fromisoformat(f"{DAY}T{text}")


def test_pods_hold_the_instance_behind_their_node_while_they_run(
    pulled: tuple[Settings, Report],
) -> None:
    found = rows(pulled[0])
    assert sorted(found) == ["u1", "u2", "u3", "u6", "u7", "u8", "u9", "v1"]
    gpu, trn, again = (found[uid] for uid in ("u1", "u2", "u3"))
    assert (gpu["resource"], gpu["instance_type"], gpu["accelerators"]) == (
        "i-0a",
        "p5.48xlarge",
        Decimal(8),
    )
    assert (gpu["held_from"], gpu["held_to"]) == (clock("02:00"), clock("05:00"))
    assert gpu["queued_at"] == clock("02:00")
    assert (gpu["workload"], gpu["run"]) == ("atlas-7b", "t7")
    assert "ada" not in gpu["labels"]
    assert (trn["resource"], trn["accelerators"], trn["run"]) == ("i-0b", Decimal(4), "bard-9")
    assert (trn["held_from"], trn["held_to"]) == (clock("01:00"), clock("08:31"))
    assert (again["resource"], again["accelerators"]) == ("i-0c", Decimal(16))


def test_neuron_cores_are_a_part_of_those_that_the_node_says_it_has_else_of_its_type(
    pulled: tuple[Settings, Report],
) -> None:
    found = rows(pulled[0])
    assert [found[uid]["accelerators"] for uid in ("u6", "u7")] == [Decimal(4), Decimal(8)]


def test_without_honor_labels_a_pod_has_its_own_namespace_and_name(
    pulled: tuple[Settings, Report],
) -> None:
    found = {uid: json.loads(row["labels"]) for uid, row in rows(pulled[0]).items()}
    for uid in ("u6", "u7"):
        assert found[uid] == {"namespace": "train", "pod": f"{uid}-pod"}


def test_without_honor_labels_a_pod_is_on_its_own_node_not_on_that_of_what_was_scraped(
    configured: Configured, prometheus: str
) -> None:
    """All of one node and half of another; what waits for a node holds nothing."""
    source = {"kind": "kubernetes", "cluster": "other", "location": prometheus}
    settings = configured(source | {"selector": 'cluster="other"'})
    pull(settings, ["kubernetes"], Window(DAY, DAY)).raise_failures()
    found = {
        uid: (row["node"], row["resource"], row["instance_type"], row["accelerators"])
        for uid, row in rows(settings).items()
    }
    assert found == {
        "w1": ("ip-b", "i-1b", "p5.48xlarge", Decimal(8)),
        "w2": ("ip-c", "i-1c", "trn2.48xlarge", Decimal(8)),
    }


def test_a_name_that_is_used_again_has_type_and_cores_of_the_node_that_has_it(
    pulled: tuple[Settings, Report],
) -> None:
    """Eight of eight GPUs, half of a trn2.48xlarge, all of a trn1.32xlarge."""
    of_name = (row for row in told(pulled[0], "observed_allocations") if row["node"] == "n5")
    found = sorted(of_name, key=lambda row: row["held_from"])
    assert found[0]["held_to"] == clock("05:59")
    assert [(row["resource"], row["instance_type"], row["accelerators"]) for row in found] == [
        ("i-0f", "p4d.24xlarge", Decimal(8)),
        ("i-10", "trn2.48xlarge", Decimal(8)),
        ("i-11", "trn1.32xlarge", Decimal(16)),
    ]


def test_what_prometheus_did_not_see_is_unknown_not_idle(pulled: tuple[Settings, Report]) -> None:
    settings, report = pulled
    last = rows(settings)["u3"]
    assert (last["held_to"], last["observed_at"]) == (None, clock("20:00"))
    assert report.results[0].notices == [
        "prod: Prometheus has no sample of a node from 2026-10-30 20:00 on: what pods held then is "
        'unknown, not idle ([[sources]] kind = "allocations" can tell it)'
    ]


def test_a_day_that_it_forgot_is_not_delivered(
    configured: Configured, prometheus: str, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("secret\n")
    source = {"kind": "kubernetes", "cluster": "prod", "location": prometheus}
    settings = configured(source | {"token_file": "token"})
    before = date(2026, 10, 28)
    report = pull(settings, ["kubernetes"], Window(before, before))
    report.raise_failures()
    assert RawZone(settings.data / "raw").live("observed_allocations") == []


def test_a_query_that_is_refused_is_one_line(configured: Configured, prometheus: str) -> None:
    source = {"kind": "kubernetes", "cluster": "prod", "location": prometheus, "selector": "x y"}
    report = pull(configured(source), ["kubernetes"], Window(DAY, DAY))
    (error,) = report.results[0].errors
    assert str(error).startswith(f"Prometheus at {prometheus} refused query_range: 400 ")
