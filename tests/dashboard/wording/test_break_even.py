from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from dashboard.pages.overview.wording import next_action
from dashboard.wording.break_even import portfolio_sentence, workload_sentence
from dashboard.wording.statuses import STATUSES
from tests.support.dashboard.standings import FORECAST, NONE, RECOVERING, D


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            RECOVERING | FORECAST,
            "Moving 3 workloads to Trainium has recovered 82\u00a0% of $214,300 invested; "
            "break-even is expected on 12 Jan 2027 (80\u00a0%: 28 Dec 2026 – 4 Feb 2027).",
        ),
        (
            RECOVERING | FORECAST | {"forecast_high": None, "never_share": 0.12},
            "Moving 3 workloads to Trainium has recovered 82\u00a0% of $214,300 invested; "
            "break-even is expected on 12 Jan 2027 (80\u00a0%: 28 Dec 2026 – after 24 months or "
            "never).",
        ),
        (
            RECOVERING | FORECAST | {"forecast_median": None, "forecast_high": None},
            "Moving 3 workloads to Trainium has recovered 82\u00a0% of $214,300 invested; "
            "break-even is expected after 24 months or never (80\u00a0%: 28 Dec 2026 – after "
            "24 months or never).",
        ),
        (
            RECOVERING | {"never_share": 1.0, "payback_months": 5.3},
            "Moving 3 workloads to Trainium has recovered 82\u00a0% of $214,300 invested; "
            "break-even is not expected within 24 months.",
        ),
        (
            RECOVERING
            | {"never_share": 1.0, "forecast_reason": "from 42 weeks; no production run"},
            "Moving 3 workloads to Trainium has recovered 82\u00a0% of $214,300 invested; "
            "break-even is not expected within 24 months: no production run.",
        ),
        (
            RECOVERING | {"status": "losing", "cumulative_net": D("-7277"), "never_share": 1.0},
            "Moving 3 workloads to Trainium is losing money: over the last 12 weeks training with "
            "its overhead cost more than it would have on GPU. "
            "Its balance is −$7,277 after $214,300 invested; "
            "at this pace it does not break even within 24 months.",
        ),
        (
            RECOVERING | {"payback_months": 5.3},
            "Moving 3 workloads to Trainium has recovered 82\u00a0% of $214,300 invested; "
            "at the pace of the last 12 weeks it takes about 5 months more; "
            "not enough data yet for a dated forecast.",
        ),
        (
            RECOVERING,
            "Moving 3 workloads to Trainium has recovered 82\u00a0% of $214,300 invested; "
            "not enough data yet to say when it breaks even.",
        ),
        (
            RECOVERING
            | {
                "status": "broke_even",
                "break_even_date": date(2026, 3, 14),
                "cumulative_net": D("8120.40"),
            },
            "Moving 3 workloads to Trainium has paid for itself: break-even was on 14 Mar 2026, "
            "and its balance is +$8,120 after $214,300 invested.",
        ),
        (
            RECOVERING | {"status": "losing", "cumulative_net": D("-7277")},
            "Moving 3 workloads to Trainium is losing money: over the last 12 weeks training with "
            "its overhead cost more than it would have on GPU. "
            "Its balance is −$7,277 after $214,300 invested.",
        ),
        (
            RECOVERING
            | {"status": "losing", "cumulative_net": D("-7277"), "forward_per_month": D(0)},
            "Moving 3 workloads to Trainium is losing money: in the 12 weeks up to its last run "
            "training with its overhead cost more than it would have on GPU. "
            "Its balance is −$7,277 after $214,300 invested.",
        ),
        (
            NONE | {"status": "losing", "cumulative_net": D("-211.875")},
            "Moving 3 workloads to Trainium is losing money: over the last 12 weeks training with "
            "its overhead cost more than it would have on GPU. "
            "Its balance is −$212 after nothing invested.",
        ),
        (
            NONE | {"status": "no_investment", "cumulative_net_saving": D("1138.125")},
            "Moving 3 workloads to Trainium has saved $1,138 net; no investment is configured.",
        ),
        (
            NONE | {"status": "no_investment", "cumulative_net_saving": D("-300")},
            "Moving 3 workloads to Trainium has cost $300 more than staying on GPU; no investment "
            "is configured.",
        ),
        (
            NONE | {"status": "investing", "cumulative_investment": D("48000")},
            "$48,000 has been invested in moving to Trainium; no production run has settled yet, "
            "so nothing is recovered.",
        ),
        (
            NONE | {"status": "not_started"},
            "Nothing has moved to Trainium yet, and nothing has been invested.",
        ),
        (None, "Nothing is published yet."),
    ],
)
def test_the_portfolio_is_answered_in_words(row: dict[str, Any] | None, sentence: str) -> None:
    assert portfolio_sentence(row, 3) == sentence


def test_half_a_month_is_rounded_up() -> None:
    said = portfolio_sentence(RECOVERING | {"payback_months": 2.5}, 3)
    assert "it takes about 3 months more" in said


def test_one_workload_is_singular() -> None:
    assert portfolio_sentence(RECOVERING, 1).startswith("Moving 1 workload to Trainium")


@pytest.mark.parametrize(
    ("status", "reason", "sentence"),
    [
        (
            "not_comparable",
            "no Trainium run shares recipe and samples per epoch with the GPU runs",
            "atlas-7b cannot be compared with GPU: no Trainium run shares recipe and samples per "
            "epoch with the GPU runs.",
        ),
        (
            "insufficient_baseline",
            "insufficient baseline: fewer than 2 qualifying GPU runs have ended",
            "atlas-7b cannot be compared with GPU yet: fewer than 2 qualifying GPU runs have "
            "ended.",
        ),
        ("from_the_future", "", "atlas-7b: this version does not know its status."),
    ],
)
def test_what_cannot_be_judged_says_why(status: str, reason: str, sentence: str) -> None:
    assert workload_sentence(NONE | {"status": status, "reason": reason}) == sentence


@pytest.mark.parametrize("status", sorted(STATUSES.keys() - {"cost_unknown"}))
def test_every_status_has_a_sentence_and_a_next_step(status: str) -> None:
    row = RECOVERING | {"status": status, "cumulative_net": D(1), "cumulative_net_saving": D(1)}
    assert "does not know its status" not in workload_sentence(row)
    assert next_action(row) != "Open it for details."


@pytest.mark.parametrize("status", ["broke_even", "recovering", "losing", "no_investment"])
def test_a_claim_without_its_amount_is_said_to_be_unknown(status: str) -> None:
    row = NONE | {"status": status}
    assert workload_sentence(row) == (
        "What atlas-7b has saved is unknown: "
        "what the GPU would have cost is not known for every day."
    )


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            {"status": "recovering", "cumulative_net_saving": D("1138.125")},
            "Moving atlas-7b to Trainium has saved $1,138 net; "
            "what the migration cost is not known yet.",
        ),
        (
            {"status": "losing", "cumulative_net_saving": D(-300), "forward_per_month": D(-100)},
            "Moving atlas-7b to Trainium is losing money: over the last 12 weeks training with its "
            "overhead cost more than it would have on GPU. What the migration cost is not known "
            "yet. Going on as now loses $100 a month compared with GPU.",
        ),
    ],
)
def test_an_investment_of_unknown_cost_hides_no_saving_and_no_loss(
    row: dict[str, Any], sentence: str
) -> None:
    assert workload_sentence(NONE | {"cumulative_investment": None} | row) == sentence


def test_before_the_first_settled_run_an_unknown_investment_is_told_as_unknown() -> None:
    """A benchmark on a Capacity Block whose fee is on no bill yet."""
    row = NONE | {"status": "investing", "cumulative_investment": None}
    assert workload_sentence(row) == (
        "How much has been invested in moving to Trainium is not known yet; no production run has "
        "settled yet, so nothing is recovered."
    )


def test_what_is_invested_is_told_where_nothing_can_be_judged() -> None:
    row = NONE | {"status": "insufficient_baseline", "cumulative_investment": D(10000)}
    assert workload_sentence(row) == (
        "atlas-7b cannot be compared with GPU yet: too few GPU runs have ended. "
        "$10,000 has been invested so far."
    )


def test_funding_beyond_what_was_invested_is_told_as_such() -> None:
    funded = NONE | {"cumulative_investment": D(-1321)}
    said = [
        workload_sentence(funded | {"status": "insufficient_baseline"}),
        portfolio_sentence(funded | {"status": "investing"}, 3),
        portfolio_sentence(funded | {"status": "losing", "cumulative_net": D(-2105)}, 3),
    ]
    for sentence, words in zip(
        said,
        (
            "Funding is $1,321 more than was invested so far.",
            "Funding is $1,321 more than was invested in moving to Trainium; no production run",
            "Its balance is −$2,105 after funding of $1,321 more than was invested",
        ),
        strict=True,
    ):
        assert words in sentence


LOSES = {"forward_per_month": D("-4045.026882")}


@pytest.mark.parametrize(
    ("row", "end"),
    [
        (RECOVERING | LOSES, " Going on as now loses $4,045 a month compared with GPU."),
        (
            RECOVERING | {"ends_first": True, "value_to_end": D(-2500)},
            " Training ends before it is paid back, at −$2,500.",
        ),
        (
            NONE
            | LOSES
            | {"status": "broke_even", "break_even_date": date(2026, 3, 1)}
            | {"cumulative_net": D(6500), "cumulative_investment": D(14000), "headroom_days": 6},
            " 6 more engineer-days would still leave it paid for, 7 would not."
            " Going on as now loses $4,045 a month compared with GPU.",
        ),
        (
            NONE
            | {"status": "broke_even", "break_even_date": date(2026, 3, 1)}
            | {"cumulative_net": D(520), "cumulative_investment": D(2000), "headroom_days": 0},
            " after $2,000 invested. One more engineer-day would undo that.",
        ),
    ],
)
def test_what_goes_on_is_said_whether_or_not_the_move_was_paid_back(
    row: dict[str, Any], end: str
) -> None:
    assert portfolio_sentence(row, 3).endswith(end)
    assert workload_sentence(row).endswith(end)
