"""METHOD §2.6: what tells of most of a run's hours ties it to its machines, by hand."""

from __future__ import annotations

import ibis.expr.types as ir
import pytest

from models.contract.schema import CONFIG
from models.marts.work.runs.identified_by import with_identified_by
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

RULES = table(
    CONFIG["config_rules"],
    {"run": "ruled", "workload": "w"},
    {"run": "ruled", "workload": "w"},
    {"run": "any"},
    {"workload": "w"},
)
RUN = {"workload": "string", "run": "string"} | dict.fromkeys(
    ("every_hour", "held_hours"), "decimal(38, 9)"
)


def _identified(runs: ir.Table, rules: ir.Table) -> ir.Table:
    return with_identified_by(runs, rules).select("run", way="identified_by")


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
        _identified, table(RUN, *(hours | {"run": r} for r in ("plain", "ruled"))), RULES
    )
    assert rows(made, "run", "way") == [("plain", plain), ("ruled", ruled)]


def test_a_rule_of_a_workload_says_nothing_of_anothers_run_of_the_same_name() -> None:
    runs = [{"workload": "v", "run": run, "every_hour": 10} for run in ("any", "ruled")]
    made = applied(_identified, table(RUN, *runs), RULES)
    assert rows(made, "run", "way") == [("any", "rule"), ("ruled", "tag")]
