"""Reads what break-even forecasts are drawn from, computes them, and writes them to tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ibis.backends.duckdb import Backend

from models.engine import contract_tables
from models.engine.context import BuildContext
from models.engine.inputs.early_ends import refuse_early_ends
from models.engine.warehouse.connection import fetch
from models.forecast.break_even_forecasts import ForecastInputs, forecasts
from models.forecast.case import MICRO

Row = dict[str, Any]

READS = frozenset({"standings", "forecast_days", "forecast_runs", "work_daily"})
FILLS = ("forecasts", "forecast_paths")
STANDINGS = """
SELECT workload, status, cutoff, cumulative_net, cumulative_net_saving, ends, unit,
    (SELECT count(*) FROM forecast_days AS day
     WHERE day.workload = standings.workload AND day.date > last_worked) AS quiet
FROM standings WHERE newest"""
DAYS = f"""
SELECT workload,
    list((net_saving * {MICRO})::BIGINT ORDER BY date) AS net_saving,
    list((counterfactual * {MICRO})::BIGINT ORDER BY date) AS counterfactual,
    list(starts ORDER BY date) AS starts
FROM forecast_days GROUP BY workload"""
RUNS = f"""
SELECT workload, hardware = 'gpu' AS on_gpu, count(*) FILTER (in_window) AS in_window,
    count(*) FILTER (in_window AND of_main) AS main_in_window,
    list(of_main ORDER BY lineage) AS of_main,
    list((cost * {MICRO})::BIGINT ORDER BY lineage) AS cost,
    list((epochs * {MICRO})::BIGINT ORDER BY lineage) AS epochs,
    list((counterfactual * {MICRO})::BIGINT ORDER BY lineage) AS counterfactual
FROM forecast_runs GROUP BY ALL"""


def fill_forecasts(context: BuildContext) -> None:
    """Computes the break-even forecasts and writes their tables.

    It runs between `standings` and `break_even`. A workload that ends before its first run is
    refused.
    """
    refuse_early_ends(context.backend)
    rows = forecasts(_inputs(context.backend), context.settings)
    for name, found in zip(FILLS, rows, strict=True):
        contract_tables.fill(context.backend, name, found)


def _inputs(backend: Backend) -> ForecastInputs:
    runs = fetch(backend, RUNS)
    return ForecastInputs(
        _by_workload(fetch(backend, STANDINGS)),
        _by_workload(fetch(backend, DAYS)),
        gpu=_by_workload(row for row in runs if row["on_gpu"]),
        trn=_by_workload(row for row in runs if not row["on_gpu"]),
    )


def _by_workload(rows: Iterable[Row]) -> dict[str, Row]:
    return {row["workload"]: row for row in rows}
