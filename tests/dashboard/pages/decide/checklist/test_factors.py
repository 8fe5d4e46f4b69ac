"""The nine factors and what they say together, from hand-made figures."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from dashboard.pages.decide.checklist.answers import Answers
from dashboard.pages.decide.checklist.factor import TITLES, Factor
from dashboard.pages.decide.checklist.factors import factors
from dashboard.pages.decide.checklist.facts import Facts
from dashboard.pages.decide.checklist.verdict import verdict
from models.forecast.migration import Migration
from models.forecast.what_if import what_if

D = Decimal
PAYS = Migration(D(2000), D(1200), D(4), D(48000))
"""$3,200 a month: 15 months, 60 runs."""
LOSES_AGAIN = replace(PAYS, trn_cost_per_run=D(2100), saved_so_far=D(50000))
SILENT = Answers()
UNMOVED = Facts(False, 0, 0, D("0.25"), False)


def asked(
    of: Migration = PAYS, answers: Answers = SILENT, facts: Facts = UNMOVED
) -> dict[str, Factor]:
    return {each.name: each for each in factors(of, what_if(of), answers, facts)}


def test_data_answers_what_data_can() -> None:
    found = asked()
    assert list(found) == list(TITLES)
    assert {name: each.lean for name, each in found.items()} == {
        "spend": "trainium",
        "arch": "open",
        "budget": "open",
        "cloud": "open",
        "team": "open",
        "pattern": "trainium",
        "serve": "open",
        "horizon": "trainium",
        "plan": "gpu",
    }
    # 48,000 ÷ 24 months ÷ 0.4 of a run's cost
    assert found["spend"].threshold.startswith("At least $5,000 a month")
    assert found["spend"].answer == "$8,000 a month for the same runs on GPU."
    assert found["pattern"].reason == "96.0 runs start in 24\u00a0months; needed: 60 runs."
    assert "25.0\u00a0%" in found["plan"].answer
    others = replace(UNMOVED, moved_here=3, saving_here=2, committed=D(0), serves_neuron=True)
    leans = {name: each.lean for name, each in asked(facts=others).items()}
    assert (leans["team"], leans["serve"], leans["plan"]) == ("trainium",) * 3


def test_runs_are_not_rounded_up_to_lean_otherwise_than_the_months() -> None:
    """$2,155 at $50 a run are 43.1 runs and 23.9 months; 43.2 runs start in 24."""
    found = asked(Migration(D(100), D(50), D("1.8"), D(2155)))
    assert (found["pattern"].lean, found["horizon"].lean) == ("trainium", "trainium")
    assert found["pattern"].reason == "43.2 runs start in 24\u00a0months; needed: 43.1 runs."
    assert found["pattern"].threshold.startswith("At least 43.1 runs: ")


def test_months_are_rounded_half_up_as_in_the_sentence_above() -> None:
    """$13,000 at $4,000 a month are 3.25 months, which the page's headline calls 3.3."""
    found = asked(Migration(D(3000), D(2000), D(4), D(13000)))["horizon"]
    assert found.reason.startswith("It pays for itself in 3.3\u00a0months")


def test_spend_has_until_training_ends() -> None:
    # 48,000 ÷ 6 months ÷ 0.4 of a run's cost, though 24 months are looked at
    found = asked(replace(PAYS, months_to_end=D(6)))["spend"]
    assert found.threshold.startswith("At least $20,000 a month")
    assert (found.lean, found.reason) == ("gpu", "$8,000 is too little.")
    assert asked(replace(PAYS, months_to_end=D(0)))["spend"].reason.startswith("Training ends")


@pytest.mark.parametrize(
    ("of", "answers", "lean", "why"),
    [
        (PAYS, Answers(), "trainium", "Money decides: it pays for itself in 15"),
        (PAYS, Answers(horizon=D(14)), "gpu", "beyond 14\u00a0months"),
        (PAYS, Answers(cloud="several"), "gpu", "Cloud strategy decides"),
        (PAYS, Answers(arch="kernels", team="none"), "neither", "Architecture, team, commitment"),
        (PAYS, Answers(arch="kernels", team="knows", cloud="aws"), "trainium", "lean to GPU"),
        (replace(PAYS, trn_cost_per_run=D(2000)), Answers(), "gpu", "costs no less than a GPU run"),
        (replace(PAYS, runs_per_month=None), Answers(), "open", "no data on how many runs"),
        (
            LOSES_AGAIN,
            Answers(),
            "gpu",
            "nothing is left to pay back, but at this pace a month loses $400",
        ),
        (replace(PAYS, trn_cost_per_run=None), Answers(), "open", "a Trainium run costs"),
        (replace(PAYS, months_to_end=D(6)), Answers(), "gpu", "training ends before it pays"),
    ],
)
def test_what_decides_is_said(of: Migration, answers: Answers, lean: str, why: str) -> None:
    found = verdict([*asked(of, answers).values()])
    assert found[0] == lean
    assert why in found[1]


def test_answers_outweigh_data_and_nonsense_says_nothing() -> None:
    said = {"plan": "covers", "budget": "50,000", "horizon": "0", "arch": "<b>", "team": ["knows"]}
    answers = Answers.parse(said)
    assert (answers.plan, answers.budget, answers.months) == ("covers", D(50000), D(24))
    assert (answers.arch, answers.team) == ("", "knows")
    found = asked(answers=answers)
    assert found["plan"].lean == "neither"
    assert found["budget"].reason == "$50,000 covers $48,000."
    assert Facts.from_json(UNMOVED.to_json()) == UNMOVED
