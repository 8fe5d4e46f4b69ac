"""What is behind a baseline: the samples of GPU runs, told apart by workload."""

from __future__ import annotations

import duckdb

from dashboard.snapshot.rows_behind.savings import BASELINE


def test_samples_behind_a_baseline_are_not_those_of_a_run_of_the_same_name() -> None:
    """Both workloads name their first run r1; of the other workload it ran on Trainium."""
    with duckdb.connect() as database:
        database.execute(
            """CREATE TABLE runs AS FROM (VALUES
                 ('atlas-7b', 'r1', 'gpu'), ('vega', 'r1', 'trainium'))
               AS t(workload, run, hardware)"""
        )
        database.execute("CREATE TABLE progress AS SELECT workload, run FROM runs")

        def behind(workload: str) -> list[str]:
            sql = f"SELECT workload FROM progress WHERE {BASELINE.samples}"
            return [of for (of,) in database.execute(sql, {"workload": workload}).fetchall()]

        assert behind("") == behind("atlas-7b") == ["atlas-7b"]
        assert behind("vega") == []
