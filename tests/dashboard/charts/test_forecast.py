from __future__ import annotations

from datetime import timedelta

from dashboard.charts.net_savings import net_savings_figure
from tests.support.dashboard.figures import LAST, D, days, named

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


def test_the_newest_amount_of_a_young_curve_stands_right_of_it() -> None:
    weeks = [week | {"date": week["date"] + timedelta(weeks=1)} for week in WEEKS]
    (note,) = net_savings_figure(days(-100, -40), [], dict.fromkeys(DATES), weeks)["layout"][
        "annotations"
    ]
    assert (note["y"], note["xanchor"]) == (-40.0, "left")


def test_the_fan_goes_on_until_the_interval_has_passed() -> None:
    figure = net_savings_figure(days(-110, -100), [], DATES, WEEKS)
    median, band = named(figure, "Forecast"), named(figure, "80 % of simulations")
    assert (median["x"][0], median["x"][-1]) == ("2026-10-02", "2027-01-15")
    assert median["y"][:2] == [-100.0, -90.0]
    assert band["y"][:2] == [-100.0, -89.0]
    assert band["y"][-2:] == [-91.0, -100.0]
    assert figure["layout"]["xaxis"]["range"] == ["2026-10-01", "2027-01-16"]
    assert median["customdata"][1] == "Forecast <b>−$90.00</b><br>80\u00a0%: −$91.00 to −$89.00"


def test_the_expected_break_even_is_a_bar_on_the_zero_line() -> None:
    figure = net_savings_figure(days(-110, -100), [], DATES, WEEKS)
    bar = named(figure, "Break-even, 80 %")
    assert (bar["x"], bar["y"]) == (["2026-12-05", "2026-12-19"], [0, 0])
    mark = next(t for t in figure["data"] if t.get("marker", {}).get("symbol") == "diamond-open")
    assert mark["x"] == ["2026-12-11"]
    assert mark["customdata"] == [
        "Break-even expected on 11 Dec 2026 (80\u00a0%: 5 Dec 2026 – 19 Dec 2026)"
    ]


def test_without_a_date_the_fan_shows_half_a_year_and_no_bar() -> None:
    never = dict.fromkeys(DATES)
    figure = net_savings_figure(days(-110, -100), [], never, WEEKS)
    assert named(figure, "Forecast")["x"][-1] == "2027-04-02"
    assert not any(trace.get("name") == "Break-even, 80 %" for trace in figure["data"])
