"""The card of what a move returns and what goes on."""

from __future__ import annotations

from dashboard.widgets.headline.going_on import going_on
from tests.support.dashboard.standings import NONE, RECOVERING, D
from tests.support.dashboard.text import text


def test_what_is_known_is_said_with_the_return_first() -> None:
    known = {
        "roi": D("-0.18"),
        "forward_per_month": D("-4045.026882"),
        "runs_to_break_even": 151,
        "payback_months": 34.748,
        "saving_at_old_volume": D(1020),
        "net_at_old_volume": D("-480"),
        "headroom_days": 6,
        "value_to_end": D(-2500),
        "months_in_migration": 1.05,
        "gpu_overhead_ended": D(2275),
    }
    shown = going_on(RECOVERING | known)
    assert shown is not None
    assert text(shown).endswith(
        "Return on investment so far −18 % A month against GPU −$4,045 "
        "Months to break-even 34.7 Runs to break-even 151 "
        "Saved at the volume trained before the move +$1,020 "
        "Left of that after overhead and investment −$480 "
        "Engineer-days that it could have cost more 6 Stands at, when training ends −$2,500 "
        "Months from first investment to first run 1.1 "
        "GPU use outside runs that ended, a month; in no saving $2,275"
    )


def test_what_is_paid_for_has_no_months_or_runs_to_go() -> None:
    paid = {"roi": D("0.26"), "runs_to_break_even": 0, "payback_months": 0.0, "headroom_days": 0}
    paid |= {"gpu_overhead_ended": D(0)}
    shown = text(going_on(NONE | paid))
    assert shown.endswith(
        "Return on investment so far 26 % Engineer-days that it could have cost more 0"
    )


def test_where_nothing_is_known_there_is_no_card() -> None:
    assert going_on(NONE) is None
