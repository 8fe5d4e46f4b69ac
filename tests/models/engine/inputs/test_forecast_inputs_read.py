"""What forecasts are drawn from, as it is read of the tables of a build."""

from __future__ import annotations

from datetime import date, timedelta

import duckdb

from models.engine.inputs.forecasts import STANDINGS

LAST = date(2026, 9, 30)


def test_the_days_since_the_last_work_are_those_that_the_forecast_has() -> None:
    """Work 100 days ago; of the days since 16 lack allocations and are not settled: 84 are idle."""
    known = [back for back in range(130) if not 70 <= back < 86]
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE standings AS SELECT 'w' AS workload, 'losing' AS status, ?::DATE AS "
            "cutoff, 1 AS cumulative_net, 1 AS cumulative_net_saving, NULL AS ends, 'epoch' AS "
            "unit, ?::DATE AS last_worked, TRUE AS newest",
            [LAST, LAST - timedelta(days=100)],
        )
        con.execute("CREATE TABLE forecast_days (workload VARCHAR, date DATE)")
        days = [(name, LAST - timedelta(days=back)) for back in known for name in "wv"]
        con.executemany("INSERT INTO forecast_days VALUES (?, ?)", days)
        found = con.sql(STANDINGS).fetchall()
        assert [row[-1] for row in found] == [84]
        con.execute("UPDATE standings SET last_worked = NULL")
        assert [row[-1] for row in con.sql(STANDINGS).fetchall()] == [0]
