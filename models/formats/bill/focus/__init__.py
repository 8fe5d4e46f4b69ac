"""Reads FOCUS 1.0, 1.2 and 1.3 bills as AWS Data Exports deliver them: one line per charge.

In: delivered lines: costs in `BillingCurrency`, UTC times, `ChargePeriodEnd` exclusive; a column
that a line lacks is unknown, not zero. Out: rows of `charges`, and the refusals and totals of a
delivery. METHOD §2; source: the FinOps Foundation's FOCUS specification and AWS's data dictionary
for its tables.

AWS writes the usage type in `x_UsageType` (1.0) or in `SkuMeter` (1.2), and the instance type also
in `SkuPriceDetails` (1.2). FOCUS 1.3 delivers a split charge in its parts, which add up to it, each
with its owner's tags in `AllocatedTags` and the rest without: all parts count.
"""

from __future__ import annotations

from typing import Literal

from models.formats.bill.focus.charges import rows as rows
from models.formats.bill.focus.columns import QUANTITIES as QUANTITIES
from models.formats.bill.focus.columns import READ_AS_DELIVERED as READ_AS_DELIVERED
from models.formats.bill.focus.columns import REQUIRED as REQUIRED
from models.formats.bill.focus.columns import TEXTS as TEXTS
from models.formats.bill.focus.columns import TIMES as TIMES
from models.formats.bill.focus.columns import UNITS as UNITS
from models.formats.bill.focus.pre_aggregated import pre_aggregated as pre_aggregated
from models.formats.bill.focus.refusals import refusals as refusals
from models.formats.bill.focus.split_cost_rows import PARENTS as PARENTS
from models.formats.bill.focus.totals import totals as totals

NAME = "focus"
VIEW: Literal["charges"] = "charges"
