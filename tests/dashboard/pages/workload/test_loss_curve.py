from __future__ import annotations

from collections import Counter
from typing import Any

import duckdb
import pytest

from dashboard.pages.workload.loss_curve import loss_curve, placed
from dashboard.pages.workload.queries import LOSS, NOT_COMPARED
from dashboard.pages.workload.wording import loss_note
from tests.support.dashboard.figures import D, named

ALL_COMPARE = {"trials": 0, "others": 0}


def points(run: str, hardware: str) -> list[dict[str, Any]]:
    return [
        {
            "run": run,
            "hardware": hardware,
            "epoch": D(index),
            "loss": 2.0 / index,
            "cost_so_far": D(100 * index),
            "hours_so_far": D(4 * index),
            "clock_so_far": D(2 * index),
            "has_older": False,
        }
        for index in (1, 2)
    ]


def test_loss_is_drawn_once_per_run_against_dollars_machines_or_the_clock() -> None:
    rows = points("<i>t1", "trainium") + points("g1", "gpu") + points("g2", "gpu")
    axes = ("dollars", "hours", "clock")
    dollars, hours, clock = (loss_curve(rows, axis, 1.48)["data"] for axis in axes)
    assert [trace["x"] for trace in dollars] == [[100.0, 200.0]] * 3
    assert [trace["x"] for trace in hours] == [[4.0, 8.0]] * 3
    assert [trace["x"] for trace in clock] == [[2.0, 4.0]] * 3
    assert [trace["showlegend"] for trace in dollars] == [True, True, False]
    assert dollars[0]["customdata"][0].startswith("&lt;i&gt;t1 · Trainium")


def test_a_run_of_unknown_hardware_does_not_pass_for_a_gpu() -> None:
    rows = [row | {"hardware": None} for row in points("x1", "gpu")] + points("g1", "gpu")
    figure = loss_curve(rows, "dollars", None)
    unknown, gpu = named(figure, "Unknown hardware"), named(figure, "GPU")
    assert unknown["line"]["color"] != gpu["line"]["color"]
    assert unknown["line"]["dash"] != gpu["line"]["dash"]
    assert [trace["showlegend"] for trace in figure["data"]] == [True, True]


def test_runs_without_a_bill_have_no_place_on_the_axis() -> None:
    free = [row | {"cost_so_far": D(0), "hours_so_far": D(0)} for row in points("x1", "gpu")]
    rows = [*free, *points("g1", "gpu")]
    assert {row["run"] for row in placed(rows, "dollars")} == {"g1"}
    assert placed(free, "hours") == []
    assert loss_note(rows, placed(rows, "dollars"), ALL_COMPARE) == (
        "Not drawn: 1 run without accelerator-hours on the bill."
    )
    assert loss_note(rows, rows, ALL_COMPARE) is None


def test_only_runs_that_are_compared_are_drawn_and_the_others_are_counted() -> None:
    """A benchmark and a port compare with nothing; the work of `odd` is of another recipe."""
    runs = {"g1": "production", "b1": "baseline", "bench": "benchmark", "port": "port"}
    found = [(run, of, "comparable" if run in ("g1", "b1") else None) for run, of in runs.items()]
    found += [("odd", "production", "recipe differs"), ("mute", "validation", None)]
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE runs (workload VARCHAR, run VARCHAR, purpose VARCHAR,
                                  comparability VARCHAR)"""
        )
        connection.executemany("INSERT INTO runs VALUES ('atlas-7b', ?, ?, ?)", found)
        connection.execute(
            """CREATE TABLE loss_curve AS
               SELECT workload, run, 'gpu' AS hardware, TIMESTAMP '2026-09-01' AS observed_at,
                      1 AS epoch, 2.0 AS loss, 1 AS cost_so_far, 1 AS hours_so_far,
                      1 AS clock_so_far FROM runs WHERE run <> 'mute'"""
        )
        asked = {"workload": "atlas-7b", "first": "2026-09-01", "last": "2026-09-30"}
        rows = connection.execute(LOSS, asked).df().to_dict("records")
        beside = connection.execute(NOT_COMPARED, asked).df().to_dict("records")[0]
    assert [row["run"] for row in rows] == ["b1", "g1"]
    assert beside == {"trials": 2, "others": 1}
    said = "Not drawn: 2 validation, port or benchmark runs and 1 run that cannot be compared."
    assert loss_note(rows, rows, beside) == said


@pytest.mark.parametrize(("runs", "drawn"), [(20, 20), (21, 20)])
def test_only_so_many_runs_are_drawn_and_the_chart_says_so(runs: int, drawn: int) -> None:
    """Twenty runs of each hardware: with none left out, it says nothing."""
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE loss_curve AS
               SELECT 'atlas-7b' AS workload, concat(hardware, n) AS run, hardware,
                      TIMESTAMP '2026-09-01' + n * INTERVAL 1 HOUR AS observed_at, 1 AS epoch,
                      2.0 AS loss, 1 AS cost_so_far, 1 AS hours_so_far, 1 AS clock_so_far
               FROM range($runs) AS many(n), (VALUES ('gpu'), ('trainium')) AS on_(hardware)
               WHERE hardware = 'gpu' OR n < 20""",
            {"runs": runs},
        )
        connection.execute(
            "CREATE TABLE runs AS SELECT workload, run, 'comparable' AS comparability "
            "FROM loss_curve"
        )
        asked = {"workload": "atlas-7b", "first": "2026-09-01", "last": "2026-09-30"}
        rows = connection.execute(LOSS, asked).df().to_dict("records")
    assert Counter(row["hardware"] for row in rows) == {"gpu": drawn, "trainium": 20}
    said = "Of each hardware only the 20 newest runs of the range are drawn."
    assert loss_note(rows, rows, ALL_COMPARE) == (said if runs > drawn else None)


@pytest.mark.parametrize("target", [None, 0.5])
def test_no_loss_and_no_target_touches_the_edge_of_the_figure(target: float | None) -> None:
    low, high = loss_curve(points("g1", "gpu"), "dollars", target)["layout"]["yaxis"]["range"]
    assert low < (target or 1.0) - 0.05
    assert high > 2.05


def test_dollars_on_an_axis_are_plain() -> None:
    axis = loss_curve(points("g1", "gpu"), "dollars", None)["layout"]["xaxis"]
    assert axis["tickformat"] == "$,~f"


def test_the_target_loss_is_drawn_where_it_is_known() -> None:
    rows = points("t1", "trainium")
    assert loss_curve(rows, "dollars", 1.48)["layout"]["shapes"][0]["y0"] == 1.48
    assert loss_curve(rows, "dollars", None)["layout"]["shapes"] == []


def test_a_loss_without_an_epoch_is_told_at_none() -> None:
    rows = [row | {"epoch": None} for row in points("t1", "trainium")] + points("g1", "gpu")
    told = [trace["customdata"][0] for trace in loss_curve(rows, "dollars", None)["data"]]
    assert told[0] == "t1 · Trainium<br>loss <b>2.000</b><br>$100 · 4.0 h"
    assert "loss <b>2.000</b> at epoch 1.00<br>" in told[1]
