"""Computes what a workload costs and saves today, from which a what-if starts (METHOD §6).

The pace is that of the recent window: its counterfactual, and its Trainium cost with overhead, ÷
the production lineages that trained in it and whose saving is known; ÷ all that trained in it where
none is known. Upkeep is that of the window in a month. So runs per month × saving per run, less
upkeep, is `forward_per_month`, and both results are those of `break_even`. Runs per month are
unknown until 84 settled days have passed since the cutover, and until then upkeep is what the
config says (`models.engine.starting_points`). No recorded investment is unknown, not
$0: METHOD claims no break-even then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

from models.contract.rules.recent_window import WEEKS
from models.forecast.migration import DIGITS, product, quotient

UNCLAIMED = ("not_comparable", "insufficient_baseline")


@dataclass(frozen=True)
class StartingPoint:
    """A workload's figures today, from which a what-if starts; None where unknown.

    Figures per epoch, and `epochs_per_run`, are of the kind of work with most Trainium cost, those
    per run of all kinds. `gpu_cost_per_run` is what the credited work of a run would have cost on
    GPU. `credited` is the share of its epochs that is credited work; where there is none,
    `uncredited` says why.
    `covered_share` is the part of its Trainium spend that has a GPU cost to compare with (METHOD
    §6.10). `net_at_old_volume` is its cumulative net at the volume trained before the move (METHOD
    §6.9). `months_to_end` counts the months from the last settled day until training `ends`.
    `planned_port` is what the config plans to invest after the last settled day; until the workload
    has moved, it is part of `porting_cost`.
    """

    gpu_cost_per_epoch: Decimal | None
    trn_cost_per_epoch: Decimal | None
    epochs_per_run: Decimal | None
    runs_per_month: Decimal | None
    porting_cost: Decimal | None
    upkeep_per_month: Decimal
    saved_so_far: Decimal | None
    credited: Decimal = Decimal(1)
    gpu_cost_per_run: Decimal | None = None
    trn_cost_per_run: Decimal | None = None
    status: str = ""
    uncredited: str = ""
    covered_share: Decimal | None = None
    net_at_old_volume: Decimal | None = None
    months_to_end: Decimal | None = None
    planned_port: Decimal = Decimal(0)


def starting_point_of(standing: Mapping[str, Any]) -> StartingPoint:
    """Computes a what-if's starting figures from one joined row of three published tables."""
    with localcontext() as context:
        context.prec = DIGITS
        return _point(standing)


def _point(standing: Mapping[str, Any]) -> StartingPoint:
    runs = Decimal(standing["runs"] or standing["lineages"] or 0)
    gpu, trn = standing["counterfactual"], _cost_with_overhead(standing)
    of_main, trn_of_main, main_runs = _of_main_kind(standing, trn, runs)
    epochs, credited = standing["epochs"], standing["credited_epochs"]
    barred = standing["status"] in UNCLAIMED
    # then the cost on GPU is the asker's own, and about every epoch
    alone = standing["status"] == "not_comparable"
    return StartingPoint(
        gpu_cost_per_epoch=None if barred else quotient(of_main, credited) or standing["baseline"],
        trn_cost_per_epoch=quotient(trn_of_main, epochs),
        epochs_per_run=quotient(epochs or None, main_runs),
        runs_per_month=_monthly(runs) if runs and standing["whole"] else None,
        porting_cost=standing["invested"] or None,
        upkeep_per_month=_monthly(standing["upkeep"] or Decimal(0)),
        saved_so_far=standing["saved"],
        credited=Decimal(1) if alone else _share(credited, epochs),
        gpu_cost_per_run=None if barred else quotient(gpu, runs),
        trn_cost_per_run=quotient(trn, runs),
        status=standing["status"],
        uncredited="" if alone or not runs or credited else _uncredited(standing["parity"], epochs),
        covered_share=standing["covered_share"],
        net_at_old_volume=standing["net_at_old_volume"],
        planned_port=standing["planned_port"],
    )


def _of_main_kind(
    standing: Mapping[str, Any], trn: Decimal | None, runs: Decimal
) -> tuple[Decimal | None, Decimal | None, Decimal]:
    """Returns the window's GPU cost, Trainium cost and number of runs, of the main kind of work.

    Overhead is divided between the kinds of a workload by their Trainium cost.
    """
    if not standing["mixed"]:
        return standing["counterfactual"], trn, runs
    part = quotient(product(trn, standing["main_trn_cost"]), standing["trn_cost"])
    return standing["main_counterfactual"], part, Decimal(standing["main_runs"])


def _cost_with_overhead(standing: Mapping[str, Any]) -> Decimal | None:
    """Returns the window's Trainium cost and overhead, less upkeep; None where one is unknown."""
    cost, overhead = standing["trn_cost"], standing["overhead"]
    if cost is None or overhead is None:
        return None
    return Decimal(cost + overhead - standing["upkeep"])


def _monthly(amount: Decimal) -> Decimal:
    """Converts an amount of the recent window to a month's."""
    return amount * 52 / (12 * WEEKS)


def _share(credited: Decimal | None, epochs: Decimal | None) -> Decimal:
    share = quotient(credited, epochs)
    return Decimal(1) if share is None else share


def _uncredited(parity: str | None, epochs: Decimal | None) -> str:
    """Returns the reason why a workload's recent runs would have cost nothing on GPU."""
    if not epochs:
        return "its last runs made no progress"
    if parity == "below_parity":
        return "its runs are below parity and no saving is credited"
    return "none of its last epochs is credited"
