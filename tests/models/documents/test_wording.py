"""Dollars and sentences as every document writes them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.documents.pdf.left_out import left_out_lines
from models.documents.wording import number, percent, reservation, sentence
from models.sending.digest_letter import AS_ON_PAGES
from models.sending.statement_letter import AS_LETTER
from tests.support.documents.papers import tables

D = Decimal
WHOLE: dict[str, Any] = {
    "net_saving": D("1234.5"),
    "cumulative_net": D("-20000"),
    "investment": D("75.005"),
    "roi": None,
    "overhead": D("10"),
    "saving_at_old_volume": None,
    "flagged": None,
    "left_out": None,
}


def test_an_unknown_amount_is_never_zero() -> None:
    assert number(None) == "unknown"


def test_a_number_has_two_places_and_separators() -> None:
    assert [number(D(text)) for text in ("-1234.565", "0.994", "1E+6")] == [
        "-1,234.57",
        "0.99",
        "1,000,000.00",
    ]


def test_a_month_that_saved_may_still_be_short() -> None:
    assert sentence("2026-09", WHOLE) == (
        "Training on Trainium saved $1,234.50 net in 2026-09, with $75.01 invested in the month. "
        "Since the beginning the migration is $20,000.00 short of break-even."
    )


def test_a_month_says_how_much_of_its_spend_it_is_about() -> None:
    said = sentence("2026-09", WHOLE | {"covered_share": D("0.047619")})
    assert said.endswith("short of break-even. This covers 4.8 % of the month's Trainium spend.")


def test_a_month_that_lost_may_still_be_ahead() -> None:
    lost = {**WHOLE, "net_saving": D("-0.5"), "cumulative_net": D("3")}
    assert sentence("2026-09", lost) == (
        "Training on Trainium lost $0.50 net in 2026-09, with $75.01 invested in the month. "
        "Since the beginning the migration is $3.00 ahead."
    )


def test_nothing_at_all_is_saved_and_ahead_and_an_unknown_investment_says_so() -> None:
    even = {**WHOLE, "net_saving": D(0), "cumulative_net": D(0), "investment": None}
    assert sentence("2026-09", even) == (
        "Training on Trainium saved $0.00 net in 2026-09, with unknown invested in the month. "
        "Since the beginning the migration is $0.00 ahead."
    )


@pytest.mark.parametrize(
    ("month", "said"),
    [
        ({"status": "not_started", "cumulative_investment": D(0)},
         "Nothing has moved to Trainium yet, and nothing has been invested."),
        ({"status": "investing", "cumulative_investment": D("48000.125")},
         "$48,000.13 has been invested in moving to Trainium; no production run has settled yet, "
         "so nothing is recovered."),
    ],
)  # fmt: skip
def test_before_anything_has_moved_no_saving_is_claimed(month: dict[str, Any], said: str) -> None:
    unmoved = WHOLE | {"net_saving": D(0), "adjustments": D(0)} | month
    assert sentence("2026-09", unmoved) == said
    for dollars_of_it in ({"net_saving": D(-5)}, {"adjustments": D(3)}, {"status": "recovering"}):
        assert "net in 2026-09" in sentence("2026-09", unmoved | dollars_of_it)


def test_return_and_the_old_volume_stand_beside_the_headline() -> None:
    told = {**WHOLE, "roi": D("-0.8125"), "saving_at_old_volume": D("4")}
    assert sentence("2026-09", told).endswith(
        "$20,000.00 short of break-even, a return of -81.3 %. At the volume trained before the "
        "move the month would have lost $6.00."
    )
    same = {**told, "saving_at_old_volume": D("1244.5")}
    assert sentence("2026-09", same).endswith("a return of -81.3 %.")


def test_a_letter_that_is_read_beside_the_pages_is_written_as_they_are() -> None:
    told = {**WHOLE, "roi": D("-0.4391"), "covered_share": D("0.875"), "flagged": {"x": D("-1")}}
    assert sentence("2026-09", told, AS_ON_PAGES) == (
        "Training on Trainium saved $1,235 net in Sep 2026, with $75.01 invested in the month. "
        "Since the beginning the migration is $20,000 short of break-even, a return of "
        "\u221244\u00a0%. This covers 88\u00a0% of the month's Trainium spend."
    )
    assert reservation(told, AS_ON_PAGES) == "Counted with a flag: x \u2212$1.00."
    assert "with unknown invested" in sentence("2026-09", told | {"investment": None}, AS_ON_PAGES)


@pytest.mark.parametrize("unknown", ["net_saving", "cumulative_net"])
def test_without_a_figure_the_sentence_claims_none(unknown: str) -> None:
    whole = {**WHOLE, unknown: None, "settled_through": date(2026, 9, 30)}
    said = sentence("2026-09", whole)
    assert said == "What 2026-09 saved is not known: the pages below say why."
    assert sentence("2026-09", whole, AS_ON_PAGES) == (
        "What Sep 2026 saved is not known: the page Finance says why."
    )
    assert sentence("2026-09", whole, AS_LETTER) == (
        "What 2026-09 saved is not known: its statement says why."
    )
    assert sentence("2026-09", {**whole, "settled_through": None}) == (
        "What 2026-09 saved is not known: no day of it has settled yet."
    )


def test_flagged_and_left_out_dollars_are_told_in_the_order_of_their_reasons() -> None:
    flagged = {"unverified": D("44.44"), "mixed_recipe": D("-1")}
    told = {**WHOLE, "flagged": flagged, "left_out": {"not_comparable": None}}
    assert reservation(told) == (
        "Counted with a flag: mixed recipe -$1.00, unverified $44.44. "
        "Left out: not comparable unknown."
    )
    assert reservation({**WHOLE, "flagged": {}}) == ""


def test_the_part_that_credits_paid_stands_beside_their_dollars() -> None:
    assert [percent(D("0.12345")), percent(D("0.0005")), percent(None)] == [
        "12.3 %",
        "0.1 %",
        "unknown",
    ]
    summary = tables()["summary"]
    said = ["Credits", "$0.00, in no cost above; they paid 12.3 % of what the month's runs cost"]
    assert left_out_lines(summary)[-1] == said
    without = [row | {"credit_share": None} for row in summary]
    assert left_out_lines(without)[-1] == ["Credits", "$0.00, in no cost above"]


@pytest.mark.parametrize(
    ("share", "said"),
    [("1", "100.0 %"), ("0.99961", "99.9 %"), ("0.9994", "99.9 %"), ("1.0004", "100.0 %"),
     ("-0.0004", "0.0 %"), ("0.12345", "12.3 %")],
)  # fmt: skip
def test_a_part_is_never_all_as_on_the_pages(share: str, said: str) -> None:
    assert percent(Decimal(share)) == said
