from __future__ import annotations

from dashboard.pages.workload.wording import BANDS_KEY, saving_note
from tests.support.dashboard.standings import FORECAST, NONE, SHORT, D


def test_the_saving_per_epoch_comes_with_its_interval_or_with_what_it_lacks() -> None:
    saved = (
        FORECAST
        | {"unit": "epoch"}
        | {"saving_per_epoch": D("170.29"), "saving_low": D(-2), "saving_high": D(383)}
    )
    assert saving_note(saved) == (
        "Saved per epoch so far: +$170 (80\u00a0%: −$2.00 to +$383), "
        f"from 8 GPU runs, 20 Trainium runs and 30 weeks. {BANDS_KEY}"
    )
    assert saving_note(saved | {"saving_low": None, "forecast_reason": SHORT}) == (
        f"Saved per epoch so far: +$170; its interval: {SHORT}."
    )
    assert saving_note(NONE) is None


def test_the_interval_of_one_of_several_recipes_is_not_said_to_be_from_the_runs_of_all() -> None:
    saved = FORECAST | {"unit": "epoch", "saving_per_epoch": D(170)}
    known = saving_note(saved | {"saving_low": D(100), "saving_high": D(383)}, ["qlora"])
    assert "(80\u00a0%: +$100 to +$383), from the runs of this recipe." in str(known)
    assert "so far: +$170; its interval: not enough data yet." in str(
        saving_note(saved | {"saving_low": None}, ["qlora"])
    )
