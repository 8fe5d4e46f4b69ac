"""Explains the numbers of Trust: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanation import Explanation

TRUST_SOURCES = Explanation(
    "Sources",
    "When a source last answered, its newest day, the days missing in between, and what asking it "
    "cost today. A source that stops delivering keeps later days unsettled.",
    "Newest day − first day + 1 − days with data = gap days",
    "As of the last build; a source that is late by now is named above every page.",
    ("freshness",),
    "Dollars are what AWS bills for requests.",
)

INGEST_LOG = Explanation(
    "Ingest log",
    "Each pull of each source: when, how long it took, what it brought and what AWS bills for it. "
    "A delivery that is the same as the one before is not kept twice.",
    "As noted in deliveries.jsonl beside the warehouse, where every pull stands",
    "The newest pulls by now, whether a build has followed or not.",
    ("freshness",),
    "Dollars are what AWS bills for requests.",
)

TRUST_TIE_OUT = Explanation(
    "Tie-out",
    "Every cent of the bill lands in exactly one bucket. The buckets are set against a total that "
    "does not come from them: your invoice, else Cost Explorer, else the export's own sum, and "
    "then it only checks itself.",
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
    "Left out: saving that is not counted, by reason. Flagged: saving that is counted with a "
    "reservation. One dollar may stand under several reasons: they are not added to each other.",
    "Σ gross saving of the days and runs that a reason holds for",
    "Left out as unsettled: the days after the last settled one. All others: settled days.",
    ("break_even", "left_out_and_flagged"),
)

UNTAGGED_SHARE = Explanation(
    "Spend that names no workload",
    "GPU and Trainium spend whose charges carry neither tag, against all accelerator spend.",
    "Σ untagged ÷ Σ accelerator spend",
    "Every settled day.",
    ("spend_daily",),
)
