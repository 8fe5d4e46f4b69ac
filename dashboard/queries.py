"""The only door to the published snapshot: a question in, plain rows out.

Each request reads the snapshot that is current by then, so a rebuild is seen at once and
never breaks an open page. Money arrives as `Decimal`; dates are inclusive on both ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import Any

from flask import g

from dashboard import comparison as compared
from dashboard import run_statements
from dashboard.buying import Known, known
from dashboard.decide_statements import (
    CHECKLIST,
    COMMITTED_USE,
    LOST,
    MACHINE_PRICES,
    MACHINE_RATES,
    MACHINE_USE,
    MACHINES,
)
from dashboard.dimensions import TAG, Dimension, dimensions
from dashboard.door import door
from dashboard.selections import Selection, filled
from dashboard.statements import (
    COVERAGE,
    EPOCH_COSTS,
    LOSS,
    MOVED_SHARES,
    OFFERED,
    PRICE_STEPS,
    RATES,
    RUN_CHARGES,
    RUN_DAYS,
    SAVED_OF_GPU_COST,
    SPOT,
    STANDINGS,
    TAG_COLUMNS,
    TIE_OUT,
    UNMOVED,
    UNTAGGED_SHARE,
)
from dashboard.view import SHARE_DAYS, View
from models.contract.errors import MissingDataError, StorageError
from models.contract.schema import PORTFOLIO
from models.engine import source_lines
from models.engine.source_lines import BillLines, Found
from models.forecast.starting_point import WEEKS, StartingPoint, asked_of
from models.raw.pull_log import Pull

Row = dict[str, Any]

MOVING = ("investing", "not_started")
"""Statuses of workloads without a settled production run on Trainium."""


def snapshot() -> Row | None:
    """What the current snapshot is; None when nothing is published yet."""
    with suppress(MissingDataError):
        return _one("SELECT * FROM snapshot")
    return None


def pulled_at() -> Row | None:
    """When each source last delivered."""
    return _one("SELECT max(last_success) AS last_success FROM freshness")


def restated() -> list[Row]:
    """Months that were settled and that AWS has changed since, in the last 35 days of pulls."""
    return _rows("SELECT * FROM late_changes ORDER BY month")


def standing(workload: str = PORTFOLIO) -> Row | None:
    """Where one workload, or the portfolio, stands."""
    return _one("SELECT * FROM break_even WHERE workload = $workload", workload=workload)


def moved() -> int:
    """How many workloads have trained on Trainium in production."""
    sql = """SELECT count(*) AS moved FROM break_even
             WHERE workload <> $portfolio AND status NOT IN ($investing, $not_started)"""
    investing, not_started = MOVING
    row = _one(sql, portfolio=PORTFOLIO, investing=investing, not_started=not_started)
    return int(row["moved"]) if row else 0


def workloads() -> list[Row]:
    """Every workload's standing alone, in the order of `standings`."""
    return _rows(
        """SELECT workload, left_out, flagged FROM break_even WHERE workload <> $portfolio
           ORDER BY cumulative_investment DESC NULLS LAST, workload""",
        portfolio=PORTFOLIO,
    )


def statuses() -> dict[str, str]:
    """Every workload and its status, in the same order."""
    rows = _rows(
        """SELECT workload, status FROM break_even WHERE workload <> $portfolio
           ORDER BY cumulative_investment DESC NULLS LAST, workload""",
        portfolio=PORTFOLIO,
    )
    return {row["workload"]: row["status"] for row in rows}


def standings() -> list[Row]:
    """Where every workload stands."""
    return _rows(STANDINGS, portfolio=PORTFOLIO)


def epoch_costs(workloads: Sequence[str]) -> dict[str, Row]:
    """The latest cost per epoch of each of these on both sides, and its trend."""
    return {row["workload"]: row for row in _rows(EPOCH_COSTS, workloads=list(workloads))}


def curve(workload: str, view: View) -> list[Row]:
    """Cumulative net saving per day; unknown on days that are not settled or not priced."""
    mart = "portfolio_daily" if workload == PORTFOLIO else "savings_daily"
    return _rows(
        f"""SELECT date, settled, net_saving, investment, cumulative_net FROM {mart}
            WHERE workload = $workload AND date BETWEEN $first AND $last ORDER BY date""",
        workload=workload,
        **_range(view),
    )


def forecast(workload: str, view: View) -> list[Row]:
    """Cumulative net saving of the weeks to come, if the range reaches past the last settled day.

    A range that ends earlier asks about the past.
    """
    return _rows(
        """SELECT date, low, median, high FROM forecast_paths
           WHERE workload = $workload AND $last > (SELECT settled_through FROM snapshot)
             AND ($last = $never OR date <= $last) ORDER BY date""",
        workload=workload,
        last=view.last,
        never=View().last,
    )


def investments(workload: str, view: View) -> list[Row]:
    """One-time outlays in order of their date; recurring ones have no day to be marked on."""
    return _rows(
        """SELECT date, workload, kind, amount FROM investments
           WHERE (workload = $workload OR $workload = $portfolio)
             AND kind NOT IN ('upkeep', 'port', 'validation', 'stranded_commitment')
             AND date BETWEEN $first AND $last ORDER BY date, amount DESC""",
        workload=workload,
        portfolio=PORTFOLIO,
        **_range(view),
    )


def months(workload: str = PORTFOLIO) -> list[Row]:
    """The two newest months, newest first."""
    return _rows(
        "SELECT * FROM monthly_summary WHERE workload = $workload ORDER BY month DESC LIMIT 2",
        workload=workload,
    )


def saved_of_gpu_cost() -> Row:
    """Saving and what the GPUs would have cost, on settled days that have a counterfactual.

    `at_list_gpu` prices the same epochs at GPU list prices; days without one are left out of
    both list sums and counted in `unpriced_days`.
    """
    found = _one(SAVED_OF_GPU_COST)
    return found or {}


def training_share() -> list[Row]:
    """Accelerator-hours and cost of training per hardware over the newest settled days."""
    return _rows(
        f"""
        SELECT hardware, sum(accelerator_hours) AS hours, sum(effective_cost) AS cost
        FROM accelerator_days
        WHERE settled AND hardware IN ('gpu', 'trainium') AND attribution IN ('direct', 'shared')
          AND component = 'accelerator'
          AND date > (SELECT settled_through FROM snapshot) - INTERVAL {SHARE_DAYS} DAY
        GROUP BY hardware"""
    )


def untagged() -> Row:
    """Accelerator spend that no run or workload can be charged with."""
    sql = """SELECT coalesce(sum(effective_cost), 0) AS cost FROM accelerator_days
             WHERE settled AND attribution = 'untagged'"""
    return _one(sql) or {}


def anything_tagged() -> bool:
    """Whether a charge names a workload; where no accelerator is without one, or a run or outlay.

    Runs that only progress knows would pass for work that cost nothing.
    """
    sql = """SELECT 1 AS found FROM break_even
             WHERE workload <> $portfolio
               AND (EXISTS (FROM spend_daily WHERE workload IS NOT NULL)
                    OR NOT EXISTS (FROM accelerator_days WHERE attribution = 'untagged'))
             LIMIT 1"""
    return _one(sql, portfolio=PORTFOLIO) is not None


def untagged_hardware() -> list[Row]:
    """Settled accelerator spend that names no workload, by hardware, with its days."""
    return _rows(
        """SELECT hardware, sum(effective_cost) AS cost, sum(accelerator_hours) AS hours,
                  min(date) AS first, max(date) AS last
           FROM accelerator_days WHERE settled AND attribution = 'untagged'
           GROUP BY hardware ORDER BY hardware"""
    )


def tag_keys() -> tuple[str, str]:
    """The configured keys of the workload tag and of the run tag."""
    return door().tag_keys


def cost_per_epoch(workload: str, view: View) -> list[Row]:
    """What an epoch cost per week or month and hardware."""
    return _rows(
        """SELECT period_start, hardware, cost, epochs, cost_per_epoch, runs, settled
           FROM cost_per_epoch
           WHERE workload = $workload AND period = $period AND cost_per_epoch IS NOT NULL
             AND period_start BETWEEN $first AND $last
           ORDER BY hardware, period_start""",
        workload=workload,
        period=view.period,
        **_range(view),
    )


def baselines(workload: str, view: View) -> list[Row]:
    """The GPU baseline, one row for each day on which it changed, and the last day.

    None where it is of one of several kinds of work: it is not beside the mean of all.
    """
    return _rows(
        """SELECT date, value FROM (
             SELECT *, lag(value) OVER (ORDER BY date) AS before,
                    lead(date) OVER (ORDER BY date) AS later
             FROM baselines
             WHERE workload = $workload AND value IS NOT NULL AND date BETWEEN $first AND $last
               AND NOT list_contains(flags, 'several_kinds'))
           WHERE value IS DISTINCT FROM before OR later IS NULL ORDER BY date""",
        workload=workload,
        **_range(view),
    )


def further_kinds(workload: str) -> list[str]:
    """What the workload does on both besides its main kind of work, in words."""
    found = _rows(
        "SELECT DISTINCT kind, kind_of_work FROM further_baselines WHERE workload = $workload "
        "ORDER BY kind",
        workload=workload,
    )
    return [row["kind_of_work"] for row in found]


def baseline(workload: str) -> Row | None:
    """The baseline of the last day that has one, with the reason in words."""
    return _one(
        "SELECT * FROM baselines WHERE workload = $workload ORDER BY date DESC LIMIT 1",
        workload=workload,
    )


def baseline_parts(workload: str) -> list[Row]:
    """The inputs of the repriced baseline on the last settled day."""
    return _rows(
        """SELECT * FROM baseline_parts WHERE workload = $workload
           ORDER BY platform, instance_type, region, purchase_option""",
        workload=workload,
    )


def price_changes(workload: str, view: View) -> list[Row]:
    """Changes of the GPU prices that the baseline stands on."""
    return _rows(
        """SELECT * FROM price_changes
           WHERE workload = $workload AND effective_from BETWEEN $first AND $last
           ORDER BY effective_from""",
        workload=workload,
        **_range(view),
    )


def loss(workload: str, view: View) -> list[Row]:
    """Loss against dollars and hours of the newest runs, thinned to what a screen can show."""
    return _rows(
        LOSS,
        workload=workload,
        **_range(view),
    )


def target_loss(workload: str) -> float | None:
    """The loss that the configuration aims at, where it says so."""
    return door().targets.get(workload)


def spending(workload: str, view: View) -> list[Row]:
    """Per hardware and whether it was a trial: what its runs cost, and on what."""
    return _rows(
        """SELECT hardware, purpose IN ('validation', 'port') AS trial, count(*) AS runs,
                  sum(cost) AS cost, sum(idle_cost) AS idle, sum(repeated_cost) AS repeated,
                  sum(accelerator_cost) AS accelerator, sum(storage_cost) AS storage,
                  sum(network_cost) AS network, sum(other_cost) AS other
           FROM runs
           WHERE workload = $workload AND CAST(started_at AS DATE) BETWEEN $first AND $last
           GROUP BY ALL ORDER BY ALL""",
        workload=workload,
        **_range(view),
    )


def runs(workload: str, view: View) -> list[Row]:
    """Every run, newest first."""
    return _rows(
        """SELECT * FROM runs
           WHERE workload = $workload AND CAST(started_at AS DATE) BETWEEN $first AND $last
           ORDER BY started_at DESC, run""",
        workload=workload,
        **_range(view),
    )


def known_dimensions() -> dict[str, Dimension]:
    """What runs can be told apart by in the current snapshot; without one, all but the tags.

    A page asks many times: within one answer the columns of one snapshot are read once.
    """
    with suppress(MissingDataError, StorageError):
        snapshot = door().reader.mark
        held = g.get("dimensions")
        if held is None or held[0] != snapshot:
            named = [str(row["column_name"]) for row in _rows(TAG_COLUMNS, tag=TAG)]
            held = g.dimensions = snapshot, dimensions(named)
        found: dict[str, Dimension] = held[1]
        return found
    return dimensions(())


def facets() -> list[Row]:
    """The values that runs can be filtered by: `key`, `value`, and how many runs have it."""
    with suppress(MissingDataError, StorageError):
        return _rows(run_statements.facets([*known_dimensions().values()]))
    return []


def chosen_runs(view: View, offset: int = 0, limit: int | None = None) -> list[Row]:
    """The runs that the filters leave, in the order asked for; each with how many were `found`."""
    sql, parameters = run_statements.page(view, known_dimensions(), offset, limit)
    return _rows(sql, **parameters)


def run_groups(view: View) -> list[Row]:
    """The same by the dimension that the address groups by, the dearest group first; else none."""
    known = known_dimensions()
    by = run_statements.grouping(view, known)
    if by is None:
        return []
    sql, parameters = run_statements.groups(view, known, by)
    return _rows(sql, **parameters)


def chosen_totals(view: View) -> Row:
    """What those runs cost and brought together."""
    sql, parameters = run_statements.totals(view, known_dimensions())
    return _one(sql, **parameters) or {}


def comparison(view: View) -> list[Row]:
    """Cost, epochs and hours by the address's one or two dimensions, the dearest group first."""
    sql, parameters = compared.groups(view, known_dimensions())
    return _rows(sql, **parameters)


def comparison_left_out(view: View) -> Row:
    """How many runs were found, and how many of these count."""
    sql, parameters = compared.left_out(view, known_dimensions())
    return _one(sql, **parameters) or {}


def comparison_spread(view: View) -> list[Row]:
    """The newest of the runs that count, one by one."""
    sql, parameters = compared.spread(view, known_dimensions())
    return _rows(sql, **parameters)


def run(workload: str, run: str) -> Row | None:
    """One run."""
    return _one(
        "SELECT * FROM runs WHERE workload = $workload AND run = $run", workload=workload, run=run
    )


def run_days(workload: str, run: str) -> list[Row]:
    """What a run was charged and how far it got, by day; `charges` has several days' parts."""
    return _rows(RUN_DAYS, workload=workload, run=run)


def run_charges(workload: str, run: str) -> list[Row]:
    """What a run was charged, by what for and how it was bought, on every basis."""
    return _rows(RUN_CHARGES, workload=workload, run=run)


def rates(view: View) -> list[Row]:
    """What the accelerator-hours of each platform cost per period, and what at list prices."""
    return _rows(RATES, period=view.period, **_range(view))


def list_price_changes(view: View) -> list[Row]:
    """Changes of on-demand list prices of what the bill has hours of."""
    return _rows(PRICE_STEPS, **_range(view))


def coverage(view: View) -> list[Row]:
    """Accelerator-hours of each month by how they were bought, and idle commitment."""
    return _rows(COVERAGE, **_range(view))


def spot_prices(view: View) -> list[Row]:
    """Spot prices of an accelerator-hour, from each observation until the next."""
    return _rows(SPOT, **_range(view))


def block_offers() -> list[Row]:
    """The Capacity Blocks that EC2 last had for sale, the cheapest hour first."""
    return _rows("SELECT * FROM capacity_offers ORDER BY usd_per_hour, start, zone")


def offered() -> list[Row]:
    """How many zones of a region have an instance type."""
    return _rows(OFFERED)


def unmoved() -> list[Row]:
    """GPU workloads without a settled production run on Trainium, with what a move starts from."""
    investing, not_started = MOVING
    if not set(MOVING).intersection(statuses().values()):
        return []
    rows = _rows(
        UNMOVED, portfolio=PORTFOLIO, investing=investing, not_started=not_started, weeks=WEEKS
    )
    return [row | {"upkeep": _planned_upkeep(row["workload"])} for row in rows]


def _planned_upkeep(workload: str) -> Decimal:
    """Dollars per month that the config has for it, from whichever day on."""
    of = [each for each in door().settings.investments if each.workload == workload]
    return sum((each.amount_per_month or Decimal(0) for each in of), Decimal(0))


def moved_shares() -> list[Row]:
    """Net saving and counterfactual of each moved workload."""
    return _rows(MOVED_SHARES)


def starting_point(workload: str) -> StartingPoint:
    """What a workload costs and saves today."""
    return asked_of(door().rows, workload)


def machines(workload: str) -> list[Row]:
    """What it has trained on, the most used lately first, then what else has a price there."""
    return _rows(MACHINES, workload=workload, weeks=WEEKS)


def machine(workload: str, of: Row) -> Known:
    """What is known of the prices of a machine, and of how hours of its kind are used."""
    named = {"instance_type": of["instance_type"], "region": of["region"]}
    use = _one(MACHINE_USE, weeks=WEEKS, **named) or {}
    return known(
        _rows(MACHINE_PRICES, **named),
        _rows(MACHINE_RATES, **named),
        _rows(COMMITTED_USE, weeks=WEEKS),
        use.get("at_most"),
        _rows(LOST, workload=workload, hardware=of["hardware"]),
        of["recent"] * 52 / (12 * WEEKS) or None,
        (snapshot() or {})["as_of"],
        use.get("paid"),
    )


def checklist(workload: str) -> Row:
    """What the bill says that the checklist asks."""
    return _one(CHECKLIST, workload=workload, weeks=WEEKS) or {}


def day_rate() -> Decimal | None:
    """The highest rate of an engineering day that the configuration names."""
    rates = [each.day_rate for each in door().settings.investments if each.day_rate is not None]
    return max(rates, default=None)


def sources() -> list[Row]:
    """What each source last said, of each account."""
    return _rows("SELECT * FROM freshness ORDER BY stale DESC NULLS LAST, source, account")


def pulls() -> list[Pull]:
    """The newest pulls, the last one to begin first; from the journal, not from the snapshot."""
    return list(door().pulls())


def tie_out(view: View) -> list[Row]:
    """The buckets of each month against its total, newest first."""
    return _rows(TIE_OUT, basis=view.tied, **_range(view))


def tie_out_rows(view: View) -> list[Row]:
    """The same, by account."""
    return _rows(
        """SELECT * FROM tie_out WHERE basis = $basis
           AND month BETWEEN strftime($first, '%Y-%m') AND strftime($last, '%Y-%m')
           ORDER BY month DESC, billing_account, account""",
        basis=view.tied,
        **_range(view),
    )


def restatements(view: View) -> list[Row]:
    """What AWS changed of bills it had delivered before, the newest change first."""
    return _rows(
        """SELECT * FROM restatements WHERE CAST(pulled_at AS DATE) BETWEEN $first AND $last
           AND (billed_change <> 0 OR effective_change <> 0)
           ORDER BY pulled_at DESC, month, account""",
        **_range(view),
    )


def untagged_share() -> Row:
    """Accelerator spend of settled days, and what of it names no workload."""
    return _one(UNTAGGED_SHARE) or {}


def inputs(of: Selection, view: View) -> Row:
    """The numbers that a formula is filled with; none where it has none."""
    if not of.inputs:
        return {}
    runs, given = _behind(of, view)
    text, parameters = filled(of.inputs, runs, given)
    return _one(text, **parameters) or {}


@contextmanager
def bill_lines(of: Selection, view: View) -> Iterator[BillLines]:
    """The lines of the bill behind a number."""
    runs, given = _behind(of, view)
    where, parameters = filled(of.spend, runs, given)
    basis = of.basis(view) or str((snapshot() or {}).get("basis", "effective"))
    with source_lines.bill_lines(door().settings, where, parameters, basis) as found:
        yield found


def delivered_rows(table: str, where: str, of: Selection, view: View) -> Found:
    """The rows of another delivered table behind a number."""
    if table == "deliveries":
        return source_lines.deliveries(door().settings)
    text, parameters = filled(where, *_behind(of, view))
    return source_lines.delivered(door().settings, table, text, parameters)


def _behind(of: Selection, view: View) -> tuple[str, Row]:
    """The runs that the address leaves, and all that a selection may ask of it."""
    newest = next(iter(months()), None)
    given = {
        "workload": view.workload,
        "month": view.month or (newest["month"] if newest else ""),
        "tied": view.tied,
        **_range(view),
    }
    runs, own = of.runs(view, known_dimensions()) if of.runs else ("", {})
    return runs, given | own


def sql(mart: str) -> str | None:
    """The SQL behind a mart."""
    row = _one("SELECT sql FROM queries WHERE mart = $mart", mart=mart)
    return str(row["sql"]) if row else None


def _range(view: View) -> Row:
    return {"first": view.first, "last": view.last}


def _one(sql: str, **parameters: object) -> Row | None:
    return next(iter(_rows(sql, **parameters)), None)


def _rows(sql: str, **parameters: object) -> list[Row]:
    return door().rows(sql, parameters)
