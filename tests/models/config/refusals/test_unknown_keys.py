"""An unknown name is answered with the nearest valid one, or with all of them."""

from __future__ import annotations

import pytest

from models.config.refusals.unknown_keys import nearest, valid_names
from models.config.settings import Settings


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("setle_days", "did you mean settle_days?"),
        ("days", "did you mean settle_days?"),
        ("basis_", "did you mean basis?"),
        ("qqq", "known: source, basis, settle_days"),
    ],
)
def test_the_nearest_name_is_suggested(name: str, remedy: str) -> None:
    assert nearest(name, ["source", "basis", "settle_days"]) == remedy


def test_a_key_is_suggested_with_its_table() -> None:
    assert nearest("bassis", ["source", "basis"], "cost.") == "did you mean cost.basis?"


def test_of_many_names_the_first_are_listed_and_the_rest_counted() -> None:
    names = [f"mart_{letter}" for letter in "abcdefghijklmnopqr"]
    assert nearest("x", names).endswith("mart_n, mart_o and 3 more")


@pytest.mark.parametrize(
    ("place", "valid"),
    [
        (("raw", "x"), ["keep_days", "max_rows"]),
        (("schedule", "x"), ["cost", "progress", "prices"]),
        (("tag_rules", 0, "x"), ["match", "workload", "run", "from", "until"]),
        (("invoices", 3, "x"), ["account", "month", "amount"]),
    ],
)
def test_the_names_are_those_of_the_table_in_which_the_unknown_one_stands(
    place: tuple[int | str, ...], valid: list[str]
) -> None:
    assert list(valid_names(place, Settings)) == valid


def test_the_folder_of_the_config_is_no_name_of_it() -> None:
    names = list(valid_names(("x",), Settings))
    assert "home" not in names
    assert {"cost", "tag_rules", "as_of"} <= set(names)
