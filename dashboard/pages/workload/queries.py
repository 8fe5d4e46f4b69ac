"""Reads the figures of one workload's page from the published snapshot."""

from __future__ import annotations

from decimal import Decimal

from dashboard.address.view import LOSS_RUNS, View
from dashboard.snapshot.break_even import LAST_SETTLED
from dashboard.snapshot.context import data_context
from dashboard.snapshot.rows import Row, range_of, read_row, read_rows

LOSS_POINTS = 120
LOSS = f"""
WITH numbered AS (
  SELECT *, row_number() OVER (PARTITION BY run ORDER BY observed_at) AS nth,
         count(*) OVER (PARTITION BY run) AS points,
         min(observed_at) OVER (PARTITION BY run) AS began
  FROM loss_curve
  WHERE workload = $workload AND loss IS NOT NULL
    AND run IN (SELECT run FROM runs WHERE workload = $workload AND comparability = 'comparable')
    AND CAST(observed_at AS DATE) BETWEEN $first AND $last),
ranked AS (
  SELECT *, dense_rank() OVER (PARTITION BY hardware ORDER BY began DESC, run) AS newest
  FROM numbered)
SELECT run, hardware, epoch, loss, cost_so_far, hours_so_far, clock_so_far,
       (SELECT max(newest) FROM ranked) > {LOSS_RUNS} AS has_older
FROM ranked
WHERE newest <= {LOSS_RUNS}
  AND (points <= {LOSS_POINTS} OR nth = points OR nth % (points // {LOSS_POINTS} + 1) = 1)
ORDER BY run, nth"""
"""Losses of each hardware's newest runs that compare, thinned; each keeps its first and last point.

Trials and runs that do not compare stand in no figure of the two sides (METHOD §3.4, §6.1).
`has_older` says on each row whether older runs of some hardware are left out.
"""

NOT_COMPARED = """
SELECT count(*) FILTER (purpose IN ('validation', 'port', 'benchmark')) AS trials,
       count(*) FILTER (purpose NOT IN ('validation', 'port', 'benchmark')) AS others
FROM runs
WHERE workload = $workload AND comparability IS DISTINCT FROM 'comparable' AND run IN (
  SELECT run FROM loss_curve WHERE workload = $workload AND loss IS NOT NULL
    AND CAST(observed_at AS DATE) BETWEEN $first AND $last)"""
"""Runs with a loss in the range that are not drawn: trials, and those that do not compare."""


def cost_per_epoch(workload: str, view: View) -> list[Row]:
    """Reads the cost per unit of a workload's main recipe, by hardware and week or month."""
    return read_rows(
        """SELECT period_start, hardware, cost, epochs, cost_per_epoch, runs, settled
           FROM cost_per_epoch
           WHERE workload = $workload AND main AND period = $period
             AND cost_per_epoch IS NOT NULL
             AND period_start BETWEEN $first AND $last
           ORDER BY hardware, period_start""",
        workload=workload,
        period=view.period,
        **range_of(view),
    )


def baselines(workload: str, view: View) -> list[Row]:
    """Reads the GPU baseline of a workload's main recipe at each change and on the last day."""
    return read_rows(
        """SELECT date, value FROM (
             SELECT *, lag(value) OVER (ORDER BY date) AS before,
                    lead(date) OVER (ORDER BY date) AS later
             FROM baselines
             WHERE workload = $workload AND main AND value IS NOT NULL
               AND date BETWEEN $first AND $last)
           WHERE value IS DISTINCT FROM before OR later IS NULL ORDER BY date""",
        workload=workload,
        **range_of(view),
    )


def further_kinds(workload: str) -> list[str]:
    """Reads the recipes that a workload trained on Trainium besides its main one."""
    found = read_rows(
        "SELECT DISTINCT coalesce(recipe, 'no recipe') AS kind FROM savings_by_kind "
        "WHERE workload = $workload AND NOT main ORDER BY kind",
        workload=workload,
    )
    return [row["kind"] for row in found]


def baseline(workload: str) -> Row | None:
    """Reads the main recipe's GPU baseline, with its reason, on a workload's last settled day."""
    return read_row(
        f"SELECT * FROM baselines WHERE workload = $workload AND main AND date = ({LAST_SETTLED})",
        workload=workload,
    )


def baseline_parts(workload: str) -> list[Row]:
    """Reads the GPU hours and prices behind the repriced baseline of the last settled day."""
    return read_rows(
        """SELECT * FROM baseline_parts WHERE workload = $workload
           ORDER BY platform, instance_type, region, purchase_option""",
        workload=workload,
    )


def price_changes(workload: str, view: View) -> list[Row]:
    """Reads the changes, in the range, of public prices of the GPU machines a workload used."""
    return read_rows(
        """SELECT * FROM price_changes
           WHERE workload = $workload AND effective_from BETWEEN $first AND $last
           ORDER BY effective_from""",
        workload=workload,
        **range_of(view),
    )


def loss(workload: str, view: View) -> list[Row]:
    """Reads losses by dollars and hours of each hardware's 20 newest runs, thinned to draw them."""
    return read_rows(
        LOSS,
        workload=workload,
        **range_of(view),
    )


def losses_not_compared(workload: str, view: View) -> Row:
    """Counts runs with a loss in the range that do not compare: two numbers, trials and others."""
    (found,) = read_rows(NOT_COMPARED, workload=workload, **range_of(view))
    return found


def target_loss(workload: str) -> float | None:
    """Returns a workload's configured target loss; None where there is none."""
    return data_context().targets.get(workload)


def spending(workload: str, view: View) -> list[Row]:
    """Sums costs of a workload's runs that started in the range, by hardware and trial or not.

    Trials are validation, port and benchmark runs. `unknown` counts the runs without a known cost,
    which are in no sum.
    """
    return read_rows(
        """SELECT hardware, purpose IN ('validation', 'port', 'benchmark') AS trial,
                  count(*) AS runs, count(*) FILTER (cost IS NULL) AS unknown,
                  sum(cost) AS cost, sum(idle_cost) AS idle,
                  sum(startup_cost) AS startup,
                  sum(repeated_cost) AS repeated, sum(accelerator_cost) AS accelerator,
                  sum(storage_cost) AS storage, sum(network_cost) AS network,
                  sum(other_cost) AS other
           FROM runs
           WHERE workload = $workload AND CAST(started_at AS DATE) BETWEEN $first AND $last
           GROUP BY ALL ORDER BY ALL""",
        workload=workload,
        **range_of(view),
    )


def cluster_idle(workload: str, view: View) -> Decimal | None:
    """Sums a workload's cost of idle Trainium pools on a range's settled days; None if unknown."""
    row = read_row(
        """SELECT CASE WHEN count(*) = count(cluster_idle)
                       THEN coalesce(sum(cluster_idle), 0) END AS amount
           FROM savings_daily
           WHERE workload = $workload AND settled AND date BETWEEN $first AND $last""",
        workload=workload,
        **range_of(view),
    )
    return row["amount"] if row else None


def runs(workload: str, view: View) -> list[Row]:
    """Reads the runs of a workload that started in the date range, the newest first."""
    return read_rows(
        """SELECT * FROM runs
           WHERE workload = $workload AND CAST(started_at AS DATE) BETWEEN $first AND $last
           ORDER BY started_at DESC, run""",
        workload=workload,
        **range_of(view),
    )


def results(workload: str) -> list[Row]:
    """Reads dollars and hours per unit and per result of a main recipe, a row per hardware."""
    return read_rows("SELECT * FROM results WHERE workload = $workload AND main", workload=workload)
