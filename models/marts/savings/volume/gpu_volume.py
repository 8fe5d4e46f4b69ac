"""Computes how much work of each recipe was trained on GPU before the move, and since.

Cheaper training is trained more, and what is trained only because it is cheaper would never have
been paid for on GPU. `per_day` is the pace before the cutover: the work of qualifying GPU lineages
÷ days, from the start of the first of them (at most `baseline.window_days` back) to the day before
the cutover. Example: 420 epochs in 140 days are 3 a day. `gpu_epochs` is production that stayed on
GPU on settled days from the cutover on: it uses up the old volume as well.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import ratio, zero_if_null
from models.contract.rules.work.kinds_of_work import KIND
from models.contract.rules.work.old_pace import LEAST_DAYS

LINE = ["workload", "lineage"]


@step(
    grain="workload × kind × month, from the month of the cutover to the last settled day",
    units="work in `unit`; days; lineages",
    nulls="per_day: fewer than 56 days or `baseline.min_runs` lineages before the cutover",
    method="§6.9",
    whose="workload",
)
def gpu_volume(
    calendar: ir.Table,
    cutovers: ir.Table,
    kinds: ir.Table,
    comparable: ir.Table,
    unit_daily: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes each recipe's GPU work per day before the cutover, and per month since."""
    on_gpu = unit_daily.filter((unit_daily.hardware == "gpu") & unit_daily.in_lineage)
    on_gpu = on_gpu.join(cutovers, "workload")
    rows = _months(calendar, cutovers).join(kinds.select(*KIND, "unit"), "workload")
    rows = left_join(rows, _before(on_gpu, comparable, settings), KIND)
    rows = left_join(rows, _since(on_gpu), [*KIND, "month"])
    enough = (rows.gpu_days >= LEAST_DAYS) & (rows.gpu_runs >= settings.baseline.min_runs)
    return rows.select(
        *KIND, "month", "unit", "settled_days", "gpu_runs", "gpu_days", "gpu_work",
        per_day=ibis.ifelse(enough, ratio(rows.gpu_work, rows.gpu_days), None),
        gpu_epochs=zero_if_null(rows.gpu_epochs),
    )  # fmt: skip


def month_of(rows: ir.Table) -> ir.Value:
    """Returns the column of the month of a row's date, as text like `2026-10`."""
    return rows.date.strftime("%Y-%m")


def _months(calendar: ir.Table, cutovers: ir.Table) -> ir.Table:
    """Counts each workload's settled days by month, from its cutover to Trainium on."""
    days = calendar.filter(calendar.settled).join(cutovers, "workload")
    days = days.filter(days.date >= days.cutover)
    return days.group_by("workload", month=month_of(days)).agg(settled_days=days.count())


def _before(on_gpu: ir.Table, comparable: ir.Table, settings: Settings) -> ir.Table:
    """Sums each recipe's work of qualifying GPU runs before the cutover, and counts runs and days.

    Where the first of them began before the window, all days of the window count: also those of a
    pause at its beginning.
    """
    qualified = comparable.filter(comparable.qualifies).select(*LINE)
    rows = on_gpu.semi_join(qualified, LINE)
    rows = rows.filter((rows.date < rows.cutover) & rows.active)
    away = (rows.cutover.epoch_days() - rows.date.epoch_days()).cast("int64")
    window = settings.baseline.window_days
    rows = rows.mutate(away=away, inside=away <= window)
    return rows.group_by(KIND).agg(
        gpu_runs=rows.lineage.nunique(where=rows.inside),
        gpu_days=ibis.least(rows.away.max(), window),
        gpu_work=zero_if_null(rows.epochs.sum(where=rows.inside)),
    )


def _since(on_gpu: ir.Table) -> ir.Table:
    """Sums each recipe's production work on GPU by month, from the cutover on."""
    produces = on_gpu.own & (on_gpu.purpose != "baseline").fill_null(True)
    rows = on_gpu.filter((on_gpu.date >= on_gpu.cutover) & on_gpu.settled & produces)
    return rows.group_by(*KIND, month=month_of(rows)).agg(gpu_epochs=rows.epochs.sum())
