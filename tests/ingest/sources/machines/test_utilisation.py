"""How busy machines were: CloudWatch's own metrics, and neuron-monitor's reports."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ingest.paid_requests import ledger
from ingest.pull import pull
from ingest.source import Window
from models.config.settings import Settings
from models.contract.errors import InputError, SeveralError
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import S3, Configured, Fake
from tests.support.ingest.price_answers import told

NOW = "2026-10-31T12:00:00Z"
GPU = {"InstanceId": "i-1", "InstanceType": "p4d.24xlarge", "index": "0", "name": "A100"}


def metric(namespace: str, name: str, dimensions: dict[str, str], *values: float) -> dict[str, Any]:
    """Values of the minutes from 10:00 on."""
    points = [(f"2026-10-31T10:{minute:02}:00Z", value) for minute, value in enumerate(values)]
    return {"namespace": namespace, "name": name, "dimensions": dimensions, "points": points}


def rows(configured: Configured, kind: str, **options: str) -> list[dict[str, Any]]:
    settings = made(configured, kind, **options)
    pull(settings, [kind]).raise_failures()
    return told(settings, kind)


def made(configured: Configured, kind: str, **options: str) -> Settings:
    settings: Settings = configured({"kind": kind, **options}, as_of="2026-10-31")
    return settings


PUBLISHED = [
    metric("CWAgent", "nvidia_smi_utilization_gpu", GPU, 50.0, 100.0),
    metric("CWAgent", "nvidia_smi_temperature_gpu", GPU, 70.0),
    metric(
        "ContainerInsights",
        "node_gpu_utilization",
        {"ClusterName": "c", "InstanceId": "i-2", "NodeName": "n", "GpuDevice": "nvidia3"},
        30.0,
    ),
    metric(
        "ContainerInsights",
        "node_neuroncore_utilization",
        {"ClusterName": "c", "InstanceId": "i-3", "NeuronDevice": "d", "NeuronCore": "core7"},
        90.0,
    ),
    metric("AWS/EC2", "CPUUtilization", {"InstanceId": "i-4"}, 12.5),
    metric("AWS/EC2", "CPUUtilization", {"InstanceType": "p4d.24xlarge"}, 10.0),
    metric("AWS/EC2", "GPUPowerUtilization", {"InstanceId": "i-4"}, 80.0),
    metric("/aws/sagemaker/TrainingJobs", "GPUUtilization", {"Host": "job/algo-1"}, 640.0),
]


def test_reports_in_s3_are_paid_for_in_the_ledger(
    configured: Configured, s3: S3, tmp_path: Path
) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "monitor.jsonl").write_text(json.dumps(report(25.0, 75.0)) + "\n")
    s3.put_folder(tmp_path / "reports", "monitor")
    settings = made(configured, "neuron_monitor", location="s3://bills/monitor")
    pull(settings).raise_failures()
    paid = ledger.read_lines(settings.data / ledger.FILE)
    assert [(line["source"], line["operation"]) for line in paid] == [
        ("neuron_monitor", "ListObjectsV2"),
        ("neuron_monitor", "GetObject"),
    ]
    assert told(settings, "neuron_monitor")


def test_published_metrics_are_hourly_means_of_machines_and_nothing_else(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(metrics=PUBLISHED, now=NOW)
    found = rows(configured, "utilisation")
    assert {
        (row["host"], row["device"], row["resource"], row["value"], row["share"]) for row in found
    } == {
        ("i-1", "0", "gpu", 75.0, 0.75),
        ("i-2", "nvidia3", "gpu", 30.0, 0.3),
        ("i-3", "core7", "neuroncore", 90.0, 0.9),
        ("i-4", None, "cpu", 12.5, 0.125),
        ("i-4", None, "gpu_power", 80.0, 0.8),
        ("job/algo-1", None, "gpu", 640.0, None),
    }
    assert {row["seconds"] for row in found} == {3600}
    assert {f"{row['observed_at']:%Y-%m-%d %H:%M}" for row in found} == {"2026-10-31 10:00"}
    assert [row["instance_type"] for row in found if row["host"] == "i-1"] == ["p4d.24xlarge"]


def test_each_metric_is_paid_for_once(configured: Configured, aws: Fake) -> None:
    shown = [
        metric("CWAgent", "nvidia_smi_utilization_gpu", {**GPU, "index": str(n)}, 90.0)
        for n in range(8)
    ]
    aws.shows(metrics=shown, now=NOW)
    settings = made(configured, "utilisation")
    pull(settings, ["utilisation"]).raise_failures()
    paid = [(line["operation"], line["dollars"]) for line in ledger.read_lines(_ledger(settings))]
    assert paid.count(("ListMetrics", "0.00001")) == 9
    assert [dollars for what, dollars in paid if what == "GetMetricData"] == ["0.00008"]


def test_days_that_are_named_leave_none_unread_before_them(
    configured: Configured, aws: Fake
) -> None:
    """The 31st was asked for by hand after an outage: the next pull reads the days before, too."""
    busy = metric("AWS/EC2", "CPUUtilization", {"InstanceId": "i-4"}, 12.5)
    busy["points"] = [(f"2026-10-{day}T10:00:00Z", 12.5) for day in (25, 30, 31)]
    aws.shows(metrics=[busy], now=NOW)
    settings = made(configured, "utilisation")
    window = Window(date(2026, 10, 31), date(2026, 10, 31))
    pull(settings, ["utilisation"], window).raise_failures()
    pull(settings, ["utilisation"]).raise_failures()
    live = RawZone(settings.data / "raw").live("utilisation")
    assert [delivery.key.period for delivery in live] == [f"2026-10-{day}" for day in (25, 30, 31)]


def test_after_a_month_without_a_pull_its_days_are_read(configured: Configured, aws: Fake) -> None:
    busy = metric("AWS/EC2", "CPUUtilization", {"InstanceId": "i-4"}, 12.5)
    busy["points"] = [(f"2026-10-{day}T10:00:00Z", 12.5) for day in ("01", "10", "31")]
    aws.shows(metrics=[busy], now=NOW)
    for today in ("2026-10-01", "2026-10-31"):
        settings = configured({"kind": "utilisation"}, as_of=today)
        pull(settings, ["utilisation"]).raise_failures()
    live = RawZone(settings.data / "raw").live("utilisation")
    assert [delivery.key.period[-2:] for delivery in live] == ["01", "10", "31"]


def _ledger(settings: Settings) -> Path:
    return settings.data / "requests.jsonl"


def report(*cores: float, **other: object) -> dict[str, Any]:
    """As neuron-monitor writes it."""
    used = {str(core): {"neuroncore_utilization": value} for core, value in enumerate(cores)}
    counters = {"period": 0.999163146, "neuroncores_in_use": used, "error": ""}
    runtime = {"pid": 16851, "neuron_runtime_tag": "atlas-t7", "error": ""}
    return {
        "neuron_runtime_data": [{**runtime, "report": {"neuroncore_counters": counters}}],
        "system_data": {"vcpu_usage": {"period": 0.99, "average_usage": {"user": 16.99}}},
        "instance_info": {
            "instance_id": "i-01db7a16f4c054239",
            "instance_type": "trn1.2xlarge",
            "instance_region": "us-west-2",
            "error": "",
        },
        "neuron_hardware_info": {
            "neuron_device_count": 1,
            "neuroncore_per_device_count": 2,
            "error": "",
        },
        **other,
    }


@pytest.mark.parametrize("form", ["a line each", "one list"])
def test_each_core_of_a_report_is_told_under_the_job_that_named_itself(
    configured: Configured, tmp_path: Path, form: str
) -> None:
    reports = [report(50.0, 0.0, timestamp="2026-10-31T10:00:00Z"), report(12.5)]
    lines = "\n".join(map(json.dumps, reports)) if form == "a line each" else json.dumps(reports)
    (tmp_path / "monitor.json").write_text(lines)
    found = rows(configured, "neuron_monitor", location="monitor.json")
    found.sort(key=lambda row: row["share"])
    assert [(row["device"], row["share"]) for row in found] == [
        ("1", 0.0),
        ("0", 0.125),
        ("0", 0.5),
    ]
    assert {row["run"] for row in found} == {"atlas-t7"}
    assert {(row["host"], row["instance_type"]) for row in found} == {
        ("i-01db7a16f4c054239", "trn1.2xlarge")
    }
    assert found[1]["observed_at"] is None
    assert f"{found[2]['observed_at']:%H:%M}" == "10:00"


def test_a_runtime_that_has_only_its_process_id_names_no_run(
    configured: Configured, tmp_path: Path
) -> None:
    untagged = report(5.0)
    untagged["neuron_runtime_data"][0]["neuron_runtime_tag"] = "16851"
    idle = {**report(), "neuron_runtime_data": []}
    (tmp_path / "monitor.jsonl").write_text(f"{json.dumps(untagged)}\n{json.dumps(idle)}\n")
    (row,) = rows(configured, "neuron_monitor", location="monitor.jsonl")
    assert row["run"] is None


def test_an_idle_machines_file_is_whole(configured: Configured, tmp_path: Path) -> None:
    idle = {**report(), "neuron_runtime_data": []}
    unknown = {"neuron_runtime_data": None, "instance_info": None, "neuron_hardware_info": None}
    silent: list[Any] = [{"report": None}, {"report": {"neuroncore_counters": None}}]
    told = [idle, unknown, {"neuron_runtime_data": silent}]
    (tmp_path / "monitor.jsonl").write_text("\n".join(map(json.dumps, told)))
    assert rows(configured, "neuron_monitor", location="monitor.jsonl") == []


def test_a_packed_file_is_refused(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "monitor.jsonl").write_text(json.dumps(report(12.5)))
    (tmp_path / "reports" / "older.jsonl.gz").write_bytes(b"")
    with pytest.raises(InputError, match=r"cannot read this kind of file: .*older.jsonl.gz"):
        rows(configured, "neuron_monitor", location="reports")


HARDWARE = {"neuron_device_count": "16"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"neuron_runtime_data": [', "line 1: Invalid JSON: EOF while parsing"),
        (json.dumps(report(250.0)), "neuroncore_utilization is not a percentage: 250.0"),
        ("", "no report in it"),
        ("[]", "no report in it"),
        ("\n123", "line 2: Input should be an object, not 123"),
        ("[1, 2]", "the list: 0: Input should be an object, not 1"),
        ('{"carbon": 1}', "line 1: neuron_runtime_data: Field required"),
        (
            json.dumps(report(timestamp=1790000000)),
            "line 1: timestamp: Input should be a valid string, not 1790000000",
        ),
        (
            json.dumps(report(timestamp="yesterday")),
            'line 1: timestamp: Input should be a time in ISO 8601, not "yesterday"',
        ),
        (
            json.dumps(report(timestamp="2026-W47-5T01:00:00Z")),
            'timestamp: Input should be a time in ISO 8601, not "2026-W47-5T01:00:00Z"',
        ),
        (
            json.dumps(report(50.0)).replace("50.0", "NaN"),
            "neuroncore_utilization: Input should be a finite number, not NaN",
        ),
        (
            json.dumps(report()).replace('"period": ', '"period": 1e300, "was": '),
            "period: Input should be less than or equal to 86400, not 1e+300",
        ),
        (
            json.dumps(report(neuron_hardware_info=HARDWARE)),
            'neuron_hardware_info.neuron_device_count: Input should be a valid integer, not "16"',
        ),
        (
            json.dumps(report(neuron_runtime_data={})),
            "line 1: neuron_runtime_data: Input should be a valid array, not {}",
        ),
    ],
)
def test_what_neuron_monitor_did_not_write_is_named(
    configured: Configured, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "monitor.log").write_text(text)
    with pytest.raises((InputError, SeveralError), match=re.escape(said)) as caught:
        rows(configured, "neuron_monitor", location="monitor.log")
    assert "monitor.log" in str(caught.value)
    assert "deliver what neuron-monitor wrote" in str(caught.value)
