"""Explains the numbers of Rates: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanations.explanation import Explanation

RATES = Explanation(
    "What an accelerator-hour cost",
    "The cost of the hours that machines of each platform ran, held by a job or not, "
    "beside the list price of the same hours. Idle commitment is not included; it is shown below. "
    "An accelerator-hour is not a unit of work.",
    "Σ accelerator cost ÷ Σ accelerator-hours; at list: Σ list cost ÷ the same hours",
    "Settled days of each period.",
    ("spend_daily", "price_history"),
    "The basis named below the headline, and public list prices; accelerators only.",
)

COVERAGE = Explanation(
    "How hours were bought",
    "The part of the accelerator-hours of each month, held by a job or not, that commitments "
    "(Savings Plans, reserved instances), Spot and Capacity Blocks covered, and the cost of unused "
    "commitments.",
    "Hours of a purchase option ÷ all hours; idle: Σ cost of unused commitment",
    "Settled days of each month, all platforms with accelerators.",
    ("spend_daily",),
)

SPOT = Explanation(
    "Spot prices",
    "What AWS asked for an accelerator-hour of Spot capacity, the cheapest zone of each region.",
    "Price of an instance-hour ÷ accelerators of the instance",
    "From each observation until the next; the newest price expires after 45 days.",
    ("price_history",),
    "Public prices, before any discount.",
)

BLOCKS = Explanation(
    "Capacity Blocks on offer",
    "What EC2 last offered: the whole fee, and the fee per instance-hour.",
    "Fee ÷ (instances × hours)",
    "The newest answer of each account and region.",
    ("capacity_offers",),
    "Upfront fees as EC2 reported them.",
)

OFFERED = Explanation(
    "Where each type is offered",
    "How many zones of each region have an instance type, as EC2 last reported; of several "
    "accounts, as the one that sees most of them.",
    "Count of zones",
    "The newest answer of each account and region.",
    ("offered",),
    "No dollars.",
)
