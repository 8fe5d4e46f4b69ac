"""Explains the numbers of a workload's page: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.address.view import LOSS_RUNS
from dashboard.wording.explanations.explanation import Explanation

EPOCH_COST = Explanation(
    "Cost per unit of work over time",
    "What a unit of work (an epoch, a billion tokens or a million samples) cost in each week or "
    "month on each hardware. The dotted line is the GPU "
    "baseline that savings are measured against; vertical marks are changes of the GPU price.",
    "Σ cost ÷ Σ work of the period",
    "Settled days of each week or month that begins in the range; hollow marks are periods that "
    "are not settled throughout.",
    ("cost_per_epoch", "baselines"),
)

LOSS = Explanation(
    "Loss against cost",
    "The training loss that each run had reached, over the money, machine-hours or wall-clock time "
    "spent by then. Of two runs at the same loss, the one further left was cheaper or faster.",
    "Training loss as reported, over the cost, the instance-hours, or the hours since the first "
    "active hour of the run and those it resumes, up to that moment",
    f"The newest runs in the range, at most {LOSS_RUNS} of each hardware.",
    ("runs",),
    leaves_out="Validation, port and benchmark runs, and runs whose work cannot be compared: they "
    "are on neither side of the comparison.",
)

WHERE = Explanation(
    "Where each dollar went",
    "Productive: accelerator time that made progress. Start-up: accelerators before the first "
    "progress, on Trainium mostly compilation. Idle otherwise: days without progress. "
    "Repeated: work done again after a restart. Storage, network and other: their share of the "
    "rest. Cluster idle, beside the runs: the workload's part of what Trainium machines that jobs "
    "share stood idle.",
    "Shares of the cost of all runs of the range; they add up to it. Cluster idle = idle cost of a "
    "pool × hours that the workload held in the month ÷ those of all that bear it",
    "Settled days of the runs that started in the range; cluster idle: settled days of the range.",
    ("runs", "savings_daily"),
)

RESULT = Explanation(
    "What a result costs",
    "Cost and time, on GPU and on Trainium, of a model that reaches the target loss or, without a "
    "target, trains as long as on GPU; for the recipe with most Trainium cost. Hours are "
    "wall-clock, from a run's first to its last active hour or sample, gaps included. Failed runs "
    "count; overhead does not.",
    "$ per result = $ per unit × the median work of the GPU runs; GPU: the baseline; Trainium: "
    "Σ cost ÷ Σ work. With a target: GPU: the baseline × the work of a result there; Trainium: "
    "Σ cost ÷ runs that reached it. Hours per unit = median of elapsed hours ÷ work; delay = "
    "(Trainium − GPU hours per unit) × median Trainium work; a day = 24 × (net saving ÷ lineages) "
    "÷ delay",
    "GPU: the window of the baseline; Trainium: the last 84 settled days, else all.",
    ("results", "result_runs", "recent_windows", "break_even"),
)

RUNS = Explanation(
    "Runs",
    "Every run of this workload with its settled cost and progress.",
    "Cost ÷ work = $ per unit of work",
    "Settled days; what is not settled yet has a column of its own.",
    ("runs",),
)

BASELINE = Explanation(
    "GPU baseline",
    "What one unit of work would cost on GPU on the last settled day.",
    "Measured: Σ effective cost ÷ Σ work. Repriced: hours per unit × price of the day × "
    "discount (that of the runs; for on-demand hours that of the payer now, if it is lower). "
    "Conservative: the lower of the two.",
    "The GPU runs of the baseline window; the payer's hours of the 84 settled days.",
    ("baselines", "payer_use"),
)
