"""METHOD §7: a bill compared only with its own sum says so, whatever other accounts have."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from dashboard.pages.trust.tiles import tiles
from tests.support.dashboard.text import text

SNAPSHOT = {"settled_through": date(2026, 10, 28)}


def month(*sources: str) -> dict[str, Any]:
    return {"month": "2026-09", "unheld": Decimal(0), "sources": [*sources]}


@pytest.mark.parametrize(
    ("months", "said"),
    [
        ([month("cost_explorer", "invoice")], "$0.00 compared with independent totals"),
        (
            [month("cost_explorer", "self_check"), month("invoice")],
            "$0.00 1 month with a bill compared only with the export's own total",
        ),
        (
            [month("self_check"), month("self_check")],
            "$0.00 2 months with a bill compared only with the export's own total",
        ),
        ([], "– no month to compare"),
    ],
)
def test_what_the_buckets_are_compared_with(months: list[dict[str, Any]], said: str) -> None:
    assert said in text(tiles(SNAPSHOT, [], months, {}))
