"""Explains the numbers of Finance: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanations.explanation import Explanation

MONTH_DAYS = "The settled days of the month; a closed month as it was closed."
STATEMENT = Explanation(
    "The month by workload",
    "What the month's credited work on Trainium would have cost on GPU, what all of it did cost, "
    "and what remains after overhead. With a target loss results are credited, each with the work "
    "that one takes on GPU, and not the epochs of the month; with a quote, where no GPU run "
    "reached the target, work up to the target counts once and work beyond it does not. Not "
    "compared: Trainium cost without a GPU cost to compare it with. "
    "The old volume is what was trained before the move. Investment has a column of its own; the "
    "cumulative figure is after all investment.",
    "Net saving = on GPU − (Trainium cost − not compared) − overhead; return = cumulative net ÷ "
    "what was invested so far",
    MONTH_DAYS,
    ("monthly_summary",),
)

TO_DATE = Explanation(
    "Fiscal period to date",
    "The portfolio's months since the fiscal quarter and year began: closed months as they were "
    "closed, with later changes as adjustments.",
    "Σ of the months",
    "The calendar is `fiscal` in the configuration.",
    ("monthly_summary",),
)

TIE_OUT = Explanation(
    "Tie-out to the bill",
    "Every cent of an account's bill is in exactly one bucket. The remainder is the independent "
    "total less the buckets; the bridge leads from the billed to the effective cost.",
    "Remainder = the bill + Capacity Blocks from other months − Σ buckets",
    "The billing month.",
    ("tie_out",),
    "Each row names its own.",
)

ADJUSTMENTS = Explanation(
    "Adjustments of closed months",
    "A closed month never changes. Later changes of its figures are listed here with their cause.",
    "As known now − as closed − adjusted before",
    "All closed months before this one.",
    ("restatements", "monthly_summary"),
)

ASIDE = Explanation(
    "What is not in the headline",
    "What is left out (the Trainium cost of runs without a known saving, else their saving), "
    "saving that is counted with a flag, what is known of the cumulative figure of workloads whose "
    "own is unknown, and credits, which pay for either chip alike, with the share of the cost of "
    "the month's runs that they paid.",
    "Sums by reason; none of them is added to another. Credits paid = (credits that name a "
    "workload + other credits × billed usage of runs ÷ all billed usage of the payer) ÷ cost of "
    "runs.",
    MONTH_DAYS,
    ("monthly_summary",),
)

CONDITIONS = Explanation(
    "What must hold",
    "A month can be closed once AWS has invoiced it (without invoices, ten days after its end), "
    "every day is settled, the bill of every billing account covers it, the tie-out has no "
    "remainder or an explanation of it, no source is stale, and the months before it are closed.",
    "All of them.",
    "The published snapshot.",
    ("tie_out", "freshness"),
)

CLOSES = Explanation(
    "Closes",
    "Each is a file that is written once: the figures, their SHA-256, the deliveries and the "
    "configuration they were computed from. `breakeven verify` computes it again.",
    "SHA-256 over the canonical form of the statement",
    "Every version of every month.",
    ("monthly_summary",),
)

VERSIONS = Explanation(
    "Two versions",
    "Every figure that the two versions do not have in common.",
    "Was: the other version. Is: the one shown.",
    MONTH_DAYS,
    ("monthly_summary",),
)

CLOSE = Explanation(
    "Close",
    "Computes the month anew from what is delivered now, and freezes it under your name. A month "
    "that is already closed gets another version and keeps the earlier ones.",
    "As `breakeven close`",
    "The whole month.",
    ("monthly_summary",),
)
