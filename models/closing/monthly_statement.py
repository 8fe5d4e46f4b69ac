"""Computes the statement of a month from the marts and the closes of other months (METHOD §7).

Rows are read by SQL alone, through a function that the caller gives (`Ask`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from importlib.metadata import version
from typing import Any

from models.closing.adjustment_causes import Inputs
from models.closing.adjustment_rows import adjustments
from models.closing.history import (
    NOTHING,
    by_workload,
    due_in,
    monthly_history,
    of_nothing_left,
    portfolio_last,
    to_date,
)
from models.closing.unsettled_days import unsettled_days
from models.config.settings import Settings
from models.contract.edition import EDITION
from models.contract.errors import MissingDataError
from models.contract.month import last_day
from models.contract.rules.attribution_groups import OF_RUNS
from models.contract.schema import MARTS, PORTFOLIO
from models.records.closes import Close, Delivered
from models.records.columns import TABLES
from models.records.statement import Row, Statement, uncompared

Ask = Callable[[str], list[Row]]
"""Runs a SQL query on the marts and returns its rows."""
RUNS = """
WITH days AS (
    FROM savings_daily SELECT workload, date, settled WHERE strftime(date, '%Y-%m') = '{month}'
), spent AS (
    SELECT workload, run, any_value(hardware) AS hardware,
        sum(accelerator_hours) FILTER (settled AND component = 'accelerator') AS accelerator_hours,
        {components},
        CASE WHEN count(*) FILTER (settled) = count({cost}) FILTER (settled)
            THEN coalesce(sum({cost}) FILTER (settled), 0) END AS cost,
        CASE WHEN count(*) FILTER (NOT settled) = count({cost}) FILTER (NOT settled)
            THEN coalesce(sum({cost}) FILTER (NOT settled), 0) END AS unsettled
    FROM (SELECT * EXCLUDE settled FROM spend_daily) JOIN days USING (workload, date)
    WHERE run IS NOT NULL AND attribution IN {of_runs}
    GROUP BY workload, run
), trained AS (
    SELECT workload, run, sum(epochs) AS epochs, sum(tokens) / 1e9 AS billion_tokens,
        sum(samples) / 1e6 AS million_samples
    FROM progress_daily JOIN days USING (workload, date) WHERE settled GROUP BY workload, run
)
SELECT spent.*, runs.unit, CASE runs.unit
    WHEN 'billion_tokens' THEN billion_tokens::DECIMAL(38, 9)
    WHEN 'million_samples' THEN million_samples::DECIMAL(38, 9)
    ELSE coalesce(trained.epochs, 0) END AS epochs, runs.purpose, runs.parity, runs.comparability
FROM spent LEFT JOIN trained USING (workload, run) LEFT JOIN runs USING (workload, run)
ORDER BY workload, run"""
COMPONENTS = ("accelerator", "storage", "network", "other")
COMPONENT = """CASE WHEN count(*) FILTER (settled AND component = '{0}')
    = count({1}) FILTER (settled AND component = '{0}')
    THEN coalesce(sum({1}) FILTER (settled AND component = '{0}'), 0) END AS {0}_cost"""
CURVE = """
SELECT max(date) AS date, max_by(cumulative_net, date) AS cumulative_net FROM portfolio_daily
WHERE settled AND cumulative_net IS NOT NULL AND date <= '{last}'
GROUP BY date_trunc('week', date) ORDER BY 1"""
BASELINES = """
SELECT workload, kind_of_work, max_by(b, date) AS last_row
FROM (SELECT *, CASE WHEN NOT main THEN coalesce(recipe, 'without a recipe') END AS kind_of_work
    FROM baselines WHERE main OR EXISTS (
        FROM savings_by_kind AS s WHERE s.workload = baselines.workload
        AND s.recipe IS NOT DISTINCT FROM baselines.recipe)) b
WHERE strftime(date, '%Y-%m') = '{month}' AND date <= '{through}'
GROUP BY ALL ORDER BY workload, kind_of_work NULLS FIRST"""
INPUT_TABLES = ("baseline_runs", "baseline_hours")
INPUTS = "SELECT * FROM {0} WHERE month = '{1}' ORDER BY ALL NULLS FIRST"


@dataclass(frozen=True)
class Sources:
    """The inputs of a month's statement: a query function, settings, closes, deliveries, config.

    `closes` are the newest closes of other months; the month itself is computed anew even if it was
    closed. `program` is the version of breakeven that the statement names; when a close is
    verified, the version that closed it. `by_this_edition` recomputes all months from the inputs of
    a close of an earlier edition.
    """

    ask: Ask
    settings: Settings
    closes: Sequence[Close] = ()
    delivered: Sequence[Delivered] = ()
    config: Mapping[str, object] | None = None
    program: str | None = field(default_factory=partial(version, "breakeven"))
    by_this_edition: Callable[[Close], Mapping[str, Sequence[Row]] | None] = lambda _: None


def statement(month: str, sources: Sources) -> Statement:
    """Computes the statement of a month from today's tables, as it would be closed now.

    Raises `MissingDataError` where the month has no rows.
    """
    now = figures(sources.ask)
    known = sorted({row["month"] for row in now["summary"]})
    if month not in known:
        span = f"there are {known[0]} to {known[-1]}" if known else "build first"
        raise MissingDataError("nothing is known of this month", value=month, remedy=span)
    inputs = Inputs(sources.delivered, sources.config or {}, sources.program)
    moved = adjustments(month, now, sources.closes, inputs, sources.by_this_edition)
    due = due_in(month, now["summary"], sources.closes)
    facts = [*now["summary"], *of_nothing_left(due, now["summary"], moved)]
    history = monthly_history(month, facts, sources.closes, moved)
    pasts = by_workload(history)
    mine = portfolio_last(row for row in facts if row["month"] == month)
    summary = [_summary(row, pasts[row["workload"]]) for row in mine]
    return Statement(
        month,
        _basis_facts(month, summary, sources),
        {
            "summary": summary,
            "to_date": to_date(month, history, sources.settings),
            "history": history,
            "baselines": _baselines(month, summary, sources.ask),
            **{name: sources.ask(INPUTS.format(name, month)) for name in INPUT_TABLES},
            "runs": _runs(month, sources),
            "tie_out": _ordered(row for row in now["tie_out"] if row["month"] == month),
            "adjustments": moved if due == month else [],
            "unsettled": unsettled_days(sources.ask, month),
            "curve": sources.ask(CURVE.format(last=last_day(month))),
        },
    )


def figures(ask: Ask) -> dict[str, list[Row]]:
    """Reads all months' `summary` and `tie_out` rows, to compare closed months with."""
    return {"summary": _facts(ask), "tie_out": ask("SELECT * FROM tie_out")}


def _facts(ask: Ask) -> list[Row]:
    """Reads a row per workload and month; adds Trainium cost with and without a GPU cost."""
    rows = ask("SELECT * FROM month_facts ORDER BY month, workload")
    compared = (row | {"compared_cost": _compared(row)} for row in rows)
    return [row | {"uncompared_cost": uncompared(row)} for row in compared]


def _compared(row: Row) -> Decimal | None:
    whole, saved = row["counterfactual"], row["gross_saving"]
    return None if whole is None or saved is None else whole - saved


def _summary(row: Row, history: Iterable[Row]) -> Row:
    mine = {past["month"]: past for past in history}
    before = [past for month, past in sorted(mine.items()) if month < row["month"]]
    opening = before[-1]["cumulative_net"] if before else NOTHING
    rolled = {name: mine[row["month"]][name] for name in ("adjustments", "other_change")}
    return row | rolled | {"opening_net": opening}


def _baselines(month: str, summary: Sequence[Row], ask: Ask) -> list[Row]:
    through = max(
        (row["settled_through"] for row in summary if row["settled_through"]), default=None
    )
    rows = ask(BASELINES.format(month=month, through=through)) if through else []
    flat = (row["last_row"] | row for row in rows)
    return [{name: row[name] for name in TABLES["baselines"]} for row in flat]


def _runs(month: str, sources: Sources) -> list[Row]:
    cost = f"{sources.settings.cost.basis}_cost"
    parts = ", ".join(COMPONENT.format(name, cost) for name in COMPONENTS)
    return sources.ask(RUNS.format(month=month, cost=cost, components=parts, of_runs=OF_RUNS))


def _ordered(rows: Iterable[Row]) -> list[Row]:
    keys = ("billing_account", "account", "basis")
    return sorted(
        ({name: row[name] for name in MARTS["tie_out"]} for row in rows),
        key=lambda row: tuple(row[key] or "" for key in keys),
    )


def _basis_facts(month: str, summary: Sequence[Row], sources: Sources) -> dict[str, str | None]:
    settings = sources.settings
    through: Any = [row["settled_through"] for row in summary if row["workload"] == PORTFOLIO]
    return {
        "version": sources.program,
        "edition": f"{EDITION}",
        "as_of": f"{settings.today}",
        "settled_through": f"{through[0]}" if through and through[0] else None,
        "basis": settings.cost.basis,
        "baseline_method": settings.baseline.method,
        "baseline_window_days": f"{settings.baseline.window_days}",
        "baseline_min_runs": f"{settings.baseline.min_runs}",
        "settle_days": f"{settings.cost.settle_days}",
        "cost_source": settings.cost.source,
        "fiscal_year": settings.fiscal.year(month),
        "fiscal_quarter": settings.fiscal.quarter(month),
    }
