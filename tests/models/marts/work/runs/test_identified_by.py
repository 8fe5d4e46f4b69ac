"""METHOD §2.6: what tells of most of a run's hours ties it to its machines, by hand."""

from __future__ import annotations

from pathlib import Path

import ibis.expr.types as ir
import pytest

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.marts.work.runs.identified_by import identified_by
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

RULES = [
    {"match": {"name": "ruled-*"}, "workload": "w", "run": "ruled"},
    {"match": {"name": "any-*"}, "run": "any"},
    {"match": {"name": "*"}, "workload": "w"},
]
SETTINGS = validated_settings({"tag_rules": RULES}, home=Path())
RUN = {"workload": "string", "run": "string"} | dict.fromkeys(
    ("every_hour", "held_hours"), "decimal(38, 9)"
)


def _identified(runs: ir.Table, settings: Settings) -> ir.Table:
    return runs.select("run", way=identified_by(runs, settings))


@pytest.mark.parametrize(
    ("every", "held", "plain", "ruled"),
    [
        (10, None, "tag", "rule"),
        (10, 4, "tag", "rule"),
        (10, 5, "allocation", "allocation"),
        (10, 10, "allocation", "allocation"),
        (0, 0, None, None),
        (None, 5, None, None),
        (None, None, None, None),
    ],
)
def test_allocations_of_half_its_hours_come_before_a_rule_and_that_before_tags(
    every: object, held: object, plain: str | None, ruled: str | None
) -> None:
    hours = {"workload": "w", "every_hour": every, "held_hours": held}
    made = applied(
        _identified, table(RUN, *(hours | {"run": r} for r in ("plain", "ruled"))), SETTINGS
    )
    assert rows(made, "run", "way") == [("plain", plain), ("ruled", ruled)]


def test_a_rule_of_a_workload_says_nothing_of_anothers_run_of_the_same_name() -> None:
    runs = [{"workload": "v", "run": run, "every_hour": 10} for run in ("any", "ruled")]
    made = applied(_identified, table(RUN, *runs), SETTINGS)
    assert rows(made, "run", "way") == [("any", "rule"), ("ruled", "tag")]
