"""Intervals in our own columns: who held what, and what cannot be."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal

import pytest

from models.config.tags import Labels, TagRule
from models.contract.schema import ALLOCATIONS
from models.formats.allocations import observed, stated
from tests.support.bills.format_lines import Lines, is_refused, refused, rows

TYPES = dict.fromkeys(ALLOCATIONS, "string")


def line(**other: object) -> Lines:
    about = dict.fromkeys(ALLOCATIONS) | {
        "cluster": "hpc",
        "resource": "i-1",
        "instance_type": "trn1.32xlarge",
        "held_from": "2026-09-01T10:00:00Z",
        "held_to": "2026-09-01T13:00:00+01:00",
        "accelerators": "8",
        "job": "17",
    }
    return [{**about, **other}]


def test_an_interval_is_a_row_in_utc() -> None:
    (row,) = rows(stated, line(workload="atlas-7b", run="t7", state="failed", attempt="2"), TYPES)
    assert row == dict.fromkeys(ALLOCATIONS) | {
        "cluster": "hpc",
        "resource": "i-1",
        "instance_type": "trn1.32xlarge",
        "held_from": datetime.fromisoformat("2026-09-01T10:00"),
        "held_to": datetime.fromisoformat("2026-09-01T12:00"),
        "accelerators": Decimal(8),
        "job": "17",
        "attempt": 2,
        "state": "FAILED",
        "workload": "atlas-7b",
        "run": "t7",
        "reason": "run",
    }
    assert rows(observed, line(), TYPES)[0]["accelerators"] == Decimal(8)


def test_an_instance_is_known_by_what_follows_the_slash_of_its_arn_and_a_job_by_its_arn() -> None:
    instance = "arn:aws:ec2:us-east-1:999900000001:instance/i-1"
    job = "arn:aws:sagemaker:us-east-1:999900000001:training-job/j1"
    assert rows(stated, line(resource=instance), TYPES)[0]["resource"] == "i-1"
    assert rows(stated, line(resource=job), TYPES)[0]["resource"] == job


def test_a_job_is_named_by_a_rule_before_its_own_columns_and_these_before_its_labels() -> None:
    labels = json.dumps({"workload": "labelled", "run": "l1", "team": "nlp"})
    rule = {"match": {"label.team": "nl*", "resource": "i-*"}, "workload": "ruled"}
    tags = Labels(rules=(TagRule.model_validate(rule | {"until": date(2026, 9, 1)}),))
    (ruled,) = rows(stated, line(labels=labels, run="r1"), TYPES, tags)
    assert (ruled["workload"], ruled["run"]) == ("ruled", "r1")
    later = line(labels=labels, held_from="2026-09-02T00:00:00Z", held_to=None)
    (labelled,) = rows(stated, later, TYPES, tags)
    assert (labelled["workload"], labelled["run"]) == ("labelled", "l1")


REFUSED: list[tuple[dict[str, str | None], str]] = [
    (
        {"held_to": "2026-09-01T09:59:59Z"},
        "an interval ends before it starts: job 17, 2026-09-01T10:00:00Z to 2026-09-01T09:59:59Z",
    ),
    (
        {"held_to": "2026-09-01T09:59:59Z", "job": None},
        "an interval ends before it starts: 2026-09-01T10:00:00Z to 2026-09-01T09:59:59Z",
    ),
    (
        {"held_to": None, "observed_at": "2026-09-01T09:00:00Z"},
        "an interval ends before it starts: job 17, 2026-09-01T10:00:00Z to 2026-09-01T09:00:00Z",
    ),
    ({"accelerators": "17"}, "accelerators is more than the machine has: 17 of 16"),
    ({"accelerators": "9", "of": "8"}, "accelerators is more than the machine has: 9 of 8"),
    ({"cpus": "97", "of_cpus": "96"}, "cpus is more than the machine has: 97 of 96"),
    ({"share": "1.5"}, "share is more than the machine has: 1.5 of 1"),
    ({"instance_type": "p4d.25xlarge"}, "instance_type is not known: p4d.25xlarge"),
    ({"instance_type": "trn1"}, "instance_type is not known: trn1"),
    ({"held_from": "2026-09-01T10:00:00"}, "held_from has no time zone: 2026-09-01T10:00:00"),
    ({"held_from": "2026-09-01"}, "held_from has no time zone: 2026-09-01"),
    (
        {"held_from": "2026-09-01T10:00:00+99:00"},
        "held_from has no time zone: 2026-09-01T10:00:00+99:00",
    ),
    ({"held_from": "soonZ"}, "held_from is not a time: soonZ"),
    ({"held_to": "garbage"}, "held_to is not a time: garbage"),
    (
        {"held_to": "9999-12-31T00:00:00Z"},
        "held_to is before 2006 or more than 400 days ahead: 9999-12-31T00:00:00Z",
    ),
    (
        {"held_from": "1970-01-01T00:00:00Z"},
        "held_from is before 2006 or more than 400 days ahead: 1970-01-01T00:00:00Z",
    ),
    ({"labels": "{"}, "labels cannot be read: {"),
    ({"labels": '["t1"]'}, 'labels is not a JSON object: ["t1"]'),
    ({"labels": "5"}, "labels is not a JSON object: 5"),
    ({"accelerators": "-1"}, "accelerators is negative: -1"),
    ({"reason": "asleep"}, "reason is not known: asleep"),
    (
        {"resource": None, "instance_type": None},
        "resource, instance_type and node are missing: job 17",
    ),
]
"""What is wrong with a line, and how it is shown."""


def test_what_cannot_be_is_refused() -> None:
    lines = [row for wrong, _ in REFUSED for row in line(**wrong)]
    found = [refusal.rpartition(" (")[0] for refusal in refused(stated, lines, TYPES)]
    assert sorted(found) == sorted(shown for _, shown in REFUSED)


@pytest.mark.parametrize(("wrong", "shown"), REFUSED)
def test_one_such_line_is_enough(wrong: dict[str, str | None], shown: str) -> None:
    assert is_refused(stated, line(**wrong), TYPES), shown


def test_a_type_newer_than_the_catalogue_is_no_fault_of_what_was_observed() -> None:
    """AWS or a scheduler told it, so nobody mistyped it; a word that is no type is refused."""
    assert refused(observed, line(instance_type="p4d.25xlarge"), TYPES) == []
    (refusal,) = refused(observed, line(instance_type="trn1"), TYPES)
    assert refusal.startswith("instance_type is none: trn1 (")


def test_blanks_around_a_time_change_nothing() -> None:
    (plain,) = rows(stated, line(), TYPES)
    times = {"held_from": " 2026-09-01T10:00:00Z ", "held_to": "2026-09-01T13:00:00+01:00 "}
    assert refused(stated, line(**times), TYPES) == []
    assert rows(stated, line(**times), TYPES) == [plain]


def test_a_machine_without_accelerators_and_an_interval_without_an_end_are_fine() -> None:
    fine = line(instance_type="m5.large", accelerators=None, held_to=None, reason="drained")
    assert refused(stated, fine + line(accelerators="16"), TYPES) == []
