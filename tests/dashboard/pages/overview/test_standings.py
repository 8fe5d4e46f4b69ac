from __future__ import annotations

from decimal import Decimal

from dashboard.pages.overview.standings import standings_table
from dashboard.widgets.notices import notices
from tests.support.dashboard.standings import STANDING
from tests.support.dashboard.text import text

D = Decimal


def test_losing_is_said_as_plainly_as_winning() -> None:
    row = text(standings_table([STANDING]))
    assert "vega-bert Losing money 39 % of $12,000" in row
    assert "−14.13 ± not enough data yet Below par" in row
    assert "Losing money. In its last" in text(notices(STANDING))


def test_an_interval_is_shown_where_it_is_known() -> None:
    row = STANDING | {"saving_low": D("-20"), "saving_high": D("5.5")}
    assert "−20.00 to +5.50" in text(standings_table([row]))


def test_an_investment_of_unknown_cost_is_not_nothing() -> None:
    unknown = STANDING | {"cumulative_investment": None, "progress": None}
    assert "vega-bert Losing money investment unknown" in text(standings_table([unknown]))
    assert "nothing invested" in text(standings_table([unknown | {"cumulative_investment": D(0)}]))
    funded = text(standings_table([unknown | {"cumulative_investment": D(-500)}]))
    assert "funding is $500 more than was invested" in funded
