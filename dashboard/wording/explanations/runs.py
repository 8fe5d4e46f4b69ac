"""Explains the numbers of Runs: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanations.explanation import Explanation

ALL_RUNS = Explanation(
    "All runs",
    "Every run that the bill, the progress or the configuration names, with its settled cost and "
    "progress. Idle: start-up, and days without progress. Repeated: work done again after a "
    "restart. A * beside a cost: more was spent on days that are not settled yet, which the column "
    "Unsettled has.",
    "Cost ÷ work = $ per unit of work",
    "Settled days of the runs that started in the range.",
    ("runs",),
)

RUN_GROUPS = Explanation(
    "Runs by group",
    "The filtered runs, grouped by a dimension; the name of a group links to its runs. The groups "
    "add up to the figures of the first sentence. Epochs of different workloads are different "
    "work, so they are only added up within one workload.",
    "Σ over the runs of a group",
    "Settled days of the runs that started in the range.",
    ("runs",),
)

RUN_COST = Explanation(
    "What a run cost",
    "Its own charges and its share of charges that name only its workload. Idle and repeated are "
    "parts of the cost, not additions to it.",
    "Accelerator + storage + network + other = cost; cost ÷ work = cost per unit of work",
    "The run's settled days; what is not settled has a line of its own.",
    ("runs",),
)

RUN_JOBS = Explanation(
    "Jobs of a run",
    "The jobs of the run's allocations: attempts, tasks of an array, or one after another. A job "
    "that still ran when it was last seen ends there.",
    "Waited = start − submission",
    "All jobs of the run; times are UTC.",
    ("run_jobs",),
    "No dollars.",
    "Jobs whose scheduler does not tell when they were submitted have no wait.",
)

RUN_CHARGES = Explanation(
    "What was charged",
    "The charges of the run by what they are for and how they were bought. List, effective and "
    "billed cost are three prices of the same hours; they are never added up.",
    "Σ of the day's charges",
    "The run's settled days.",
    ("spend_daily",),
    "List, effective and billed cost side by side; credits and tax excluded.",
)
