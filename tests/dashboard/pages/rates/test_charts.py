from __future__ import annotations

from datetime import date
from decimal import Decimal

from dashboard.pages.rates.charts import spot

TODAY = "2026-10-31"


def test_a_spot_price_is_drawn_up_to_today_though_it_holds_for_some_weeks_more() -> None:
    about = {"instance_type": "p5.48xlarge", "region": "us-east-1", "hardware": "gpu"}
    rows = [
        {**about, "since": since, "until": until, "usd": Decimal(3)}
        for since, until in (
            (date(2026, 10, 5), date(2026, 10, 12)),
            (date(2026, 10, 12), date(2026, 11, 26)),
        )
    ]
    assert spot(rows, TODAY)["data"][0]["x"] == ["2026-10-05", "2026-10-12", TODAY]
    gone = [{**rows[0], "until": date(2026, 9, 1), "since": date(2026, 7, 18)}]
    assert spot(gone, TODAY)["data"][0]["x"][-1] == "2026-09-01"
