"""Where a what-if about a workload starts: what it costs and saves today, as published.

Per epoch: the GPU baseline of the last settled day; Trainium cost and overhead ÷ credited epochs
over all settled days, so that epochs × the difference is METHOD §6's net saving per lineage.
Runs are production lineages, whether they compare or not, as METHOD §6 counts them; their cadence
is that of the last twelve settled weeks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal, localcontext
from typing import Any

from models import warehouse
from models.errors import ConfigError
from models.schema import PORTFOLIO
from models.settings import Settings, nearest
from models.what_if import DIGITS, Migration

Rows = Callable[[str, Mapping[str, object]], list[dict[str, Any]]]
"""Answers a statement with named parameters."""

WEEKS = 12
UNCLAIMED = ("not_comparable", "insufficient_baseline")
STANDING = """
    SELECT status, cumulative_net_saving AS saved, cumulative_investment AS invested
    FROM break_even WHERE workload = $workload
"""
WORK = """
    SELECT max(date) AS through, sum(credited_epochs) AS epochs,
        CASE WHEN count(*) = count(trn_cost + overhead) THEN sum(trn_cost + overhead) END AS cost
    FROM savings_daily WHERE workload = $workload AND settled
"""
BASELINE = "SELECT value FROM baselines WHERE workload = $workload AND date = $through::DATE"
LINEAGES = """
    SELECT count(*) AS runs, count(*) FILTER (started > $through::DATE - 7 * $weeks) AS recent
    FROM (
        SELECT min(started_at)::DATE AS started FROM runs
        WHERE workload = $workload AND hardware = 'trainium' AND accelerator_hours > 0
            AND purpose = 'production' AND cost IS NOT NULL
        GROUP BY lineage
    ) WHERE started <= $through::DATE
"""


@dataclass(frozen=True)
class StartingPoint:
    """Dollars per epoch, epochs per run, runs per month; null where unknown."""

    gpu_cost_per_epoch: Decimal | None
    trn_cost_per_epoch: Decimal | None
    epochs_per_run: Decimal | None
    runs_per_month: Decimal | None
    porting_cost: Decimal | None
    upkeep_per_month: Decimal
    saved_so_far: Decimal | None


def starting_point(workload: str, settings: Settings) -> StartingPoint:
    """The workload's figures; `ConfigError` for a name that nobody has published."""
    reader = warehouse.Reader(settings.data / "snapshots")
    try:
        return asked_of(reader.rows, workload, settings)
    finally:
        reader.close()


def asked_of(rows: Rows, workload: str, settings: Settings) -> StartingPoint:
    """The same, from a snapshot that is open already."""
    known = [row["workload"] for row in rows("SELECT workload FROM break_even", {})]
    if workload not in known or workload == PORTFOLIO:
        raise _unknown(workload, known)
    (standing,) = rows(STANDING, {"workload": workload})
    (work,) = rows(WORK, {"workload": workload})
    day = {"workload": workload, "through": work["through"]}
    priced = rows(BASELINE, day)
    (lineages,) = rows(LINEAGES, day | {"weeks": WEEKS})
    baseline = next((row["value"] for row in priced), None)
    with localcontext() as context:
        context.prec = DIGITS
        return _point({**standing, **work, **lineages}, baseline, _upkeep(workload, settings))


def _point(standing: dict[str, Any], baseline: Decimal | None, upkeep: Decimal) -> StartingPoint:
    runs, recent = Decimal(standing["runs"]), Decimal(standing["recent"])
    return StartingPoint(
        gpu_cost_per_epoch=None if standing["status"] in UNCLAIMED else baseline,
        trn_cost_per_epoch=_quotient(standing["cost"], standing["epochs"]),
        epochs_per_run=_quotient(standing["epochs"] or None, runs),
        runs_per_month=recent * 52 / (12 * WEEKS) if recent else None,
        porting_cost=standing["invested"],
        upkeep_per_month=upkeep,
        saved_so_far=standing["saved"],
    )


def assumed(
    given: Mapping[str, Decimal | None], known: StartingPoint | None, months: int
) -> Migration:
    """What the caller says, else what is known of the workload, else nothing."""
    said = asdict(known) if known else {}
    said |= {name: value for name, value in given.items() if value is not None}
    costs = {}
    with localcontext() as context:
        context.prec = DIGITS
        for side in ("gpu_cost_per", "trn_cost_per"):
            each, epochs = said.pop(f"{side}_epoch", None), said.get("epochs_per_run")
            whole = None if each is None or epochs is None else each * epochs
            costs[f"{side}_run"] = said.pop(f"{side}_run", whole)
    said.pop("epochs_per_run", None)
    return Migration(**costs, **said, months=months)


def _quotient(part: Decimal | None, whole: Decimal | None) -> Decimal | None:
    return part / whole if part is not None and whole else None


def _upkeep(workload: str, settings: Settings) -> Decimal:
    """Dollars per month of the upkeep that the config has begun."""
    entries = settings.investments
    due = (e for e in entries if e.workload == workload and e.date <= settings.today)
    return sum((entry.amount_per_month or Decimal(0) for entry in due), Decimal(0))


def _unknown(workload: str, known: list[str]) -> ConfigError:
    names = sorted(set(known) - {PORTFOLIO})
    return ConfigError("no workload of this name", value=workload, remedy=nearest(workload, names))
