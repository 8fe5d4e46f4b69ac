from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from dashboard.wording.forecast import CURVE_KEY, EXPECTED_KEY, FAN_KEY, curve_note
from tests.support.dashboard.standings import FORECAST, RECOVERING, SHORT


def test_the_note_says_since_when_the_saving_is_unknown() -> None:
    row = RECOVERING | FORECAST
    assert curve_note(row, False, date(2026, 10, 3)) == (
        f"{CURVE_KEY} Unknown since 3 Oct 2026: "
        "what the GPU would have cost is not known for every day."
    )


@pytest.mark.parametrize(
    ("row", "drawn", "note"),
    [
        (RECOVERING | FORECAST, True, f"{CURVE_KEY} {FAN_KEY} {EXPECTED_KEY}"),
        (RECOVERING | {"status": "losing"}, True, f"{CURVE_KEY} {FAN_KEY}"),
        (RECOVERING | FORECAST, False, CURVE_KEY),
        (RECOVERING | {"forecast_reason": SHORT}, False, f"{CURVE_KEY} Forecast: {SHORT}."),
        (RECOVERING | {"status": "broke_even"}, False, CURVE_KEY),
    ],
)
def test_the_note_names_the_fan_or_what_it_lacks(
    row: dict[str, Any], drawn: bool, note: str
) -> None:
    assert curve_note(row, drawn) == note
