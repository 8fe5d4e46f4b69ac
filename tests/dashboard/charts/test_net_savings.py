from __future__ import annotations

from datetime import date, timedelta

import pytest

from dashboard.charts.net_savings import net_savings_figure, summary, unknown_since
from tests.support.dashboard.figures import FIRST, D, days, named


def test_the_curve_runs_through_settled_days_only() -> None:
    figure = net_savings_figure(days(-100, -40, 20, None, unsettled=1), [], {})
    line = named(figure, "Net savings so far")
    assert line["x"] == ["2026-10-01", "2026-10-02", "2026-10-03"]
    assert line["y"] == [-100.0, -40.0, 20.0]


def test_unsettled_days_are_hatched_and_named() -> None:
    hatched = net_savings_figure(days(-100, -40, None, None, unsettled=2), [], {})["data"][-1]
    assert hatched["fillpattern"]["shape"] == "/"
    assert hatched["text"] == "Not settled yet: 3 Oct 2026 – 4 Oct 2026"


def test_a_settled_day_between_days_that_wait_is_not_hatched() -> None:
    """2 October waits for allocations, and 5 and 6 October for the bill."""
    curve = days(-100, None, -40, 20, None, None, unsettled=2)
    curve[1]["settled"] = False
    traces = net_savings_figure(curve, [], {})["data"]
    hatched = [trace for trace in traces if "fillpattern" in trace]
    assert [(each["text"], each["x"][0], each["x"][-1]) for each in hatched] == [
        ("Not settled yet: 2 Oct 2026", "2026-10-01", "2026-10-02"),
        ("Not settled yet: 5 Oct 2026 – 6 Oct 2026", "2026-10-04", "2026-10-06"),
    ]


def test_nothing_is_hatched_when_every_day_is_settled() -> None:
    traces = net_savings_figure(days(-100, -40), [], {})["data"]
    assert not any("fillpattern" in trace for trace in traces)


def test_each_outlay_stands_on_the_curve_with_its_dollars() -> None:
    outlay = {"date": FIRST, "kind": "dual_run", "amount": D("10000")}
    figure = net_savings_figure(days(-10000, -9000), [outlay], {})
    marks = next(t for t in figure["data"] if t.get("marker", {}).get("symbol") == "triangle-down")
    assert (marks["x"], marks["y"]) == (["2026-10-01"], [-10000.0])
    assert marks["customdata"] == ["Invested $10,000 · training on both at once · 1 Oct 2026"]


def test_break_even_is_marked_on_the_zero_line() -> None:
    figure = net_savings_figure(days(-1, 1), [], {"break_even_date": FIRST + timedelta(days=1)})
    mark = next(t for t in figure["data"] if t.get("marker", {}).get("symbol") == "diamond")
    assert (mark["x"], mark["y"]) == (["2026-10-02"], [0])
    assert any("Break-even" in note["text"] for note in figure["layout"]["annotations"])


@pytest.mark.parametrize(("highest", "stands"), [(30, 30.0), (-30, 0.0)])
def test_the_label_of_break_even_stands_above_a_curve_that_was_above_zero_before(
    highest: int, stands: float
) -> None:
    curve = days(500, *[-100] * 30, highest, -10, *[50] * 10)
    reached = {"break_even_date": FIRST + timedelta(days=33)}
    notes = net_savings_figure(curve, [], reached)["layout"]["annotations"]
    label = next(note for note in notes if "Break-even" in note["text"])
    assert (label["y"], label["yshift"], label["xanchor"]) == (stands, 16, "right")


def test_a_day_of_unknown_saving_ends_the_curve() -> None:
    assert named(net_savings_figure(days(-100, None, None), [], {}), "Net savings so far")["y"] == [
        -100.0
    ]


@pytest.mark.parametrize(("before", "last", "shift"), [(-100, -40, 14), (-40, -100, -14)])
def test_the_newest_amount_stands_clear_of_the_line(before: int, last: int, shift: int) -> None:
    (note,) = net_savings_figure(days(before, last), [], {})["layout"]["annotations"]
    assert note["yshift"] == shift


def test_the_newest_amount_is_as_clear_of_the_line_as_it_is_wide() -> None:
    dip = days(*[-90] * 60, *[-20] * 20, *range(-60, -40))
    (note,) = net_savings_figure(dip, [], {})["layout"]["annotations"]
    assert (note["y"], note["yshift"], note["xanchor"]) == (-60.0, -14, "right")


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
