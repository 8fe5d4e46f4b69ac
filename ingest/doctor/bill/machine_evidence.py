"""Compares accelerator machines on the bill with the jobs that schedulers ran on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ingest.doctor.examination import Examination
from models.contract.rules.usage_type_patterns import (
    ACCELERATOR_HOURS,
    FEES_BY_INSTANCE,
    MANAGED_CLUSTER,
)
from models.engine import cost_source
from models.engine.allocations.counted_deliveries import VIEW, counted_deliveries
from models.engine.allocations.held_intervals import PLAIN
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files
from models.engine.sql.delivered_sql import rows_with_machines
from models.engine.warehouse import connection
from models.formats.bill.shared_machine_lines import JOB
from models.marts.cost.charges.usage_types import INSTANCE

DAYS = 35
"""Of the bill, up to its newest day, that are looked at."""
MACHINES = f"""
CREATE TEMP TABLE machines AS
SELECT coalesce(nullif(regexp_extract(ResourceId, '^arn:[^:]*:ec2:.*/([^/]+)$', 1), ''), ResourceId)
         AS resource,
       CAST(ChargePeriodStart AS DATE) AS day, workload, run,
       coalesce(SubAccountId, BillingAccountId) AS account, ClusterName AS cluster,
       regexp_replace(regexp_extract(SkuMeter, '{INSTANCE}'), '^ml[.]', '') AS type_,
       bool_or(regexp_matches(SkuMeter, '{MANAGED_CLUSTER}')) AS pooled,
       contains(coalesce(ResourceId, ''), '{JOB}') AS of_job,
       max(ChargePeriodEnd - ChargePeriodStart) > INTERVAL 1 HOUR AS daily,
       sum(ConsumedQuantity) AS hours
FROM charges
WHERE regexp_matches(SkuMeter, '{ACCELERATOR_HOURS}') AND ChargeCategory = 'Usage'
  AND NOT regexp_matches(coalesce(ServiceName, ''), '{FEES_BY_INSTANCE}')
  AND ChargePeriodStart > (SELECT max(ChargePeriodStart) FROM charges) - INTERVAL {DAYS} DAY
  AND coalesce(CommitmentDiscountStatus, '') <> 'Unused'
  AND coalesce(CapacityReservationStatus, '') <> 'Unused'
GROUP BY ALL"""
HELD = f"""
CREATE TEMP TABLE held AS
SELECT *, held_from AS since, coalesce(held_to, observed_at, held_from) AS until,
       {PLAIN} AS type_
FROM allocations WHERE reason = 'run'"""

WITH_PODS = """
CREATE TEMP TABLE with_pods AS
SELECT DISTINCT MachineId AS resource, CAST(ChargePeriodStart AS DATE) AS day, run
FROM (
  SELECT * FROM charges WHERE PodCost IS NOT NULL
  QUALIFY coalesce(PodAccelerators, PodShare, 0) > 0
    OR NOT bool_or(coalesce(PodAccelerators, PodShare) IS NOT NULL)
      OVER (PARTITION BY ClusterName, SubAccountId, BillingPeriodStart))"""
"""Machines of which pods on the bill held a part, by day, and the runs of these pods."""
TRAINING = """accelerators IS DISTINCT FROM 0
          AND coalesce(regexp_matches(type_, '^(p|trn|g)[0-9]'), true)"""
"""SQL: a job held accelerators of a GPU or Trainium machine, or of one of unknown type."""
PODS_TELL = "SELECT 1 FROM allocation_coverage LIMIT 1"
"""Without a source of allocations a cluster is known by its pods alone."""


class Hours(NamedTuple):
    """Billed accelerator instance-hours: all, those without resource id, those in daily lines.

    Those of managed clusters, and of unused commitments and reservations, are left out.
    """

    all: float
    unnamed: float
    daily: float


class Evidence:
    """Compares accelerator machines on the bill's newest 35 days with the jobs that ran on them."""

    def __init__(self, connected: Any) -> None:  # noqa: ANN401 - DuckDB ships no types here
        self._con = connected

    def hours(self) -> Hours:
        """Sums billed instance-hours: all, without resource id, and in daily lines.

        A daily line of a SageMaker job is its job's, whatever the hour.
        """
        query = """
        SELECT coalesce(sum(hours), 0), coalesce(sum(hours) FILTER (resource IS NULL), 0),
               coalesce(sum(hours) FILTER (daily AND NOT of_job), 0)
        FROM machines WHERE NOT pooled"""
        return Hours(*map(float, self._rows(query)[0]))

    def unknown_nodes(self) -> list[tuple[str, int, str]]:
        """Returns (cluster, count, an example) of nodes with neither instance nor type known."""
        return self._rows("""
        SELECT cluster, count(DISTINCT node), min(node) FROM held
        WHERE resource IS NULL AND instance_type IS NULL GROUP BY cluster ORDER BY cluster""")

    def unbilled(self) -> list[tuple[str, int, str, str | None]]:
        """Returns (cluster, count, a machine, its job) of machines with jobs but without a bill.

        The job is None where none is named. Machines without accelerators, and Inferentia, are not
        looked for: the bill's are left out, too. Where all charges of a cluster's machines of a
        type, or of a type on no cluster, name no machine, any of that type may be one of them.
        """
        return self._rows(f"""
        SELECT cluster, count(DISTINCT resource), min(resource),
               first(job ORDER BY resource, job) FROM held
        WHERE resource IS NOT NULL AND {TRAINING}
          AND since >= (SELECT min(day) FROM machines)
          AND until <= (SELECT max(ChargePeriodEnd) FROM charges)
          AND resource NOT IN (SELECT resource FROM machines WHERE resource IS NOT NULL)
          AND NOT EXISTS (FROM (
              SELECT cluster, type_ FROM machines GROUP BY ALL HAVING count(resource) = 0) AS mute
            WHERE coalesce(mute.cluster, held.cluster) = held.cluster
              AND coalesce(held.type_, mute.type_) = mute.type_)
        GROUP BY cluster ORDER BY cluster""")

    def unbilled_pools(self) -> list[tuple[str, str, int, str]]:
        """Returns (cluster, type, node count, an example) of jobs' nodes without billed machines.

        A machine is of a cluster's pool if it bears the cluster's tag, or one of its jobs names it.
        """
        return self._rows(f"""
        WITH pools AS (
          SELECT cluster, type_ FROM machines WHERE cluster IS NOT NULL
          UNION SELECT held.cluster, machines.type_ FROM machines JOIN held USING (resource))
        SELECT cluster, type_, count(DISTINCT coalesce(node, job)), min(coalesce(node, job))
        FROM held ANTI JOIN pools USING (cluster, type_)
        WHERE resource IS NULL AND type_ IS NOT NULL AND {TRAINING}
          AND since >= (SELECT min(day) FROM machines)
          AND until <= (SELECT max(ChargePeriodEnd) FROM charges)
        GROUP BY ALL HAVING count(coalesce(node, job)) > 0 ORDER BY ALL""")

    def shared_job_ids(self) -> list[tuple[list[str], int, str]]:
        """Returns (cluster names, job count, one id) of clusters whose jobs have equal ids.

        Jobs of a known run are left out: the run tells them apart.
        """
        return self._rows("""
        SELECT clusters, count(*), min(job) FROM (
          SELECT job, list(DISTINCT cluster ORDER BY cluster) AS clusters FROM held
          WHERE run IS NULL AND job IS NOT NULL GROUP BY job HAVING count(DISTINCT cluster) > 1)
        GROUP BY clusters ORDER BY clusters""")

    def accounts_of_names(self) -> list[tuple[str, list[str]]]:
        """Returns (cluster, accounts) of names whose machines belong to several accounts.

        A machine names it by its tag, or by a job that held it. A cluster is left out where its
        jobs name each of these machines, and hold no other: no two accounts have an instance id.
        """
        return self._rows("""
        WITH named AS (
          SELECT cluster, account, resource FROM machines
          WHERE cluster IN (SELECT cluster FROM held)
          UNION SELECT held.cluster, machines.account, resource
          FROM machines JOIN held USING (resource))
        SELECT cluster, list(DISTINCT account ORDER BY account) FROM named
        WHERE EXISTS (FROM held WHERE held.cluster = named.cluster AND held.resource IS NULL)
          OR cluster IN (SELECT cluster FROM named AS any_ WHERE NOT EXISTS (
            FROM held WHERE held.cluster = any_.cluster AND held.resource = any_.resource))
        GROUP BY cluster HAVING count(DISTINCT account) > 1 ORDER BY cluster""")

    def accounts_of_jobs(self, cluster: str) -> set[str]:
        """Returns the accounts named in a cluster's job rows; none if any row lacks one."""
        rows = self._rows(f"""
        SELECT DISTINCT account FROM held WHERE cluster = '{delivered_files.quoted(cluster)}'""")
        accounts = {account for (account,) in rows}
        return set() if None in accounts else accounts

    def unheld(self) -> tuple[int, float, str] | None:
        """Returns (count, hours, one id) of billed machines without run tag and job, or None.

        Only the days between the first and the last of the jobs' allocations are looked at. On days
        on which jobs held a part of its pool, a machine has jobs, though none names it. Pods on the
        bill are jobs, too.
        """
        (row,) = self._rows("""
        SELECT count(DISTINCT resource), coalesce(sum(hours), 0), min(resource) FROM machines
        WHERE run IS NULL AND NOT pooled AND resource NOT IN (
            SELECT resource FROM allocations WHERE resource IS NOT NULL)
          AND NOT EXISTS (FROM with_pods AS p
            WHERE p.resource = machines.resource AND p.day = machines.day)
          AND NOT EXISTS (FROM held WHERE held.resource IS NULL
            AND held.cluster = machines.cluster AND held.type_ = machines.type_
            AND held.since < machines.day + INTERVAL 1 DAY AND held.until > machines.day)
          AND day BETWEEN
            least((SELECT CAST(min(since) AS DATE) FROM held), (SELECT min(day) FROM with_pods))
            AND greatest((SELECT CAST(max(until) AS DATE) FROM held),
              (SELECT max(day) FROM with_pods))""")
        return (int(row[0]), float(row[1]), str(row[2])) if row[0] else None

    def contradictions(self) -> list[tuple[str, str, int, str]]:
        """Returns (run by tag, run by job, machine count, one id) where the two runs differ.

        A pod of the bill is a job on days on which no scheduler tells of its machine.
        """
        return self._rows("""
        WITH by_day AS (
          SELECT machines.resource, machines.day, held.run
          FROM machines JOIN held ON held.resource = machines.resource
            AND held.since < machines.day + INTERVAL 1 DAY AND held.until > machines.day)
        SELECT machines.run, held.run, count(DISTINCT resource), min(resource)
        FROM machines JOIN (
          FROM by_day UNION ALL
          SELECT resource, day, run FROM with_pods ANTI JOIN by_day USING (resource, day)
        ) AS held USING (resource, day)
        WHERE machines.run <> held.run GROUP BY ALL ORDER BY 3 DESC, 1, 2""")

    def other_types(self) -> list[tuple[str, int, str, str, str]]:
        """Returns (cluster, machine count, one id, type by job, type by bill) where they differ."""
        return self._rows("""
        SELECT held.cluster, count(DISTINCT resource), min(resource), held.type_, machines.type_
        FROM machines JOIN held USING (resource)
        WHERE held.type_ <> machines.type_ AND machines.type_ <> '' AND held."of" IS NULL
        GROUP BY ALL ORDER BY ALL""")

    def _rows(self, query: str) -> list[Any]:
        rows: list[Any] = self._con.execute(query).fetchall()
        return rows


@contextmanager
def machine_evidence(exam: Examination) -> Iterator[Evidence | None]:
    """Yields an `Evidence` on the bill and its jobs; None if either is missing."""
    live = exam.zone.live()
    held = counted_deliveries(live)
    bills = cost_source.bills_if_any(live, exam.settings)
    if not bills or not (held or exam.snapshot_rows(PODS_TELL)):
        yield None
        return
    with connection.in_memory() as backend:
        context = BuildContext.reading(exam.settings, backend, bills)
        charges = delivered_files.read_all(context, "charges", bills, rows_with_machines)
        charges = charges or delivered_files.empty(context, "charges")
        backend.con.execute(f"CREATE VIEW charges AS {charges}")
        delivered_files.create_view(context, VIEW, held)
        for statement in (MACHINES, WITH_PODS, HELD):
            backend.con.execute(statement)
        yield Evidence(backend.con)
