"""Explains the numbers of Rates: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanation import Explanation

RATES = Explanation(
    "What an accelerator-hour cost",
    "The effective cost of the hours used on each platform, beside the list price of the same "
    "hours. Idle commitment is not in it: it stands below. An accelerator-hour is no unit of work.",
    "Σ accelerator cost ÷ Σ accelerator-hours; at list: Σ list cost ÷ the same hours",
    "Settled days of each period.",
    ("spend_daily", "price_history"),
    "Effective cost against public list prices, accelerators only.",
)

COVERAGE = Explanation(
    "How hours were bought",
    "The part of the accelerator-hours of each month that commitments (Savings Plans, reserved "
    "instances), Spot and Capacity Blocks covered; and what nobody used of commitments.",
    "Hours of a purchase option ÷ all hours; idle: Σ effective cost of unused commitment",
    "Settled days of each month, all platforms with accelerators.",
    ("spend_daily",),
)

SPOT = Explanation(
    "Spot prices",
    "What AWS asked for an accelerator-hour of Spot capacity, the cheapest zone of each region.",
    "Price of an instance-hour ÷ accelerators of the instance",
    "From each observation until the next; 45 days after the newest it is not known any more.",
    ("price_history",),
    "Public prices, before any discount.",
)

BLOCKS = Explanation(
    "Capacity Blocks on offer",
    "What EC2 would sell when it was last asked: the whole fee, and per instance-hour.",
    "Fee ÷ (instances × hours)",
    "The newest answer of each account and region.",
    ("capacity_offers",),
    "Upfront fees as EC2 reported them.",
)

OFFERED = Explanation(
    "Where each type is offered",
    "How many zones of each region have an instance type, as EC2 last reported.",
    "Count of zones",
    "The newest answer of each account and region.",
    ("offered",),
    "No dollars.",
)
