"""What a what-if assumes: what its caller says, else what is known of the workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from models.forecast.starting_point import StartingPoint
from models.forecast.what_if import DIGITS, PLACES, Migration

OF_A_RUN = frozenset(
    f"{side}_cost_per_{unit}" for side in ("gpu", "trn") for unit in ("run", "epoch")
) | {"epochs_per_run"}
"""What is said of them is said of every run to come: those so far no longer speak for it."""


def assumed(
    given: Mapping[str, Decimal | None], known: StartingPoint | None, months: int
) -> Migration:
    """What the caller says, else what is known of the workload, else nothing.

    What is said as it is known already changes nothing. A cost per run or per epoch, or another
    number of epochs, is said of every run to come, so runs are then counted by it alone.
    """
    start = asdict(known) if known else {}
    changed = {
        name: value
        for name, value in given.items()
        if value is not None and value != _rounded(start.get(name))
    }
    said = start | changed
    with localcontext() as context:
        context.prec = DIGITS
        said["gpu_cost_per_run"] = _per_run("gpu", said, changed, said.pop("credited", Decimal(1)))
        said["trn_cost_per_run"] = _per_run("trn", said, changed, Decimal(1))
        if known:
            said["mean_upkeep_per_run"] = _mean_upkeep(said, known)
        if changed.keys() & OF_A_RUN:
            said["mean_upkeep_per_run"] = None
    said.pop("epochs_per_run", None)
    return Migration(**said, months=months)


def lacking(asked: Migration) -> list[str]:
    """The options that would say what is unknown."""
    found = []
    for side in ("gpu", "trn"):
        if getattr(asked, f"{side}_cost_per_run") is None:
            by_epoch = getattr(asked, f"{side}_cost_per_epoch") is not None
            found.append("--epochs-per-run" if by_epoch else f"--{side}-cost-per-run")
    unsaid = {"--runs-per-month": asked.runs_per_month, "--porting-cost": asked.porting_cost}
    found += [option for option, value in unsaid.items() if value is None]
    return list(dict.fromkeys(found))


def _per_run(
    side: str, said: Mapping[str, Any], changed: Mapping[str, Any], credited: Decimal
) -> Decimal | None:
    """As said of a run, else of an epoch, else as it is known of the runs so far."""
    whole, each = f"{side}_cost_per_run", f"{side}_cost_per_epoch"
    by_epoch = changed.keys() & {each, "epochs_per_run"}
    if whole in changed or (said.get(whole) is not None and not by_epoch):
        cost: Decimal | None = said[whole]
        return cost
    cost, epochs = said.get(each), said.get("epochs_per_run")
    return None if cost is None or epochs is None else cost * epochs * credited


def _mean_upkeep(said: Mapping[str, Any], known: StartingPoint) -> Decimal | None:
    """What a run bore of the upkeep so far, as far as upkeep and cadence stay what they are."""
    upkeep, cadence = said["upkeep_per_month"], said["runs_per_month"]
    if (upkeep, cadence) == (known.upkeep_per_month, known.runs_per_month):
        return known.mean_upkeep_per_run
    if known.mean_upkeep_per_run is None or not cadence:
        return None
    if not known.upkeep_per_month or not known.runs_per_month:
        return Decimal(upkeep / cadence)
    changed = upkeep / known.upkeep_per_month * known.runs_per_month / cadence
    return known.mean_upkeep_per_run * Decimal(changed)


def _rounded(value: object) -> object:
    return value.quantize(PLACES, ROUND_HALF_UP) if isinstance(value, Decimal) else value
