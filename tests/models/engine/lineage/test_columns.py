"""Which input columns a column of an expression comes from, one relation after another."""

from __future__ import annotations

import ibis
import pytest
from ibis import _

from models.engine.lineage.columns import ColumnTrace

RUNS = ibis.table({"run": "string", "cost": "float64", "epochs": "float64"}, name="runs")
PRICES = ibis.table({"run": "string", "usd": "float64", "seen": "date"}, name="prices")


def traced(expression: ibis.Table, *columns: str) -> dict[str, set[str]]:
    trace = ColumnTrace(expression)
    for column in columns:
        trace.add(column)
    return dict(trace.inputs)


def test_a_column_that_is_handed_on_comes_from_itself() -> None:
    assert traced(RUNS.mutate(double=_.cost * 2), "epochs") == {"runs": {"epochs"}}


def test_a_computed_column_comes_from_all_that_it_is_computed_from() -> None:
    each = RUNS.mutate(each=_.cost / _.epochs).select("run", "each")
    assert traced(each, "each") == {"runs": {"cost", "epochs"}}
    assert traced(each, "run") == {"runs": {"run"}}
    assert traced(each, "run", "each") == {"runs": {"run", "cost", "epochs"}}


def test_a_filter_and_a_group_on_the_way_count() -> None:
    sums = RUNS.filter(_.epochs > 0).group_by("run").agg(cost=_.cost.sum())
    assert traced(sums, "cost") == {"runs": {"run", "cost", "epochs"}}


def test_a_join_counts_by_its_keys_and_lends_no_other_column() -> None:
    joined = RUNS.left_join(PRICES, "run").select("cost", "usd")
    assert traced(joined, "cost") == {"runs": {"run", "cost"}, "prices": {"run"}}
    assert traced(joined, "usd") == {"runs": {"run"}, "prices": {"run", "usd"}}


def test_a_union_comes_from_both_sides() -> None:
    both = RUNS.select("run").union(PRICES.select("run"))
    assert traced(both, "run") == {"runs": {"run"}, "prices": {"run"}}


def test_distinct_rows_depend_on_every_column_that_is_compared() -> None:
    assert traced(RUNS.select("run", "cost").distinct(), "run") == {"runs": {"run", "cost"}}


def test_the_order_under_a_limit_counts() -> None:
    assert traced(RUNS.order_by("cost").limit(1), "run") == {"runs": {"run", "cost"}}


def test_a_count_needs_rows_and_no_column() -> None:
    assert traced(RUNS.agg(n=_.count()), "n") == {"runs": set()}


def test_a_window_counts_by_its_partition_and_order() -> None:
    window = ibis.cumulative_window(group_by="run", order_by="epochs")
    running = RUNS.mutate(total=_.cost.sum().over(window))
    assert traced(running, "total") == {"runs": {"run", "cost", "epochs"}}


@pytest.mark.parametrize(
    "condition",
    [
        RUNS.run.isin(PRICES.filter(PRICES.usd > 1).run),
        (PRICES.filter((PRICES.run == RUNS.run) & (PRICES.usd > 1))).count() > 0,
    ],
)
def test_a_subquery_in_a_filter_counts(condition: ibis.Value) -> None:
    found = traced(RUNS.filter(condition), "cost")
    assert found["runs"] >= {"cost", "run"}
    assert found["prices"] == {"run", "usd"}


def test_an_unnested_column_comes_from_its_list() -> None:
    lists = ibis.table({"run": "string", "days": "array<date>"}, name="lists")
    assert traced(lists.unnest("days"), "days") == {"lists": {"days"}}
