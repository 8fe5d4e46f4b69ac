"""Explains the numbers of Compare: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanations.explanation import Explanation

COMPARED = Explanation(
    "Cost per unit of work by group",
    "The cost of a group's runs divided by the epochs that they made, failed runs included. "
    "Production and baseline runs count, and Trainium runs with an unknown purpose. Port, "
    "validation and benchmark runs, and GPU runs with an unknown purpose, count only if you group "
    "or filter by purpose. Runs whose work the unit of their kind does not count, and GPU runs "
    "that never reported, are left out with their cost. A run has the tags of most of its "
    "accelerator-hours. Where the charges of one run differ (region, purchase option, account), "
    "each part of its cost is in the group that was charged, and its epochs are divided by "
    "accelerator-hours.",
    "Σ cost ÷ Σ epochs, never a mean of ratios",
    "Settled days of the runs that started in the range.",
    ("runs", "spend_daily", "cost_per_epoch"),
    "The basis named below the headline, or public list prices; credits and tax excluded.",
)

SPREAD = Explanation(
    "Run by run",
    "Each mark is a run: its own cost over its own epochs. In a wide row the runs differ.",
    "Cost ÷ epochs of each run",
    "Settled days of the newest counted runs of the range.",
    ("runs",),
)
