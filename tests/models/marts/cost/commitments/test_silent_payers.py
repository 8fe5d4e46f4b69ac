"""METHOD §1: what a payer that fell silent leaves idle is unknown, not $0.

METHOD §8 A with $100 of investment: its runs save 303.50, 359.375 and 475.25 from 2 September on.
Beside it a payer that carries no workload holds an idle reservation for Trainium at $50 a day.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

D = Decimal
PAYER, ENDED = "999900000009", "999900000008"
INVESTED = {"investments": [{"date": "2025-08-15", "kind": "tooling", "amount": 100}]}
HELD = {
    "BillingAccountId": PAYER,
    "SubAccountId": PAYER,
    "x_UsageType": "BoxUsage:trn1.32xlarge",
    "ConsumedQuantity": 24,
    "ConsumedUnit": "Hours",
    "CommitmentDiscountId": "ri-1",
    "CommitmentDiscountStatus": "Unused",
}


def idle(world: World, until: str, **columns: object) -> World:
    """The reservation, idle every day from 1 August on."""
    day = date(2025, 8, 1)
    while day <= date.fromisoformat(until):
        world.charge(f"{day}T00:00:00", 50, **HELD | columns)
        day += timedelta(days=1)
    return world


def whole(world: World, *further: str, **config: object) -> Marts:
    """What the portfolio is said to be worth."""
    return some_marts(world.pulled(**INVESTED, **config), "break_even", *further)


def months(marts: Marts) -> list[tuple[object, ...]]:
    rows = marts.rows(
        "SELECT month, overhead, net_saving, cumulative_net, status FROM monthly_summary "
        "WHERE workload = '(portfolio)' AND month >= '2025-09' ORDER BY month"
    )
    return [tuple(row.values()) for row in rows]


def last_known(marts: Marts) -> tuple[object, ...]:
    """The last day on which the portfolio's net is known, and how much it is."""
    known = marts.row(
        "SELECT max(date) AS day, max_by(cumulative_net, date) AS net FROM portfolio_daily "
        "WHERE cumulative_net IS NOT NULL"
    )
    return tuple(known.values())


def test_a_whole_bill_tells_all_that_stood_idle(atlas: World) -> None:
    """29 days of September and 28 of October: 1,138.125 − 57 × 50 − 100.

    Another payer's reservation has ended in August, and its bill in September: that is no silence.
    """
    other = {"BillingAccountId": ENDED, "SubAccountId": ENDED}
    idle(atlas, "2025-08-20", CommitmentDiscountId="ri-2", **other)
    atlas.charge("2025-09-26T00:00:00", 1, x_UsageType="EBS:VolumeUsage.gp3", **other)
    marts = whole(idle(atlas, "2025-10-30"))
    row = marts.standing("(portfolio)")
    assert (row["status"], row["cumulative_net"]) == ("losing", D("-1811.875"))


def test_idle_that_nobody_tells_any_more_is_unknown(atlas: World) -> None:
    """Taken for $0 after the 10th it would break even: 1,138.125 − 9 × 50 − 100 = 588.125."""
    marts = whole(idle(atlas, "2025-09-10"), "monthly_summary", "portfolio_daily")
    row = marts.standing("(portfolio)")
    names = ("status", "break_even_date", "cumulative_net_saving", "cumulative_net", "progress")
    assert [row[name] for name in names] == ["insufficient_baseline", None, None, None, None]
    assert row["cumulative_gross_saving"] == D("1138.125")
    assert row["reason"] == (
        "idle commitment that belongs to no workload is unknown after 2025-09-10, so no saving is "
        f"claimed: nothing newer was delivered for billing account {PAYER}: deliver its export "
        "again or, if its bill has ended, set closed = 2025-09-10 in [[accounts]]"
    )
    unknown = (None, None, None, "insufficient_baseline")
    assert months(marts) == [("2025-09", *unknown), ("2025-10", *unknown)]
    assert last_known(marts) == (date(2025, 9, 10), D("112.875"))
    of_another_payer = marts.standing()
    assert of_another_payer["cumulative_net_saving"] == D("1138.125")
    assert "unknown" not in of_another_payer["reason"]


def test_the_idle_of_a_closed_payer_ends_with_its_bill(atlas: World) -> None:
    """On 8 September 303.50 + 24 h of the second run, 265.384615385, stand against 450."""
    marts = whole(idle(atlas, "2025-09-10"), accounts=[{"id": PAYER, "closed": "2025-09-10"}])
    row = marts.standing("(portfolio)")
    assert (row["status"], row["cumulative_net"]) == ("broke_even", D("588.125"))
    assert row["break_even_date"] == date(2025, 9, 8)


def test_only_what_its_payer_was_billed_without_for_a_month_has_ended(atlas: World) -> None:
    """Both payers' own bills go on to 26 September with storage: 37 days without it, or 31."""
    for payer, until in ((ENDED, "2025-08-20"), (PAYER, "2025-08-26")):
        own = {"BillingAccountId": payer, "SubAccountId": payer}
        idle(atlas, until, CommitmentDiscountId=f"ri-{payer}", **own)
        atlas.charge("2025-09-26T00:00:00", 1, x_UsageType="EBS:VolumeUsage.gp3", **own)
    marts = some_marts(atlas.pulled(**INVESTED), "silent_payers", "portfolio_daily")
    silent = marts.rows("SELECT billing_account, settled_through FROM silent_payers")
    assert silent == [{"billing_account": PAYER, "settled_through": date(2025, 9, 26)}]
    assert last_known(marts) == (date(2025, 9, 26), D("1038.125"))


def test_idle_without_a_name_is_each_payer_s_own(atlas: World) -> None:
    """Cost Explorer names no commitment: the one who still pays tells nothing of the other, who
    has no name either."""
    named = {"CommitmentDiscountId": None}
    idle(atlas, "2025-09-10", **named, BillingAccountId=None)
    other = {"BillingAccountId": "999900000001", "SubAccountId": "999900000001"}
    idle(atlas, "2025-10-30", **named | other)
    row = whole(atlas).standing("(portfolio)")
    assert row["cumulative_net"] is None
    said = "unknown after 2025-09-10, so no saving is claimed: nothing newer was delivered for "
    assert f"{said}billing account without an id: " in row["reason"]
