"""The unit of a compared group is that of the work that it did."""

from __future__ import annotations

from typing import Any

import duckdb

from dashboard.address.view import View
from dashboard.pages.compare.cost_per_epoch import per_epoch
from dashboard.pages.compare.group_sql import groups
from dashboard.wording.dimensions import dimensions

COLUMNS = "hardware, workload, unit, epochs, cost"


def found(*runs: tuple[object, ...]) -> dict[str, Any]:
    """The one group of runs on Trainium: workload, unit, work and dollars of each."""
    sql, parameters = groups(View(by="hardware", then="none"), dimensions(()))
    values = ", ".join(f"('trainium', {', '.join('?' * 4)})" for _ in runs)
    with duckdb.connect() as con:
        con.execute(
            f"CREATE TABLE counted_runs AS SELECT *, 'production' AS purpose, []::VARCHAR[] AS "
            f"flags, 1 AS accelerator_hours FROM (VALUES {values}) AS run({COLUMNS})",
            [value for run in runs for value in run],
        )
        cursor = con.execute(sql, parameters)
        (row,) = cursor.fetchall()
        return dict(zip([each[0] for each in cursor.description or ()], row, strict=True))


def test_a_run_without_work_adds_its_cost_and_no_unit() -> None:
    """$100 of a run that failed and $300 of ten epochs: $40 an epoch, whatever it would count."""
    row = found(("a", "epoch", 10, 300), ("b", "billion_tokens", 0, 100))
    assert (row["units"], per_epoch(row)) == (["epoch"], 40)
    mixed = found(("a", "epoch", 10, 300), ("b", "billion_tokens", 90, 100))
    assert per_epoch(mixed) is None


def test_where_nothing_was_done_the_unit_is_that_of_the_runs() -> None:
    assert found(("b", "billion_tokens", 0, 100))["units"] == ["billion_tokens"]
