"""Explains the numbers of Clusters: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanations.explanation import Explanation

OF_NO_CLUSTER = "Machines that bear the tag of a run and of no cluster."
LEAVES_OUT = (
    "Days whose bill is not complete; where allocations are not delivered, hours without the tag "
    f"of a run. {OF_NO_CLUSTER}"
)
USE = Explanation(
    "Who held a pool",
    "The accelerator-hours that the bill has of the pool's machines, by who held them: workloads, "
    "unknown jobs (of no known run or workload), or nobody, by reason. The first minutes after a "
    "job, in which the machine held none, count as that job's: 15, unless `clusters.gap_minutes` "
    "in the configuration says otherwise. Hours of a machine of the cluster that bear a run's tag "
    "are held by that run, without a job.",
    "Held = the bill's hours × seconds that a job held × its accelerators ÷ those of the machine, "
    "and all hours that bear a run's tag; idle = the bill's hours − held",
    "Every day of the range, also days that are not settled yet.",
    ("pool_use",),
    "No dollars.",
    OF_NO_CLUSTER,
)

POOLS = Explanation(
    "Pools by month",
    "What each pool had on the bill, what stood idle, and how much of it is known: held by known "
    "runs and workloads. Over-allocated are hours in which jobs held more than the machine had; "
    "their parts are scaled to it. Trust has the coverage of all days, those without allocations "
    "included.",
    "Idle = idle hours ÷ all hours; known = hours held by known runs and workloads ÷ all hours; "
    "cost = Σ cost of the machines' hours, of which each part bears its share",
    "Settled days of each month in the range; hours and dollars of other days stand in columns of "
    "their own. Of all pools, whichever is chosen.",
    ("pool_use", "run_jobs", "pools", "allocation_coverage"),
    leaves_out=LEAVES_OUT,
)

HOLDERS = Explanation(
    "Who held it",
    "What each workload held of the pool, what unknown jobs held, and what stood idle, by "
    "reason. Cost is a part of the machines' cost, by hours held.",
    "Σ over the hours that a workload's jobs held, or that bear the tag of a run of it",
    "Settled days of the range; what was held on other days stands in a column of its own.",
    ("pool_use",),
    leaves_out=LEAVES_OUT,
)

JOBS = Explanation(
    "Runs and their jobs",
    "The runs that held the pool, with the jobs of each. A run may have several jobs: attempts, "
    "tasks of an array, or one after another.",
    "Σ over the hours that the jobs of a run held, or that bear its tag; waited = Σ (start − "
    "submission) of its jobs",
    "Settled days of the range; jobs of a run whenever they ran.",
    ("pool_use", "run_jobs"),
    leaves_out=LEAVES_OUT,
)

WAITS = Explanation(
    "Queue wait by chip",
    "How long jobs of known runs waited from submission to start, by the chip that they got. Half "
    "of them waited at most the median, nine of ten at most the next figure.",
    "Start of the job − its submission; median and 90th percentile of all jobs",
    "Jobs that began in the range, of all pools, whichever is chosen.",
    ("run_jobs",),
    "No dollars.",
    "Unknown jobs, and jobs whose scheduler does not say when they were submitted.",
)
