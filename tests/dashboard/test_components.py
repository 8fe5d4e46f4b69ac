from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

import pytest

from dashboard.address.links import path_of
from dashboard.pages.overview.sparkline import sparkline
from dashboard.pages.overview.standings import standings
from dashboard.pages.overview.tiles import (
    left_out,
    saved_of_gpu_cost,
    saved_this_month,
    training_share,
)
from dashboard.pages.workload.arithmetic import arithmetic
from dashboard.pages.workload.dollars import PARTS, dollars_table, split
from dashboard.server.stale_feeds import stale
from dashboard.widgets.headline import emphasised, standing_on
from dashboard.widgets.net_savings import net_savings
from dashboard.widgets.notices import notices
from dashboard.widgets.runs_grid import record, runs_grid
from dashboard.wording.explanations.overview import MONTH
from models.raw.feeds import Feed
from tests.support.dashboard.text import text

D = Decimal
JUDGED: dict[str, Any] = {"status": "recovering", "cumulative_net_saving": D(1)}
SPENT: dict[str, Any] = {
    "hardware": "trainium",
    "trial": False,
    "cost": D("1000.00"),
    "idle": D("60"),
    "repeated": D("40"),
    "accelerator": D("950"),
    "storage": D("30"),
    "network": D("20"),
    "other": D(0),
}


def test_amounts_are_set_off_in_the_sentence() -> None:
    parts = emphasised("has recovered 82\u00a0% of $214,300 invested, at −$1.23M.")
    assert [part for part in parts if isinstance(part, str)] == [
        "has recovered ",
        " of ",
        " invested, at ",
        ".",
    ]


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
    assert "at list prices: not known of several kinds of work" in told


TOO_FEW = "unknown too few GPU runs have ended to know what an epoch costs there"


@pytest.mark.parametrize("net", [None, D(0)])
def test_where_no_saving_is_known_the_tiles_say_so_and_why(net: Decimal | None) -> None:
    standing = {"status": "insufficient_baseline", "cumulative_net_saving": net}
    months = [{"month": "2025-10", "net_saving": net}]
    assert text(saved_this_month(months, standing)).endswith(TOO_FEW)
    assert text(saved_of_gpu_cost({"saved": net, "gpu": net}, standing)).endswith(TOO_FEW)
    tile = text(left_out(D(0), standing | {"left_out": {"insufficient_baseline": None}}))
    assert tile.endswith(
        "Unverified saving unknown Unsettled saving unknown "
        "Workloads without a GPU baseline unknown 1 more Untagged spend $0"
    )


def test_an_unknown_month_is_not_a_dash_beside_a_known_one() -> None:
    months = [{"month": "2026-10", "net_saving": D(7)}, {"month": "2026-09", "net_saving": None}]
    assert text(saved_this_month(months, JUDGED)).endswith("+$7.00 unknown in Sep 2026")
    lost = text(saved_this_month(months[1:], JUDGED))
    assert lost.endswith("unknown what the GPU would have cost is not known for every day")


def test_a_curve_that_nobody_knows_says_why_in_its_place() -> None:
    days = [{"date": date(2026, 10, 1), "settled": True, "cumulative_net": None}]
    unjudged = net_savings({"status": "insufficient_baseline"}, days, [], [])
    assert "No saving can be computed yet" in text(unjudged)
    unknown = text(net_savings({"status": "recovering"}, days, [], []))
    assert "The saving is unknown What the GPU would have cost is not known" in unknown
    days[0]["settled"] = False
    assert "No settled day in this range" in text(net_savings({}, days, [], []))


def test_a_feed_that_stands_still_is_named_with_since_when_and_why() -> None:
    then = datetime(2026, 10, 28, 6, 0, tzinfo=UTC)
    fresh = Feed("a", "x", then, then, fresh_until=then + timedelta(hours=25))
    failed = Feed("b", "x", then + timedelta(days=1), then, "ce was refused", fresh.fresh_until)
    assert stale([fresh, failed], then + timedelta(hours=25)) == []
    told = [text(line) for line in stale([fresh, failed, Feed("c")], then + timedelta(hours=26))]
    assert told == [
        "a brought nothing since 28 Oct 2026, 06:00 UTC: "
        "nothing has pulled it since 2026-10-28 06:00 UTC: is `breakeven schedule` running?",
        "b brought nothing since 28 Oct 2026, 06:00 UTC: ce was refused",
        "c : it was never pulled: is `breakeven schedule` running?",
    ]


def test_what_aws_restated_stands_beside_the_headline() -> None:
    snapshot = {
        "basis": "effective",
        "baseline_method": "conservative",
        "settled_through": date(2026, 10, 28),
    }
    at = datetime(2026, 10, 14, 6, tzinfo=UTC)
    months = [
        {"month": "2026-08", "change": D("-11.90"), "changed_at": at, "total": D("-11.50")},
        {"month": "2026-09", "change": D("0.40"), "changed_at": at, "total": D("-11.50")},
    ]
    drawn = standing_on(snapshot, None, months)
    assert text(drawn).endswith("Restated by −$11.50")
    assert "Aug 2026 by −$11.90 on 14 Oct 2026; Sep 2026 by +$0.40 on 14 Oct" in str(drawn)
    assert "Restated" not in text(standing_on(snapshot))
    unknown = [months[0] | {"total": None}, months[1] | {"change": None, "total": None}]
    drawn = standing_on(snapshot, None, unknown)
    assert text(drawn).endswith("Restated by an unknown amount")
    assert "Sep 2026 by an unknown amount on 14 Oct" in str(drawn)


def test_the_saving_at_list_stands_beside_the_headline() -> None:
    snapshot = {
        "basis": "effective",
        "baseline_method": "conservative",
        "settled_through": date(2026, 10, 28),
    }
    listed = {"cumulative_gross_saving": D("56514.90"), "cumulative_saving_at_list": D("-71.5")}
    standing = JUDGED | listed
    told = text(standing_on(snapshot, standing))
    assert "Saved before overhead: +$56,515, at list prices" in told
    assert told.endswith("−$71.50")
    unknown = text(standing_on(snapshot, standing | {"cumulative_saving_at_list": None}))
    assert unknown.endswith("unknown")
    barred = text(standing_on(snapshot, standing | {"cumulative_gross_saving": None}))
    assert "Saved before overhead" not in barred


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
    tile = text(left_out(D("1238.10"), standing))
    assert "Untagged spend $1,238" in tile
    assert "Unverified saving $66,000" in tile
    assert "Unsettled saving $711" in tile
    assert "1 more Runs whose cost is unknown unknown" in tile


def test_what_is_left_out_stands_before_what_is_nothing() -> None:
    standing = JUDGED | {"left_out": {"not_comparable": D("1146.90")}, "flagged": {}}
    assert text(left_out(D(0), standing)).endswith(
        "Runs that do different work $1,147 Untagged spend $0 Unverified saving $0 "
        "1 more Unsettled saving $0"
    )


def test_each_number_can_be_opened() -> None:
    tile = text(saved_this_month([], {}))
    assert all(part in tile for part in (MONTH.what, MONTH.formula, MONTH.window, MONTH.marts[0]))


def test_a_workload_name_survives_in_an_address() -> None:
    name = "a/b <b>50 %</b>?x=1#y"
    assert unquote(path_of(name).removeprefix("/workload/")) == name
    assert "/" not in path_of(name).removeprefix("/workload/")


def test_the_parts_of_the_cost_add_up_to_it_exactly() -> None:
    thirds = SPENT | {"cost": D("1000.01"), "accelerator": D("950.01")}
    parts = split([thirds, SPENT | {"trial": True, "cost": D("7.77")}])
    assert sum(parts.values()) == D("1007.78")
    assert parts["validation"] == D("7.77")
    assert set(parts) == set(PARTS)


def test_where_each_dollar_went_is_told_for_both_sides() -> None:
    table = text(dollars_table([SPENT, SPENT | {"hardware": "gpu"}]))
    assert "Idle 60.00 6.0 % 60.00 6.0 %" in table
    assert "All runs 1,000.00 1,000.00" in table
    assert "Other" not in table


def test_what_ran_on_unknown_hardware_is_a_side_of_its_own() -> None:
    table = text(dollars_table([SPENT, SPENT | {"hardware": None, "cost": D("7.00")}]))
    assert "Unknown hardware, $" in table
    assert "All runs 0.00 1,000.00 7.00" in table
    assert "Unknown" not in text(dollars_table([SPENT, SPENT | {"hardware": None, "cost": D(0)}]))


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
    "repriced": D("175.875"),
    "other_per_epoch": D(0),
}
BASELINE: dict[str, Any] = {
    "measured": D("262.50"),
    "repriced": D("175.875"),
    "fixed": None,
    "value": D("175.875"),
    "method": "conservative",
    "runs": 2,
    "reason": "repriced $175.88 is below measured $262.50 (2 GPU runs)",
}


def test_the_baseline_can_be_redone_with_a_calculator() -> None:
    steps = text(arithmetic(BASELINE, [TERM]))
    for step in (
        "hours per epoch 210 instance-hours ÷ 20.00 epochs 10.5 h",
        "$5,250.00 effective ÷ $6,882.25 at list 0.762832",
        "10.5 h × $21.957642 × 0.762832 $175.88",
        "Measured $5,250.00 effective ÷ 20.00 epochs $262.50",
        "GPU baseline, conservative of measured $262.50 and repriced $175.88 $175.88",
        "Why: repriced $175.88 is below measured $262.50 (2 GPU runs)",
    ):
        assert step in steps


def test_a_missing_price_is_said_in_the_arithmetic() -> None:
    unpriced = TERM | {"price": None, "repriced": None}
    steps = text(arithmetic(BASELINE | {"repriced": None}, [unpriced]))
    assert "no public price is known for this hardware price unavailable" in steps


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
        "parity": "below_parity",
        "comparability": "recipe differs",
        "flags": ["undeclared_start"],
    }
    found = record(row)
    assert (found["cost"], found["epochs"], found["ended"]) == ("10.01", "1.50", "running")
    assert (found["hardware"], found["parity"]) == ("Trainium", "Below par")
    assert found["flags"] == "Started above one epoch without saying so"
    assert found["comparability"] == "Recipe differs"
    assert {"cost", "comparability"} < (shown := fields(row))
    assert "cost_to_target_loss" not in shown
    assert "comparability" not in fields(row | {"comparability": "comparable"})
    assert "comparability" not in fields(row | {"comparability": None})


def fields(*rows: dict[str, Any]) -> set[str]:
    return {column["field"] for column in runs_grid(rows, "grid").columnDefs}


def test_a_trend_needs_two_points_and_is_told_in_words() -> None:
    assert sparkline([D(1)], "Trainium") is None
    image = sparkline([D(110), D(120)], "Trainium")
    assert image is not None
    assert image.alt == "Trainium: from $110 to $120 per epoch"


STANDING: dict[str, Any] = {
    "workload": "vega-bert",
    "status": "losing",
    "parity": "below_parity",
    "progress": D("0.39"),
    "cumulative_net_saving": D("4716.04"),
    "cumulative_investment": D("12000"),
    "gpu_cost_per_epoch": D("175.875"),
    "several": False,
    "trn_cost_per_epoch": None,
    "trn_month": None,
    "trend": None,
    "saving_per_epoch": D("-14.125"),
    "saving_low": None,
    "saving_high": None,
    "runs_to_break_even": None,
    "left_out": {},
    "flagged": {"price_unavailable": D("-120")},
}


def test_losing_is_said_as_plainly_as_winning() -> None:
    row = text(standings([STANDING]))
    assert "vega-bert Losing money 39 % of $12,000" in row
    assert "−14.13 ± not enough data yet Below par" in row
    assert "Losing money. Over the last" in text(notices(STANDING))


def test_each_reservation_is_named_with_its_dollars() -> None:
    assert "$120 of loss stands on what the GPU runs cost then" in text(notices(STANDING))
    withheld = STANDING | {"left_out": {"unknown_purpose": D(200)}}
    assert "Purpose not understood. $200 of saving is not credited" in text(notices(withheld))


def test_what_the_status_says_is_not_said_again_as_a_reason() -> None:
    row = STANDING | {"status": "not_comparable", "parity": None, "flagged": None}
    told = text(notices(row | {"left_out": {"not_comparable": D("1138.125")}}))
    assert told == (
        "Not comparable. The two sides do different work, so their cost per epoch says nothing: "
        "$1,138 of saving is left out. Which runs?"
    )
    assert text(notices(row)).endswith("says nothing. Which runs?")


def test_an_interval_is_shown_where_it_is_known() -> None:
    row = STANDING | {"saving_low": D("-20"), "saving_high": D("5.5")}
    assert "−20.00 to +5.50" in text(standings([row]))
