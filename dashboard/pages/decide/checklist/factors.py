"""Evaluates all nine factors of the checklist."""

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
from models.forecast.migration import Migration
from models.forecast.what_if import Outcome


def factors(asked: Migration, found: Outcome, answers: Answers, facts: Facts) -> list[Factor]:
    """Returns all nine factors of the checklist, evaluated, in the order of `TITLES`."""
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
