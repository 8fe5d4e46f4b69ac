"""Finds the bill lines behind `counted_costs`, the dollars that cumulative net savings deduct.

The cost of a run, or of a workload outside runs, is all of it in the number. What stood idle is in
it by the part that falls on Trainium: its lines are those of the same commitment and month, or of
the same pool and day, and others bear the rest of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from ibis.backends.duckdb import Backend

from models.contract.rules.attribution_groups import WITHOUT_RUN_TAG
from models.marts.cost.attribution_buckets import CLUSTER_IDLE, IDLE_COMMITMENT

IDLE = (IDLE_COMMITMENT, CLUSTER_IDLE)


def select(backend: Backend, where: str, parameters: Mapping[str, object], basis: str) -> None:
    """Creates two temporary tables: some rows of `counted_costs`, and of `spend_daily` behind them.

    `selected` has the rows whose lines are looked for; of idle commitments some too many.
    """
    text = f"CREATE TEMP TABLE counted AS SELECT * FROM counted_costs WHERE {where}"
    backend.con.execute(text, dict(parameters))
    backend.con.execute(_NAMES)
    backend.con.execute(_SELECTED.format(amount=f"{basis}_cost"))


def keep_counted_idle(backend: Backend) -> None:
    """Removes from `behind` the idle lines whose commitment or machine is not in `counted`."""
    backend.con.execute(_ONLY_COUNTED)


_SELECTED = """
CREATE TEMP TABLE selected AS
WITH months AS (
  SELECT DISTINCT date_trunc('month', date) AS month FROM counted
  WHERE part IN ('idle_commitment', 'stranded_commitment')),
pools AS (SELECT DISTINCT date, instance_type FROM counted WHERE cluster IS NOT NULL),
runs AS (SELECT DISTINCT date, workload, run FROM counted WHERE run IS NOT NULL),
own AS (
  SELECT DISTINCT date, workload, part = 'overhead' AS moved FROM counted
  WHERE part IN ('overhead', 'overhead_before_cutover'))
SELECT s.*, s.{amount} AS amount FROM spend_daily AS s WHERE s.settled AND CASE s.attribution
  WHEN 'idle_commitment' THEN date_trunc('month', s.date) IN (FROM months)
  WHEN 'cluster_idle' THEN (s.date, s.instance_type) IN (SELECT (date, instance_type) FROM pools)
  WHEN 'overhead' THEN EXISTS (
    FROM own WHERE own.date = s.date AND own.workload = s.workload
      AND CASE WHEN own.moved THEN s.hardware IS DISTINCT FROM 'gpu'
               ELSE s.hardware = 'trainium' END)
  WHEN 'direct' THEN (s.date, s.workload, s.run) IN (SELECT (date, workload, run) FROM runs)
  WHEN 'shared' THEN (s.date, s.workload, s.run) IN (SELECT (date, workload, run) FROM runs)
  ELSE false END"""
_NAMES = """
ALTER TABLE counted ADD COLUMN idle_of VARCHAR;
UPDATE counted SET idle_of = CASE
  WHEN cluster IS NOT NULL THEN concat_ws(' ', date, cluster, instance_type)
  WHEN part IN ('idle_commitment', 'stranded_commitment') AND workload IS NOT NULL
    THEN concat_ws(' ', strftime(date, '%Y-%m'), commitment)
  WHEN part = 'idle_commitment' THEN concat_ws(' ', date, commitment)
END"""
"""What a workload bears of a commitment is of a month, what the portfolio bears of a day."""
_ONLY_COUNTED = """
ALTER VIEW behind RENAME TO behind_with_all_idle;
CREATE TEMP VIEW behind AS
SELECT *, CASE attribution
    WHEN 'cluster_idle' THEN [concat_ws(' ', date, cluster, instance_type)]
    WHEN 'idle_commitment' THEN [
      concat_ws(' ', strftime(date, '%Y-%m'), idle_name), concat_ws(' ', date, idle_name)]
  END AS idle_of
FROM (SELECT *, coalesce(CASE WHEN purchase_option IS DISTINCT FROM 'capacity_block'
                              THEN reservation END, commitment, reservation) AS idle_name
      FROM behind_with_all_idle)
WHERE idle_of IS NULL
   OR list_has_any(idle_of, (SELECT list(DISTINCT idle_of) FROM counted WHERE idle_of IS NOT NULL))
"""
"""A line names what stood idle as `idle_commitments` does."""
NUMBER = f"""SELECT
  (SELECT sum(amount) FROM counted) AS number,
  (SELECT sum(amount) FROM selected WHERE attribution IN {WITHOUT_RUN_TAG}) AS shared"""
"""SQL: the number, and what of it comes from lines that several may share."""


def borne(backend: Backend, listed: Sequence[Sequence[str]]) -> Decimal:
    """Returns the dollars in table `counted` of the given idle commitments and machines.

    `listed` are the names of what stood idle, of each line. Idle hours of a Capacity Block have no
    line, as their fee is spread.
    """
    names = [[name for names in listed for name in names]]
    ((amount,),) = backend.con.execute(_BORNE, names).fetchall()
    return Decimal(amount)


_BORNE = "SELECT coalesce(sum(amount), 0) FROM counted WHERE idle_of IN (FROM unnest(?::VARCHAR[]))"
