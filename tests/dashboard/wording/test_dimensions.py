"""What runs can be told apart by: keys, labels, and how each value is called."""

from __future__ import annotations

import pytest

from dashboard.snapshot.runs.run_filters import filter_values
from dashboard.wording.dimensions import dimensions, options

TAGGED = dimensions(["tag_team", "tag_cost center"])


def test_tags_come_first_and_lose_their_prefix() -> None:
    assert [*TAGGED][:3] == ["tag_team", "tag_cost center", "workload"]
    assert [TAGGED[key].label for key in ("tag_team", "tag_cost center")] == ["team", "cost center"]


def test_only_what_charges_differ_in_splits_the_epochs_of_a_run() -> None:
    charged = {key for key, one in TAGGED.items() if one.charged}
    assert charged == {"region", "purchase_option", "instance_type", "account"}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("hardware", "gpu", "GPU"),
        ("hardware", "trainium", "Trainium"),
        ("hardware", "tpu", "Tpu"),
        ("hardware", None, "not set"),
        ("parity", "below_parity", "Below par"),
        ("parity", "of_a_newer_build", "of_a_newer_build"),
        ("parity", "", "not set"),
        ("purchase_option", "capacity_block", "Capacity block"),
        ("comparability", "recipe differs", "Recipe differs"),
        ("comparability", None, "Nothing to compare with"),
        ("comparability", "", "Nothing to compare with"),
        ("recipe", "QLoRA_v2", "QLoRA_v2"),
        ("tag_team", None, "not set"),
    ],
)
def test_a_value_is_called_what_people_call_it(key: str, value: str | None, words: str) -> None:
    assert TAGGED[key].name(value) == words


def test_each_option_of_a_filter_is_read_back_as_its_value() -> None:
    rows: list[dict[str, str | None]] = [
        {"key": "tag_team", "value": "a=b"},
        {"key": "tag_team", "value": None},
        {"key": "hardware", "value": "gpu"},
        {"key": "dropped_tag", "value": "x"},
    ]
    found = options(rows, TAGGED)
    assert [each["label"] for each in found] == ["team: a=b", "team: not set", "Hardware: GPU"]
    chosen = [each["value"] for each in found]
    assert filter_values(chosen, TAGGED) == {"tag_team": ["a=b", ""], "hardware": ["gpu"]}
