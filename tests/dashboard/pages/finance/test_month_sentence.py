"""The sentence of a month on Finance, and the order of the workloads on the Overview."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from dashboard.pages.finance.wording import closing_state, month_sentence
from dashboard.pages.overview.standings import workload_order
from dashboard.pages.overview.tiles import saved_this_month, training_share
from models.documents.paper import Paper
from models.records.statement import Statement
from tests.support.dashboard.text import text

D = Decimal


def paper(
    net: str | None,
    total: str | None,
    moved: str | None,
    roi: str | None,
    old: str | None,
    through: str = "2026-10-31",
) -> Paper:
    names = ("net_saving", "cumulative_net", "adjustments", "roi", "saving_at_old_volume")
    amounts = [None if each is None else D(each) for each in (net, total, moved, roi, old)]
    row: dict[str, Any] = {
        "workload": "(portfolio)",
        "overhead": D(10),
        **dict(zip(names, amounts, strict=True)),
    }
    row["settled_through"] = date(2026, 10, 1)
    return Paper(
        Statement(
            "2026-10", {"as_of": "2026-11-02", "settled_through": through}, {"summary": [row]}
        )
    )


@pytest.mark.parametrize(
    ("amounts", "sentence"),
    [
        (
            ("1234.5", "-48000", "0", "-0.24", "400"),
            "In Oct 2026 training on Trainium saved $1,235; since the beginning the migration is "
            "$48,000 short of break-even, a return of −24\u00a0%; at the volume trained before the "
            "move "
            "the month comes to $390 net.",
        ),
        (
            ("-12.345", "0", "-7.5", "0", "-2.345"),
            "In Oct 2026 training on Trainium lost $12.35; closed months are adjusted by −$7.50; "
            "since the beginning the migration is $0 ahead, a return of 0\u00a0%.",
        ),
        (
            ("0", None, None, None, None),
            "In Oct 2026 training on Trainium saved $0; what closed months would be today is "
            "unknown.",
        ),
        (
            ("0", "5", "5", None, None),
            "In Oct 2026 training on Trainium saved $0; closed months are adjusted by +$5.00; "
            "since the beginning the migration is $5.00 ahead.",
        ),
        (
            (None, "5", "5", None, None),
            "What Oct 2026 saved is unknown; the tables below show which amounts are.",
        ),
    ],
)
def test_a_month_is_one_sentence(
    amounts: tuple[str | None, str | None, str | None, str | None, str | None], sentence: str
) -> None:
    assert month_sentence(paper(*amounts)) == sentence
    assert text(closing_state(paper(*amounts))) == "Draft"


def test_what_needs_attention_stands_first_then_what_cost_most() -> None:
    rows = [
        {"workload": str(place), "status": status, "cumulative_investment": invested}
        for place, (status, invested) in enumerate(
            [("broke_even", D(9)), ("recovering", None), ("losing", D(1)), ("recovering", D(5))]
        )
    ]
    assert [row["workload"] for row in sorted(rows, key=workload_order)] == ["2", "3", "1", "0"]


def test_before_a_settled_day_a_tile_is_a_dash_and_no_zero() -> None:
    assert text(saved_this_month([], {})).endswith("– no settled day yet")
    only_gpu = [{"hardware": "gpu", "hours": D(5), "cost": None}]
    share = text(training_share(only_gpu))
    assert share.endswith("0 % of accelerator-hours; unknown of their cost")


def test_a_month_says_how_much_of_its_spend_it_is_about() -> None:
    whole = paper("5", "5", "0", None, None)
    whole.statement.tables["summary"][0]["covered_share"] = D("0.999")
    assert month_sentence(whole).endswith(
        "$5.00 ahead; this covers 99.9\u00a0% of the month's Trainium spend."
    )


def test_a_month_that_is_not_over_has_saved_so_far() -> None:
    """Nothing waits for a bill, and 30 days are still to come."""
    running = paper("5", "5", "0", None, None, through="2026-10-01")
    assert month_sentence(running).startswith("In Oct 2026 so far training on Trainium saved $5")


def test_a_month_that_has_just_begun_says_that_no_day_has_settled() -> None:
    begun = paper(None, None, "0", None, None, through="")
    begun.statement.tables["summary"][0]["settled_through"] = None
    said = "What Oct 2026 saved is not known: no day of it has settled yet."
    assert month_sentence(begun) == said
