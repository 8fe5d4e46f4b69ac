from __future__ import annotations

from datetime import date
from decimal import Decimal

from dashboard.pages.rates.charts import NOTE, rates, spot

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


def test_the_names_of_price_cuts_stand_above_every_line() -> None:
    row = {
        "platform": "p5", "hardware": "gpu", "period_start": date(2026, 6, 1), "hours": Decimal(10),
        "cost": Decimal(65), "list": Decimal(69), "unpriced": Decimal(0),
    }  # fmt: skip
    cuts = [
        {
            "instance_type": kind, "region": "us-east-1", "since": date(2025, 6, 1),
            "usd_per_hour": Decimal(2), "previous_usd_per_hour": Decimal(3),
        }
        for kind in ("p5.48xlarge", "p4d.24xlarge", "p4de.24xlarge")
    ]  # fmt: skip
    drawn = rates([row], cuts, "month")["layout"]
    (_, top) = drawn["yaxis"]["range"]
    lowest = min(note["y"] for note in drawn["annotations"]) - NOTE
    assert lowest * top > 6.9
    assert rates([row], [], "month")["layout"]["yaxis"]["rangemode"] == "tozero"


def test_a_dearer_hour_has_a_sign_and_is_rounded_half_up() -> None:
    """$1.00005 an hour at a list price of $0.90005: 11.1 % more, which is no saving."""
    row = {
        "platform": "p5", "hardware": "gpu", "period_start": date(2026, 6, 1), "hours": Decimal(2),
        "cost": Decimal("2.0001"), "list": Decimal("1.8001"), "unpriced": Decimal(0),
    }  # fmt: skip
    rise = {
        "instance_type": "p5.48xlarge", "region": "us-east-1", "since": date(2026, 6, 1),
        "usd_per_hour": Decimal(3), "previous_usd_per_hour": Decimal(2),
    }  # fmt: skip
    figure = rates([row], [rise], "month")
    paid = next(trace for trace in figure["data"] if trace.get("name") == "p5")
    assert paid["customdata"] == [
        "p5 · Jun 2026<br><b>$1.0001</b> an accelerator-hour<br>"
        "list $0.9001; difference +11.1\u00a0%<br>2 accelerator-hours"
    ]
    assert [note["text"] for note in figure["layout"]["annotations"]] == [
        "p5.48xlarge list +50\u00a0%"
    ]
