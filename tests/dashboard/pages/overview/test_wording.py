from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.overview.wording import next_action
from tests.support.dashboard.standings import RECOVERING


@pytest.mark.parametrize(
    ("change", "action"),
    [
        ({"runs_to_break_even": 24}, "24 more runs like these to break even."),
        ({"runs_to_break_even": 1}, "1 more run like these to break even."),
        ({"runs_to_break_even": 1200}, "1,200 more runs like these to break even."),
        ({}, "Keep going."),
        (
            {"parity": "below_parity"},
            "Check quality: final loss is worse than on GPU, above target, or not known.",
        ),
        ({"parity": "unverified"}, "Report the loss, so that the saving can be verified."),
        ({"status": "losing"}, "Find where each dollar goes, or move back to GPU."),
        ({"status": "investing"}, "Start the first production run on Trainium."),
        (
            {"status": "investing", "left_out": {"no_accelerator_hours": None}},
            "Tag the instances: its runs report progress, but no billed hours have their tag.",
        ),
    ],
)
def test_the_next_step_is_said_in_a_line(change: dict[str, Any], action: str) -> None:
    assert next_action(RECOVERING | change) == action
