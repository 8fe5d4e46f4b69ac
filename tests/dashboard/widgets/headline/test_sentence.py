from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

from dashboard.widgets.headline.sentence import emphasised, standing_on
from tests.support.dashboard.standings import JUDGED
from tests.support.dashboard.text import text

D = Decimal


def test_amounts_are_set_off_in_the_sentence() -> None:
    parts = emphasised("has recovered 82\u00a0% of $214,300 invested, at −$1.23M.")
    assert [part for part in parts if isinstance(part, str)] == [
        "has recovered ",
        " of ",
        " invested, at ",
        ".",
    ]


def test_what_aws_restated_stands_beside_the_headline() -> None:
    snapshot = {
        "basis": "effective",
        "baseline_method": "conservative",
        "settled_through": date(2026, 10, 28),
    }
    at = datetime(2026, 10, 14, 6, tzinfo=UTC)
    months = [
        {"month": "2026-08", "change": D("-11.90"), "changed_at": at, "total": D("-11.50")},
        {"month": "2026-09", "change": D("0.40"), "changed_at": at, "total": D("-11.50")},
    ]
    drawn = standing_on(snapshot, None, months)
    assert text(drawn).endswith("Restated by −$11.50")
    assert "Aug 2026 by −$11.90 on 14 Oct 2026; Sep 2026 by +$0.40 on 14 Oct" in str(drawn)
    assert "Restated" not in text(standing_on(snapshot))
    unknown = [months[0] | {"total": None}, months[1] | {"change": None, "total": None}]
    drawn = standing_on(snapshot, None, unknown)
    assert text(drawn).endswith("Restated by an unknown amount")
    assert "Sep 2026 by an unknown amount on 14 Oct" in str(drawn)


def test_the_saving_at_list_stands_beside_the_headline() -> None:
    snapshot = {
        "basis": "effective",
        "baseline_method": "conservative",
        "settled_through": date(2026, 10, 28),
    }
    listed = {"cumulative_gross_saving": D("56514.90"), "cumulative_saving_at_list": D("-71.5")}
    standing = JUDGED | listed
    told = text(standing_on(snapshot, standing))
    assert "Saved before overhead: +$56,515, at list prices" in told
    assert told.endswith("−$71.50")
    unknown = text(standing_on(snapshot, standing | {"cumulative_saving_at_list": None}))
    assert unknown.endswith("unknown")
    barred = text(standing_on(snapshot, standing | {"cumulative_gross_saving": None}))
    assert "Saved before overhead" not in barred
