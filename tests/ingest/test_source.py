"""What a pull is asked for."""

from __future__ import annotations

from datetime import date

from ingest.source import Window


def test_a_window_touches_every_month_with_a_day_in_it() -> None:
    window = Window(date(2026, 8, 31), date(2026, 9, 1))
    months = ("2026-07", "2026-08", "2026-09", "2026-10")
    assert [window.touches(month) for month in months] == [False, True, True, False]


def test_an_open_window_touches_all() -> None:
    assert Window().touches("1999-01")
    assert not Window().given
    assert Window(first=date(2026, 9, 1)).touches("2030-01")
    assert not Window(last=date(2026, 9, 1)).touches("2026-10")
