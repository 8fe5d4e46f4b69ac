"""The mapping of CloudWatch metrics: the emitter's by default, and what a config may change."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping
from models.config.metrics.line_meaning import LineMeaning, line_meaning
from models.contract.errors import ConfigError


def meaning(*sources: dict[str, Any]) -> LineMeaning:
    return line_meaning(validated_settings({"sources": list(sources)}, home=Path()))


def cloudwatch(**options: object) -> dict[str, Any]:
    return {"kind": "cloudwatch", **options}


def test_without_options_the_emitters_metrics_are_read() -> None:
    mapping = CloudWatchMapping()
    assert mapping.namespace == "Breakeven"
    assert [tuple(reading) for reading in mapping.metrics.readings] == [
        ("Epoch", "Maximum", "epoch"),
        ("Samples", "Maximum", "samples"),
        ("Tokens", "Maximum", "tokens"),
        ("SamplesPerEpoch", "Maximum", "samples_per_epoch"),
        ("Loss", "Average", "loss"),
    ]
    assert mapping.named_by == '["Run", "Workload"]'


def test_a_sum_that_excludes_repeats_is_read_as_a_sum() -> None:
    table = {"metric": "Steps", "statistic": "Sum", "excludes_repeats": True}
    (mapping, _) = meaning(cloudwatch(metrics={"samples": table, "loss": "L"})).mappings
    assert [tuple(reading) for reading in mapping.metrics.readings] == [
        ("Steps", "Sum", "samples"),
        ("L", "Average", "loss"),
    ]


def test_a_source_of_one_workload_needs_no_dimension_for_it() -> None:
    mapping = CloudWatchMapping.model_validate({"workload": "atlas", "dimensions": {"run": "Job"}})
    assert (mapping.names, mapping.named_by) == (("Job",), '["Job"]')


def test_one_dimension_may_name_workload_and_run() -> None:
    one = {"dimensions": {"workload": "Job", "run": "Job"}}
    assert CloudWatchMapping.model_validate(one).names == ("Job",)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"metrics": {"epoch": {"metric": "E", "statistic": "Sum"}}},
            "metrics.epoch.excludes_repeats = False: a Sum takes work repeated after a restart "
            "for progress (set it to true if the counter leaves repeats out, else map a "
            "cumulative metric)",
        ),
        (
            {"metrics": {"epoch": {"metric": "E", "excludes_repeats": True}}},
            "metrics.epoch.excludes_repeats = True: it is a promise about a Sum: add "
            '`statistic = "Sum"`, or leave it',
        ),
        (
            {"metrics": {"epoch": "E", "samples": "E"}},
            "metrics = {epoch = 'E', samples = 'E'}: E is mapped to two columns",
        ),
        (
            {"metrics": {}},
            "metrics = {}: name at least one metric, or leave `metrics` out",
        ),
        (
            {"workload": "(portfolio)"},
            "workload = '(portfolio)': all workloads together are called so: choose another name",
        ),
    ],
)
def test_a_mapping_that_would_misread_is_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        meaning(cloudwatch(name="train", **options))
    assert str(caught.value) == f"[[sources]] train: {text}"


def test_a_workload_is_named_once() -> None:
    with pytest.raises(ConfigError, match=r"workload and dimensions\.workload both name it"):
        meaning(cloudwatch(workload="atlas", dimensions={"workload": "Team"}))


def test_one_statistic_of_a_metric_is_one_thing_and_another_statistic_another() -> None:
    (mapping, _) = meaning(cloudwatch(metrics={"epoch": "M", "loss": "M"})).mappings
    assert [reading.statistic for reading in mapping.metrics.readings] == ["Maximum", "Average"]


def test_each_mapping_carries_its_source_and_the_emitters_comes_last() -> None:
    found = meaning(
        cloudwatch(name="a", namespace="Ours"),
        cloudwatch(name="a", namespace="Ours", path="ignored"),
        {"kind": "mlflow", "workload": "atlas", "metrics": {"epoch": "ep"}},
        {"kind": "focus"},
    )
    assert [(m.source, m.namespace) for m in found.mappings] == [
        ("a", "Ours"),
        (None, "Breakeven"),
    ]
    assert [(t.source, t.workload) for t in found.trackers] == [("mlflow", "atlas"), (None, None)]
    assert found.trackers[0].metrics.meanings == {
        "ep": "epoch",
        "samples": "samples",
        "tokens": "tokens",
        "samples_per_epoch": "samples_per_epoch",
        "loss": "loss",
    }


def test_two_sources_of_one_name_cannot_read_a_namespace_in_two_ways() -> None:
    with pytest.raises(ConfigError) as caught:
        meaning(cloudwatch(metrics={"epoch": "E"}), cloudwatch(metrics={"epoch": "F"}))
    assert str(caught.value) == (
        "[[sources]] cloudwatch map Breakeven in two ways: lines are told apart by the name of "
        "their source (give one of them another `name`)"
    )


def test_tag_keys_and_rules_of_the_config_are_part_of_the_meaning() -> None:
    settings = validated_settings(
        {
            "tags": {"run": "job", "extra": ["team"]},
            "tag_rules": [{"match": {"a": "b-*"}, "run": "r", "from": "2026-01-02"}],
            "investments": [{"date": "2026-01-01", "kind": "tooling", "amount": Decimal(1)}],
        },
        home=Path(),
    )
    found = line_meaning(settings)
    assert (found.workload, found.run, found.extra) == ("workload", "job", ("team",))
    assert [(rule.match, rule.run) for rule in found.rules] == [({"a": "b-*"}, "r")]
