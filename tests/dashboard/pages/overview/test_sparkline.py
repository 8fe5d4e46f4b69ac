from __future__ import annotations

from decimal import Decimal

from dashboard.pages.overview.sparkline import sparkline

D = Decimal


def test_a_trend_needs_two_points_and_is_told_in_words() -> None:
    assert sparkline([D(1)], "Trainium", "per epoch") is None
    image = sparkline([D(110), D(120)], "Trainium", "per epoch")
    assert image is not None
    assert image.alt == "Trainium: from $110 to $120 per epoch"
