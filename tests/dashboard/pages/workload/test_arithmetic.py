from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.pages.workload.arithmetic import arithmetic
from tests.support.dashboard.text import text

D = Decimal
TERM: dict[str, Any] = {
    "instance_type": "p4d.24xlarge",
    "region": "us-east-1",
    "purchase_option": "on_demand",
    "runs": 2,
    "epochs": D(20),
    "instance_hours": D(210),
    "effective_cost": D("5250"),
    "list_cost": D("6882.246"),
    "hours_per_epoch": D("10.5"),
    "price": D("21.957642"),
    "factor": D("0.762832366"),
    "payer_factor": None,
    "repriced": D("175.875"),
    "other_per_epoch": D(0),
}

BASELINE: dict[str, Any] = {
    "measured": D("262.50"),
    "repriced": D("175.875"),
    "fixed": None,
    "value": D("175.875"),
    "method": "conservative",
    "unit": "epoch",
    "runs": 2,
    "reason": "repriced $175.88 is below measured $262.50 (2 GPU runs)",
}


def test_the_baseline_can_be_redone_with_a_calculator() -> None:
    steps = text(arithmetic(BASELINE, [TERM], "effective"))
    for step in (
        "hours per epoch 210 instance-hours ÷ 20.00 epochs 10.5 h",
        "$5,250.00 effective ÷ $6,882.25 at list 0.762832",
        "10.5 h × $21.957642 × 0.762832 $175.88",
        "Measured $5,250.00 effective ÷ 20.00 epochs $262.50",
        "GPU baseline, conservative of measured $262.50 and repriced $175.88 $175.88",
        "Why: repriced $175.88 is below measured $262.50 (2 GPU runs)",
    ):
        assert step in steps


def test_what_was_paid_is_on_the_configured_basis() -> None:
    steps = text(arithmetic(BASELINE, [TERM], "billed"))
    assert "$5,250.00 billed ÷ $6,882.25 at list 0.762832" in steps
    assert "Measured $5,250.00 billed ÷ 20.00 epochs $262.50" in steps
    assert "effective" not in steps


def test_a_payers_lower_factor_takes_the_place_of_the_runs_own() -> None:
    steps = text(
        arithmetic(
            BASELINE, [TERM | {"payer_factor": D("0.7"), "repriced": D("161.39")}], "effective"
        )
    )
    for step in (
        "$5,250.00 effective ÷ $6,882.25 at list 0.762832",
        "The payer now pays less all p4d.24xlarge of the payer on demand, last 84 settled days 0.7",
        "10.5 h × $21.957642 × 0.7 $161.39",
    ):
        assert step in steps


def test_a_missing_price_is_said_in_the_arithmetic() -> None:
    unpriced = TERM | {"price": None, "repriced": None}
    steps = text(arithmetic(BASELINE | {"repriced": None}, [unpriced], "effective"))
    assert "no public price is known for this hardware price unavailable" in steps


def test_what_spot_hours_paid_is_a_share_of_the_spot_price_not_of_the_list_price() -> None:
    """$2,625 of $3,000.00 at the Spot price of the time, when on demand they were $6,882.25."""
    spot = {"purchase_option": "spot", "effective_cost": D(2625), "factor": D("0.875")}
    steps = text(arithmetic(BASELINE, [TERM | spot], "effective"))
    assert "$2,625.00 effective ÷ their price then 0.875" in steps
