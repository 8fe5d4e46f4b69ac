"""The first build by a new edition of the method says once what it moves, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from ibis.backends.duckdb import Backend

from models.config.editions import changed_meanings
from models.config.loading import load, validated_settings
from models.engine import build
from models.engine.edition_changes import edition_changes
from models.engine.warehouse.connection import in_memory
from models.engine.warehouse.snapshots import Snapshots
from tests.support.earlier_versions import unpacked
from tests.support.world import one_core

COLUMNS = """month VARCHAR, workload VARCHAR, net_saving DECIMAL(38, 9), investment DECIMAL(38, 9),
    counterfactual DECIMAL(38, 9), gross_saving DECIMAL(38, 9), overhead DECIMAL(38, 9),
    saving_at_list DECIMAL(38, 9), baseline_value DECIMAL(38, 9), baseline_reason VARCHAR"""
FORMER = """
    ('2025-09', 'atlas', 6227, 0, 16727, 6227, 0, 6000, 167.27, 'pooled'),
    ('2025-09', 'upkept', 500, 6000, 900, 500, 0, 1, 9, 'same'),
    ('2025-09', 'same', 5, 0, 9, 5, 0, 1, 9, 'old words'),
    ('2025-09', 'unjudged', 5, 0, 9, 5, 0, 1, 9, 'b')"""
TODAY = """
    ('2025-09', 'atlas', 500, 0, 11000, 500, 0, 300, 110, 'p5 is the lowest'),
    ('2025-09', 'upkept', -5500, 0, 900, 500, 6000, 1, 9, 'same'),
    ('2025-09', 'same', 5, 0, 9, 5, 0, 1, 9, 'new words'),
    ('2025-09', 'unjudged', NULL, 0, NULL, NULL, 0, NULL, NULL, NULL)"""


def made(backend: Backend, rows: str) -> None:
    backend.raw_sql(f"CREATE OR REPLACE TABLE month_facts ({COLUMNS})")
    backend.raw_sql(f"INSERT INTO month_facts VALUES {rows}")


def published(folder: Path, rows: str, edition: int | None) -> Snapshots:
    """A snapshot with the months of an earlier build; 0.1.0 wrote no edition."""
    snapshots = Snapshots(folder)
    with in_memory() as backend:
        made(backend, rows)
        marked = "" if edition is None else f", {edition} AS edition"
        backend.raw_sql(f"CREATE TABLE snapshot AS SELECT '0.1.0' AS version{marked}")
        snapshots.publish(backend, ["month_facts", "snapshot"])
    return snapshots


@pytest.fixture
def today() -> Iterator[Backend]:
    with in_memory() as backend:
        made(backend, TODAY)
        yield backend


def test_each_month_of_a_workload_that_moves_is_named_with_why(
    today: Backend, tmp_path: Path
) -> None:
    """By hand: 500 − 6,227 = −5,727 on GPU; a row whose words alone changed is not named."""
    settings = validated_settings({}, home=tmp_path)
    assert edition_changes(settings, published(tmp_path, FORMER, None), today) == [
        "edition 2 of the method computes now, edition 1 published before; in the monthly "
        "summary 3 rows change (docs/method/editions.md)",
        "2025-09 atlas: net saving $6,227.00 is $500.00, saving at list $6,000.00 is $300.00 "
        "(on GPU -5,727.00; GPU baseline $167.27 is $110.00: p5 is the lowest)",
        "2025-09 unjudged: net saving $5.00 is unknown, saving at list $1.00 is unknown "
        "(GPU baseline $9.00 is unknown)",
        "2025-09 upkept: net saving $500.00 is -$5,500.00, investment $6,000.00 is $0.00 "
        "(overhead +6,000.00)",
    ]


def test_nothing_is_said_without_an_earlier_edition(today: Backend, tmp_path: Path) -> None:
    settings = validated_settings({}, home=tmp_path)
    assert edition_changes(settings, Snapshots(tmp_path / "none"), today) == []
    assert edition_changes(settings, published(tmp_path, FORMER, 2), today) == []


def test_options_that_mean_something_else_are_named_where_they_are_set(tmp_path: Path) -> None:
    told = {
        "baseline": {"window_days": 180, "min_runs": 3},
        "workloads": [{"name": "a", "fixed_cost_per_epoch": "250", "target_loss": 2}],
        "investments": [
            {"date": "2025-01-01", "kind": "upkeep", "amount_per_month": 5},
            {"date": "2025-01-01", "kind": "tooling", "amount": 5},
        ],
    }
    named = [
        words.split(" ", 1)[0]
        for words in changed_meanings(validated_settings(told, home=tmp_path))
    ]
    assert named == ["[[workloads]]", "[[workloads]]", "baseline.window_days", "[[investments]]"]
    assert not list(changed_meanings(validated_settings({}, home=tmp_path)))


def test_the_build_after_0_1_0_says_it_once(tmp_path: Path) -> None:
    """A user's folder as 0.1.0 left it: the second build has nothing more to say."""
    settings = load(unpacked("small", tmp_path) / "breakeven.toml")
    with one_core():
        first, second = build.build(settings), build.build(settings)
    head = "edition 2 of the method computes now, edition 1 published before; in the "
    assert first.lines()[1].startswith(head)
    assert first.document()["edition_changes"] == first.lines()[1:]
    assert second.lines() == [second.line()]
    assert json.dumps(second.document()["edition_changes"]) == "[]"
