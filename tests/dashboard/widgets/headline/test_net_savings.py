from __future__ import annotations

from datetime import date

from dashboard.widgets.headline.net_savings import net_savings
from tests.support.dashboard.text import text


def test_a_curve_that_nobody_knows_says_why_in_its_place() -> None:
    days = [{"date": date(2026, 10, 1), "settled": True, "cumulative_net": None}]
    unjudged = net_savings({"status": "insufficient_baseline"}, days, [], [])
    assert "No saving can be computed yet" in text(unjudged)
    unknown = text(net_savings({"status": "recovering"}, days, [], []))
    assert "The saving is unknown What the GPU would have cost is not known" in unknown
    days[0]["settled"] = False
    assert "No settled day in this range" in text(net_savings({}, days, [], []))
