"""Credits beside the headline: dollars, and how much of the cost of runs they paid."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dashboard.pages.finance.statement_tables import not_in_headline
from dashboard.wording.format import cents
from models.contract.schema import PORTFOLIO
from models.records.statement import Statement
from tests.support.dashboard.text import text
from tests.support.documents.papers import FACTS, tables


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (Decimal("0.1234"), "not part of any cost above; they paid 12.3 % of what its runs cost"),
        (Decimal(0), "not part of any cost above; they paid 0.0 % of what its runs cost"),
        (None, "not part of any cost above"),
    ],
)
def test_the_month_says_what_part_of_its_runs_credits_paid(
    share: Decimal | None, said: str
) -> None:
    row = {
        "workload": PORTFOLIO,
        "trn_cost": Decimal(5),
        "compared_cost": Decimal(5),
        "left_out": None,
        "flagged": None,
        "credits": Decimal(-40),
        "credit_share": share,
    }
    shown = text(not_in_headline(Statement("2026-09", FACTS, {"summary": [row]}))).replace(
        "\u00a0", " "
    )
    assert f"Credits, as billed {said} −40.00" in " ".join(shown.split())


def test_what_is_not_compared_is_bridged_to_the_gross_saving() -> None:
    """2,000.20 − (733.48 − 33.33) = 1,300.05."""
    (atlas, *_) = tables()["summary"]
    month = Statement("2026-09", FACTS, {"summary": [atlas | {"workload": PORTFOLIO}]})
    shown = " ".join(text(not_in_headline(month)).replace("\u00a0", " ").split())
    assert (
        "Trainium cost not compared Gross saving $1,300.05 = on GPU $2,000.20 − (Trainium $733.48 "
        "− $33.33) 33.33"
    ) in shown


def test_a_cumulative_net_that_no_row_shows_is_told_so_that_the_rows_add_up() -> None:
    """Nobody's are −$100; what else no row has is of the workload without a figure."""
    given = tables()
    (atlas, nasty, whole) = given["summary"]
    given["summary"] = [atlas, nasty | {"cumulative_net": None}, whole]
    known = whole["cumulative_net"] - atlas["cumulative_net"] + 100
    shown = text(not_in_headline(Statement("2026-09", FACTS, given)))
    assert "each one's own is unknown: =HYPERLINK(A1)" in shown
    assert cents(known) in shown
    assert "Cumulative of workloads" not in text(
        not_in_headline(Statement("2026-09", FACTS, tables()))
    )
