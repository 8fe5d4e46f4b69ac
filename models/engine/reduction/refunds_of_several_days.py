"""Splits a refund of several runs' charges among the days of these charges, by their cost.

The runs of each day then share its part (METHOD §2.6). Example: of $200 on Monday and $50 on
Tuesday, by two runs of one workload, $25 are refunded: $20 on Monday, $5 on Tuesday.
"""

from __future__ import annotations

from ibis.backends.duckdb import Backend

from models.contract.money import allocated
from models.contract.schema import COST_COLUMNS
from models.engine.sql import rendering
from models.engine.warehouse.table_columns import unbound

LINE = (
    "billing_account", "account", "region", "workload", "corrects", "sku", "used_from", "used_to",
)  # fmt: skip
"""The columns of a refund that decide its owner: its account, name and time."""
DAYS = f"""
SELECT {", ".join(LINE)}, c.day, sum(c.cost) AS cost
FROM (SELECT *, unnest(costs) AS c FROM owners
      WHERE what = 'Used' AND owner IS NOT NULL AND run IS NULL)
GROUP BY ALL"""
"""SQL: the days of charges of several runs of one workload, with what they cost."""
BY_DAY = "refunds_by_day"
"""Table: refunds with their owners, once for each day whose charges they take back."""
AMOUNTS = ("quantity", *COST_COLUMNS)


def of_refund(other: str) -> str:
    """Returns the SQL condition that another table's row has refund `r`'s account, SKU, time, …."""
    return " AND ".join(f"r.{name} IS NOT DISTINCT FROM {other}.{name}" for name in LINE)


def divided(backend: Backend, refunds: str) -> str:
    """Returns the SQL of refunds by day, each amount split in proportion to the days' `cost`.

    `refunds` has the whole amounts once a day; of one that is not divided `cost` is null.
    """
    backend.con.execute(f"CREATE OR REPLACE TEMP TABLE {BY_DAY} AS {refunds}")
    rows = unbound(backend, BY_DAY)
    parts = allocated(rows, AMOUNTS, weight="cost", within=["refund"], owner="date")
    return rendering.sql(parts.drop("refund", "cost"))
