"""Builds the warnings about a workload's numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import data
from dashboard.widgets.indicators import notice
from dashboard.wording.format import dollars
from dashboard.wording.units import words
from dashboard.wording.unknown import must_verify, shown_status
from models.contract.edition import EDITION, EDITION_OF_UNMARKED
from models.contract.schema import PORTFOLIO

Row = dict[str, Any]

FLAGGED = {
    "price_unavailable": (
        "Price unavailable",
        "{} is computed from what the GPU runs cost at the time, because no public price for now "
        "is known.",
    ),
    "stale_price": (
        "Stale price",
        "{} is computed with a GPU price that was last seen 45 days ago or more.",
    ),
    "stale_baseline": (
        "Old baseline",
        "{} is compared with GPU runs of which even the newest ended long ago.",
    ),
    "unverified": (
        "Unverified",
        "{} is counted although no GPU run has a final loss to compare with: equal quality is "
        "assumed.",
    ),
    "pending": (
        "Pending",
        "{} belongs to runs that have not ended; their quality is not known yet.",
    ),
    "short": (
        "Ended early",
        "{} belongs to runs that trained less than usual on GPU; their loss was compared with "
        "GPU's after the same work.",
    ),
}
COLUMNS = (
    "workload", "run", "recipe", "platform", "started_at", "epochs", "cost", "cost_per_epoch",
    "comparability", "parity",
)  # fmt: skip
"""Columns of the run list that a notice links to."""
LEFT_OUT = {
    "cost_unknown": (
        "Cost unknown",
        "{} is left out: those runs have no known cost.",
    ),
    "no_accelerator_hours": (
        "No accelerator-hours",
        "{} is left out: epochs on days without billed accelerator-hours of those runs.",
    ),
    "unsettled": ("Unsettled", "{} is not counted yet: its bill or allocations are not complete."),
    "not_comparable": (
        "Not comparable",
        "{} is left out: no GPU run is known that did the same work.",
    ),
    "unknown_purpose": (
        "Purpose unknown",
        "{} is not credited: the purpose of those Trainium runs is unknown. Their cost counts.",
    ),
    "require_verified": ("Not verified", "{} is left out until the runs report a loss."),
}


def notices(standing: Row, edition: int = EDITION, whole: bool = False) -> list[Component]:
    """Builds the warnings about a workload's status, quality, and savings flagged or left out.

    A reason that is the workload's status is not repeated as a warning of its own. `edition` of the
    method computed the numbers: what does not compare was a saving in the first, and is a cost now.
    A reader of the `whole` company is led to Trust where a source may be the cause.
    """
    found = _of_status(standing, edition)
    found += _quality(standing["parity"], _what_was_read() if whole else None)
    for texts, amounts in ((FLAGGED, standing["flagged"]), (LEFT_OUT, standing["left_out"])):
        for name, amount in (amounts or {}).items():
            if name in texts and (name != standing["status"] or must_verify(standing)):
                title, text = texts[name]
                leads = _runs(standing) if name == "not_comparable" else None
                what = _apart(amount, edition) if name == "not_comparable" else _amount(amount)
                found.append(notice(title, text.format(what), "quiet", leads))
    return found


def _of_status(standing: Row, edition: int) -> list[Component]:
    match shown_status(standing):
        case "losing":
            per_epoch, each = standing["saving_per_epoch"], words(standing["unit"]).one
            mean = ""
            if per_epoch:
                mean = f" Since the move, {each} {_mean(per_epoch)} on average, overhead apart."
            text = "In its last 84 days, Trainium with its overhead cost more than GPUs would have."
            return [notice("Losing money", text + mean, "bad")]
        case "insufficient_baseline":
            text = "What its work costs on GPU is unknown, so no saving is shown, not even zero."
            return [notice("Too few GPU runs", text)]
        case "cost_unknown":
            text = "A cost that counts against the saving is not known, so no saving is shown, not "
            return [notice("Cost unknown", text + "even zero.")]
        case "not_comparable" if not must_verify(standing):
            text = "No GPU run is known that did the same work, so costs cannot be compared"
            sentence_text = f"{text}{_left_out_of(standing, edition)}."
            return [notice("Not comparable", sentence_text, leads=_runs(standing))]
    return []


def _runs(standing: Row) -> Component:
    """Links to a workload's Trainium runs grouped by whether they compare with GPU."""
    of = standing["workload"]
    where = ["hardware=trainium", *([] if of == PORTFOLIO else [f"workload={of}"])]
    query = [("group", "comparability"), *(("where", each) for each in where)]
    query += [("columns", each) for each in COLUMNS]
    return html.A("Which runs?", href=f"/runs?{urlencode(query)}", **data(go="runs"))


def _left_out_of(standing: Row, edition: int) -> str:
    out = standing["left_out"] or {}
    if "not_comparable" not in out:
        return ""
    amount = _apart(out["not_comparable"], edition)
    return f": {amount[0].lower()}{amount[1:]} is left out"


def _apart(amount: Decimal | None, edition: int) -> str:
    """Returns the dollars that do not compare: a saving in method edition 1, else Trainium cost."""
    if edition == EDITION_OF_UNMARKED:
        return _amount(amount)
    return f"{'An unknown amount' if amount is None else dollars(amount)} of Trainium cost"


def _quality(parity: str | None, leads: Component | None) -> list[Component]:
    match parity:
        case "below_parity":
            text = "Final loss is worse than on GPU, above its target, or not known"
            return [notice("Below par", f"{text}: no saving is counted.", leads=leads)]
        case "mixed":
            text = "Some runs end with a worse loss than on GPU, above their target, or none"
            words = f"{text}: their cost counts, no saving."
            return [notice("Mixed quality", words, leads=leads)]
    return []


def _what_was_read() -> Component:
    """Renders a link to Trust, which lists the values of a source not read, such as a loss."""
    return html.A("Was the loss read?", href="/trust", **data(go="trust"))


def _amount(value: Decimal | None) -> str:
    if value is None:
        return "An unknown part of the saving"
    return f"{dollars(abs(value))} of {'saving' if value >= 0 else 'loss'}"


def _mean(value: Decimal) -> str:
    size = f"{dollars(abs(value))}"
    return f"saved {size}" if value >= 0 else f"cost {size} more"
