"""Lines added up before they are read reduce to what the lines themselves reduce to."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import duckdb
import ibis
import pytest
from ibis.backends.duckdb import Backend

from models import formats
from models.config.loading import validated_settings
from models.config.metrics.line_meaning import line_meaning
from models.config.settings import Settings
from models.contract.schema import COSTS
from models.engine.reduction import machine_lines
from models.engine.sql import delivered_sql, rendering
from models.formats.bill import focus
from models.marts import SPEND_REDUCED
from models.marts.cost.charges.spend_reduced import with_machines
from tests.support.bills.cur2_reports import reported
from tests.support.bills.odd_lines import BOX, CUR2, LINE, OTHERWISE

SAMPLE = Path(__file__).parents[4] / "data" / "sample"


@pytest.fixture
def config(tmp_path: Path) -> Settings:
    rule = {"match": {"Name": "atlas-*"}, "workload": "atlas-7b", "from": "2026-09-02"}
    named = {"match": {"Name": "ruled"}, "run": "t9"}
    return validated_settings(
        {"tags": {"extra": ["team"]}, "tag_rules": [rule, named]}, home=tmp_path
    )


SUMS = ("quantity", "list_cost", "contracted_cost", "effective_cost", "billed_cost")
OF_PODS = ("pod_accelerators", "pod_share", "pod_cost")
TIMES = ("first_hour", "last_hour")


def differences(
    lines: duckdb.DuckDBPyRelation, config: Settings, name: str = focus.NAME
) -> list[tuple[object, ...]]:
    """Rows that only one of the two ways makes, without and with machines; ten are made."""
    database = ibis.duckdb.from_connection(duckdb.connect())
    database.con.register("lines", lines.to_arrow_table())
    delivered, shared = database.table("lines"), line_meaning(config, shared_machines=True)
    rows = formats.named(name).rows
    return compared(
        database,
        rendering.sql(delivered_sql.reduction(delivered, name, config)),
        rendering.sql(SPEND_REDUCED(rows(delivered, config.labels))),
    ) + compared(
        database,
        by_hour(rendering.sql(delivered_sql.reduction_with_machines(delivered, name, config))),
        by_hour(rendering.sql(with_machines(rows(delivered, shared)))),
    )


def by_hour(reduced: str) -> str:
    """Sums of each machine's lines by period, whether or not alike periods are one line."""
    sums = [f"if(count({n}) = count(*), sum({n}), NULL) AS {n}" for n in SUMS]
    sums += [f"sum({n}) AS {n}" for n in OF_PODS]
    sums += [f"min({TIMES[0]}) AS {TIMES[0]}, max({TIMES[1]}) AS {TIMES[1]}"]
    rest = ", ".join((*SUMS, *OF_PODS, *TIMES))
    every = machine_lines.by_period(reduced)
    return f"SELECT * EXCLUDE ({rest}), {', '.join(sums)} FROM ({every}) GROUP BY ALL"


def compared(database: Backend, condensed: str, plain: str) -> list[tuple[object, ...]]:
    for way, reduced in {"condensed": condensed, "plain": plain}.items():
        database.con.execute(f"CREATE OR REPLACE TABLE {way} AS {reduced}")
    (made,) = database.con.execute("SELECT count(*) FROM plain").fetchall()
    assert made[0] >= 10
    both = "(FROM plain EXCEPT ALL FROM condensed) UNION ALL (FROM condensed EXCEPT ALL FROM plain)"
    found: list[tuple[object, ...]] = database.con.execute(both).fetchall()
    return found


def test_nasty_text_and_sums_of_more_digits_than_a_line_has_reduce_the_same(
    config: Settings,
) -> None:
    """A line is of less than a billion dollars; forty of $40,000,000 are more: of one account."""
    lines = [LINE | other for other in OTHERWISE * 2]
    lines += [dearer(LINE | other) | {"SubAccountId": "dear"} for other in OTHERWISE * 40]
    values = ", ".join(
        "(" + ", ".join(f"'{text}'" for text in line.values()) + ")" for line in lines
    )
    bill = duckdb.sql(f"FROM (VALUES {values}) AS lines({', '.join(LINE)})")
    assert differences(bill, config) == []


def dearer(line: Mapping[str, str]) -> dict[str, str]:
    """The line with costs that are forty million times as high."""
    costs = {n: Decimal(line[n]) * 40_000_000 for n in COSTS if line[n] not in ("", "NULL")}
    return {**line, **{name: f"{cost:f}" for name, cost in costs.items()}}


def test_a_report_adds_up_to_more_than_one_line_has_digits_for(config: Settings) -> None:
    hours = (f"2025-09-02T{hour:02}:00:00" for hour in range(24))
    lines = [reported(at, "Usage", "400000000", line_item_usage_type=BOX) for at in hours]
    values = ", ".join(f"({', '.join(map(repr, line.values()))})" for line in lines)
    database = ibis.duckdb.from_connection(duckdb.connect())
    database.con.execute(
        f"CREATE TABLE lines AS FROM (VALUES {values}) AS lines({', '.join(lines[0])})"
    )
    reduced = rendering.sql(delivered_sql.reduction(database.table("lines"), "cur2", config))
    found = database.con.execute(f"SELECT effective_cost, list_cost FROM ({reduced})").fetchall()
    assert found == [(Decimal(9_600_000_000), Decimal(9_600_000_000))]


@pytest.mark.parametrize("export", ["focus-1-0", "focus-1-2"])
def test_delivered_months_reduce_the_same(config: Settings, export: str) -> None:
    files = [str(file) for file in sorted((SAMPLE / export).glob("data/*/*.parquet"))[:2]]
    assert differences(duckdb.read_parquet(files, union_by_name=True), config) == []


def test_a_cost_and_usage_report_reduces_the_same(config: Settings) -> None:
    """Net figures are those of a month, and stay so when its lines are added up."""
    lines = [
        reported(day, kind, cost, net, line_item_usage_type=meter, **columns)
        for day in ("2025-09-02T05:00:00", "2025-09-02T06:00:00", "2025-10-02T05:00:00")
        for kind, cost, net, meter, columns in CUR2
        if net or day < "2025-10"
    ] * 2
    names = list(dict.fromkeys(name for line in lines for name in line))
    values = ", ".join(
        "(" + ", ".join(f"'{line.get(name, '')}'" for name in names) + ")" for line in lines
    )
    bill = duckdb.sql(f"FROM (VALUES {values}) AS lines({', '.join(names)})")
    assert differences(bill, config, "cur2") == []


def test_equal_hours_of_a_shared_machine_are_one_line_that_lists_them(config: Settings) -> None:
    """Two of its hours cost the same, one of them twice; a third costs more."""
    hours = [("05", 1), ("06", 1), ("06", 1), ("07", 2)]
    values = ", ".join(
        f"('USD', 'Usage', '{BOX}', 'i-1', '2026-09-02T{hour}:00:00Z', {cost}, {cost}, "
        f"TIMESTAMP '2026-09-02 {hour}:00:00' + INTERVAL 1 HOUR)"
        for hour, cost in hours
    )
    names = (
        "BillingCurrency, ChargeCategory, SkuMeter, ResourceId, ChargePeriodStart, BilledCost, "
        "EffectiveCost, ChargePeriodEnd"
    )
    database = ibis.duckdb.from_connection(duckdb.connect())
    database.con.execute(f"CREATE TABLE lines AS FROM (VALUES {values}) AS lines({names})")
    reduced = delivered_sql.reduction_with_machines(database.table("lines"), focus.NAME, config)
    found = database.con.execute(
        "SELECT effective_cost, [hour(start) for start in periods], hour(period_from), "
        f"hour(period_to) FROM ({rendering.sql(reduced)}) ORDER BY 1"
    ).fetchall()
    assert found == [(1, [5, 6, 6], 5, 6), (2, [7], 7, 8)]
