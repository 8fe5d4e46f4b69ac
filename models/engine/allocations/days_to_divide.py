"""The bill days whose machines are divided, and the days whose hours a correction takes back.

A correction is billed in a later month than the hours that it takes back. Those hours say how it is
divided (METHOD §2.10.1), so the bill of their own month lends them. No other one does: what one
month's bill takes back would be divided anew whenever the next month's has the same day.

A correction of several days stands under the first of them, and the others lend it their hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from ibis.backends.duckdb import Backend

from models.engine.reduction.machine_lines import STORE

DAYS = "days_to_divide"
"""A table: days of bills (`delivery`, `date`), divided or, where `lent`, only lending hours."""
USED = "category = 'Usage' AND class IS DISTINCT FROM 'Correction'"
"""SQL: the line is of hours used, which are all that is lent."""
LONG = f"""
SELECT delivery, source, billing_account, date,
  max(CAST(period_to - INTERVAL 1 SECOND AS DATE)) AS last
FROM {STORE} WHERE NOT ({USED}) AND period_to > date + INTERVAL 1 DAY GROUP BY ALL"""
"""SQL: days of bills with corrections of several days, and the last of those."""
LENDING = f"""
SELECT DISTINCT late.delivery AS late, date, lent.delivery, date AS lent_date
FROM (SELECT DISTINCT delivery, source, billing_account, billing_period, date FROM {STORE}
      WHERE date_trunc('month', date) IS DISTINCT FROM billing_period) AS late
JOIN {STORE} AS lent USING (date, source)
WHERE {USED} AND lent.delivery != late.delivery
  AND lent.billing_account IS NOT DISTINCT FROM late.billing_account
  AND lent.billing_period = date_trunc('month', date)
UNION
SELECT late.delivery, late.date, lent.delivery, lent.date
FROM ({LONG}) AS late JOIN {STORE} AS lent USING (source)
WHERE {USED} AND lent.date BETWEEN late.date AND late.last
  AND (lent.delivery, lent.date) != (late.delivery, late.date)
  AND (lent.delivery = late.delivery
    OR (lent.billing_account IS NOT DISTINCT FROM late.billing_account
      AND lent.billing_period = date_trunc('month', lent.date)))"""
"""SQL: days on which a bill (`late`) corrects hours of others or of other days, and who lends."""


def create(backend: Backend, days: Sequence[tuple[str, date]]) -> None:
    """Creates a table of given bill days, and of days whose hours their corrections take back."""
    backend.con.execute(_DAYS, [[bill for bill, _ in days], [day for _, day in days]])


_DAYS = f"""
CREATE OR REPLACE TEMP TABLE {DAYS} AS
WITH mine AS (SELECT unnest(?::VARCHAR[]) AS delivery, unnest(?::DATE[]) AS date)
SELECT *, false AS lent FROM mine
UNION ALL (
  SELECT l.delivery, l.lent_date, true
  FROM ({LENDING}) AS l JOIN mine ON mine.delivery = l.late AND mine.date = l.date
  EXCEPT SELECT *, true FROM mine)"""
