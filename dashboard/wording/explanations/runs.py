"""Explains the numbers of Runs: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanation import Explanation

ALL_RUNS = Explanation(
    "All runs",
    "Every run that the bill, the progress or the configuration names, with its settled cost and "
    "progress. Idle: days without progress. Repeated: work done again after a restart.",
    "Cost ÷ work = $ per unit of work",
    "Settled days of the runs that started in the range.",
    ("runs",),
)

RUN_GROUPS = Explanation(
    "Runs by group",
    "The runs that the filters leave, by what they have in common; a group's name leads to its "
    "runs. The groups add up to the figures of the first sentence. Epochs of different workloads "
    "are different work, so they are added up within one workload only.",
    "Σ over the runs of a group",
    "Settled days of the runs that started in the range.",
    ("runs",),
)

RUN_COST = Explanation(
    "What a run cost",
    "Its own charges and its share of what only names its workload. Idle and repeated are part of "
    "the cost, not beside it.",
    "Accelerator + storage + network + other = cost; cost ÷ work = cost per unit of work",
    "The run's settled days; what is not settled stands in its own line.",
    ("runs",),
)

RUN_CHARGES = Explanation(
    "What was charged",
    "The charges of the run by what they are for and how they were bought. List, effective and "
    "billed are three ways to say the same hours: never added to each other.",
    "Σ of the day's charges",
    "The run's settled days.",
    ("spend_daily",),
    "List, effective and billed cost side by side; credits and tax excluded.",
)
