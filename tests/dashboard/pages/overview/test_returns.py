"""The return at each day's end, recomputed from what each day saved and cost."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.pages.overview import curve as overview
from dashboard.pages.workload import curve as workload
from dashboard.snapshot import returns
from models.contract.schema import PORTFOLIO
from tests.support.dashboard.text import text
from tests.support.world import Marts


def test_the_return_is_what_came_back_of_what_was_spent(server: object, built: Marts) -> None:
    days = built.rows(
        "SELECT date, net_saving, investment FROM savings_daily WHERE settled ORDER BY date"
    )
    net = spent = 0
    by_hand = {}
    for day in days:
        net, spent = net + day["net_saving"], spent + day["investment"]
        by_hand[day["date"]] = round((net - spent) / spent, 9) if spent > 0 else None
    found = {row["date"]: row["roi"] for row in returns.by_day("atlas-7b", View())}
    assert found == by_hand
    assert any(value not in (None, -1) for value in found.values())
    ends = returns.month_ends([PORTFOLIO, "atlas-7b"], View())
    last = {row["date"].month: row for row in ends if row["workload"] == "atlas-7b"}
    assert all(row["roi"] == by_hand[row["date"]] for row in last.values())
    assert last[9]["date"] == max(day for day in by_hand if day.month == 9)


def test_both_pages_show_it_by_day_and_by_month(server: object) -> None:
    assert returns.largest_moves() == ["atlas-7b"]
    for shown in ("return", "months"):
        view = View.parse({"curve": shown})
        assert "Return on investment" in text(overview.draw_curve(view))
        assert "The returns as a table" in text(workload.draw_curve("atlas-7b", view))
    assert View.parse({"curve": "nonsense"}).curve == "net"
