"""The month by workload, where On GPU is not the epochs beside it × the baseline."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dashboard.pages.finance.statement_tables import summary
from models.records.statement import Statement
from tests.support.dashboard.text import text
from tests.support.documents.papers import FACTS, tables

MEASURED = "measured $200.00: what an epoch cost (3 GPU runs)"
REACHED = "; a result is credited 14.00 epochs: 2 of 3 GPU runs reached the target loss"


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (MEASURED + REACHED, "On GPU counts results, 14.00 epochs each"),
        (MEASURED + REACHED + "; on g5 none did", "On GPU counts results, 14.00 epochs each"),
        (MEASURED, ""),
        (None, ""),
    ],
)
def test_a_row_says_what_a_result_is_credited(reason: str | None, said: str) -> None:
    """9 epochs × $200 are no $2,800: the one result of the month is credited 14."""
    given = tables()
    given["summary"] = given["summary"][:1]
    given["summary"][0] |= {
        "trn_epochs": Decimal(9),
        "baseline_value": Decimal(200),
        "counterfactual": Decimal(2800),
        "baseline_reason": reason,
    }
    shown = text(summary(Statement("2026-09", FACTS, given)))
    assert ("On GPU counts" in shown) is bool(said)
    assert said in shown
    assert "2,800.00" in shown


def test_what_belongs_to_no_workload_is_a_row_so_that_the_rows_add_up_to_the_portfolio() -> None:
    """The company spent $100 in August that no workload did; in September nothing."""
    given = tables()
    shown = text(summary(Statement("2026-09", FACTS, given)))
    assert f"(no workload) 0.00 – – – {'0.00 ' * 4}0.00 0.00 0.00 0.00 −100.00 – Portfolio" in shown
    for row in given["history"]:
        own = row["workload"] == "(portfolio)"
        row["cumulative_net"] += 100 if own else 0
        row["investment"] -= 100 if own and row["month"] == "2026-08" else 0
    assert "(no workload)" not in text(summary(Statement("2026-09", FACTS, given)))
