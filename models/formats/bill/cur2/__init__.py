"""Reads CUR 2.0, AWS's Cost and Usage Report, as Data Exports deliver it.

In: lines in the report's own columns. Each line is first converted to FOCUS columns, with its
amortised cost, and then read like a FOCUS line, so both mean the same. Out: rows of `charges`.
METHOD §2 (§2.1 for net and gross figures, §2.9 for pods); times are UTC, end dates exclusive.
"""

from __future__ import annotations

from typing import Literal

from models.formats.bill.cur2.charges import pre_aggregated as pre_aggregated
from models.formats.bill.cur2.charges import rows as rows
from models.formats.bill.cur2.charges import totals as totals
from models.formats.bill.cur2.columns import GROSS_LINES as GROSS_LINES
from models.formats.bill.cur2.columns import REQUIRED as REQUIRED
from models.formats.bill.cur2.refusals import NEEDED as NEEDED
from models.formats.bill.cur2.refusals import refusals as refusals

NAME = "cur2"
VIEW: Literal["charges"] = "charges"
