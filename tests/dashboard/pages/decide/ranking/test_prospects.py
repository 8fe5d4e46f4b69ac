"""What a move is expected to bring, from hand-made figures."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.outcome import outcome_table
from dashboard.pages.decide.ranking.prospects import prospects
from dashboard.pages.decide.wording import what_if_sentence
from models.documents.what_if import lines
from models.forecast.migration import Migration
from models.forecast.what_if import what_if
from tests.support.dashboard.text import text

D = Decimal
ROW = {
    "workload": "quill",
    "status": "not_started",
    "gpu_cost_per_epoch": D(1000),
    "baseline_reason": None,
    "epochs": D(10),
    "lineages": 5,
    "recent": 3,
    "invested": None,
    "planned": D(0),
    "upkeep": D(0),
    "months_to_end": None,
}
SHARE = D("0.4"), D("0.5"), D("0.6")
ASKED = Assumptions(effort="weeks", least=D(5), most=D(15))
RATE = D(1000)


def test_the_range_of_savings_and_of_effort_is_the_interval_of_the_payback() -> None:
    """3 runs in 12 weeks: 13/12 a month, each 2 epochs; 10 days are expected."""
    (found,) = prospects([ROW], SHARE, ASKED, RATE)
    month = D(2000) * D(3) * 52 / (12 * 12)
    assert found.gpu_per_month is not None
    assert round(found.gpu_per_month, 9) == round(month, 9)
    assert [round(each, 6) for each in found.payback if each is not None] == [
        round(D(5000) / (month * D("0.6")), 6),
        round(D(10000) / (month * D("0.5")), 6),
        round(D(15000) / (month * D("0.4")), 6),
    ]


def test_upkeep_that_is_configured_delays_the_payback() -> None:
    (found,) = prospects([ROW | {"upkeep": D(500)}], SHARE, ASKED, RATE)
    month = D(2000) * D(3) * 52 / (12 * 12)
    assert found.payback[1] is not None
    assert round(found.payback[1], 6) == round(D(10000) / (month / 2 - 500), 6)


def test_upkeep_that_takes_the_saving_is_the_reason_why_it_never_pays() -> None:
    (found,) = prospects([ROW | {"upkeep": D(4000)}], SHARE, ASKED, RATE)
    assert found.payback[1] is None
    assert found.reason == "upkeep takes all that it saves"


@pytest.mark.parametrize(
    ("months", "payback", "reason"),
    [
        (D(10), (D("3.846154"), D("9.230769"), None), ""),
        (D(9), (D("3.846154"), None, None), "training ends before it pays for itself"),
    ],
)
def test_a_move_that_training_does_not_outlast_is_not_paid_back(
    months: Decimal, payback: tuple[Decimal | None, ...], reason: str
) -> None:
    """It takes 3.8, 9.2 or 17.3 months at $2,166.67 a month on GPU."""
    (found,) = prospects([ROW | {"months_to_end": months}], SHARE, ASKED, RATE)
    assert tuple(each and round(each, 6) for each in found.payback) == payback
    assert found.reason == reason


def test_without_a_day_rate_or_a_moved_workload_a_payback_is_unknown() -> None:
    for saved, rate in ((SHARE, None), (None, RATE)):
        (found,) = prospects([ROW], saved, ASKED, rate)
        assert found.payback == (None, None, None)
        assert found.reason


def test_the_answer_says_losing_first_and_what_is_paid_is_not_never() -> None:
    never = what_if(Migration(D(500), D(600), D(2), D(1000)))
    assert what_if_sentence("quill", never, status="losing") == (
        "\u2068quill\u2069 is losing today. Moving \u2068quill\u2069 never pays for itself: "
        "a Trainium run costs no less than a GPU run."
    )
    paid = what_if(Migration(D(500), D(600), D(2), D(1000), saved_so_far=D(1500)))
    assert what_if_sentence("quill", paid).startswith(
        "\u2068quill\u2069 has paid for itself: at this pace a month loses $200.00"
    )


def test_a_move_that_has_not_begun_has_not_paid_for_itself() -> None:
    """Its port costs nothing, or funding is beyond it: 2 runs a month save $150 each."""
    for port in (D(0), D(-5000)):
        free = what_if(Migration(D(500), D(350), D(2), port))
        assert what_if_sentence("quill", free, ["it saves 30 %"], "not_started") == (
            "\u2068quill\u2069 would pay for itself at once, if it saves 30 %: nothing is left to "
            "pay back, and at this pace a month saves $300."
        )


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        (Migration(D(500), D(600), D(2), D(1000)), "never"),
        (Migration(D(500), D(600), D(2), D(1000), saved_so_far=D(1500)), "paid already"),
        (Migration(D(500), None, D(2), D(1000)), "unknown"),
    ],
)
def test_the_page_and_the_command_say_alike_why_no_month_is_counted(
    asked: Migration, word: str
) -> None:
    found = what_if(asked)
    assert f"Months to break-even {word} Left" in text(outcome_table(asked, found))
    assert f"Months to break even {word}" in [
        " ".join(line.split()) for line in lines(asked, found)
    ]
