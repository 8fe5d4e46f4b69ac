"""Conditions of the pages: statements with their parameters, and no word of an address in SQL."""

from __future__ import annotations

from datetime import date

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.address.view import View
from dashboard.snapshot.rows_behind.numbers import ROWS_BEHIND
from dashboard.snapshot.rows_behind.selection import PARAMETER, fill_statement
from dashboard.snapshot.runs.compared_runs import axes, counted
from dashboard.snapshot.runs.run_filters import facets, filter_values, quoted, run_conditions
from dashboard.wording.dimensions import dimensions

TAGS = ["tag_team", "tag_a\"b'c"]
DIMS = dimensions(TAGS)
WORDS = st.text("aT'\"=$;-% \\é", max_size=10)
GIVEN = {
    "cluster",
    "instance_type",
    "workload",
    "month",
    "tied",
    "period",
    "whole",
    "first",
    "last",
}
"""Parameters that every page may give a selection."""


def test_a_statement_gets_the_runs_and_only_the_parameters_that_it_uses() -> None:
    text = "SELECT sum(x) FROM ({runs}) WHERE day >= $first AND d <= $first"
    filled, used = fill_statement(text, "FROM runs WHERE w = $of", {"first": 1, "of": 2, "last": 3})
    assert (
        filled == "SELECT sum(x) FROM (FROM runs WHERE w = $of) WHERE day >= $first AND d <= $first"
    )
    assert used == {"first": 1, "of": 2}
    assert fill_statement("SELECT 1", "", {"last": 3}) == ("SELECT 1", {})


@pytest.mark.parametrize("key", ROWS_BEHIND)
def test_a_number_has_rows_and_each_parameter_of_them_is_given(key: str) -> None:
    of = ROWS_BEHIND[key]
    assert of.spend or of.samples or of.table
    runs, own = of.runs(View(), DIMS) if of.runs else ("", {})
    for text in (of.spend, of.samples, of.inputs, of.rows):
        assert set(PARAMETER.findall(text.replace("{runs}", runs))) <= GIVEN | set(own)
        assert of.runs or "{runs}" not in text


def test_no_filter_is_no_condition() -> None:
    assert run_conditions(View(), DIMS) == ("TRUE", {})
    assert run_conditions(View(where=("nothing=1", "region=eu", "hardware")), DIMS) == ("TRUE", {})


def test_values_of_one_dimension_are_alternatives_and_dimensions_narrow() -> None:
    where = ("hardware=gpu", "tag_team=a=b", "hardware=trainium", "tag_team=")
    assert filter_values(where, DIMS) == {
        "hardware": ["gpu", "trainium"],
        "tag_team": ["a=b", ""],
    }
    _, parameters = run_conditions(View(where=where, start=date(2026, 1, 5)), DIMS)
    assert parameters == {
        "first": date(2026, 1, 5),
        "last": date.max,
        "where_0": ["gpu", "trainium"],
        "where_1": ["a=b", ""],
    }


@given(st.lists(st.tuples(st.sampled_from([*DIMS]), WORDS), max_size=4), WORDS)
def test_what_somebody_types_never_becomes_sql(asked: list[tuple[str, str]], named: str) -> None:
    plain = View(where=tuple(f"{key}=x" for key, _ in asked), named=named and "x")
    typed = View(where=tuple(f"{key}={value}" for key, value in asked), named=named)
    assert run_conditions(typed, DIMS)[0] == run_conditions(plain, DIMS)[0]


def test_filters_find_the_runs_that_they_name() -> None:
    """Three runs: a tag without a value is found by an empty one; names ignore their case."""
    columns = ", ".join(f"NULL::VARCHAR AS {quoted(key)}" for key in DIMS if key not in SET)
    with duckdb.connect() as database:
        database.execute(
            f"""CREATE TABLE runs AS SELECT *, {columns} FROM (VALUES
            ('Big-1', 'gpu', 'red', 'x', TIMESTAMP '2026-01-05 23:59:00'),
            ('big-2', 'trainium', NULL, 'x', TIMESTAMP '2026-01-06 00:00:00'),
            ('tiny', 'gpu', 'blue', 'y', NULL))
            AS t(run, hardware, tag_team, {quoted(TAGS[1])}, started_at)"""
        )

        def found(view: View) -> list[str]:
            where, given_ = run_conditions(view, DIMS)
            rows = database.execute(f"SELECT run FROM runs WHERE {where}", given_).fetchall()
            return sorted(run for (run,) in rows)

        assert found(View(named="BIG")) == ["Big-1", "big-2"]
        assert found(View(where=("tag_team=", "tag_team=blue"))) == ["big-2", "tiny"]
        assert found(View(where=("hardware=gpu", f"{TAGS[1]}=x"))) == ["Big-1"]
        assert found(View(end=date(2026, 1, 5))) == ["Big-1"]
        assert found(View(start=date(2026, 1, 6))) == ["big-2"]
        rows = database.execute(
            facets([DIMS["hardware"], DIMS["region"], DIMS[TAGS[1]]])
        ).fetchall()
        assert [row[1:] for row in rows] == [
            ("hardware", "gpu", 2),
            ("hardware", "trainium", 1),
            (TAGS[1], "x", 2),
            (TAGS[1], "y", 1),
        ]


SET = ("hardware", *TAGS)


@pytest.mark.parametrize(
    ("view", "by", "then"),
    [
        (View(), "workload", "hardware"),
        (View(by="nothing", then="nothing"), "workload", None),
        (View(by="hardware"), "hardware", None),
        (View(by="tag_team", then="none"), "tag_team", None),
        (View(by="region", then="tag_team"), "region", "tag_team"),
    ],
)
def test_a_comparison_has_one_or_two_dimensions(view: View, by: str, then: str | None) -> None:
    found = axes(view, DIMS)
    assert (found.by.key, found.then and found.then.key) == (by, then)


def test_side_runs_count_only_where_purposes_are_asked_for() -> None:
    ordinary, _ = counted(View(), DIMS)
    assert "'production', 'baseline'" in ordinary
    for view in (View(by="purpose"), View(where=("purpose=port",))):
        assert "'production', 'baseline'" not in counted(view, DIMS)[0]
