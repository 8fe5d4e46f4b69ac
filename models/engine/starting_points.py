"""Reads the published figures from which a what-if about a workload starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from models.config.planned_upkeep import planned_upkeep, upkeep_due_on
from models.config.refusals.unknown_keys import nearest
from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.contract.portfolio import PORTFOLIO
from models.contract.rules.not_moved_yet import NOT_MOVED_YET
from models.contract.rules.recent_window import DAYS
from models.engine.warehouse.reader import Reader
from models.forecast.months_to_end import months_to_end
from models.forecast.starting_point import StartingPoint, starting_point_of

Rows = Callable[[str, Mapping[str, object]], list[dict[str, Any]]]
"""Answers a statement with named parameters."""

PLANNED_PORT = """
    (SELECT coalesce(sum(amount), 0) FROM investments
     WHERE workload = standing.workload AND amount > 0 AND date > coalesce(
       (SELECT max(date) FROM savings_daily WHERE workload = standing.workload AND settled),
       DATE '0001-01-01'))"""
"""What the config plans to invest in a workload after its last settled day; no funding to come."""
OF_MAIN_KIND = f"""
    days AS (
        SELECT date FROM savings_daily WHERE workload = $workload AND settled
        ORDER BY date DESC LIMIT {DAYS}),
    of_kinds AS (FROM savings_by_kind WHERE workload = $workload),
    kinds AS (
        FROM of_kinds WHERE date IN (FROM days) AND (counterfactual IS NOT NULL
            OR NOT EXISTS (FROM of_kinds WHERE counterfactual IS NOT NULL))),
    lines AS (
        SELECT coalesce(max(recipe), '') AS recipe FROM runs
        WHERE workload = $workload AND hardware = 'trainium'
            AND purpose IN ('production', 'baseline')
            AND coalesce(comparability, 'comparable') = 'comparable'
        GROUP BY lineage
        HAVING min(started_at)::DATE <= (SELECT max(date) FROM days)
            AND (bool_or(ended_at IS NULL) OR max(ended_at)::DATE >= (SELECT min(date) FROM days))),
    of_main AS (
        SELECT CASE WHEN count(*) = count(counterfactual) THEN sum(counterfactual) END
                AS main_counterfactual,
            CASE WHEN count(*) = count(trn_cost) THEN sum(trn_cost) END AS main_trn_cost,
            (SELECT count(*) FROM lines
             WHERE recipe IN (SELECT coalesce(recipe, '') FROM kinds WHERE main)) AS main_runs,
            EXISTS (FROM kinds WHERE NOT main) AS mixed
        FROM kinds WHERE main)"""
"""What the main kind of work cost in the recent window, and how many lineages trained it.

`mixed` says that another kind of known saving was trained in it as well."""
STANDING = f"""
    WITH {OF_MAIN_KIND}
    SELECT status, parity, cumulative_net_saving AS saved, cumulative_investment AS invested,
        recent.*, value AS baseline, covered_share, net_at_old_volume,
        {PLANNED_PORT} AS planned_port, of_main.*
    FROM break_even AS standing CROSS JOIN of_main
    LEFT JOIN recent_windows AS recent ON recent.workload = standing.workload AND recent.newest
    LEFT JOIN baselines AS priced
        ON priced.workload = standing.workload AND priced.date = recent.cutoff AND priced.main
    WHERE standing.workload = $workload
"""


def starting_point(workload: str, settings: Settings) -> StartingPoint:
    """Reads a workload's figures for a what-if from the current snapshot.

    Raises `ConfigError` for a name that is not published, and for the portfolio.
    """
    reader = Reader(settings.data / "snapshots")
    try:
        return read_starting_point(reader.rows, workload, settings)
    finally:
        reader.close()


def read_starting_point(rows: Rows, workload: str, settings: Settings) -> StartingPoint:
    """Reads the figures a what-if starts from; `ConfigError` if no single workload has the name.

    `rows` runs an SQL statement on the snapshot and returns its rows. The upkeep of a workload that
    has not moved is the configured one: the recent window says nothing of what will be due. Its
    move costs what is invested and what the config plans. Until 84 settled days have passed since
    the cutover the window has a part of a month's upkeep, so what is due on its last day counts.
    """
    known = [row["workload"] for row in rows("SELECT workload FROM break_even", {})]
    if workload not in known or workload == PORTFOLIO:
        raise _unknown(workload, known)
    (standing,) = rows(STANDING, {"workload": workload})
    ends = months_to_end(settings, workload, standing["cutoff"])
    point = replace(starting_point_of(standing), months_to_end=ends)
    if point.status in NOT_MOVED_YET:
        cost = (point.porting_cost or Decimal(0)) + point.planned_port or None
        upkeep = planned_upkeep(settings, workload)
        return replace(point, upkeep_per_month=upkeep, porting_cost=cost)
    if standing["whole"]:
        return point
    due = upkeep_due_on(standing["cutoff"], settings, workload)
    return replace(point, upkeep_per_month=due)


def _unknown(workload: str, known: list[str]) -> ConfigError:
    names = sorted(set(known) - {PORTFOLIO})
    if workload == PORTFOLIO:
        problem = "a what-if is about one workload, not about all of them"
        return ConfigError(problem, value=workload, remedy=nearest("", names))
    return ConfigError("no workload of this name", value=workload, remedy=nearest(workload, names))
