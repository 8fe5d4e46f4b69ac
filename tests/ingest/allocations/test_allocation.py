"""What the readers of allocations share: times, types of machines, labels, days."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from ingest.allocations import machine_types
from ingest.allocations.allocation import Allocation, by_cluster_and_day
from ingest.allocations.deliveries import ClusterDay
from ingest.allocations.labels import from_comment, without_people
from ingest.allocations.moments import UnreadableMomentError, moment


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_time_is_epoch_seconds_or_has_a_zone() -> None:
    ten = at("2026-10-31T10:00")
    assert moment(f"{ten.timestamp():.0f}") == ten
    assert moment("2026-10-31T12:00:00+02:00") == moment("2026-10-31T10:00:00Z") == ten
    ahead = "is before 2006 or more than 400 days ahead"
    for text, words in (
        ("2026-10-31T10:00:00", "has no time zone"),
        ("now", "is not a time"),
        ("0001-01-01T00:00:00+02:00", "is not a time"),
        ("1999-12-31T23:59:59Z", ahead),
        ("9999-12-31T23:59:59Z", ahead),
        ("1000000000", ahead),
        ("99999999999", ahead),
    ):
        with pytest.raises(UnreadableMomentError, match=words):
            moment(text)


def test_an_interval_has_no_days_before_aws_nor_after_it_was_observed() -> None:
    seen = at("2026-10-31T10:00")
    for since, until, days in (
        ("2026-10-30T23:00", "9999-12-31T23:59", ["2026-10-30", "2026-10-31"]),
        ("2026-11-01T00:00", "2026-11-02T00:00", []),
    ):
        held = Allocation("hpc", at(since), at(until), seen)
        assert [f"{day}" for day in held.days] == days
    ever = Allocation("hpc", at("0001-01-01T00:00"), at("2006-01-02T01:00"), seen)
    assert [f"{day}" for day in ever.days] == ["2006-01-01", "2006-01-02"]


def test_neuron_cores_are_accelerators_where_the_machine_is_known() -> None:
    assert machine_types.as_accelerators(Decimal(8), "trn1.32xlarge") == 4
    assert machine_types.as_accelerators(Decimal(8), "ml.trn2.48xlarge") == 2
    assert machine_types.as_accelerators(Decimal(8), "p5.48xlarge") is None
    assert machine_types.as_accelerators(Decimal(8), None) is None


@pytest.mark.parametrize(
    ("held", "of", "accelerators"),
    [(64, None, 16), (16, None, 4), (128, None, 16), (96, None, 12), (64, 128, 8), (64, 64, 16)],
)
def test_neuron_cores_are_logical_ones_unless_the_machine_says_or_holds_more(
    held: int, of: int | None, accelerators: int
) -> None:
    """Trainium2 has 8 physical cores a chip, which Neuron's driver shows as 4 by default."""
    cores, every = Decimal(held), Decimal(of) if of else None
    assert machine_types.as_accelerators(cores, "trn2.48xlarge", every) == accelerators


def test_types_exist_if_ec2_writes_them_so_and_of_accelerators_the_catalogue_has_them() -> None:
    real = ("trn1.32xlarge", "ml.p4d.24xlarge", "c7i.metal-24xl", "p6e-gb200.36xlarge")
    assert all(map(machine_types.exists, real))
    assert not any(map(machine_types.exists, ("p4d.25xlarge", "trn1", "P5.48XLARGE", "")))


def test_a_comment_holds_labels_as_json_or_as_pairs() -> None:
    assert from_comment('{"workload": "bard", "n": 3, "x": null}') == {"workload": "bard", "n": "3"}
    assert from_comment('workload=bard, run="b 1"; aws/x=2') == {
        "workload": "bard",
        "run": "b 1",
        "aws/x": "2",
    }
    assert from_comment("a free remark") == {"comment": "a free remark"}
    assert from_comment("{broken") == {"comment": "{broken"}
    assert from_comment(" ") == {}


def test_names_of_people_are_dropped_by_their_key() -> None:
    labels = {"user": "ada", "example.com/Owner": "ada", "team": "nlp", "empty": ""}
    assert without_people(labels, keep_user=False) == {"team": "nlp"}
    assert len(without_people(labels, keep_user=True)) == 3


def test_an_interval_belongs_to_each_day_that_it_touches_and_an_open_one_up_to_its_sight() -> None:
    open_ = Allocation("hpc", at("2026-10-30T23:00"), None, at("2026-10-31T01:00"))
    ended = Allocation("hpc", at("2026-10-30T23:00"), at("2026-10-31T00:00"), at("2026-11-02"))
    never = Allocation("hpc", at("2026-10-30T23:00"), at("2026-10-30T23:00"), at("2026-11-02"))
    days = by_cluster_and_day([open_, ended, never])
    assert days == {
        ("hpc", date(2026, 10, 30)): [open_, ended],
        ("hpc", date(2026, 10, 31)): [open_],
    }


def test_a_day_is_another_only_when_more_is_known_of_it() -> None:
    def day(held_to: str | None, observed: str) -> ClusterDay:
        end = held_to and at(held_to)
        held = Allocation("hpc", at("2026-10-30T10:00"), end or None, at(observed))
        return ClusterDay("hpc", date(2026, 10, 30), at(observed), "batch", [held])

    ended = day("2026-10-30T11:00", "2026-10-31T00:00")
    later = day("2026-10-30T11:00", "2026-11-05T00:00")
    assert ended.fingerprint == later.fingerprint
    noon, evening = (day(None, f"2026-10-30T{hour}:00") for hour in (12, 18))
    assert len({noon.fingerprint, evening.fingerprint, ended.fingerprint}) == 3
