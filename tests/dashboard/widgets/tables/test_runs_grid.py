from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.widgets.tables.runs_grid import identified_note, record, runs_grid
from models.contract.schema import MARTS

D = Decimal


def test_a_run_reaches_the_browser_as_words_and_rounded_text() -> None:
    row: dict[str, Any] = dict.fromkeys(
        ("started_at", "ended_at", "final_loss", "accelerator_hours", "unsettled", "idle_cost")
    )
    row |= dict.fromkeys(("repeated_cost", "cost_to_target_loss", "cost_per_epoch", "platform"))
    row |= {
        "workload": "atlas-7b",
        "run": "<b>t1</b>",
        "hardware": "trainium",
        "purpose": "production",
        "cost": D("10.005"),
        "epochs": D("1.5"),
        "unit": "epoch",
        "parity": "below_parity",
        "comparability": "recipe differs",
        "identified_by": "allocation",
        "wait_hours": D("3.25"),
        "flags": ["undeclared_start"],
    }
    found = record(row)
    assert (found["cost"], found["epochs"], found["ended"]) == ("10.01", "1.50", "running")
    assert (found["hardware"], found["parity"]) == ("Trainium", "Below par")
    assert found["flags"] == "Had trained before its first sample, without a declared start"
    assert found["comparability"] == "Recipe differs"
    assert {"cost", "comparability"} < (shown := fields(row))
    assert "cost_to_target_loss" not in shown
    assert "comparability" not in fields(row | {"comparability": "comparable"})
    assert "comparability" not in fields(row | {"comparability": None})
    assert (found["identified_by"], found["wait_hours"]) == ("Allocation", "3.3")
    assert "wait_hours" in shown
    assert "wait_hours" not in fields(row | {"wait_hours": None})


def test_a_wait_takes_the_place_of_a_platform_that_follows_from_the_hardware() -> None:
    row = dict.fromkeys(MARTS["runs"]) | {"workload": "atlas-7b", "run": "t1"}
    row |= {"hardware": "trainium", "platform": "trn1"}
    waited = row | {"wait_hours": D(2)}
    assert "platform" in fields(row)
    assert "platform" not in fields(waited, waited | {"hardware": "gpu", "platform": "p5"})
    assert "platform" in fields(waited, waited | {"platform": "trn2"})


def test_the_name_of_a_run_leads_to_its_panel() -> None:
    row = dict.fromkeys(MARTS["runs"]) | {"workload": "a/b", "run": "t 1"}
    grid: Any = runs_grid([row], "grid")
    assert grid.rowData[0]["href"] == "/runs?run=a%252Fb%2Ft%25201"
    assert (grid.columnDefs[0]["field"], grid.columnDefs[0]["cellRenderer"]) == ("run", "GroupLink")


def test_what_identifies_runs_is_said_where_it_is_not_always_a_tag() -> None:
    tagged, held = {"identified_by": "tag"}, {"identified_by": "allocation"}
    assert identified_note([tagged, {"identified_by": None}]) is None
    assert identified_note([tagged, held, held, {"identified_by": "rule"}]) == (
        "Identified by allocation: 2 runs; rule: 1 run; tag: 1 run. "
        "The panel of a run on Runs says which."
    )


def fields(*rows: dict[str, Any]) -> set[str]:
    return {column["field"] for column in runs_grid(rows, "grid").columnDefs}


def test_runs_of_several_units_name_each_ones() -> None:
    rows = [
        dict.fromkeys(MARTS["runs"]) | {"workload": "a", "run": unit, "unit": unit, "epochs": D(4)}
        for unit in ("epoch", "billion_tokens")
    ]
    shown = [column["field"] for column in vars(runs_grid(rows, "grid"))["columnDefs"]]
    assert shown[shown.index("epochs") + 1] == "unit"
    assert "unit" not in fields(rows[0])
