"""Eighteen simulated months: the marts are what METHOD makes of the facts, for several companies.

The facts are drawn from a seed, delivered as AWS would (wrong at first, then restated), and
reckoned a second time in exact fractions from METHOD alone. Amounts agree to a millionth of a
dollar: nine places are kept, and a day's share of an export's dollar is rounded there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from models.engine import build
from models.engine.spark import cluster as spark
from tests.support.simulator import answers, drive, export, story
from tests.support.simulator.company import Company
from tests.support.simulator.saving import Reckoning
from tests.support.simulator.standing import Book
from tests.support.world import Marts

pytestmark = pytest.mark.slow
SEEDS = tuple(map(int, os.environ.get("BREAKEVEN_SEEDS", "1").split(",")))
"""More of them find more, a minute of CPU each; `BREAKEVEN_SEEDS=2,3` asks for others."""
QUICK = """
spark.sql.shuffle.partitions 1
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
"""
"""For a minute of little work: no time spent on making Java fast."""
NEAR = Fraction(1, 10**6)
REDUCED_BY = """
SELECT split_part(delivery, ':', 1), count(DISTINCT delivery) FROM reduced_lines GROUP BY ALL"""
PRICES_NEAR = NEAR * 100
"""What a unit cost in a month of a hundredth of one: its work is known to nine places."""


@dataclass(frozen=True)
class World:
    """A company, what METHOD makes of it, and what the product published."""

    company: Company
    truth: Reckoning
    book: Book
    marts: Marts


@pytest.fixture(scope="module", params=SEEDS, ids="seed {}".format)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A company whose export was wrong first, was reduced, and was then restated and built."""
    folder = tmp_path_factory.mktemp("company")
    company = story.company(request.param)
    asked = drive.settings(folder, company)
    drive.delivered(folder, drive.early(company))
    drive.derived(asked, drive.reduced)
    drive.delivered(folder, company)
    truth = Reckoning(company)
    return World(company, truth, Book(truth), drive.derived(asked))


def agrees(given: object, due: object, near: Fraction = NEAR) -> bool:
    """Equal, or near enough where one of them is a fraction."""
    if isinstance(due, dict) and isinstance(given, dict):
        return given.keys() == due.keys() and all(agrees(given[k], due[k]) for k in due)
    if isinstance(due, dict):
        return not due and given is None
    if given is None or given == due or not isinstance(due, Fraction | float):
        return given == due
    assert isinstance(given, Decimal | float | int)
    return abs(Fraction(given) - Fraction(due)) <= near * max(1, abs(Fraction(due)) / 10**6)


def differences(
    marts: Marts, sql: str, keys: tuple[str, ...], expected: answers.Rows
) -> Iterator[tuple[Any, ...]]:
    """Every key and column in which the product and the truth differ."""
    found = {tuple(row[key] for key in keys): row for row in marts.rows(sql)}
    yield from ((key, "only the truth has it") for key in expected.keys() - found.keys())
    yield from ((key, "only the product has it") for key in found.keys() - expected.keys())
    for key in expected.keys() & found.keys():
        for name, due in expected[key].items():
            near = PRICES_NEAR if name.endswith("_per_epoch") else NEAR
            if not agrees(found[key][name], due, near):
                yield key, name, found[key][name], due


def check(
    marts: Marts, sql: str, keys: tuple[str, ...], expected: answers.Rows, least: int
) -> None:
    """No difference, over a table that is not empty."""
    assert len(expected) >= least
    assert sorted(map(str, differences(marts, sql, keys, expected)))[:20] == []


def identity(marts: Marts) -> str:
    """The same for the same rows of every published table."""
    return str(marts.row("SELECT snapshot_id FROM snapshot")["snapshot_id"])


def test_every_charge_stands_where_it_belongs(world: World) -> None:
    sql = """SELECT date, workload, run, attribution, component,
            sum(effective_cost) AS effective_cost, sum(billed_cost) AS billed_cost,
            sum(list_cost) AS list_cost, coalesce(sum(accelerator_hours), 0) AS hours
        FROM spend_daily GROUP BY ALL"""
    keys = ("date", "workload", "run", "attribution", "component")
    check(world.marts, sql, keys, answers.spend(world.truth), 1200)


def test_the_bill_ties_out_by_bucket(world: World) -> None:
    sql = """SELECT * REPLACE (CASE total_source WHEN 'invoice' THEN bill_total - remainder
        ELSE bill_total END AS bill_total) FROM tie_out"""
    expected = answers.tie_out(world.truth)
    check(world.marts, sql, ("month", "account", "basis"), expected, 60)
    (invoiced,) = world.marts.rows("SELECT * FROM tie_out WHERE total_source = 'invoice'")
    september = (
        told["bill_total"]
        for (month, _, basis), told in expected.items()
        if (month, basis) == ("2025-09", "billed")
    )
    held = sum(september)  # an invoice is for all that the billing account pays
    assert invoiced["account"] == "999900000001"
    assert Fraction(invoiced["remainder"]) == 70000 - held
    assert world.marts.rows("SELECT 1 FROM tie_out WHERE remainder <> 0 OFFSET 1") == []


def test_what_was_paid_ahead_is_used_idle_or_stranded(world: World) -> None:
    """Fees move between months and none is lost; what the move stranded is investment."""
    moved = world.marts.row(
        "SELECT sum(block_spread) AS net, sum(abs(block_spread)) AS whole FROM tie_out"
    )
    assert moved["net"] == 0
    assert moved["whole"] > sum(block.fee for block in world.company.blocks.values())
    stranded = world.marts.row(
        """SELECT sum(amount) AS amount FROM investments
        WHERE kind = 'stranded_commitment' AND workload = 'november'"""
    )
    due = sum(world.truth.stranded.values())
    assert due > 100
    assert agrees(stranded["amount"], due)


def test_every_run_costs_and_does_what_it_did(world: World) -> None:
    expected = answers.runs(world.truth)
    check(world.marts, "SELECT * FROM runs", ("workload", "run"), expected, 60)


def test_cost_per_epoch_by_week_and_month(world: World) -> None:
    keys = ("period", "period_start", "workload", "recipe", "hardware")
    expected = answers.cost_per_epoch(world.truth)
    check(world.marts, "SELECT * FROM cost_per_epoch", keys, expected, 100)


def test_baselines_around_the_turn_of_months(world: World) -> None:
    expected = answers.baselines(world.truth)
    sql = """SELECT * REPLACE (list_sort(flags) AS flags) FROM baselines
        WHERE main AND date <= '2026-06-27' AND (day(date) IN (1, 2, 16) OR day(date + 1) = 1)"""
    check(world.marts, sql, ("date", "workload"), expected, 400)
    flags = {flag for row in expected.values() for flag in row["flags"]}
    assert flags == {"stale", "topped_up", "price_unavailable", "stale_price"}


def test_savings_of_every_settled_day(world: World) -> None:
    sql = """SELECT * FROM savings_daily WHERE settled
        UNION ALL SELECT * FROM portfolio_daily WHERE settled"""
    check(world.marts, sql, ("date", "workload"), answers.savings(world.book), 4000)


def test_every_standing(world: World) -> None:
    sql = "SELECT * FROM break_even WHERE workload <> 'lima'"
    expected = answers.break_even(world.book)
    check(world.marts, sql, ("workload",), expected, 17)
    assert len({row["status"] for row in expected.values()}) >= 7
    grown = expected["quebec",]
    assert 0 < grown["saving_at_old_volume"] < grown["cumulative_gross_saving"]
    assert 0 < expected["(portfolio)",]["covered_share"] < 1
    assert len({base["platform"] for base in answers.baselines(world.truth).values()}) >= 3


def test_every_month(world: World) -> None:
    expected = answers.monthly_summary(world.book)
    check(world.marts, "SELECT * FROM monthly_summary", ("month", "workload"), expected, 150)


@pytest.mark.parametrize("world", SEEDS[:1], indirect=True, ids="seed {}".format)
def test_how_a_bill_is_cut_into_files_changes_nothing(world: World, tmp_path: Path) -> None:
    """One folder of CSV in reverse order says what two exports by month in Parquet said."""
    export.tables(tmp_path / "bill", world.company.charges)
    export.progress(tmp_path / "logs", reversed(world.company.samples))
    export.price_list(tmp_path / "prices.csv", world.company)
    marts = drive.derived(drive.settings(tmp_path, world.company))
    assert identity(marts) == identity(world.marts)


@pytest.mark.spark
@pytest.mark.parametrize("world", SEEDS[:1], indirect=True, ids="seed {}".format)
def test_on_spark_it_is_the_same_company(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last months are reduced on Spark, from AWS's maps and doubles; DuckDB had the others."""
    pytest.importorskip("pyspark")
    (tmp_path / "spark-defaults.conf").write_text(QUICK)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    asked = drive.settings(tmp_path, world.company)
    drive.delivered(tmp_path, drive.before(world.company, drive.UNTIL))
    drive.derived(asked, drive.reduced)
    drive.delivered(tmp_path, world.company)
    with spark.cluster("local[2]", tmp_path) as cluster:
        marts = drive.derived(asked, partial(build.build, cluster=cluster))
    assert identity(marts) == identity(world.marts)
    with duckdb.connect(str(asked.warehouse_file), read_only=True) as warehouse:
        assert dict(warehouse.sql(REDUCED_BY).fetchall()) == {"duckdb": 11, "spark": 7}
