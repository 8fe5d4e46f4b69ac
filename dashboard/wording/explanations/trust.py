"""Explains the numbers of Trust: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanations.explanation import Explanation

TRUST_SOURCES = Explanation(
    "Sources",
    "When a source last answered, its newest day, the days missing in between, and what requests "
    "to it cost today. A source that stops delivering keeps later days unsettled.",
    "Newest day − first day + 1 − days with data = gap days",
    "As of the last build; a source that is late by now is named above every page.",
    ("freshness",),
    "Dollars are what AWS bills for requests.",
)

INGEST_LOG = Explanation(
    "Ingest log",
    "Each pull of each source: when, how long it took, what it delivered and what AWS bills for "
    "it. A delivery that equals the one before is not stored again.",
    "As recorded in deliveries.jsonl beside the warehouse, which has every pull",
    "The newest pulls by now, whether a build has followed or not.",
    ("freshness",),
    "Dollars are what AWS bills for requests.",
)

TRUST_TIE_OUT = Explanation(
    "Tie-out",
    "Every cent of the bill is in exactly one bucket. The buckets are compared with a total from "
    "elsewhere: your invoice, else Cost Explorer, else the export's own sum, which only checks "
    "itself.",
    "Bill total + block spread − Σ buckets = remainder",
    "Whole billing months, settled or not.",
    ("tie_out", "spend_daily"),
    "Billed: what the invoice says. Effective: amortised; the bridge leads from one to the other.",
)

RESTATED = Explanation(
    "Restatements",
    "AWS changes bills after the fact. Each change of a month that was delivered before is listed, "
    "by how much and when. Every number uses the newest bill; a closed month stays as it was.",
    "New total − old total",
    "Every delivery since the first.",
    ("restatements",),
    "Every line of the bill, billed and effective.",
)

LEFT_OUT_ROWS = Explanation(
    "What the headline leaves out",
    "Left out: saving that is not counted, by reason; of runs that compare with nothing, what they "
    "cost. Flagged: saving that is counted with a reservation. One dollar may have several "
    "reasons: they are not added to each other.",
    "Σ gross saving of the days and runs that a reason holds for, where it is known, else their "
    "Trainium cost",
    "Left out as unsettled: the days after the last settled one. All others: settled days.",
    ("break_even", "left_out_and_flagged"),
)

CLUSTER_COVERAGE = Explanation(
    "Allocation coverage",
    "How much of each cluster's machines allocations explain: held by known runs and workloads, by "
    "unknown jobs, or by nobody. Hours that bear a run's tag are held by that run. Days without "
    "allocations stay unsettled for who held the other machines.",
    "Coverage = accelerator-hours of known runs and workloads ÷ those on the bill",
    "Every day of the month with machines on the bill, settled or not.",
    ("allocation_coverage",),
    "No dollars.",
    "Machines that bear the tag of a run and of no cluster.",
)

UNTAGGED_SHARE = Explanation(
    "Spend that names no workload",
    "GPU and Trainium spend that neither a tag nor an allocation gives to a workload, as a share "
    "of what all accelerators that ran cost, held by a job or not.",
    "Σ untagged ÷ Σ accelerator spend",
    "Every settled day.",
    ("spend_daily",),
)
