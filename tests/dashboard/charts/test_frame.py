"""Figures: the layout that they share, escaped names, and what a forecast draws of nothing."""

from __future__ import annotations

from datetime import date, timedelta
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from dashboard.charts import frame
from dashboard.charts.escaping import escaped
from dashboard.charts.forecast import expected_break_even, forecast_traces, weeks_to_draw
from dashboard.charts.net_savings import net_savings_figure, unknown_since
from tests.support.dashboard.figures import D, days, named

MONDAY = date(2026, 11, 2)
WEEKS = [
    {"date": MONDAY + timedelta(weeks=n), "low": D(-n), "median": D(n), "high": None}
    for n in range(60)
]
NO_DATE = dict.fromkeys(("forecast_low", "forecast_median", "forecast_high"))


@given(st.text("a<>&;\"' b/", max_size=20))
def test_a_name_is_text_in_a_figure(name: str) -> None:
    assert "<" not in escaped(name)
    assert unescape(escaped(name)) == name if "&" not in name else escaped(name).count("&") >= 1


def test_a_figure_overrides_only_what_it_names() -> None:
    found = frame.figure([], 240, hovermode="x")["layout"]
    assert (found["height"], found["showlegend"], found["hovermode"]) == (240, False, "x")
    assert frame.figure([], 240)["layout"]["hovermode"] == "closest"
    assert frame.money_axis("$")["tickformat"] == "$,~f"


def test_a_legend_stands_above_the_plot_which_leaves_room_for_it() -> None:
    with_one, without = (frame.figure([], 240, showlegend=on)["layout"] for on in (True, False))
    assert (with_one["margin"]["t"], without["margin"]["t"]) == (34, 22)
    assert (with_one["legend"]["orientation"], with_one["legend"]["yanchor"]) == ("h", "bottom")


def test_without_a_forecast_nothing_of_one_is_drawn() -> None:
    assert (forecast_traces([]), expected_break_even({}, WEEKS)) == ([], [])
    assert expected_break_even({"forecast_low": MONDAY}, []) == []
    assert weeks_to_draw([], {}) == []


def test_a_date_beyond_the_horizon_is_a_bar_without_a_mark() -> None:
    standing = NO_DATE | {"forecast_low": MONDAY + timedelta(weeks=50)}
    (bar,) = expected_break_even(standing, WEEKS)
    assert bar["x"] == ["2027-10-18", "2027-12-20"]
    assert bar["customdata"][0].startswith("Break-even expected after 24 months or never")
    assert weeks_to_draw(WEEKS, standing) == WEEKS


def test_the_forecast_is_cut_four_weeks_after_its_interval_or_after_26() -> None:
    sure = NO_DATE | {"forecast_low": MONDAY, "forecast_high": MONDAY + timedelta(weeks=3)}
    assert [len(weeks_to_draw(WEEKS, each)) for each in (sure, NO_DATE)] == [8, 27]


def test_an_unknown_end_of_an_interval_is_a_gap_not_a_zero() -> None:
    band, median = forecast_traces(WEEKS[:2])
    assert band["y"] == [None, None, -1.0, 0.0]
    assert median["customdata"][1] == "Forecast <b>+$1.00</b><br>80\u00a0%: −$1.00 to –"


def test_a_curve_of_losses_ends_below_zero_and_says_so() -> None:
    figure = net_savings_figure(days(-100, -140.5), [], {})
    assert named(figure, "Net savings so far")["y"] == [-100.0, -140.5]
    (note,) = figure["layout"]["annotations"]
    assert (note["text"], note["y"]) == ("<b>−$141</b>", -140.5)


def test_a_known_curve_is_unknown_since_no_day() -> None:
    assert unknown_since(days(-100, 20)) is None
    assert unknown_since(days(None, None)) == date(2026, 10, 1)


def test_of_few_days_each_is_written_once() -> None:
    def tick(*x: str) -> object:
        traces = [{"x": []}, {"x": list(x)}, {}]
        return frame.figure(traces, 240, xaxis=frame.date_axis())["layout"]["xaxis"].get("dtick")

    assert (tick("2026-10-31"), tick("2026-10-01", "2026-10-08")) == (86_400_000, 86_400_000)
    assert (tick(), tick("2026-10-01", "2026-10-09")) == (None, None)
    assert "dtick" not in frame.figure([{"x": [1, 2]}], 240)["layout"]["xaxis"]
