"""What-if: the arithmetic by hand, and METHOD §8 A as one."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from models.documents.what_if import document, lines
from models.forecast.assumptions import assumed
from models.forecast.migration import Migration
from models.forecast.starting_point import StartingPoint
from models.forecast.what_if import what_if

D = Decimal
A = Migration(D("879.375"), D(500), runs_per_month=D(2), porting_cost=D(10000))
"""METHOD §8 A: five epochs a run, 175.875 on GPU, 100 on Trainium; twice a month."""


def test_a_as_a_what_if() -> None:
    found = what_if(A)
    assert found.saving_per_run == D("379.375")
    assert found.saving_per_month == found.net_per_month == D("758.75")
    assert found.runs_to_break_even == 27  # 10,000 ÷ 379.375 = 26.36
    assert found.payback_months == D("13.179571664")  # 10,000 ÷ 758.75
    assert found.cumulative_net == D("8210.00")  # 24 × 758.75 − 10,000
    assert found.roi == D("0.821")
    assert (found.never, found.reason) == (False, "if it goes on at this pace")


def test_what_was_saved_before_is_not_saved_again() -> None:
    found = what_if(Migration(D("879.375"), D(500), D(2), D(10000), saved_so_far=D("1138.125")))
    assert found.runs_to_break_even == 24  # 8,861.875 ÷ 379.375 = 23.36
    assert found.cumulative_net == D("9348.125")
    done = what_if(Migration(D(2), D(1), D(2), D(10), saved_so_far=D(10)))
    assert (done.runs_to_break_even, done.payback_months) == (0, 0)
    assert done.reason == "nothing is left to pay back"
    moved = Migration(D(500), D(400), D(2), D(-2000), saved_so_far=D(1000), status="no_investment")
    funded = what_if(moved)
    assert (funded.cumulative_net, funded.roi) == (7800, None)  # 1,000 + 2,000 + 24 × 200
    assert (funded.runs_to_break_even, funded.payback_months) == (None, None)
    assert funded.reason == (
        "unknown: funding is $2,000.00 more than the move cost, so no break-even is claimed"
    )


def test_upkeep_slows_the_payback_and_is_no_investment() -> None:
    found = what_if(Migration(D(500), D(300), D(5), D(3600), upkeep_per_month=D(100)))
    assert (found.saving_per_month, found.net_per_month) == (1000, 900)
    assert found.runs_to_break_even == 20  # 3,600 ÷ (200 − 100 ÷ 5): exactly
    assert found.payback_months == 4
    assert found.cumulative_net == 18000  # 24 × 900 − 3,600
    assert found.roi == 5  # ÷ 3,600


def test_prices_and_discounts_change_what_a_run_costs() -> None:
    changed = Migration(
        D(1000),
        D(600),
        gpu_price_change=D("-0.2"),
        gpu_discount=D("0.1"),
        trn_price_change=D("0.05"),
        trn_discount=D("0.5"),
    )
    found = what_if(changed)
    assert (found.gpu_cost_per_run, found.trn_cost_per_run) == (720, 315)
    assert found.saving_per_run == 405


def test_rounding_is_half_up_and_once() -> None:
    third = what_if(Migration(D("0.0000000015"), D(0), runs_per_month=D(3)))
    assert third.saving_per_run == D("0.000000002")
    assert third.saving_per_month == D("0.000000005")  # 0.0000000045, not 3 × 0.000000002


def test_a_cost_without_end_needs_no_run_more() -> None:
    known = StartingPoint(D(6), D(3), D(10) / D(3), None, D(10), D(0), D(0))
    assert what_if(assumed({}, known, 24)).runs_to_break_even == 1  # 10 ÷ (10 ÷ 3 × 3)


def test_nothing_is_saved_after_training_ends() -> None:
    """10,000 ÷ 758.75 = 13.18 months: in 12 it saves 9,105; after 14 it has paid, and saves on."""
    early = what_if(replace(A, months_to_end=D(12)))
    assert (early.ends_first, early.payback_months) == (True, D("13.179571664"))
    assert early.cumulative_net == D("-895.00")
    assert early.reason == ("if it goes on at this pace, but training ends first, in 12 months")
    late = what_if(replace(A, months_to_end=D(14)))
    assert (late.ends_first, late.cumulative_net) == (False, D("622.50"))
    assert late.reason == "if it goes on at this pace"
    over = what_if(replace(A, months_to_end=D(0)))
    assert (over.ends_first, over.cumulative_net) == (True, -10000)
    paid = what_if(replace(A, months_to_end=D(0), saved_so_far=D(10000)))
    assert (paid.ends_first, paid.reason) == (False, "nothing is left to pay back")


def test_one_month_is_a_month_and_the_whole_is_no_part() -> None:
    """At a covered share of 1 there is no rest to tell of."""
    asked = replace(A, months=1, covered_share=D(1))
    text = "\n".join(lines(asked, what_if(asked)))
    assert "Net after 1 month " in text
    assert "the rest has no GPU cost" not in text
    asked = replace(asked, covered_share=D("0.9"))
    assert "cover about 90 % of its Trainium spend" in "\n".join(lines(asked, what_if(asked)))


@pytest.mark.parametrize("trn", [D(500), D(501)])
def test_a_run_that_saves_nothing_never_pays(trn: Decimal) -> None:
    found = what_if(Migration(D(500), trn, D(1), D(100)))
    assert found.saving_per_run == 500 - trn
    assert (found.runs_to_break_even, found.payback_months) == (None, None)
    assert found.never
    assert found.cumulative_net == (500 - trn) * 24 - 100


def test_runs_that_do_not_carry_their_upkeep_never_pay() -> None:
    found = what_if(Migration(D(500), D(400), D(1), D(100), upkeep_per_month=D(100)))
    assert (found.runs_to_break_even, found.payback_months) == (None, None)
    assert found.reason == "never: the runs of a month save no more than their upkeep"


def test_what_is_unknown_stays_unknown_and_is_not_never() -> None:
    unpriced = what_if(Migration(None, D(500), D(1), D(100)))
    assert unpriced.saving_per_run is unpriced.roi is unpriced.runs_to_break_even is None
    assert unpriced.trn_cost_per_run == 500
    assert unpriced.reason == "unknown: no data on what a GPU run costs"
    idle = what_if(Migration(D(500), D(400), porting_cost=D(150)))
    assert (idle.runs_to_break_even, idle.payback_months) == (2, None)
    assert idle.reason == "months unknown: no data on how many runs a month"
    history = what_if(Migration(D(500), D(400), D(1), D(150), saved_so_far=None))
    assert history.runs_to_break_even is history.cumulative_net is None
    assert "saved so far" in history.reason
    assert not any(outcome.never for outcome in (unpriced, idle, history))


def test_what_has_paid_already_is_not_never_and_says_when_it_is_lost_again() -> None:
    paid = Migration(D(500), D(600), D(2), D(1000), saved_so_far=D(1500))
    found = what_if(paid)
    assert (found.never, found.paid, found.payback_months) == (False, True, None)
    assert found.months_until_lost == D("2.5")  # 500 ÷ 200
    assert what_if(replace(paid, months_to_end=D(2))).months_until_lost is None
    assert what_if(replace(paid, months_to_end=D(3))).months_until_lost == D("2.5")
    assert found.reason == (
        "paid back already: at this pace a month loses $200.00, and the $500.00 that it is ahead "
        "are lost again in 2.5 months"
    )
    assert any(line.endswith("paid already") for line in lines(paid, found))
    still = what_if(replace(paid, trn_cost_per_run=D(500)))
    assert still.reason == "paid back already: at this pace a month saves nothing more"
    assert what_if(replace(paid, saved_so_far=D(900))).never


def test_a_document_has_no_more_places_than_are_stored() -> None:
    asked = Migration(D(10) / 3, D(1), D(1), D(10) / 7)
    told = document(asked, what_if(asked))
    assert told["assumed"]["gpu_cost_per_run"] == "3.333333333"
    assert told["assumed"]["porting_cost"] == "1.428571429"


def test_beside_what_if_stands_where_the_move_is_on_the_volume_before_it() -> None:
    """It is today's figure, changed by no assumption; unknown it is not mentioned."""
    asked = replace(A, net_at_old_volume=D("-480"))
    found = what_if(asked)
    assert (
        lines(asked, found)[-1]
        == "at the volume trained before the move, its cumulative net is -$480.00 today"
    )
    assert document(asked, found)["assumed"]["net_at_old_volume"] == "-480.00"  # type: ignore[index]
    assert "volume" not in " ".join(lines(A, found))
