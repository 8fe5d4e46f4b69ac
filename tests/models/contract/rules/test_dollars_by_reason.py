"""Dollars per reason: for each workload and for all together; an unknown amount stays unknown."""

from __future__ import annotations

from models.contract.rules.dollars_by_reason import dollars_by_reason
from tests.support.marts.hand_written_tables import rows, table

GIVEN = table(
    {"workload": "string", "effect": "string", "reason": "string", "amount": "decimal(38, 9)"},
    {"workload": "atlas", "effect": "left_out", "reason": "untagged", "amount": 5},
    {"workload": "atlas", "effect": "left_out", "reason": "untagged", "amount": 2},
    {"workload": "atlas", "effect": "left_out", "reason": "port", "amount": 1},
    {"workload": "borea", "effect": "left_out", "reason": "port", "amount": None},
    {"workload": "borea", "effect": "left_out", "reason": "port", "amount": 9},
    {"workload": "borea", "effect": "flagged", "reason": "late", "amount": 4},
)


def test_a_reason_with_one_unknown_amount_is_null_and_the_others_are_summed() -> None:
    found = dollars_by_reason(GIVEN, "left_out", ["workload"])
    assert {name: dict(reasons) for name, reasons in rows(found, "workload", "left_out")} == {
        "atlas": {"port": 1, "untagged": 7},
        "borea": {"port": None},
        "(portfolio)": {"port": None, "untagged": 7},
    }


def test_the_other_effect_is_a_map_of_its_own() -> None:
    found = dollars_by_reason(GIVEN, "flagged", ["workload"])
    assert {name: dict(reasons) for name, reasons in rows(found, "workload", "flagged")} == {
        "borea": {"late": 4},
        "(portfolio)": {"late": 4},
    }
