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
