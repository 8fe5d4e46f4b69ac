"""METHOD §6.10: which part of a day's cost on Trainium is compared with GPU, by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

from models.marts.savings.coverage.judged_daily import judged_daily
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

MONEY = "decimal(38, 9)"
DAY = {"date": "date", "workload": "string", "lineage": "string", "cost": MONEY}
COLUMNS = {
    "credited_daily": DAY | {"kind": "string", "standing": "string", "settled": "boolean"},
    "baselines": {"date": "date", "workload": "string", "recipe": "string", "value": MONEY},
    "workload_state": {"workload": "string", "barred": "boolean"},
    "lineage_facts": {"workload": "string", "lineage": "string", "unpriced": "boolean"},
    "work_daily": DAY | {"hardware": "string", "settled": "boolean", "in_lineage": "boolean"},
}  # fmt: skip


def spent(number: int, cost: object, **more: object) -> dict[str, Any]:
    about = {"date": date(2026, 9, number), "workload": "w", "lineage": "a", "cost": cost}
    usual = {"kind": "k", "standing": "counted", "settled": True}
    return about | usual | {"hardware": "trainium", "in_lineage": True} | more


def judged(*credited: dict[str, Any], worked: tuple[dict[str, Any], ...] = ()) -> list[Any]:
    """By day of September and workload: the cost, and what of it is compared."""
    days = {(each["date"], each["workload"]) for each in credited}
    given = {
        "credited_daily": credited,
        "baselines": [
            {"date": day, "workload": workload, "recipe": "k", "value": 1}
            for day, workload in days
            if day.day != 3
        ],
        "workload_state": [{"workload": "w", "barred": False}, {"workload": "x", "barred": True}],
        "lineage_facts": [
            {"workload": "w", "lineage": lineage, "unpriced": lineage == "u"} for lineage in "au"
        ],
        "work_daily": worked,
    }
    made = applied(judged_daily, *(table(COLUMNS[name], *given[name]) for name in COLUMNS))
    found = rows(made, "date", "workload", "trn_cost", "judged_cost")
    return [(day.day, *others) for day, *others in found]


def test_what_counts_with_a_baseline_in_a_workload_that_may_claim_is_compared() -> None:
    assert judged(
        spent(1, 1),
        spent(1, 2),
        spent(1, 4, standing="not_comparable"),
        spent(1, 8, settled=False),
        spent(1, 16, workload="x"),
        spent(1, 32, workload="unknown"),
        spent(2, 64, kind="other"),
        spent(3, 128),
        spent(4, 256),
        spent(4, None, standing="not_comparable"),
        spent(5, None),
    ) == [
        (1, "unknown", 32, 0),
        (1, "w", 7, 3),
        (1, "x", 16, 0),
        (2, "w", 64, 0),
        (3, "w", 128, 0),
        (4, "w", None, 256),
        (5, "w", None, None),
    ]


def test_days_of_lineages_of_unknown_cost_make_the_whole_unknown_and_are_not_compared() -> None:
    unknown = {"lineage": "u"}
    assert judged(
        spent(1, 1),
        spent(2, 2),
        worked=(
            spent(1, None, **unknown),
            spent(2, None),
            spent(2, None, **unknown, settled=False),
            spent(2, None, **unknown, in_lineage=False),
            spent(2, None, **unknown, hardware="gpu"),
            spent(6, 4, **unknown),
        ),
    ) == [(1, "w", None, 1), (2, "w", 2, 2), (6, "w", 4, 0)]
