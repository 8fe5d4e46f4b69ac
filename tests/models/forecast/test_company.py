"""METHOD §6.6: the company's forecast from those of its workloads."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from models.config.loading import validated_settings
from models.forecast.break_even_forecasts import ForecastInputs, forecasts
from models.forecast.case import MICRO

COMPANY = "(portfolio)"


def standing(workload: str) -> dict[str, Any]:
    return {"workload": workload, "status": "broke_even", "cutoff": date(2025, 10, 26),
            "cumulative_net": Decimal(1), "ends": None, "quiet": 0, "unit": "epoch"}  # fmt: skip


def days(saving: int) -> dict[str, Any]:
    """Eight weeks with a run each Monday."""
    mondays = [day % 7 == 0 for day in range(56)]
    return {
        "net_saving": [saving * MICRO * monday for monday in mondays],
        "counterfactual": [200 * MICRO * monday for monday in mondays],
        "starts": [int(monday) for monday in mondays],
    }


def runs(*cost: int, epochs: int = 1) -> dict[str, Any]:
    return {
        "in_window": len(cost),
        "main_in_window": len(cost),
        "of_main": [True] * len(cost),
        "cost": [each * MICRO for each in cost],
        "epochs": [epochs * MICRO for _ in cost],
        "counterfactual": [200 * epochs * MICRO for _ in cost],
    }


def test_what_the_company_saves_an_epoch_lies_between_what_its_workloads_save() -> None:
    """$50 an epoch of three and $100 an epoch of one: $62.50, whatever kinds of work they are of.

    The standing counts the epochs of each main kind alone.
    """
    assert saved_of_a_unit("epoch") == {"a": (50, 50), "b": (100, 100), COMPANY: (62.5, 62.5)}


def test_a_company_that_counts_epochs_and_tokens_saves_nothing_per_unit() -> None:
    """$50 an epoch and $100 a billion tokens have no mean, as `saving_per_epoch` has none."""
    assert saved_of_a_unit(None)[COMPANY] == (None, None)


def saved_of_a_unit(unit: str | None) -> dict[str, tuple[object, object]]:
    """The interval of what a unit saves, of two workloads and of the company that counts `unit`."""
    gpu = runs(*[200] * 5)
    known = {name: standing(name) | {"saved_epochs": 1} for name in ("a", "b")}
    inputs = ForecastInputs(
        known | {COMPANY: standing(COMPANY) | {"saved_epochs": 1, "unit": unit}},
        {"a": days(50), "b": days(100)},
        gpu={"a": gpu, "b": gpu},
        trn={"a": runs(*[450] * 8, epochs=3), "b": runs(*[100] * 8)},
    )
    found, _ = forecasts(inputs, validated_settings({}, home=Path()))
    return {row["workload"]: (row.get("saving_low"), row.get("saving_high")) for row in found}
