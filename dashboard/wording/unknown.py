"""Defines the texts shown in place of a missing figure, and the reasons why it is missing.

"–" is an empty cell, "unknown" an unknown amount.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.marts.savings.status.status_in_words import NONE_PRICED

MISSING = "–"
UNKNOWN_AMOUNT = "unknown"
SEVERAL_AT_LIST = "unknown, several kinds of work are mixed"
Row = dict[str, Any]
NOTHING_YET = "Nothing is published yet."
NOT_ENOUGH = "not enough data yet"
NO_HOURS = "No accelerator-hours on the bill belong to these runs, so their cost is unknown."
UNJUDGED = {
    "not_comparable": (
        "No saving can be computed",
        "No GPU run is known that did the same work, so no saving can be computed.",
    ),
    "insufficient_baseline": (
        "No saving can be computed yet",
        "Too few GPU runs have finished to know what work costs there.",
    ),
}
"""Status without a savings curve → the title and text shown in its place."""
UNVERIFIED = "its runs must report a loss first, which verifies their quality"
NOT_MOVED = (
    "Nothing has moved yet",
    "The curve begins with the first investment, or with the first settled production run on "
    "Trainium. Decide estimates what a move would save.",
)
"""The title and text in place of a curve of what nobody has begun."""

WHY_UNKNOWN = {
    "not_comparable": "no GPU run is known that did the same work",
    "insufficient_baseline": "too few GPU runs have ended to know what work costs there",
    "not_started": "nothing has trained on Trainium yet",
    "investing": "no production run on Trainium has settled yet",
    "cost_unknown": "a cost that counts against it is not known",
}
NO_COUNTERFACTUAL = "what the GPU would have cost is not known for every day"
COST_UNKNOWN = "what the migration cost is not known yet"


def shown_status(standing: Mapping[str, Any]) -> str:
    """Returns a workload's status to show: `cost_unknown` if the bill lacks a cost, else its own.

    `cost_unknown` stands for an `insufficient_baseline` whose GPU runs suffice: the bill lacks the
    cost of Trainium runs, of hours outside any run, or of idle commitments.
    """
    status = str(standing.get("status") or "")
    lacks_a_cost = status == "insufficient_baseline" and _lacks_a_cost(standing)
    return "cost_unknown" if lacks_a_cost else status


def _lacks_a_cost(standing: Mapping[str, Any]) -> bool:
    """Returns whether a cost is unknown: of a workload's overhead, or of all its Trainium runs.

    `standing` is a row of `break_even`, or of a month's statement.
    """
    sums = ("cumulative_gross_saving", "cumulative_net_saving"), ("gross_saving", "net_saving")
    overhead = any(standing.get(g) is not None and standing.get(n) is None for g, n in sums)
    unpriced = standing.get("trn_cost", 0) is None
    return overhead or unpriced or str(standing.get("reason") or "").startswith(NONE_PRICED)


def unjudged(standing: Row) -> bool:
    """Returns whether a workload's net saving is unknown, or its status allows no comparison."""
    return shown_status(standing) in UNJUDGED or standing.get("cumulative_net_saving") is None


def why_unknown(standing: Row) -> str:
    """Says why a workload's saving is unknown, from its status."""
    if must_verify(standing):
        return UNVERIFIED
    return WHY_UNKNOWN.get(shown_status(standing), NO_COUNTERFACTUAL)


def why_no_balance(standing: Row) -> str:
    """Says why the balance of a move is unknown: its cost is, or else its saving."""
    saved = standing.get("cumulative_net_saving") is not None
    return COST_UNKNOWN if saved and not unjudged(standing) else why_unknown(standing)


def instead_of_curve(standing: Row) -> tuple[str, str]:
    """Returns the title and text in place of a savings curve that the status does not allow."""
    title, text = UNJUDGED[standing["status"]]
    return title, f"No saving is counted yet: {UNVERIFIED}." if must_verify(standing) else text


def must_verify(standing: Row) -> bool:
    """Returns whether a saving is left out only because no loss verifies the runs."""
    return standing.get("status") == "not_comparable" and "require_verified" in (
        standing.get("left_out") or {}
    )
