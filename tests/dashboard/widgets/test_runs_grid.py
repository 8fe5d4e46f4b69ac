from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.widgets.runs_grid import record, runs_grid

D = Decimal


def test_a_run_reaches_the_browser_as_words_and_rounded_text() -> None:
    row: dict[str, Any] = dict.fromkeys(
        ("started_at", "ended_at", "final_loss", "accelerator_hours", "unsettled", "idle_cost")
    )
    row |= dict.fromkeys(("repeated_cost", "cost_to_target_loss", "cost_per_epoch", "platform"))
    row |= {
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
    assert {"identified_by", "wait_hours"} < shown
    tagged = fields(row | {"identified_by": "tag", "wait_hours": None})
    assert tagged.isdisjoint({"identified_by", "wait_hours"})


def fields(*rows: dict[str, Any]) -> set[str]:
    return {column["field"] for column in runs_grid(rows, "grid").columnDefs}
