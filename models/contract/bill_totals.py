"""Words for the independent totals with which a bill's sums are compared. METHOD §7.2."""

from __future__ import annotations

BILL_TOTALS = {
    "invoice": "the invoice",
    "cost_explorer": "Cost Explorer",
    "self_check": "the export's own total",
}
"""`total_source` of the tie-out → its words."""


def compared_with(source: str) -> str:
    """Returns the words for a total that a bill is compared with; an unknown one by its name."""
    return BILL_TOTALS.get(source, source.replace("_", " "))
