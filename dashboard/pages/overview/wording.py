"""Says in one line what to do next about a workload."""

from __future__ import annotations

from typing import Any

from dashboard.wording.format import count
from dashboard.wording.unknown import shown_status

Row = dict[str, Any]


def next_action(row: Row) -> str:
    """Says what to do next about a workload, by its status, parity of loss, and missing tags."""
    if row["status"] in ("broke_even", "recovering") and row["parity"] in QUALITY_FIRST:
        return QUALITY_FIRST[row["parity"]]
    if row["status"] == "recovering" and (left := row["runs_to_break_even"]):
        return f"{count(left, 'more run')} like these to break even."
    if row["status"] in NOT_RUN and "no_accelerator_hours" in (row.get("left_out") or {}):
        return "Tag the instances: its runs report progress, but no billed hours have their tag."
    return NEXT.get(shown_status(row), "Open it for details.")


NEXT = {
    "broke_even": "Keep going: every further run adds to the saving.",
    "recovering": "Keep going.",
    "losing": "Find where each dollar goes, or move back to GPU.",
    "no_investment": "Add what the move cost, to see when it pays back.",
    "investing": "Start the first production run on Trainium.",
    "not_started": "Estimate the move before starting it.",
    "not_comparable": "Train the same recipe on both, benchmark both sides, or configure a quote.",
    "insufficient_baseline": "Finish more GPU runs, benchmark both sides, or configure a quote.",
    "cost_unknown": "See on its page which cost is missing.",
}
NOT_RUN = ("investing", "not_started")
QUALITY_FIRST = {
    "below_parity": "Check quality: final loss is worse than on GPU, above target, or not known.",
    "mixed": "Check quality: some runs end with a worse loss than on GPU, above target, or none.",
    "unverified": "Report the loss, so that the saving can be verified.",
}
