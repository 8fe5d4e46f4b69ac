"""Explains the numbers of Overview: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.address.view import SHARE_DAYS
from dashboard.wording.explanations.explanation import Explanation
from dashboard.wording.explanations.savings import SETTLED

MONTH = Explanation(
    "Saved this month",
    "What the work done on Trainium this month would have cost on GPU, less what it cost "
    "and less the overhead of Trainium capacity. Investment is not deducted here.",
    "Σ counterfactual − Σ Trainium cost − Σ overhead",
    "The settled days of the newest month that has any, all workloads.",
    ("monthly_summary",),
)

SAVED_OF_GPU = Explanation(
    "Saved of what GPUs would cost, before overhead",
    "How much less (+) or more (−) training on Trainium cost than GPUs would have for the credited "
    "work. Work with a worse final loss than on GPU is not credited, but its cost counts, so this "
    "can be lower than the difference in cost. The figure at list prices excludes discounts on "
    "both sides: the difference between the two comes from discounts, not from the chip.",
    "Σ (counterfactual − Trainium cost) ÷ Σ counterfactual",
    SETTLED + " Only days with a counterfactual; overhead and investment are not deducted.",
    ("all_savings_daily", "baselines"),
    "The basis named below the headline; below the figure, public list prices.",
)

SHARE = Explanation(
    "Trainium share of training",
    "How much of the training that names a run or workload was done on Trainium, counted in "
    "accelerator-hours and in cost.",
    "Trainium accelerator-hours ÷ (Trainium + GPU accelerator-hours)",
    f"The last {SHARE_DAYS} settled days of each workload.",
    ("spend_daily",),
)

LEFT_OUT = Explanation(
    "Not in the headline, or not verified",
    "Untagged: accelerator spend that names no run or workload, so no saving can be computed. "
    "Unsettled: saving of days whose bill or allocations are not complete, not counted yet. "
    "Unverified: saving that is counted although no loss proves equal quality.",
    "Sums by reason; none of them is added to another.",
    "Untagged: every settled day. Unsettled: the days after the last settled one.",
    ("spend_daily", "break_even"),
)

UNTAGGED = Explanation(
    "Untagged spend",
    "GPU and Trainium spend that neither a tag nor an allocation gives to a workload, so that no "
    "saving can be computed.",
    "Σ cost",
    "Every settled day.",
    ("spend_daily",),
)

RECOVERED = Explanation(
    "Recovered",
    "The part of the investment that net savings have covered.",
    "Σ net saving ÷ Σ investment, between 0 and 100 %",
    SETTLED,
    ("break_even",),
)

GPU_EPOCH = Explanation(
    "GPU, $ per unit of work",
    "The GPU baseline of the last settled day: what a unit of the workload's work (an epoch, a "
    "billion tokens or a million samples) would cost there now.",
    "The lower of measured and repriced, unless configured otherwise",
    "GPU runs that ended in the baseline window.",
    ("baselines",),
)

TRN_EPOCH = Explanation(
    "Trainium, $ per unit of work",
    "What a unit of work cost on Trainium in the newest month with progress; the line shows the "
    "last 26 weeks.",
    "Σ cost of its runs ÷ Σ work, failed runs included",
    "Settled days of that month.",
    ("cost_per_epoch",),
)

PER_EPOCH = Explanation(
    "Saving, $ per unit of work",
    "The mean gross saving of one unit of work on Trainium. The interval needs at least 5 runs "
    "per side and 8 weeks.",
    "Σ gross saving ÷ Σ Trainium work",
    SETTLED,
    ("break_even",),
)
