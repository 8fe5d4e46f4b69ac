"""The checklist: nine factors of a move, answered from data or by the reader, and where they lean.

A factor leans to Trainium or to GPU, or to neither, or is open; its threshold is stated. Spend,
pattern and horizon are one sum seen from three sides, so they count once: as the horizon.
"""

from __future__ import annotations

from dashboard.pages.decide.checklist.answers import Answers
from dashboard.pages.decide.checklist.circumstances import arch, budget, cloud, plan, serve, team
from dashboard.pages.decide.checklist.factor import TITLES, Factor
from dashboard.pages.decide.checklist.facts import Facts
from dashboard.pages.decide.checklist.money import horizon, pattern, spend
from models.forecast.what_if import Migration, Outcome


def factors(asked: Migration, found: Outcome, answers: Answers, facts: Facts) -> list[Factor]:
    """All nine, in the order of `TITLES`."""
    made = [
        spend(asked, found, answers.months),
        arch(answers, facts),
        budget(asked, answers, facts),
        cloud(answers),
        team(answers, facts),
        pattern(asked, found, answers.months),
        serve(answers, facts),
        horizon(found, answers),
        plan(answers, facts),
    ]
    return sorted(made, key=lambda each: list(TITLES).index(each.name))
