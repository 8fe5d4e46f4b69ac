"""What a headline leaves out is named in dollars, and so is what credits paid for runs."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dashboard.pages.finance.not_in_headline import not_in_headline
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


@pytest.mark.parametrize(
    ("name", "title", "nobody"),
    [("cumulative_net", "Cumulative of workloads", -100), ("net_saving", "Net saving of", 0)],
)
def test_a_net_figure_that_no_row_shows_is_told_so_that_the_rows_add_up(
    name: str, title: str, nobody: int
) -> None:
    """What neither a row nor nobody has is of the workload without a figure."""
    given = tables()
    (atlas, nasty, whole) = given["summary"]
    given["summary"] = [atlas, nasty | {name: None}, whole]
    known = whole[name] - atlas[name] - nobody
    shown = text(not_in_headline(Statement("2026-09", FACTS, given)))
    assert title in shown
    assert "each one's own is unknown: =HYPERLINK(A1)" in shown
    assert cents(known) in shown
    assert title not in text(not_in_headline(Statement("2026-09", FACTS, tables())))
