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
        "Not comparable. No GPU run is known that did the same work, so costs cannot be compared: "
        "$1,138 of Trainium cost is left out. Which runs?"
    )
    assert text(notices(row)).endswith("cannot be compared. Which runs?")


def test_a_close_of_the_first_edition_left_out_a_saving_and_no_cost() -> None:
    """The sample's February: -163.99, which no cost can be."""
    left_out = {"not_comparable": D("-163.99")}
    row = STANDING | {"status": "recovering", "flagged": None, "left_out": left_out}
    assert "Not comparable. $164 of loss is left out" in text(notices(row, edition=1))
    row |= {"status": "not_comparable"}
    assert "cannot be compared: $164 of loss is left out." in text(notices(row, edition=1))


def test_a_loss_that_may_not_have_been_read_leads_to_what_sources_left_out() -> None:
    row = STANDING | {"parity": "below_parity", "flagged": None, "left_out": None}
    said = "Below par. Final loss is worse than on GPU, above its target, or not known"
    assert f"{said}: no saving is counted. Was the loss read?" in text(notices(row, whole=True))
    assert "Was the loss read?" not in text(notices(row)), "Trust is no page of a limited scope"


def test_what_no_loss_verifies_is_not_said_to_have_no_gpu_run_that_did_the_same_work() -> None:
    row = STANDING | {"status": "not_comparable", "parity": None, "flagged": None}
    told = text(notices(row | {"left_out": {"require_verified": D("-3.61")}}))
    assert told == "Not verified. $3.61 of loss is left out until the runs report a loss."
    left_out = {"require_verified": D("-3.61"), "not_comparable": D(20)}
    told = text(notices(row | {"left_out": left_out}))
    assert "Not comparable. $20.00 of Trainium cost is left out: no GPU run is known" in told
    assert "so costs cannot be compared" not in told
