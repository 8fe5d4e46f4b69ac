"""What is behind work: it adds up only where all of it is counted in one unit."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows_behind.selection import Selection
from dashboard.snapshot.rows_behind.source_rows import bill_lines, inputs
from dashboard.snapshot.rows_behind.work import COMPARED, EPOCHS, RUNS
from tests.conftest import migrated
from tests.support.world import World

DATES = {"workload": "", "period": "month", "first": "2026-01-01", "last": "2026-01-31"}


def behind(of: Selection, *units: tuple[str, int]) -> dict[str, Any]:
    """The inputs of a number of GPU runs, each with its unit and work."""
    with duckdb.connect() as database:
        database.execute(
            """CREATE TABLE made (unit VARCHAR, epochs DECIMAL(38, 9), cost INT DEFAULT 1,
                 paid INT DEFAULT 1, hours INT DEFAULT 1, idle_cost INT, repeated_cost INT,
                 unsettled INT, hardware VARCHAR DEFAULT 'gpu', period VARCHAR DEFAULT 'month',
                 main BOOLEAN DEFAULT true, workload VARCHAR,
                 period_start DATE DEFAULT '2026-01-01')"""
        )
        database.executemany("INSERT INTO made (unit, epochs) VALUES (?, ?)", [*units])
        sql = of.inputs.replace("{runs}", "FROM made").replace("FROM cost_per_epoch", "FROM made")
        given = {name: value for name, value in DATES.items() if f"${name}" in sql}
        found = database.execute(sql, given)
        names = [column[0] for column in found.description or ()]
        return dict(zip(names, found.fetchall()[0], strict=True))


@pytest.mark.parametrize(
    ("of", "work"), [(RUNS, "Σ work"), (COMPARED, "Σ work"), (EPOCHS, "GPU work")]
)
def test_work_of_several_units_adds_up_to_nothing(of: Selection, work: str) -> None:
    """A run without work has no unit of its own."""
    assert behind(of, ("epoch", 3), ("epoch", 4))[work] == 7
    assert behind(of, ("billion_tokens", 3), ("epoch", 0))[work] == 3
    assert behind(of, ("billion_tokens", 3), ("epoch", 4))[work] is None


def test_the_lines_behind_a_cost_of_work_are_those_of_its_periods_and_runs(world: World) -> None:
    """METHOD §8 A and a benchmark: of May on are 2,750 + 2,500 on GPU, and 1,500 on Trainium.

    A range from 10 May has the months that begin in it, as the chart has. Of `vega` the main kind
    is a recipe; a run that failed before it told its own ($160) counts with it.
    """
    migrated(world)
    bench = {"recipe": None, "purpose": "benchmark"}
    world.run("b1", "trn1.32xlarge", "2025-09-05T00:00:00", 5, 16, 1, **bench)
    lora = {"recipe": "lora", "workload": "vega"}
    for run, machine, day in (
        ("g1", "p4d.24xlarge", "2025-05-02"),
        ("g2", "p4d.24xlarge", "2025-05-12"),
        ("t1", "trn1.32xlarge", "2025-09-02"),
    ):
        world.run(run, machine, f"{day}T00:00:00", 10, 16, 1, **lora)
    failed = {"workload": "vega", "run": "f1"}
    world.hours("2025-09-04T00:00:00", 10, "trn1.32xlarge", 16, failed)
    server = Flask("behind")
    attach_data(server, world.build().settings)
    with server.app_context():
        for workload, asked, gpu, trn in (
            ("atlas-7b", {}, 5250, 1500),
            ("atlas-7b", {"from": "2025-05-10", "to": "2025-09-30"}, 0, 1500),
            ("vega", {}, 320, 320),
        ):
            view = View.parse({"workload": workload} | asked)
            found = inputs(EPOCHS, view)
            assert (found["GPU cost, $"], found["Trainium cost, $"]) == (gpu, trn)
            with bill_lines(EPOCHS, view) as behind_it:
                assert behind_it.first().number == gpu + trn
