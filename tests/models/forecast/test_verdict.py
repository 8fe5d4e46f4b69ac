"""The verdict of a what-if in words: edges of nothing, of less than nothing, and of the unknown."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from models.forecast.migration import Migration, ahead_of_cost
from models.forecast.verdict import Verdict
from models.forecast.what_if import what_if

D = Decimal
PAYING = Migration(D(500), D(400), D(2), D(1000))
"""$100 a run, two a month: ten runs, five months."""


@pytest.mark.parametrize(
    ("change", "verdict", "why"),
    [
        ({}, Verdict.PAYS, "if it goes on at this pace"),
        ({"porting_cost": D(0)}, Verdict.PAYS, "nothing is left to pay back"),
        ({"runs_per_month": None}, Verdict.MONTHS_UNKNOWN, "no data on how many runs a month"),
        ({"porting_cost": None}, Verdict.UNKNOWN, "no data on what the move cost"),
        ({"saved_so_far": None}, Verdict.UNKNOWN, "no data on what it has saved so far"),
        ({"gpu_cost_per_run": None}, Verdict.UNKNOWN, "no data on what a GPU run costs"),
        ({"trn_cost_per_run": None}, Verdict.UNKNOWN, "no data on what a Trainium run costs"),
        (
            {"gpu_cost_per_run": None, "trn_cost_per_run": None},
            Verdict.UNKNOWN,
            "no data on what a GPU or a Trainium run costs",
        ),
        (
            {"gpu_cost_per_run": None, "gpu_cost_per_epoch": D("175.875")},
            Verdict.UNKNOWN,
            "no data on how many epochs a run trains, each $175.88 on GPU",
        ),
        (
            {
                "gpu_cost_per_run": None,
                "gpu_cost_per_epoch": D(50),
                "trn_cost_per_run": None,
                "trn_cost_per_epoch": D(40),
            },
            Verdict.UNKNOWN,
            "no data on how many epochs a run trains, each $50.00 on GPU and $40.00 on Trainium",
        ),
        (
            {"gpu_cost_per_run": None, "trn_cost_per_run": None, "trn_cost_per_epoch": D(40)},
            Verdict.UNKNOWN,
            "no data on how many epochs a run trains, each $40.00 on Trainium, "
            "or what a GPU run costs",
        ),
        (
            {"trn_cost_per_run": D(500)},
            Verdict.NEVER,
            "a Trainium run costs no less than a GPU run",
        ),
        (
            {"gpu_cost_per_run": D(0), "uncredited": "no epoch reached the target"},
            Verdict.NEVER,
            "no epoch reached the target, so a Trainium run loses $400.00",
        ),
        (
            {"upkeep_per_month": D(200)},
            Verdict.NEVER,
            "the runs of a month save no more than their upkeep",
        ),
        (
            {"runs_per_month": D(0)},
            Verdict.NEVER,
            "the runs of a month save no more than their upkeep",
        ),
        (
            {"runs_per_month": D(0), "upkeep_per_month": D(200)},
            Verdict.NEVER,
            "the runs of a month save no more than their upkeep",
        ),
        (
            {"saved_so_far": D(1250), "upkeep_per_month": D(300)},
            Verdict.PAID,
            "at this pace a month loses $100.00, and the $250.00 that it is ahead are lost again "
            "in 2.5 months",
        ),
        (
            {"saved_so_far": D(1250), "upkeep_per_month": D(300), "months_to_end": D("2.4")},
            Verdict.PAID,
            "at this pace a month loses $100.00, but training ends first, in 2.4 months, with "
            "$10.00 of the $250.00 that it is ahead left",
        ),
        (
            {"saved_so_far": D(1000), "upkeep_per_month": D(300)},
            Verdict.PAID,
            "at this pace a month loses $100.00, and it is behind again at once",
        ),
        (
            {"saved_so_far": D(1000), "runs_per_month": None},
            Verdict.PAID,
            "no data on how many runs a month",
        ),
    ],
)
def test_the_verdict_and_its_reason(change: dict[str, object], verdict: Verdict, why: str) -> None:
    found = what_if(replace(PAYING, **change))  # type: ignore[arg-type]
    assert found.verdict is verdict
    assert found.why == why
    assert found.reason == (f"{verdict}: {found.why}" if verdict else found.why)


def test_a_loss_without_a_loan_is_never_and_not_paid() -> None:
    """Nothing was spent and nothing saved: losing from the first run is not a payback."""
    found = what_if(Migration(D(400), D(500), D(2), D(0)))
    assert (found.never, found.paid, found.unreached) == (True, False, "never")
    assert (found.runs_to_break_even, found.payback_months, found.roi) == (None, None, None)
    assert found.cumulative_net == -4800  # 24 months of two runs at −$100


@pytest.mark.parametrize(
    ("saved", "porting", "ahead"),
    [
        (D(10), D(4), D(6)),
        (D(10), D(10), D(0)),
        (D(10), D(11), None),
        (D(0), D(0), None),
        (D(-1), D(-5), None),
        (None, D(1), None),
        (D(10), None, None),
    ],
)
def test_only_savings_that_cover_the_cost_are_ahead_of_it(
    saved: Decimal | None, porting: Decimal | None, ahead: Decimal | None
) -> None:
    assert ahead_of_cost(replace(PAYING, saved_so_far=saved, porting_cost=porting)) == ahead


def test_earlier_losses_are_paid_back_as_well() -> None:
    """$1,000 and $200 lost before, at $100 a run."""
    found = what_if(replace(PAYING, saved_so_far=D(-200)))
    assert (found.runs_to_break_even, found.payback_months) == (12, D(6))


def test_a_price_change_and_a_discount_multiply() -> None:
    """GPU a fifth dearer and a tenth off: 500 × 1.2 × 0.9. Trainium a quarter cheaper: 300."""
    cheaper = replace(
        PAYING, gpu_price_change=D("0.2"), gpu_discount=D("0.1"), trn_price_change=D("-0.25")
    )
    found = what_if(cheaper)
    assert (found.gpu_cost_per_run, found.trn_cost_per_run) == (D(540), D(300))
    assert found.runs_to_break_even == 5  # 1,000 ÷ 240 = 4.17


def test_a_full_discount_makes_a_known_cost_zero_but_an_unknown_one_stays_unknown() -> None:
    assert what_if(replace(PAYING, trn_discount=D(1))).trn_cost_per_run == 0
    unknown = what_if(replace(PAYING, trn_cost_per_run=None, trn_discount=D(1)))
    assert unknown.trn_cost_per_run is None


def test_upkeep_without_a_cadence_leaves_a_runs_net_unknown() -> None:
    found = what_if(replace(PAYING, runs_per_month=None, upkeep_per_month=D(10)))
    assert (found.net_per_run, found.runs_to_break_even) == (None, None)
    assert found.saving_per_run == 100
