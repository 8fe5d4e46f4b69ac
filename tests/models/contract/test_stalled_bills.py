"""A bill without a billing account has remedies that can be followed."""

from __future__ import annotations

from datetime import date

from models.contract.stalled_bills import holds_back, undelivered_at_close


def test_a_bill_without_an_account_is_to_name_one_before_the_config_can_say_that_it_ended() -> None:
    """`[[accounts]]` has no entry for a bill whose lines name no account."""
    assert undelivered_at_close("no account", date(2026, 6, 20)) == (
        "nothing newer than 2026-06-20 was delivered for the bill without a billing account: "
        "deliver its export again; if that is all, [[invoices]] says what AWS charged, or, once "
        "its lines name a billing account, closed = 2026-06-20 in [[accounts]] that its bill has "
        "ended"
    )
    assert holds_back("no account", "2026-06-20") == (
        "is in no figure and waits for the bill without a billing account, without usage after "
        "2026-06-20: deliver its export again or, if its bill has ended, set closed = 2026-06-20 "
        "in [[accounts]] once its lines name a billing account"
    )
