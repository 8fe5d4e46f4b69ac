"""What a copied sentence says of the range and the filters that it was computed for."""

from __future__ import annotations

import pytest

from dashboard.address.view import View
from dashboard.wording.asked_for import asked_for
from dashboard.wording.dimensions import dimensions


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({}, ""),
        ({"from": "2026-09-01", "to": "2026-09-30"}, "from 1 Sep 2026 to 30 Sep 2026"),
        ({"to": "2026-09-30"}, "to 30 Sep 2026"),
        (
            {"where": ["tag_team=nlp", "hardware=trainium", "tag_team=", "no such=x"]},
            "team: nlp or not set; Hardware: Trainium",
        ),
        ({"where": ["region=us-east-1"]}, ""),
        ({"from": "2026-09-01", "named": "b0", "basis": "list"},
         'from 1 Sep 2026; name contains "b0"; at list prices'),
    ],
)  # fmt: skip
def test_a_range_and_filters_are_said_in_words(query: dict[str, object], said: str) -> None:
    assert asked_for(View.parse(query), dimensions(["tag_team"])) == said
