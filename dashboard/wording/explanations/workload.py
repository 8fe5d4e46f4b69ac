"""Explains the numbers of a workload's page: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.address.view import LOSS_RUNS
from dashboard.wording.explanation import Explanation

EPOCH_COST = Explanation(
    "Cost per unit of work over time",
    "What a unit of work (an epoch, a billion tokens or a million samples) cost in each week or "
    "month on each hardware. The dotted line is the GPU "
    "baseline that savings are measured against; vertical marks are changes of the GPU price.",
    "Σ cost ÷ Σ work of the period",
    "Settled days of the period; hollow marks are periods that are not settled throughout.",
    ("cost_per_epoch", "baselines"),
)

LOSS = Explanation(
    "Loss against cost",
    "How far each run had come for the money, the machine-hours or the time by the clock that it "
    "had taken by then. A run further left at the same loss is cheaper, or sooner.",
    "Training loss as reported, over the cost, the instance-hours, or the hours since the first "
    "active hour of the run and those it resumes, up to that moment",
    f"The newest runs in the range, at most {LOSS_RUNS}.",
    ("runs",),
)

WHERE = Explanation(
    "Where each dollar went",
    "Productive: accelerator time that made progress. Start-up: accelerators on days before the "
    "first progress, on Trainium mostly compilation. Idle otherwise: other days without progress. "
    "Repeated: work done again after a restart. Storage, network and other: their share of the "
    "rest.",
    "Shares of the cost of all runs of the range; they add up to it",
    "Settled days of the runs that started in the range.",
    ("runs",),
)

RESULT = Explanation(
    "What a result costs",
    "What a model trained as long as on GPU costs and how long it takes on either side, or one "
    "that reaches the target loss where there is one; of the kind of work with most Trainium cost. "
    "Hours are by the clock, from a run's first to its last active hour or sample, gaps included. "
    "Failed runs count; overhead does not.",
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
    "Settled days; what is not settled yet stands in its own column.",
    ("runs",),
)

BASELINE = Explanation(
    "GPU baseline",
    "What one unit of work would cost on GPU on the last settled day.",
    "Measured: Σ effective cost ÷ Σ work. Repriced: hours per unit × price of the day × "
    "discount (that of the runs; of hours on demand the payer's by now, if it is lower). "
    "Conservative: the lower of the two.",
    "The GPU runs of the baseline window; the payer's hours of the 84 settled days.",
    ("baselines", "payer_use"),
)
