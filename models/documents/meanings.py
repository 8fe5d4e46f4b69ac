"""What each figure of the statement means, in a line for finance (METHOD §7)."""

from __future__ import annotations

MEANING = {
    "GPU cost, Trainium cost": "what the month's settled days of production runs cost on "
    "the basis above",
    "The same work on GPU": "each day's GPU baseline × the credited work of that day on "
    "Trainium; with a target loss each result is credited the work that one takes on GPU",
    "Trainium cost compared": "Trainium cost of the runs that the counterfactual is about",
    "Trainium cost not compared": "Trainium cost of the month less the part compared: runs with "
    "no GPU baseline. Gross saving = the same work on GPU − (Trainium cost − this)",
    "Gross saving": "the same work on GPU less the Trainium cost compared; negative counts in full",
    "Overhead": "Trainium spend that belongs to no run, what shared Trainium machines stood idle, "
    "unused commitments, and upkeep",
    "Net saving": "gross saving less overhead",
    "Saving at list prices": "gross saving with list prices throughout: what the chip contributed, "
    "not discounts",
    "Gross saving at the old volume": "the part of the gross saving on the volume trained before "
    "the move; a month that lost counts whole. Overhead is not deducted",
    "Investment": "what the migration cost in the month",
    "Adjustments of closed months": "closed months as computed today, less what "
    "was closed and adjusted before",
    "Other change": "other causes of a change of the cumulative net: months never "
    "closed, or reopened",
    "Cumulative net": "net saving and adjustments less investment, since the beginning",
    "Return on investment": "cumulative net ÷ invested so far; none where nothing was invested",
    "Credits": "as billed, negative; they pay for both chips and are in no cost above",
    "Credits of the cost of runs": "the credits that name a workload, and of the others the part "
    "that its runs have in the payer's billed usage, ÷ what its runs cost in the billing month",
    "Remainder": "the bill, and what spreading the fees of Capacity Blocks moved into the month, "
    "less the sum of the buckets; 0 when every cent is accounted for",
    "Bridge": "effective less billed cost: amortisation in, prepayment out",
}
