"""Which columns of runs stand without being asked for."""

from __future__ import annotations

import pytest

from dashboard.pages.runs import grid


@pytest.mark.parametrize(("unit", "shown"), [("epoch", False), (None, True)])
def test_runs_of_several_units_name_each_ones(
    monkeypatch: pytest.MonkeyPatch, unit: str | None, shown: bool
) -> None:
    monkeypatch.setattr(grid, "unit_of_runs", lambda: unit)
    monkeypatch.setattr(grid, "any_allocated", lambda: False)
    names = grid.usual_columns()
    assert ("unit" in names) is shown
    assert names[names.index("epochs") + 1] == ("unit" if shown else "cost")


@pytest.mark.parametrize(("unit", "shown"), [("epoch", True), (None, False)])
def test_what_clusters_tell_of_a_run_is_shown_and_a_unit_takes_the_place_of_its_platform(
    monkeypatch: pytest.MonkeyPatch, unit: str | None, shown: bool
) -> None:
    monkeypatch.setattr(grid, "unit_of_runs", lambda: unit)
    monkeypatch.setattr(grid, "any_allocated", lambda: True)
    *names, by, wait, flags = grid.usual_columns()
    assert ("platform" in names, by, wait, flags) == (
        shown, "identified_by", "wait_hours", "flags",
    )  # fmt: skip
