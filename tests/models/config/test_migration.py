"""Costs of the migration: which amounts each kind takes, and what it costs on its date."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.config.migration import Investment
from models.contract.errors import ConfigError


def investment(**given: object) -> Investment:
    entry = {"date": "2025-08-15", **given}
    return validated_settings({"investments": [entry]}, home=Path()).investments[0]


@pytest.mark.parametrize(
    ("given", "dollars"),
    [
        ({"kind": "engineering", "days": "2.5", "day_rate": "900.10"}, "2250.25"),
        ({"kind": "engineering", "days": 0, "day_rate": 900}, "0"),
        ({"kind": "partner", "amount": "12000"}, "12000"),
        ({"kind": "tooling", "amount": "0.000000001"}, "0.000000001"),
        ({"kind": "dual_run", "amount": 0}, "0"),
        ({"kind": "upkeep", "amount_per_month": 500}, "0"),
        ({"kind": "upkeep", "amount_per_month": 500, "until": "2025-08-15"}, "0"),
        ({"kind": "funding", "amount": "-250.50"}, "-250.50"),
        ({"kind": "funding", "amount": 0}, "0"),
    ],
)
def test_an_investment_costs_what_its_kind_says_on_its_date(
    given: dict[str, Any], dollars: str
) -> None:
    assert investment(**given).one_time == Decimal(dollars)


@pytest.mark.parametrize(
    ("given", "takes"),
    [
        ({"kind": "engineering", "days": 3}, "day_rate and days"),
        ({"kind": "engineering", "days": 3, "day_rate": 1, "amount": 3}, "day_rate and days"),
        ({"kind": "upkeep", "amount": 500}, "amount_per_month"),
        ({"kind": "upkeep"}, "amount_per_month"),
        ({"kind": "partner", "amount": 1, "amount_per_month": 1}, "amount"),
        ({"kind": "dual_run", "amount_per_month": 1}, "amount"),
        ({"kind": "funding"}, "amount"),
    ],
)
def test_amounts_of_another_kind_are_refused(given: dict[str, Any], takes: str) -> None:
    with pytest.raises(ConfigError) as caught:
        investment(**given)
    message = str(caught.value)
    assert message.startswith("breakeven.toml: [[investments]] no. 1 = {date = ")
    assert message.endswith(f"}}: kind '{given['kind']}' takes {takes}")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"kind": "funding", "amount": 5},
            "funding is money given for the move: write amount = -5",
        ),
        ({"kind": "partner", "amount": -5}, "amount -5 is below 0: only kind 'funding' may be"),
        (
            {"kind": "partner", "amount": 5, "until": "2026-01-01"},
            "until is for kind 'upkeep', not 'partner'",
        ),
        (
            {"kind": "upkeep", "amount_per_month": 5, "until": "2025-08-14"},
            "until 2025-08-14 is before its date 2025-08-15",
        ),
    ],
)
def test_a_sign_or_an_end_that_cannot_be_is_refused_in_one_line(
    given: dict[str, Any], text: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        investment(**given)
    message = str(caught.value)
    assert message.endswith(f"}}: {text}")
    assert "\n" not in message


UPKEEP = {"kind": "upkeep", "amount_per_month": 5, "date": "2026-09-01", "workload": "atlas"}
ENDS = {"name": "atlas", "ends": "2026-08-31"}


def test_upkeep_that_would_fall_on_no_day_is_refused_and_never_costs_nothing_in_silence() -> None:
    """Training ends the day before it begins, and it has no `until` of its own."""
    with pytest.raises(ConfigError) as caught:
        validated_settings({"workloads": [ENDS], "investments": [UPKEEP]}, home=Path())
    assert str(caught.value) == (
        "breakeven.toml: investments: upkeep of 'atlas' from 2026-09-01 begins after the workload "
        "ends (2026-08-31), so it would cost nothing: write its until, or correct ends"
    )


@pytest.mark.parametrize(
    ("workload", "cost"),
    [
        (ENDS | {"ends": "2026-09-01"}, {}),
        ({"name": "atlas"}, {}),
        (ENDS, {"until": "2026-12-31"}),
        (ENDS, {"workload": "beacon"}),
        (ENDS, {"workload": None}),
        (ENDS, {"kind": "tooling", "amount": 5, "amount_per_month": None}),
    ],
)
def test_other_costs_after_training_ends_are_taken(
    workload: dict[str, Any], cost: dict[str, Any]
) -> None:
    """Upkeep of its last day or with an end of its own, of others, and what is paid once."""
    given = {"workloads": [workload], "investments": [UPKEEP | cost]}
    assert len(validated_settings(given, home=Path()).investments) == 1


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"amount": "0.0000000001"}, "amount = '0.0000000001': Decimal input should have no more "
         "than 9 decimal places"),
        ({"amount": "1e12"}, "amount = '1e12': Decimal input should have no more than 9 digits "
         "before the decimal point"),
        ({"amount": 1, "kind": "travel"}, "kind = 'travel': Input should be 'engineering', "
         "'partner', 'tooling', 'dual_run', 'funding' or 'upkeep'"),
        ({"amount": 1, "workload": "(portfolio)"}, "workload = '(portfolio)': all workloads "
         "together are called so: choose another name"),
    ],
)  # fmt: skip
def test_a_value_that_no_investment_has_is_named_by_its_place(
    given: dict[str, Any], text: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        investment(**{"kind": "tooling", **given})
    assert str(caught.value) == f"breakeven.toml: [[investments]] no. 1: {text}"


@pytest.mark.parametrize("price", [0, -1])
def test_a_fixed_cost_per_epoch_is_more_than_nothing(price: int) -> None:
    table = {"workloads": [{"name": "atlas", "fixed_cost_per_epoch": price}]}
    with pytest.raises(ConfigError, match=f"fixed_cost_per_epoch = {price}: Input should be great"):
        validated_settings(table, home=Path())


def test_a_window_holds_eight_runs_of_a_platform_unless_told_and_never_fewer_than_it_needs() -> (
    None
):
    assert validated_settings({}, home=Path()).baseline.most_runs == 8
    assert validated_settings({"baseline": {"min_runs": 10}}, home=Path()).baseline.most_runs == 10
    with pytest.raises(ConfigError) as caught:
        validated_settings({"baseline": {"min_runs": 3, "latest": 2}}, home=Path())
    assert str(caught.value).endswith("latest 2 is below min_runs 3: raise it")
    with pytest.raises(ConfigError, match=r"baseline\.latest = 0"):
        validated_settings({"baseline": {"latest": 0}}, home=Path())
