from __future__ import annotations

from decimal import Decimal

from dashboard.widgets.notices import notices
from tests.support.dashboard.standings import STANDING
from tests.support.dashboard.text import text

D = Decimal


def test_each_reservation_is_named_with_its_dollars() -> None:
    assert "$120 of loss is computed from what the GPU runs cost at the time" in text(
        notices(STANDING)
    )
    withheld = STANDING | {"left_out": {"unknown_purpose": D(200)}}
    assert "Purpose unknown. $200 of saving is not credited" in text(notices(withheld))


def test_what_the_status_says_is_not_said_again_as_a_reason() -> None:
    row = STANDING | {"status": "not_comparable", "parity": None, "flagged": None}
    told = text(notices(row | {"left_out": {"not_comparable": D("1138.125")}}))
    assert told == (
        "Not comparable. GPU and Trainium do different work, so their costs cannot be compared: "
        "$1,138 of Trainium cost is left out. Which runs?"
    )
    assert text(notices(row)).endswith("cannot be compared. Which runs?")
