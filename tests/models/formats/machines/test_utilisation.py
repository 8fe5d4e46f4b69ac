"""CloudWatch's utilisation metrics: whose they are, and what share of the machine they say."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from models.formats.machines import utilisation
from tests.support.bills.format_lines import Lines, refused, rows

TYPES = {
    **dict.fromkeys(("account", "region", "namespace", "metric", "dimensions"), "string"),
    "timestamp": "timestamp",
    "value": "float64",
    "period": "int64",
}
AT = datetime.fromisoformat("2026-10-31T10:00")
INSIGHTS, SAGEMAKER = "ContainerInsights", "/aws/sagemaker/TrainingJobs"


def line(
    dimensions: dict[str, str], metric: str, namespace: str = INSIGHTS, **other: object
) -> Lines:
    about = {"account": "1", "region": "us-east-1", "timestamp": AT, "value": 25.0, "period": 300}
    named = {"namespace": namespace, "metric": metric, "dimensions": json.dumps(dimensions)}
    return [{**about, **named, **other}]


def read(lines: Lines) -> list[dict[str, Any]]:
    return rows(utilisation, lines, TYPES)


def test_a_metric_is_a_row_with_its_value_as_published_and_its_share() -> None:
    core = {"InstanceId": "i-1", "NeuronDevice": "d3", "NeuronCore": "core7", "InstanceType": "t"}
    assert read(line(core, "node_neuroncore_utilization")) == [
        {
            "observed_at": AT,
            "account": "1",
            "region": "us-east-1",
            "host": "i-1",
            "device": "core7",
            "instance_type": "t",
            "run": None,
            "resource": "neuroncore",
            "metric": "node_neuroncore_utilization",
            "seconds": 300,
            "value": 25.0,
            "share": 0.25,
        }
    ]


def test_a_pod_is_its_own_host_and_the_cluster_only_where_nothing_nearer_is_named() -> None:
    pod = {"ClusterName": "c", "NodeName": "n", "PodName": "p", "FullPodName": "p-0"}
    (row,) = read(line(pod, "pod_gpu_utilization"))
    assert (row["host"], row["device"]) == ("p-0", None)
    del pod["FullPodName"]
    assert [row["host"] for row in read(line(pod, "pod_gpu_utilization"))] == ["p"]
    (row,) = read(line({"ClusterName": "c"}, "node_gpu_utilization"))
    assert row["host"] == "c"


@pytest.mark.parametrize("name", ["GPUUtilization", "CPUUtilization"])
def test_sagemaker_adds_up_percents_so_a_share_is_unknown(name: str) -> None:
    (row,) = read(line({"Host": "j/algo-1"}, name, SAGEMAKER, value=640.0))
    assert (row["value"], row["share"]) == (640.0, None)


def test_an_idle_machine_has_a_share_of_zero_not_an_unknown_one() -> None:
    (row,) = read(line({"InstanceId": "i-1"}, "node_gpu_utilization", value=0.0))
    assert (row["value"], row["share"]) == (0.0, 0.0)


def test_a_known_name_in_another_namespace_or_without_a_machine_is_no_utilisation() -> None:
    lines = line({"InstanceId": "i-1"}, "GPUUtilization", INSIGHTS)
    lines += line({"InstanceId": "i-1"}, "node_gpu_utilization", "CWAgent")
    lines += line({"InstanceType": "p5.48xlarge"}, "CPUUtilization", "AWS/EC2")
    assert read(lines) == []


@pytest.mark.parametrize("missing", ["timestamp", "metric", "value"])
def test_a_line_without_its_time_metric_or_value_is_refused(missing: str) -> None:
    good = line({"InstanceId": "i-1"}, "node_gpu_utilization")
    said = f'{missing} is missing on a line: {{"InstanceId": "i-1"}} (deliver it again, whole)'
    assert refused(utilisation, [*good, {**good[0], missing: None}], TYPES) == [said]
