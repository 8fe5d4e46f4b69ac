"""Decide says which GPU could be rented instead, or why that is not known."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from dashboard.pages.decide.evidence import queries
from dashboard.pages.decide.evidence.section import alternative_card
from tests.support.dashboard.text import text

P5: dict[str, Any] = {
    "platform": "p5", "baseline_platform": "p4d", "instance_type": "p5.48xlarge",
    "offer": "on_demand", "usd_per_hour": Decimal("55.04"), "needed_speedup": None,
    "peak_speedup": Decimal("3.17"), "trn_cost_per_epoch": None,
}  # fmt: skip
MOVED = P5 | {"needed_speedup": Decimal("2.2"), "trn_cost_per_epoch": Decimal(40)}


def shown(monkeypatch: pytest.MonkeyPatch, *rows: dict[str, Any]) -> str:
    monkeypatch.setattr(queries, "alternatives", lambda _: list(rows))
    return text(alternative_card("ember-20b"))


def test_a_workload_that_has_not_moved_sees_the_machines_and_why_none_is_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = shown(monkeypatch, P5)
    assert "No settled work of ember-20b on Trainium in the last 84 days: its cost there" in said
    assert "p5.48xlarge on demand 55.04 3.17" in said
    assert "Speed-up needed" not in said
    assert "is not known yet" not in said


def test_one_that_has_moved_sees_what_would_beat_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said = shown(monkeypatch, P5, MOVED)
    assert "p5.48xlarge on demand would beat Trainium if it" in said
    assert "Speed-up needed" in said
    assert "p5.48xlarge on demand 55.04 2.20 3.17" in said


def test_a_column_that_no_machine_has_a_value_for_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = shown(monkeypatch, MOVED | {"peak_speedup": None})
    assert "p5.48xlarge on demand 55.04 2.20" in said
    assert "data sheet" not in said


def test_without_any_price_it_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "It needs a GPU baseline, settled work on Trainium, and a price" in shown(monkeypatch)
