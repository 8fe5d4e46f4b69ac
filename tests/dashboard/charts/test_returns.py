"""The return over time: what is drawn, what is said of it, and the table behind it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from dashboard.charts import returns
from dashboard.widgets.headline.returns import return_by_day, return_by_month
from models.contract.schema import PORTFOLIO
from tests.support.dashboard.text import text

D = Decimal


def row(day: date, roi: str | None, workload: str = PORTFOLIO) -> dict[str, Any]:
    share = None if roi is None else D(roi)
    net = None if share is None else share * 1000
    amounts = {"cumulative_net": net, "cumulative_investment": D(1000)}
    return {"workload": workload, "date": day, "roi": share, **amounts}


DAYS = [
    row(date(2026, 8, 30), None),
    row(date(2026, 8, 31), "-1"),
    row(date(2026, 9, 30), "0.1255"),
    row(date(2026, 10, 1), None),
]


def said(component: object) -> str:
    return " ".join(text(component).replace("\u00a0", " ").split())


def test_days_before_an_investment_and_after_an_unknown_saving_are_not_drawn() -> None:
    (line,) = returns.daily_return(DAYS)["data"]
    assert (line["x"], line["y"]) == (["2026-08-31", "2026-09-30"], [-1.0, 0.1255])
    assert returns.summary(returns.known(DAYS)).replace("\u00a0", " ") == (
        "Return on investment from 31 Aug 2026 to 30 Sep 2026: it began at −100.0 % and is "
        "+12.6 % now."
    )


def test_the_table_behind_has_what_the_return_is_made_of() -> None:
    """Of $1,000 invested $1,125.50 came back: that is saved less invested, not net savings."""
    shown = said(return_by_day({}, DAYS, DAYS[1:]))
    assert "Saved less invested, $ Invested so far, $ Return" in shown
    assert "Sep 2026, 30 Sep 2026 125.50 1,000.00 +12.6 %" in shown
    assert "+12.6 % on 30 Sep 2026. 0 % is break-even" in shown
    assert "Oct 2026, 1 Oct 2026 – 1,000.00 –" in shown


def test_all_workloads_are_drawn_first_and_at_most_four_of_them_beside() -> None:
    names = [PORTFOLIO, *(f"w{n}" for n in range(6))]
    ends = [row(date(2026, 9, 30), f"0.{n}", name) for n, name in enumerate(names)]
    traces = returns.monthly_returns(ends, names)["data"]
    assert [line["name"] for line in traces] == ["All workloads", "w0", "w1", "w2", "w3"]
    assert len({(line["line"]["dash"], line["marker"]["symbol"]) for line in traces}) == 5
    shown = said(return_by_month({}, ends, names))
    assert "Workload Sep 2026 All workloads 0.0 % w0 +10.0 %" in shown
    assert shown.endswith("w5 +60.0 %")


def test_without_a_return_it_says_what_is_missing() -> None:
    assert "It needs an investment" in said(return_by_day({}, DAYS[:1], []))
    judged = {"status": "insufficient_baseline"}
    assert "No saving can be computed yet" in said(return_by_month(judged, [], [PORTFOLIO]))
