"""Reports of neuron-monitor: a NeuronCore's percent, and the run that named itself."""

from __future__ import annotations

from datetime import datetime

import pytest

from models.formats.machines import neuron_monitor
from tests.support.bills.format_lines import Lines, refused, rows

TEXTS = ("core", "tag", "pid", "timestamp", "region", "instance_id", "instance_type")
TYPES = {**dict.fromkeys(TEXTS, "string"), "utilization": "float64", "period": "float64"}


def line(**other: object) -> Lines:
    about = {"core": "3", "tag": "atlas-t7", "pid": "16851", "region": "us-west-2"}
    about |= {"instance_id": "i-1", "instance_type": "trn1.32xlarge"}
    about |= {"timestamp": "2026-10-31T11:00:00+01:00"}
    return [{**about, "utilization": 12.5, "period": 0.999163146, **other}]


def test_a_report_is_a_row_of_one_core() -> None:
    assert rows(neuron_monitor, line(), TYPES) == [
        {
            "observed_at": datetime.fromisoformat("2026-10-31T10:00"),
            "account": None,
            "region": "us-west-2",
            "host": "i-1",
            "device": "3",
            "instance_type": "trn1.32xlarge",
            "run": "atlas-t7",
            "resource": "neuroncore",
            "metric": "neuroncore_utilization",
            "seconds": 1,
            "value": 12.5,
            "share": 0.125,
        }
    ]


@pytest.mark.parametrize(
    ("tag", "pid", "run"),
    [
        ("16851", "16851", None),
        ("16851", "7", "16851"),
        ("", "16851", None),
        (None, "16851", None),
        ("r", "16851", "r"),
    ],
)
def test_a_tag_that_is_the_process_id_names_no_run(
    tag: str | None, pid: str, run: str | None
) -> None:
    (row,) = rows(neuron_monitor, line(tag=tag, pid=pid), TYPES)
    assert row["run"] == run


@pytest.mark.parametrize("time", [None, "", "yesterday"])
def test_a_time_that_is_not_known_is_null(time: str | None) -> None:
    (row,) = rows(neuron_monitor, line(timestamp=time), TYPES)
    assert row["observed_at"] is None


@pytest.mark.parametrize("fine", [0.0, 100.0])
def test_both_ends_of_a_percent_are_one(fine: float) -> None:
    assert refused(neuron_monitor, line(utilization=fine), TYPES) == []


@pytest.mark.parametrize(
    ("wrong", "shown"), [(100.1, "100.1"), (-0.5, "-0.5"), (None, "nothing"), (float("nan"), "nan")]
)
def test_what_is_no_percent_is_refused(wrong: float | None, shown: str) -> None:
    said = (
        f"neuroncore_utilization is not a percentage: {shown} (deliver what neuron-monitor wrote)"
    )
    assert refused(neuron_monitor, line() + line(utilization=wrong), TYPES) == [said]
