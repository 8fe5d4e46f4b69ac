"""The card of what a move returns and what goes on."""

from __future__ import annotations

from datetime import date

from dashboard.widgets.headline.going_on import going_on
from tests.support.dashboard.standings import FORECAST, NONE, RECOVERING, D
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
        "Months to break-even, at that pace 34.7 Runs to break-even, at that pace 151 "
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


def test_months_at_the_pace_and_the_forecast_stand_side_by_side_with_why_they_differ() -> None:
    """12 Jan 2027 is 2.6 months after 26 Oct 2026: (5 + 30 + 31 + 12) days × 12 ÷ 365."""
    shown = going_on(RECOVERING | FORECAST | {"payback_months": 7.24}, date(2026, 10, 26))
    assert text(shown).endswith(
        "Months to break-even, at that pace 7.2 7.2 months at the pace of the last 84 days; "
        "the forecast expects break-even on 12 Jan 2027, 2.6 months from 26 Oct 2026. It draws "
        "from every week since the move, at today's GPU price, and counts what is planned to be "
        "invested. They differ as far as the last 84 days were better or worse than the rest."
    )


def test_work_without_a_pace_before_the_move_is_named_with_what_it_lacks() -> None:
    kinds = [
        {"workload": "harbor", "recipe": None, "gpu_runs": None, "gpu_days": None},
        {"workload": "nova", "recipe": "full", "gpu_runs": 1, "gpu_days": 30},
        {"workload": "quill", "recipe": None, "gpu_runs": 2, "gpu_days": 9},
    ]
    shown = going_on(RECOVERING | {"roi": D("-0.18")}, paceless=kinds)
    assert text(shown).endswith(
        "Saved at the volume trained before the move: unknown, for harbor had no GPU run before "
        "its move; nova, full, had 1 GPU run over 30 days before it; 1 more (a pace takes 56 days "
        "and `baseline.min_runs` GPU runs)."
    )
