from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from flask import Flask

from dashboard.address.view import View
from dashboard.pages.workload.epoch_cost import epoch_cost
from dashboard.pages.workload.sections import draw_epoch_cost
from tests.support.dashboard.figures import FIRST, LAST, D, named
from tests.support.dashboard.text import text


def period(hardware: str, start: date, value: str, settled: bool = True) -> dict[str, Any]:
    return {
        "hardware": hardware,
        "period_start": start,
        "cost_per_epoch": D(value),
        "cost": D(value) * 2,
        "epochs": D(2),
        "settled": settled,
    }


def test_hardware_differs_by_colour_dash_and_marker() -> None:
    rows = [period("gpu", FIRST, "262.50"), period("trainium", FIRST, "100", settled=False)]
    figure = epoch_cost(rows, [], [], "month", {})
    gpu, trn = named(figure, "GPU"), named(figure, "Trainium")
    assert gpu["line"]["color"] != trn["line"]["color"]
    assert gpu["line"]["dash"] != trn["line"]["dash"]
    assert (gpu["marker"]["symbol"], trn["marker"]["symbol"]) == (["circle"], ["square-open"])


def test_a_point_says_how_it_came_about() -> None:
    figure = epoch_cost([period("trainium", FIRST, "100.005")], [], [], "month", {"unit": "epoch"})
    assert named(figure, "Trainium")["customdata"] == [
        "Trainium · Oct 2026<br><b>$100.01</b> per epoch<br>$200.01 ÷ 2.00 epochs"
    ]


def test_a_price_cut_is_marked_on_its_day() -> None:
    change = {
        "instance_type": "p4d.24xlarge<b>",
        "purchase_option": "on_demand",
        "effective_from": FIRST,
        "usd_per_hour": D("21.957642"),
        "previous_usd_per_hour": D("32.7726"),
    }
    layout = epoch_cost([period("gpu", FIRST, "1")], [], [change], "week", {})["layout"]
    assert layout["shapes"][0]["x0"] == "2026-10-01"
    assert layout["annotations"][0]["text"] == "p4d.24xlarge&lt;b&gt; price −33\u00a0%"


def test_a_dearer_block_is_not_called_a_dearer_machine_and_no_change_is_no_mark() -> None:
    steps = [("31.464", "41.528"), ("41.528", "41.527917")]
    changes = [
        {
            "instance_type": "p5.48xlarge",
            "purchase_option": "capacity_block",
            "effective_from": FIRST,
            "usd_per_hour": D(after),
            "previous_usd_per_hour": D(before),
        }
        for before, after in steps
    ]
    layout = epoch_cost([period("gpu", FIRST, "1")], [], changes, "week", {})["layout"]
    marks = [mark["text"] for mark in layout["annotations"]]
    assert marks == ["p5.48xlarge Capacity Blocks +32\u00a0%"]
    assert len(layout["shapes"]) == 1


def price(day: date, kind: str = "p5.48xlarge", after: str = "5") -> dict[str, Any]:
    return {
        "instance_type": kind,
        "purchase_option": "on_demand",
        "effective_from": day,
        "usd_per_hour": D(after),
        "previous_usd_per_hour": D(10),
    }


def test_prices_that_change_on_one_day_share_a_note_and_later_ones_stand_below() -> None:
    days = [FIRST + timedelta(days) for days in (0, 0, 40, 90)]
    changes = [price(day, kind) for day, kind in zip(days, ("p4d", "p5", "p5", "p4d"), strict=True)]
    rows = [period("gpu", FIRST, "1"), period("gpu", days[-1], "1")]
    layout = epoch_cost(rows, [], changes, "week", {})["layout"]
    notes = [(note["text"], note["yshift"], note["xanchor"]) for note in layout["annotations"]]
    assert notes == [
        ("p4d price −50\u00a0%<br>p5 price −50\u00a0%", 0, "left"),
        ("p5 price −50\u00a0%", -32, "left"),
        ("p4d price −50\u00a0%", -48, "right"),
    ]
    assert len(layout["shapes"]) == 3


def test_the_axis_is_limited_to_the_days_that_have_a_cost() -> None:
    """A price that changed a year before or a month after moves nothing and is not drawn."""
    rows = [period("gpu", FIRST, "1"), period("gpu", FIRST + timedelta(28), "1")]
    baseline = [{"date": FIRST + timedelta(100), "value": D(200)}]
    changes = [price(FIRST - timedelta(365)), price(FIRST + timedelta(130))]
    layout = epoch_cost(rows, baseline, changes, "month", {})["layout"]
    assert layout["xaxis"]["range"] == ["2026-09-29", "2027-01-11"]
    assert layout["shapes"] == layout["annotations"] == []


SURE = {
    "baseline_low": D("-0.1"),
    "baseline_high": D("0.2"),
    "trn_epoch_low": D("90"),
    "trn_epoch_high": D("110"),
}


def test_the_bands_lie_around_the_baseline_and_trainiums_mean() -> None:
    baseline = [{"date": FIRST, "value": D(200)}, {"date": FIRST + timedelta(7), "value": D(150)}]
    rows = [
        period("gpu", FIRST, "1"),
        period("trainium", FIRST, "1"),
        period("trainium", LAST, "1"),
    ]
    drawn = epoch_cost(rows, baseline, [], "week", SURE)["data"][:4]
    assert [trace["y"] for trace in drawn] == [[180, 135], [240, 180], [90, 90], [110, 110]]
    assert drawn[2]["x"] == ["2026-10-01", "2026-10-02"]
    assert [trace.get("fill") for trace in drawn] == [None, "tonexty", None, "tonexty"]


def test_without_an_interval_no_band_is_drawn() -> None:
    baseline = [{"date": FIRST, "value": D(200)}]
    unsure = SURE | dict.fromkeys(SURE)
    figure = epoch_cost([period("trainium", FIRST, "1")], baseline, [], "week", unsure)
    assert not any("fill" in trace for trace in figure["data"])


def test_a_range_within_a_month_has_no_month_but_its_weeks(server: Flask) -> None:
    """METHOD §8 A, 5 to 25 September: work of two runs, and no first day of a month."""
    within = View(start=date(2025, 9, 5), end=date(2025, 9, 25))
    assert text(draw_epoch_cost("atlas-7b", within)).startswith(
        "No month with a known cost of work begins in this range Choose weeks, or a longer range."
    )
    weeks = replace(within, period="week")
    assert "begins in this range" not in text(draw_epoch_cost("atlas-7b", weeks))


def test_without_a_range_there_is_no_other_to_choose(server: Flask) -> None:
    assert text(draw_epoch_cost("nobody", View())).endswith(
        "begins in this range Work counts once its day is settled."
    )
