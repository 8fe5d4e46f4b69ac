from __future__ import annotations

from decimal import Decimal

import pytest

from dashboard.pages.overview.tiles import (
    left_out,
    saved_of_gpu_cost,
    saved_this_month,
    training_share,
)
from dashboard.wording.explanations.overview import MONTH
from tests.support.dashboard.standings import JUDGED
from tests.support.dashboard.text import text

D = Decimal


def test_the_month_is_shown_beside_the_one_before() -> None:
    months = [{"month": "2026-10", "net_saving": D("-412.40")}]
    assert "−$412 the first month" in text(saved_this_month(months, JUDGED))
    months.append({"month": "2026-09", "net_saving": D("1234567")})
    assert "Saved in Oct 2026" in text(saved_this_month(months, JUDGED))
    assert "+$1,234,567 in Sep 2026" in text(saved_this_month(months, JUDGED))


def test_what_was_saved_is_a_part_of_what_gpus_would_cost_as_its_formula_says() -> None:
    """METHOD H: nine credited epochs at $175.875 against a cost of $1,500."""
    sums = {
        "saved": D("82.875"),
        "gpu": D("1582.875"),
        "at_list_saved": D("-5"),
        "at_list_gpu": D("100"),
        "unpriced_days": 0,
    }
    tile = text(saved_of_gpu_cost(sums, JUDGED))
    assert tile.startswith("Saved of what GPUs would cost")
    assert tile.endswith("+5 % −5 % at list prices")
    assert "Σ (counterfactual − Trainium cost) ÷ Σ counterfactual" in tile


def test_a_missing_list_price_is_unknown_not_zero() -> None:
    sums = {"saved": D("38"), "gpu": D("100"), "at_list_saved": None, "at_list_gpu": None}
    assert "at list prices: price unavailable" in text(saved_of_gpu_cost(sums, JUDGED))
    told = text(saved_of_gpu_cost(sums | {"unpriced_days": 0}, JUDGED))
    assert "at list prices: unknown, several kinds of work are mixed" in told


TOO_FEW = "unknown too few GPU runs have ended to know what work costs there"


@pytest.mark.parametrize("net", [None, D(0)])
def test_where_no_saving_is_known_the_tiles_say_so_and_why(net: Decimal | None) -> None:
    standing = {"status": "insufficient_baseline", "cumulative_net_saving": net}
    months = [{"month": "2025-10", "net_saving": net}]
    assert text(saved_this_month(months, standing)).endswith(TOO_FEW)
    assert text(saved_of_gpu_cost({"saved": net, "gpu": net}, standing)).endswith(TOO_FEW)
    tile = text(
        left_out({"Untagged spend": D(0)}, standing | {"left_out": {"insufficient_baseline": None}})
    )
    assert tile.endswith(
        "Unverified saving unknown Unsettled saving unknown "
        "Workloads without a GPU baseline unknown 1 more Untagged spend $0"
    )


def test_an_unknown_month_is_not_a_dash_beside_a_known_one() -> None:
    months = [{"month": "2026-10", "net_saving": D(7)}, {"month": "2026-09", "net_saving": None}]
    assert text(saved_this_month(months, JUDGED)).endswith("+$7.00 unknown in Sep 2026")
    lost = text(saved_this_month(months[1:], JUDGED))
    assert lost.endswith("unknown what the GPU would have cost is not known for every day")


def test_the_share_of_training_names_its_measure() -> None:
    rows = [
        {"hardware": "gpu", "hours": D(25), "cost": D(60)},
        {"hardware": "trainium", "hours": D(75), "cost": D(40)},
    ]
    assert "75 % of accelerator-hours; 40 % of their cost" in text(training_share(rows))
    assert "no training in the last 90 days" in text(training_share([]))


def test_what_is_left_out_is_told_in_dollars_and_unknown_stays_unknown() -> None:
    standing = JUDGED | {
        "left_out": {"unsettled": D("711.42"), "cost_unknown": None},
        "flagged": {"unverified": D("66000.12")},
    }
    tile = text(left_out({"Untagged spend": D("1238.10")}, standing))
    assert "Untagged spend $1,238" in tile
    assert "Unverified saving $66,000" in tile
    assert "Unsettled saving $711" in tile
    assert "1 more Runs whose cost is unknown unknown" in tile


def test_what_is_left_out_stands_before_what_is_nothing() -> None:
    standing = JUDGED | {"left_out": {"not_comparable": D("1146.90")}, "flagged": {}}
    assert text(left_out({"Untagged spend": D(0)}, standing)).endswith(
        "Runs whose work no GPU run did $1,147 Untagged spend $0 Unverified saving $0 "
        "1 more Unsettled saving $0"
    )


def test_a_reason_that_leaves_out_and_flags_is_told_of_both() -> None:
    """$900 of one workload are left out for want of a price, $40 of another count without one."""
    standing = JUDGED | {
        "left_out": {"price_unavailable": D(900)},
        "flagged": {"price_unavailable": D(40), "pending": D(5)},
    }
    tile = text(left_out({}, standing))
    assert "No public price for the GPU hours, left out $900" in tile
    assert "No public price for the GPU hours, counted $40" in tile
    assert "Runs still going, quality not known yet $5" in tile


def test_each_number_can_be_opened() -> None:
    tile = text(saved_this_month([], {}))
    assert all(part in tile for part in (MONTH.what, MONTH.formula, MONTH.window, MONTH.marts[0]))
