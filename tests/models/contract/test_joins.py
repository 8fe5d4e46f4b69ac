"""Joins: null is a key among others where that is asked for, and none where it is not."""

from __future__ import annotations

import ibis

from models.contract.joins import left_join, same_keys, without
from tests.support.marts.hand_written_tables import rows, table

LEFT = table(
    {"workload": "string", "run": "string", "cost": "int64"},
    {"workload": "atlas", "run": "r1", "cost": 1},
    {"workload": "atlas", "run": None, "cost": 2},
    {"workload": None, "run": None, "cost": 3},
)
RIGHT = table(
    {"workload": "string", "run": "string", "cost": "int64", "epochs": "int64"},
    {"workload": "atlas", "run": "r1", "cost": 100, "epochs": 10},
    {"workload": "atlas", "run": None, "cost": 200, "epochs": 20},
    {"workload": None, "run": None, "cost": 300, "epochs": 30},
)


def test_a_left_join_finds_no_partner_for_a_null_key_and_keeps_the_row() -> None:
    found = left_join(LEFT, RIGHT, ["workload", "run"])
    assert rows(found, "cost", "epochs") == [(1, 10), (2, None), (3, None)]


def test_a_left_join_keeps_its_own_columns_first_and_their_values() -> None:
    found = left_join(LEFT, RIGHT, ["workload", "run"])
    assert list(found.columns) == ["workload", "run", "cost", "epochs"]
    assert {cost for (cost,) in rows(found, "cost")} == {1, 2, 3}


def test_a_left_join_repeats_a_row_for_each_partner() -> None:
    found = left_join(LEFT, RIGHT.select("workload", "epochs"), ["workload"])
    assert rows(found, "cost", "epochs") == [(1, 10), (1, 20), (2, 10), (2, 20), (3, None)]


def test_same_keys_take_null_for_a_value() -> None:
    found = LEFT.inner_join(RIGHT, same_keys(LEFT, RIGHT, ["workload", "run"]))
    assert rows(found, "cost", "epochs") == [(1, 10), (2, 20), (3, 30)]


def test_same_keys_find_the_right_sides_columns_by_their_suffix() -> None:
    right = RIGHT.select(workload_before="workload", run_before="run", epochs="epochs")
    found = LEFT.inner_join(right, same_keys(LEFT, right, ["workload", "run"], "_before"))
    assert rows(found, "cost", "epochs") == [(1, 10), (2, 20), (3, 30)]


def test_what_is_left_without_columns_is_made_once_for_all_its_readers() -> None:
    found = without(LEFT.mutate(twice=LEFT.cost * 2), "cost")
    both = found.filter(found.twice > 2).semi_join(found, "workload")
    assert list(both.columns) == ["workload", "run", "twice"]
    assert str(ibis.to_sql(both)).count("* 2") == 1
