"""Words of statuses, reasons and unknown savings, also of those that a newer build sends."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from dashboard.pages.overview.wording import NEXT, next_action
from dashboard.wording.break_even import SENTENCES, portfolio_sentence
from dashboard.wording.forecast import break_even_span
from dashboard.wording.reasons import REASONS, reason
from dashboard.wording.statuses import STATUSES, status
from dashboard.wording.theme import HARDWARE, hardware
from dashboard.wording.unknown import UNJUDGED, instead_of_curve, unjudged, why_unknown
from tests.support.dashboard.standings import FORECAST, NONE

D = Decimal
UNVERIFIED = {"require_verified": D("-3.61")}


def test_each_status_has_a_label_a_sentence_and_a_next_step() -> None:
    """`cost_unknown` is a mart's `insufficient_baseline`, whose sentence gives the reason."""
    assert set(STATUSES) == {*SENTENCES, "cost_unknown"} == set(NEXT)
    assert set(UNJUDGED) < set(STATUSES)
    assert len({one.label for one in STATUSES.values()}) == len(STATUSES)


@pytest.mark.parametrize("name", [None, "", "of_a_newer_build"])
def test_a_status_of_a_newer_build_never_looks_like_a_good_one(name: str | None) -> None:
    found = status(name)
    assert (found.label, found.tone) == ("Unknown", "warn")
    assert next_action({"status": name, "parity": None}) == "Open it for details."


def test_only_what_has_paid_for_itself_is_shown_as_good() -> None:
    assert [name for name, one in STATUSES.items() if one.tone == "good"] == ["broke_even"]
    assert [name for name, one in STATUSES.items() if one.tone == "bad"] == ["losing"]


def test_a_reason_of_a_newer_build_is_still_words() -> None:
    assert reason("gpu_on_holiday") == "Gpu on holiday"
    assert reason("cost_unknown") == "Runs whose cost is unknown"
    assert not [text for text in REASONS.values() if "_" in text.replace("samples_per_epoch", "")]


def test_unknown_hardware_is_drawn_like_neither() -> None:
    known = [(one.colour, one.dash, one.symbol, one.css) for one in HARDWARE.values()]
    for name, label in (("tpu", "Tpu"), (None, "Unknown hardware"), ("", "Unknown hardware")):
        found = hardware(name)
        assert found.label == label
        for each in known:
            assert not {found.colour, found.dash, found.symbol, found.css} & set(each)


@pytest.mark.parametrize(
    ("standing", "barred", "why"),
    [
        (
            {"status": "not_comparable", "cumulative_net_saving": D(0)},
            True,
            "no GPU run is known that did the same work",
        ),
        (
            {"status": "not_comparable", "cumulative_net_saving": D(0), "left_out": UNVERIFIED},
            True,
            "its runs must report a loss first, which verifies their quality",
        ),
        (
            {"status": "recovering", "cumulative_net_saving": None},
            True,
            "what the GPU would have cost is not known for every day",
        ),
        (
            {"status": "investing", "cumulative_net_saving": D(0)},
            False,
            "no production run on Trainium has settled yet",
        ),
        ({}, True, "what the GPU would have cost is not known for every day"),
    ],
)
def test_no_saving_is_claimed_where_none_is_known(
    standing: dict[str, Any], barred: bool, why: str
) -> None:
    assert unjudged(standing) is barred
    assert why_unknown(standing) == why


def test_a_curve_that_waits_for_quality_alone_says_what_it_waits_for() -> None:
    row = {"status": "not_comparable", "left_out": UNVERIFIED}
    said = "No saving is counted yet: its runs must report a loss first, which verifies their "
    assert instead_of_curve(row) == ("No saving can be computed", f"{said}quality.")


def test_an_interval_beyond_the_horizon_is_said_in_words() -> None:
    """Where training ends before, the simulations that are below 0 then never break even."""
    low, median, high = (FORECAST[f"forecast_{name}"] for name in ("low", "median", "high"))
    assert break_even_span(low, median, high) == (
        "on 12 Jan 2027 (80\u00a0%: 28 Dec 2026 – 4 Feb 2027)"
    )
    assert break_even_span(low, None, None) == (
        "after 24 months or never (80\u00a0%: 28 Dec 2026 – after 24 months or never)"
    )


def test_losing_before_the_move_is_counted_in_cents_where_it_is_small() -> None:
    row = NONE | {"status": "no_investment", "cumulative_net_saving": D("-0.5")}
    assert portfolio_sentence(row, 1) == (
        "Moving 1 workload to Trainium has cost $0.50 more than staying on GPU; "
        "no investment is configured."
    )


def test_a_stop_of_training_is_named_where_the_move_loses_for_good() -> None:
    row = NONE | {
        "status": "losing",
        "cumulative_net": D("-7277"),
        "cumulative_investment": D(5000),
        "never_share": 1.0,
        "forecast_reason": "from 42 weeks; no production run in the last 12",
    }
    assert portfolio_sentence(row, 2).endswith(
        "Its balance is −$7,277 after $5,000 invested; at this pace it does not break even within "
        "24 months: no production run in the last 12."
    )


@pytest.mark.parametrize(
    ("months", "words"), [(0.2, "1 month"), (1.4, "1 month"), (1.6, "2 months"), (30, "30 months")]
)
def test_months_at_the_present_pace_are_whole(months: float, words: str) -> None:
    row = NONE | {
        "status": "recovering",
        "progress": D("0.5"),
        "cumulative_investment": D(1000),
        "payback_months": months,
    }
    assert f"it takes about {words} more; not enough data yet" in portfolio_sentence(row, 1)
