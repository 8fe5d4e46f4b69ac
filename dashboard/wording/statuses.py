"""Names the statuses of a workload and the qualities of its runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Status:
    """The label and meaning of a workload's status; `icon` and `tone` are style names."""

    label: str
    icon: str
    tone: str
    meaning: str


STATUSES = {
    "broke_even": Status(
        "Paid for itself",
        "check",
        "good",
        "Net savings have covered the whole investment and still do.",
    ),
    "recovering": Status(
        "Recovering",
        "up",
        "going",
        "Saving money, but the investment is not fully recovered yet.",
    ),
    "losing": Status(
        "Losing money",
        "down",
        "bad",
        "In its last 84 days, Trainium with its overhead cost more than the GPU would have.",
    ),
    "investing": Status(
        "Investing",
        "dots",
        "quiet",
        "Money has been spent on moving; no production run on Trainium has settled yet.",
    ),
    "not_started": Status(
        "Not started",
        "ring",
        "quiet",
        "No production run on Trainium and nothing invested yet.",
    ),
    "no_investment": Status(
        "No investment set",
        "dots",
        "quiet",
        "Savings are counted, but no investment is configured that they could recover.",
    ),
    "insufficient_baseline": Status(
        "Too few GPU runs",
        "question",
        "warn",
        "There are too few finished GPU runs to know what work costs there.",
    ),
    "cost_unknown": Status(
        "Cost unknown",
        "question",
        "warn",
        "A cost that counts against the saving is not known, so no saving is claimed.",
    ),
    "not_comparable": Status(
        "Not comparable",
        "unequal",
        "warn",
        "No saving can be computed: no GPU run is known that did the same work, or its quality "
        "is still to be verified.",
    ),
}
UNKNOWN = Status("Unknown", "question", "warn", "This version does not know this status.")
PARITY = {
    "parity": ("On par", "Final loss is as good as on GPU, within tolerance."),
    "below_parity": (
        "Below par",
        "Final loss is worse than on GPU, above target, or not known where GPU runs have one: "
        "its cost counts, its savings do not.",
    ),
    "mixed": (
        "Mixed",
        "Some runs end with a worse loss than on GPU, above target, or none: their savings do not "
        "count.",
    ),
    "pending": ("Pending", "Runs have not ended yet: counted for now."),
    "unverified": (
        "Unverified",
        "No GPU run has a final loss: savings are counted and marked unverified.",
    ),
}
NOT_COMPARED = "Nothing to compare with"
"""Label of a run of a workload that ran on one hardware only, or for no saving."""


def status(name: str | None) -> Status:
    """Returns label, icon and meaning of a workload's status; `Unknown` for one not known here."""
    return STATUSES.get(name or "", UNKNOWN)


def comparability_label(found: str | None) -> str:
    """Returns a run's comparability with a capital letter; else `Nothing to compare with`."""
    return found[0].upper() + found[1:] if found else NOT_COMPARED
