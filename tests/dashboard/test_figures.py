from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from dashboard.charts import frame
from dashboard.charts.net_savings import curve, summary, unknown_since
from dashboard.pages.compare.spread import short
from dashboard.pages.workload.epoch_cost import epoch_cost
from dashboard.pages.workload.loss_curve import loss_curve, placed
from dashboard.pages.workload.wording import loss_note
from dashboard.wording import theme

D = Decimal
FIRST = date(2026, 10, 1)


def days(*heights: object, unsettled: int = 0) -> list[dict[str, Any]]:
    settled = len(heights) - unsettled
    return [
        {
            "date": FIRST + timedelta(days=index),
            "settled": index < settled,
            "cumulative_net": None if height is None else D(str(height)),
        }
        for index, height in enumerate(heights)
    ]


def named(figure: frame.Figure, name: str) -> dict[str, Any]:
    return next(trace for trace in figure["data"] if trace.get("name") == name)


def test_the_curve_runs_through_settled_days_only() -> None:
    figure = curve(days(-100, -40, 20, None, unsettled=1), [], {})
    line = named(figure, "Net savings so far")
    assert line["x"] == ["2026-10-01", "2026-10-02", "2026-10-03"]
    assert line["y"] == [-100.0, -40.0, 20.0]


def test_unsettled_days_are_hatched_and_named() -> None:
    hatched = curve(days(-100, -40, None, None, unsettled=2), [], {})["data"][-1]
    assert hatched["fillpattern"]["shape"] == "/"
    assert hatched["text"] == "Not settled yet: 3 Oct 2026 – 4 Oct 2026"


def test_nothing_is_hatched_when_every_day_is_settled() -> None:
    traces = curve(days(-100, -40), [], {})["data"]
    assert not any("fillpattern" in trace for trace in traces)


def test_each_outlay_stands_on_the_curve_with_its_dollars() -> None:
    outlay = {"date": FIRST, "kind": "dual_run", "amount": D("10000")}
    figure = curve(days(-10000, -9000), [outlay], {})
    marks = next(t for t in figure["data"] if t.get("marker", {}).get("symbol") == "triangle-down")
    assert (marks["x"], marks["y"]) == (["2026-10-01"], [-10000.0])
    assert marks["customdata"] == ["Invested $10,000 · dual run · 1 Oct 2026"]


def test_break_even_is_marked_on_the_zero_line() -> None:
    figure = curve(days(-1, 1), [], {"break_even_date": FIRST + timedelta(days=1)})
    mark = next(t for t in figure["data"] if t.get("marker", {}).get("symbol") == "diamond")
    assert (mark["x"], mark["y"]) == (["2026-10-02"], [0])
    assert any("Break-even" in note["text"] for note in figure["layout"]["annotations"])


def test_a_day_of_unknown_saving_ends_the_curve() -> None:
    assert named(curve(days(-100, None, None), [], {}), "Net savings so far")["y"] == [-100.0]


@pytest.mark.parametrize(("before", "last", "shift"), [(-100, -40, 14), (-40, -100, -14)])
def test_the_newest_amount_stands_clear_of_the_line(before: int, last: int, shift: int) -> None:
    (note,) = curve(days(before, last), [], {})["layout"]["annotations"]
    assert note["yshift"] == shift


def test_the_newest_amount_is_as_clear_of_the_line_as_it_is_wide() -> None:
    dip = days(*[-90] * 60, *[-20] * 20, *range(-60, -40))
    (note,) = curve(dip, [], {})["layout"]["annotations"]
    assert (note["y"], note["yshift"], note["xanchor"]) == (-60.0, -14, "right")


def test_the_newest_amount_of_a_young_curve_stands_right_of_it() -> None:
    weeks = [week | {"date": week["date"] + timedelta(weeks=1)} for week in WEEKS]
    (note,) = curve(days(-100, -40), [], dict.fromkeys(DATES), weeks)["layout"]["annotations"]
    assert (note["y"], note["xanchor"]) == (-40.0, "left")


LAST = FIRST + timedelta(days=1)
WEEKS = [
    {
        "date": LAST + timedelta(weeks=week),
        "low": D(10 * week - 100 - week),
        "median": D(10 * week - 100),
        "high": D(10 * week - 100 + week),
    }
    for week in range(105)
]
DATES = {
    "forecast_low": LAST + timedelta(days=64),
    "forecast_median": LAST + timedelta(days=70),
    "forecast_high": LAST + timedelta(days=78),
}


def test_the_fan_goes_on_until_the_interval_has_passed() -> None:
    figure = curve(days(-110, -100), [], DATES, WEEKS)
    median, band = named(figure, "Forecast"), named(figure, "80 % of futures")
    assert (median["x"][0], median["x"][-1]) == ("2026-10-02", "2027-01-15")
    assert median["y"][:2] == [-100.0, -90.0]
    assert band["y"][:2] == [-100.0, -89.0]
    assert band["y"][-2:] == [-91.0, -100.0]
    assert figure["layout"]["xaxis"]["range"] == ["2026-10-01", "2027-01-16"]
    assert median["customdata"][1] == "Forecast <b>−$90.00</b><br>80\u00a0%: −$91.00 to −$89.00"


def test_the_expected_break_even_is_a_bar_on_the_zero_line() -> None:
    figure = curve(days(-110, -100), [], DATES, WEEKS)
    bar = named(figure, "Break-even, 80 %")
    assert (bar["x"], bar["y"]) == (["2026-12-05", "2026-12-19"], [0, 0])
    mark = next(t for t in figure["data"] if t.get("marker", {}).get("symbol") == "diamond-open")
    assert mark["x"] == ["2026-12-11"]
    assert mark["customdata"] == [
        "Break-even expected on 11 Dec 2026 (80\u00a0%: 5 Dec 2026 – 19 Dec 2026)"
    ]


def test_without_a_date_the_fan_shows_half_a_year_and_no_bar() -> None:
    never = dict.fromkeys(DATES)
    figure = curve(days(-110, -100), [], never, WEEKS)
    assert named(figure, "Forecast")["x"][-1] == "2027-04-02"
    assert not any(trace.get("name") == "Break-even, 80 %" for trace in figure["data"])


def test_the_curve_is_told_in_words_too() -> None:
    assert summary(days(-100, 20), {}) == (
        "Cumulative net savings from 1 Oct 2026 to 2 Oct 2026, now +$20.00."
    )


def test_a_saving_that_became_unknown_is_not_told_as_of_now() -> None:
    lost = days(-100, 20, None, None, unsettled=1)
    assert summary(lost, {}) == (
        "Cumulative net savings from 1 Oct 2026 to 2 Oct 2026, then +$20.00, "
        "unknown since 3 Oct 2026."
    )
    assert unknown_since(lost) == date(2026, 10, 3)
    assert unknown_since(days(-100, None, unsettled=1)) is None


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
    figure = epoch_cost([period("trainium", FIRST, "100.005")], [], [], "month", {})
    assert named(figure, "Trainium")["customdata"] == [
        "Trainium · Oct 2026<br><b>$100.01</b> per epoch<br>$200.01 ÷ 2.00 epochs"
    ]


def test_a_price_cut_is_marked_on_its_day() -> None:
    change = {
        "instance_type": "p4d.24xlarge<b>",
        "effective_from": FIRST,
        "usd_per_hour": D("21.957642"),
        "previous_usd_per_hour": D("32.7726"),
    }
    layout = epoch_cost([period("gpu", FIRST, "1")], [], [change], "week", {})["layout"]
    assert layout["shapes"][0]["x0"] == "2026-10-01"
    assert layout["annotations"][0]["text"] == "p4d.24xlarge&lt;b&gt; price −33\u00a0%"


def points(run: str, hardware: str) -> list[dict[str, Any]]:
    return [
        {
            "run": run,
            "hardware": hardware,
            "epoch": D(index),
            "loss": 2.0 / index,
            "cost_so_far": D(100 * index),
            "hours_so_far": D(4 * index),
        }
        for index in (1, 2)
    ]


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


def test_loss_is_drawn_once_per_run_against_dollars_or_hours() -> None:
    rows = points("<i>t1", "trainium") + points("g1", "gpu") + points("g2", "gpu")
    dollars, hours = (loss_curve(rows, axis, 1.48)["data"] for axis in ("dollars", "hours"))
    assert [trace["x"] for trace in dollars] == [[100.0, 200.0]] * 3
    assert [trace["x"] for trace in hours] == [[4.0, 8.0]] * 3
    assert [trace["showlegend"] for trace in dollars] == [True, True, False]
    assert dollars[0]["customdata"][0].startswith("&lt;i&gt;t1 · Trainium")


def test_a_run_of_unknown_hardware_does_not_pass_for_a_gpu() -> None:
    rows = [row | {"hardware": None} for row in points("x1", "gpu")] + points("g1", "gpu")
    figure = loss_curve(rows, "dollars", None)
    unknown, gpu = named(figure, "Unknown hardware"), named(figure, "GPU")
    assert unknown["line"]["color"] != gpu["line"]["color"]
    assert unknown["line"]["dash"] != gpu["line"]["dash"]
    assert [trace["showlegend"] for trace in figure["data"]] == [True, True]


def test_runs_without_a_bill_have_no_place_on_the_axis() -> None:
    free = [row | {"cost_so_far": D(0), "hours_so_far": D(0)} for row in points("x1", "gpu")]
    rows = [*free, *points("g1", "gpu")]
    assert {row["run"] for row in placed(rows, "dollars")} == {"g1"}
    assert placed(free, "hours") == []
    assert loss_note(rows, placed(rows, "dollars")) == (
        "Not drawn: 1 run without accelerator-hours on the bill."
    )
    assert loss_note(rows, rows) is None


def test_only_so_many_runs_are_drawn_and_the_chart_says_so() -> None:
    rows = [row for n in range(40) for row in points(f"g{n}", "gpu")]
    assert loss_note(rows, rows) == "Only the 40 newest runs of the range are drawn."


@pytest.mark.parametrize("target", [None, 0.5])
def test_no_loss_and_no_target_touches_the_edge_of_the_figure(target: float | None) -> None:
    low, high = loss_curve(points("g1", "gpu"), "dollars", target)["layout"]["yaxis"]["range"]
    assert low < (target or 1.0) - 0.05
    assert high > 2.05


def test_dollars_on_an_axis_are_plain() -> None:
    axis = loss_curve(points("g1", "gpu"), "dollars", None)["layout"]["xaxis"]
    assert axis["tickformat"] == "$,~f"


def test_the_target_loss_is_drawn_where_it_is_known() -> None:
    rows = points("t1", "trainium")
    assert loss_curve(rows, "dollars", 1.48)["layout"]["shapes"][0]["y0"] == 1.48
    assert loss_curve(rows, "dollars", None)["layout"]["shapes"] == []


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_lines_stand_out_on_the_light_and_on_the_dark_surface() -> None:
    for colour in (theme.GPU, theme.TRAINIUM, theme.SAVINGS, theme.GAIN_LINE, theme.LOSS_LINE):
        for ground in ("#ffffff", "#171b1f"):
            light, dark = sorted((luminance(colour), luminance(ground)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3, (colour, ground)


def test_a_name_in_a_figure_is_text_and_its_quotation_marks_are_no_entities() -> None:
    """Plotly draws `&quot;` as it stands."""
    assert short("a <b>&\"'") == "\u2068a &lt;b&gt;&amp;\"'\u2069"
