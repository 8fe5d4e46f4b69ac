"""Decide by hand: what an address assumes, how moves are ranked, and how the answer is said."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from dashboard.pages.decide.assumptions import Assumptions, decimal_parameter
from dashboard.pages.decide.buying.assumptions import PurchaseAssumptions
from dashboard.pages.decide.checklist.answers import Answers
from dashboard.pages.decide.checklist.circumstances import commitment, inference, team
from dashboard.pages.decide.checklist.facts import Facts
from dashboard.pages.decide.moved_and_unmoved import MovedAndUnmoved
from dashboard.pages.decide.ranking.prospects import (
    Range,
    porting_cost,
    prospects,
    saving_share,
    unmoved_point,
)
from dashboard.pages.decide.ranking.table import prospects_table
from dashboard.pages.decide.what_if import assumptions_made, fraction, what_if_curve
from dashboard.pages.decide.wording import as_entered, shares_note, what_if_sentence
from models.forecast.migration import Migration
from models.forecast.what_if import what_if
from tests.support.dashboard.text import text

D = Decimal
ROW: dict[str, Any] = {
    "workload": "quill", "status": "not_started", "gpu_cost_per_epoch": D(1000),
    "baseline_reason": None, "epochs": D(10), "lineages": 5, "recent": 3, "invested": None,
    "planned": D(0), "upkeep": D(0), "months_to_end": None,
}  # fmt: skip
SHARE = D("0.4"), D("0.5"), D("0.6")
ASKED = Assumptions(effort="weeks")
RATE = D(1000)


def test_what_was_entered_leaves_the_page_with_the_sentence_that_it_made() -> None:
    """The effort and the saving assumed change the ranking alone."""
    asked = Assumptions(runs=D("2.5"), trn=D(1200), trn_price=D(-10), effort="weeks", share=D(30))
    assert as_entered(asked) == (
        "Runs a month: 2.5; A run on Trainium: $1,200; Trainium price change: \u221210\u00a0%"
    )
    assert as_entered(ASKED) == ""


@pytest.mark.parametrize(
    ("typed", "signed", "read"),
    [
        ("1,234.50", False, D("1234.50")),
        (" 7 ", False, D(7)),
        ("-1", False, None),
        ("-33", True, D(-33)),
        ("-100.1", True, None),
        ("1e12", False, D(10) ** 12),
        ("1000000000001", False, None),
        ("NaN", True, None),
        ("Infinity", False, None),
        ("ten", False, None),
        ("", False, None),
    ],
)
def test_a_typed_number_is_read_or_dropped(typed: str, signed: bool, read: Decimal | None) -> None:
    assert decimal_parameter(typed, signed) == read


def test_only_price_changes_may_be_negative_and_nonsense_is_nothing() -> None:
    query = {"gpu": "-5", "gpu_price": "-33", "effort": "years", "runs": ["1", "4"], "share": "x"}
    found = Assumptions.parse(query)
    assert found == Assumptions(gpu_price=D(-33), runs=D(4))
    assert fraction(found.gpu_price) == D("-0.33")
    assert PurchaseAssumptions.parse({"used": "101", "hours": "0"}) == PurchaseAssumptions("", D(0))


def test_the_days_of_a_port_are_those_of_its_class_or_the_readers() -> None:
    assert (Assumptions().days, ASKED.days) == (None, (D(5), D(30)))
    assert Assumptions(effort="days", least=D(9)).days == (D(5), D(9))
    assert Assumptions(least=D(9)).days is None


def test_a_share_is_the_readers_or_the_median_of_the_moved() -> None:
    moved = [{"saved": D(saved), "counterfactual": D(100)} for saved in (40, -10, 20)]
    assert saving_share(moved, Assumptions()) == (D("-0.1"), D("0.2"), D("0.4"))
    assert saving_share(moved, Assumptions(share=D(25))) == (D("0.25"),) * 3
    assert saving_share([], Assumptions()) is None


def test_the_share_that_moves_saved_is_of_todays_cost_where_another_is_entered() -> None:
    """A run of $3,000 on GPU beside $1,268 on Trainium does not save the −26.8 % of others."""
    of = MovedAndUnmoved([], [{"saved": D("-26.8"), "counterfactual": D(100)}])
    own = unmoved_point(ROW, saving_share(of.moved, Assumptions()))
    saves = "it saves the \u221226.8\u00a0% that moved workloads here saved"
    assert assumptions_made(Assumptions(runs=D(3)), own, False, of) == [saves]
    for entered in (Assumptions(gpu=D(3000)), Assumptions(trn_price=D(-10))):
        assert assumptions_made(entered, own, False, of) == [f"at today's cost {saves}"]
    assert assumptions_made(Assumptions(trn=D(1200)), own, False, of) == []


def test_a_port_costs_at_least_what_is_spent_already() -> None:
    row = ROW | {"invested": D(8000)}
    assert porting_cost(row, ASKED, RATE) == (D(8000), D(19000), D(30000))
    assert porting_cost(row, ASKED, None) is None
    assert porting_cost(row, Assumptions(), RATE) is None


def test_a_port_that_the_config_plans_costs_what_is_spent_and_planned() -> None:
    row = ROW | {"invested": D(3586), "planned": D(6900)}
    assert porting_cost(row, Assumptions(), RATE) == (D(10486),) * 3
    assert porting_cost(row, ASKED, RATE) == (D(5000), D(17500), D(30000))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"gpu_cost_per_epoch": None}, "what its work costs on GPU is unknown"),
        ({"gpu_cost_per_epoch": None, "baseline_reason": "one GPU run"}, "one GPU run"),
        ({"epochs": None}, "no GPU run has progress"),
        ({"lineages": 0}, "no GPU run has progress"),
        ({"recent": 0}, "no GPU run started in the last 12 settled weeks"),
        ({}, ""),
    ],
)
def test_a_workload_without_a_payback_says_what_is_missing(
    change: dict[str, Any], reason: str
) -> None:
    (found,) = prospects([ROW | change], SHARE, ASKED, RATE)
    assert found.reason == reason
    assert (found.payback[1] is None) is bool(reason)


def test_the_soonest_payback_comes_first_and_the_unknown_last() -> None:
    rows = [
        ROW | {"workload": "unknown", "recent": 0},
        ROW | {"workload": "small", "gpu_cost_per_epoch": D(10)},
        ROW | {"workload": "large", "gpu_cost_per_epoch": D(9000)},
    ]
    found = prospects(rows, SHARE, ASKED, RATE)
    assert [one.workload for one in found] == ["large", "small", "unknown"]
    losing = prospects(rows, (D("-0.2"), D("-0.1"), D(0)), ASKED, RATE)
    reasons = {one.workload: one.reason for one in losing}
    assert reasons["small"] == reasons["large"] == "at this share it saves nothing"
    shown = text(prospects_table(losing, ASKED))
    assert "never at this share it saves nothing −1,950.00 −3,900.00 to 0.00" in shown
    assert "No GPU workload is left to move" in text(prospects_table([], ASKED))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            Migration(D(2000), D(1200), D(4), D(48000)),
            "would pay for itself in 15.0\u00a0months, after 60 more runs, if it lasts.",
        ),
        (
            Migration(D(2000), D(1200), None, D(48000)),
            "would pay for itself after 60 more runs; in how many months is unknown: "
            "no data on how many runs a month.",
        ),
        (
            Migration(D(2000), None, D(4), D(48000)),
            "pays for itself is unknown: no data on what a Trainium run costs.",
        ),
        (
            Migration(D(2000), D(1200), D(4), D(500), saved_so_far=D(600)),
            "has paid for itself; at this pace a month saves $3,200.",
        ),
        (
            Migration(D(2000), D(1200), D(4), D(500), upkeep_per_month=D(3200)),
            "never pays for itself, if it lasts: the runs of a month save no more than their "
            "upkeep.",
        ),
    ],
)
def test_a_what_if_is_one_sentence(asked: Migration, answer: str) -> None:
    assert what_if_sentence("quill", what_if(asked), ["it lasts"]).endswith(answer)


def test_a_what_if_without_a_pace_has_no_curve() -> None:
    asked = Migration(D(2000), D(1200), None, D(48000))
    assert text(what_if_curve(asked, what_if(asked))) == (
        "No curve yet Months unknown: no data on how many runs a month."
    )


@pytest.mark.parametrize(
    ("saved", "moved", "unverified", "assumed", "note"),
    [
        (None, 0, 0, False, "No workload here has moved and been compared"),
        ((D("0.25"),) * 3, 0, 0, True, "Saving of the GPU cost, as you entered it: 25.0\u00a0%."),
        ((D("0.3"),) * 3, 1, 1, False, "With one move there is no range of savings; the interval"),
        (SHARE, 3, 0, False, "(median; from 40.0\u00a0% to 60.0\u00a0%)"),
    ],
)
def test_a_share_says_where_it_comes_from(
    saved: Range | None, moved: int, unverified: int, assumed: bool, note: str
) -> None:
    said = shares_note(saved, moved, unverified, assumed)
    assert note in said
    assert ("1 of them has no verified loss." in said) is bool(unverified)


def test_the_facts_of_a_workload_are_kept_by_the_browser() -> None:
    row = {"gpu_hours": D(80), "committed_hours": D(20), "inferentia_hours": D(1)}
    shares = [{"saved": D(5)}, {"saved": D(0)}]
    facts = Facts.from_rows(row, False, shares)
    assert facts == Facts(False, 2, 1, D("0.25"), True)
    assert Facts.from_json(facts.to_json()) == facts
    assert Facts.from_rows({"gpu_hours": None}, True, []) == Facts(True, 0, 0, None, False)


def test_what_the_bill_says_is_asked_nobody() -> None:
    facts = Facts(False, 2, 0, None, True)
    silent = Answers()
    found = team(silent, facts)
    assert (found.lean, found.answer) == ("neither", "2 workloads moved here; 0 of them save.")
    assert team(silent, replace(facts, saving_here=1)).answer.endswith("1 of them saves.")
    assert (inference(silent, facts).lean, commitment(silent, facts).lean) == (
        "trainium",
        "neither",
    )
    assert inference(Answers(serve="cuda"), facts).lean == "gpu"


def test_numbers_that_nobody_means_still_have_an_answer() -> None:
    asked = Migration(
        gpu_cost_per_run=D(3000),
        trn_cost_per_run=D(2000),
        runs_per_month=D("1e-20"),
        porting_cost=D("1e12"),
    )
    found = what_if(asked)
    assert found.payback_months == D("1e29")
    assert "1,000,000,000 more runs" in what_if_sentence("atlas-7b", found)
    assert text(what_if_curve(asked, found))
