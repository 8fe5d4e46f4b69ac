"""From the marts and the closes to the statement of a month. Nothing here knows where rows lie."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from importlib.metadata import version
from typing import Any

from models.closing.adjustments import adjustments
from models.config.settings import Settings
from models.contract.errors import MissingDataError
from models.contract.schema import MARTS, PORTFOLIO
from models.records.adjustments import net
from models.records.closes import Close, Delivered
from models.records.columns import EPOCHS, FLOWS, TABLES
from models.records.statement import Row, Statement

Ask = Callable[[str], list[Row]]
"""SQL over the marts to rows."""
NOTHING = Decimal(0)
RUNS = """
WITH spent AS (
    SELECT workload, run, any_value(hardware) AS hardware,
        sum(accelerator_hours) FILTER (component = 'accelerator') AS accelerator_hours,
        {components},
        CASE WHEN count(*) FILTER (settled) = count({cost}) FILTER (settled)
            THEN coalesce(sum({cost}) FILTER (settled), 0) END AS cost,
        coalesce(sum({cost}) FILTER (NOT settled), 0) AS unsettled
    FROM spend_daily
    WHERE run IS NOT NULL AND attribution IN ('direct', 'shared')
        AND strftime(date, '%Y-%m') = '{month}'
    GROUP BY workload, run
), trained AS (
    SELECT workload, run, sum(epochs) AS epochs FROM progress_daily
    WHERE strftime(date, '%Y-%m') = '{month}' GROUP BY workload, run
)
SELECT spent.*, coalesce(trained.epochs, 0) AS epochs, runs.purpose, runs.parity,
    runs.comparability
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
SELECT workload, kind_of_work, max_by(b, date) AS held
FROM (SELECT *, NULL AS kind_of_work FROM baselines
    UNION ALL BY NAME SELECT * EXCLUDE (kind, recipe, samples_per_epoch) FROM further_baselines) b
WHERE strftime(date, '%Y-%m') = '{month}' AND date <= '{through}'
GROUP BY ALL ORDER BY workload, kind_of_work NULLS FIRST"""

INPUT_TABLES = ("baseline_runs", "baseline_hours")
INPUTS = "SELECT * FROM {0} WHERE month = '{1}' ORDER BY ALL NULLS FIRST"


@dataclass(frozen=True)
class Sources:
    """What a statement is computed from: the marts, the standing closes, deliveries and config.

    `closes` are those of other months; a month is computed anew whether or not it was closed.
    """

    ask: Ask
    settings: Settings
    closes: Sequence[Close] = ()
    delivered: Sequence[Delivered] = ()
    config: Mapping[str, object] | None = None


def statement(month: str, sources: Sources) -> Statement:
    """The statement of `month` as it would be closed now. `MissingDataError` without any row."""
    now = {"summary": _facts(sources.ask), "tie_out": sources.ask("SELECT * FROM tie_out")}
    mine = [row for row in now["summary"] if row["month"] == month]
    if not mine:
        known = sorted({row["month"] for row in now["summary"]})
        span = f"there are {known[0]} to {known[-1]}" if known else "build first"
        raise MissingDataError("nothing is known of this month", value=month, remedy=span)
    moved = adjustments(month, now, sources.closes, sources.delivered, sources.config or {})
    history = _history(month, now["summary"], sources.closes, moved)
    pasts = _by_workload(history)
    summary = [_summary(row, pasts[row["workload"]], moved) for row in _portfolio_last(mine)]
    return Statement(
        month,
        _said(month, summary, sources),
        {
            "summary": summary,
            "to_date": _to_date(month, history, sources.settings),
            "history": history,
            "baselines": _baselines(month, summary, sources.ask),
            **{name: sources.ask(INPUTS.format(name, month)) for name in INPUT_TABLES},
            "runs": _runs(month, sources),
            "tie_out": _ordered(row for row in now["tie_out"] if row["month"] == month),
            "adjustments": moved,
            "curve": sources.ask(CURVE.format(last=last_day(month))),
        },
    )


def last_day(month: str) -> date:
    """The last day of `YYYY-MM`."""
    first = date.fromisoformat(f"{month}-01")
    return (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def _facts(ask: Ask) -> list[Row]:
    """`month_facts`, and the Trainium cost that each counterfactual is compared with."""
    rows = ask("SELECT * FROM month_facts ORDER BY month, workload")
    return [row | {"compared_cost": _compared(row)} for row in rows]


def _compared(row: Row) -> Decimal | None:
    whole, saved = row["counterfactual"], row["gross_saving"]
    return None if whole is None or saved is None else whole - saved


def _portfolio_last(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda r: (r["workload"] == PORTFOLIO, r["workload"], r["month"]))


def _by_workload(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["workload"]].append(row)
    return found


def _summary(row: Row, history: Iterable[Row], moved: Iterable[Row]) -> Row:
    mine = {past["month"]: past for past in history}
    before = [past for month, past in sorted(mine.items()) if month < row["month"]]
    opening = before[-1]["cumulative_net"] if before else NOTHING
    return row | {
        "adjustments": net(moved, row["workload"]),
        "opening_net": opening,
        "other_change": mine[row["month"]]["other_change"],
    }


def _history(
    month: str, facts: Sequence[Row], closes: Sequence[Close], moved: Sequence[Row]
) -> list[Row]:
    """Every month up to this one, each as it was closed, else as it is known now."""
    closed = {close.month: close for close in closes}
    rows: list[Row] = []
    for told in sorted({row["month"] for row in facts if row["month"] < month}):
        close = closed.get(told)
        known = [row for row in facts if row["month"] == told]
        held = close.statement.tables["summary"] if close else known
        number = close.version if close else None
        rows += [{"adjustments": NOTHING} | row | {"closed": number} for row in held]
    for row in (row for row in facts if row["month"] == month):
        rows.append(row | {"closed": None, "adjustments": net(moved, row["workload"])})
    return _rolled(_portfolio_last(rows))


def _rolled(rows: Sequence[Row]) -> list[Row]:
    """With what moved the cumulative net besides: months that were never closed, or reopened."""
    before: dict[str, Decimal | None] = {}
    found = []
    for row in rows:
        moved = _sum((before.get(row["workload"], NOTHING), row["net_saving"], row["adjustments"]))
        closing, spent = row["cumulative_net"], row["investment"]
        known = closing is not None and moved is not None and spent is not None
        other = closing - (moved - spent) if known else None
        before[row["workload"]] = closing
        told = row | {"other_change": other}
        found.append({name: told[name] for name in TABLES["history"]})
    return found


def _to_date(month: str, history: Sequence[Row], settings: Settings) -> list[Row]:
    fiscal = settings.fiscal
    found = []
    for period, months in (
        ("quarter", fiscal.quarter_to_date(month)),
        ("year", fiscal.year_to_date(month)),
    ):
        for workload, pasts in _by_workload(history).items():
            rows = [row for row in pasts if row["month"] in months]
            sums = {name: _sum(row[name] for row in rows) for name in (*EPOCHS, *FLOWS)}
            found.append({"period": period, "since": months[0], "workload": workload, **sums})
    return found


def _sum(values: Iterable[Decimal | None]) -> Decimal | None:
    """Unknown as soon as one of them is."""
    given = list(values)
    known = [value for value in given if value is not None]
    return sum(known, NOTHING) if len(known) == len(given) else None


def _baselines(month: str, summary: Sequence[Row], ask: Ask) -> list[Row]:
    through = max(
        (row["settled_through"] for row in summary if row["settled_through"]), default=None
    )
    rows = ask(BASELINES.format(month=month, through=through)) if through else []
    told = (row["held"] | row for row in rows)
    return [{name: row[name] for name in TABLES["baselines"]} for row in told]


def _runs(month: str, sources: Sources) -> list[Row]:
    cost = f"{sources.settings.cost.basis}_cost"
    parts = ", ".join(COMPONENT.format(name, cost) for name in COMPONENTS)
    return sources.ask(RUNS.format(month=month, cost=cost, components=parts))


def _ordered(rows: Iterable[Row]) -> list[Row]:
    keys = ("billing_account", "account", "basis")
    return sorted(
        ({name: row[name] for name in MARTS["tie_out"]} for row in rows),
        key=lambda row: tuple(row[key] or "" for key in keys),
    )


def _said(month: str, summary: Sequence[Row], sources: Sources) -> dict[str, str | None]:
    settings = sources.settings
    through: Any = [row["settled_through"] for row in summary if row["workload"] == PORTFOLIO]
    return {
        "version": version("breakeven"),
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
