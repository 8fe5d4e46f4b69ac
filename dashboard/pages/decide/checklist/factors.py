"""The checklist: nine factors of a move, answered from data or by the reader, and where they lean.

A factor leans to Trainium or to GPU, or to neither, or is open; its threshold is stated. Spend,
pattern and horizon are one sum seen from three sides, so they count once: as the horizon.
"""

from __future__ import annotations

from dashboard.pages.decide.checklist.answers import Answers
from dashboard.pages.decide.checklist.circumstances import (
    architecture,
    cloud_strategy,
    commitment,
    inference,
    migration_budget,
    team,
)
from dashboard.pages.decide.checklist.factor import TITLES, Factor
from dashboard.pages.decide.checklist.facts import Facts
from dashboard.pages.decide.checklist.money import horizon, monthly_spend, workload_pattern
from models.forecast.what_if import Migration, Outcome


def factors(asked: Migration, found: Outcome, answers: Answers, facts: Facts) -> list[Factor]:
    """All nine, in the order of `TITLES`."""
    made = [
        monthly_spend(asked, found, answers.months),
        architecture(answers, facts),
        migration_budget(asked, answers, facts),
        cloud_strategy(answers),
        team(answers, facts),
        workload_pattern(asked, found, answers.months),
        inference(answers, facts),
        horizon(found, answers),
        commitment(answers, facts),
    ]
    return sorted(made, key=lambda each: list(TITLES).index(each.name))
