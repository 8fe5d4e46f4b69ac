"""Reads Cost Explorer's responses as charges: one line per day and group of a request.

In: the lines of the requests that `ingest.sources.bill.cost_explorer` sends. Requests `run` and
`workload` group usage with and without a run tag by that tag and usage type; `record_type` groups
the rest; together they are the whole bill. `pair` and `left`, by month, repeat charges: they name
the workload of each run, and runs that Cost Explorer hides. `account` checks an export's totals.

Out: rows of `charges` (METHOD §2, §2.1): net figures where the account has any that month, else
gross ones. Cost Explorer knows no resources, list prices and invoices, so those are null.
"""

from __future__ import annotations

from typing import Literal

from models.formats.bill.cost_explorer.charges import rows as rows
from models.formats.bill.cost_explorer.net_or_gross_metrics import METRICS as METRICS
from models.formats.bill.cost_explorer.record_types import COMMITMENTS as COMMITMENTS
from models.formats.bill.cost_explorer.refusals import REQUIRED as REQUIRED
from models.formats.bill.cost_explorer.refusals import refusals as refusals
from models.formats.bill.cost_explorer.repeated_requests import REPEATED as REPEATED
from models.formats.bill.cost_explorer.totals import totals as totals

NAME = "cost_explorer"
VIEW: Literal["charges"] = "charges"
