"""Builds the assumptions of a what-if: given values first, else the workload's own figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from models.forecast.migration import DIGITS, PLACES, Migration
from models.forecast.starting_point import StartingPoint


def assumed(
    given: Mapping[str, Decimal | None], known: StartingPoint | None, months: int
) -> Migration:
    """Builds the assumptions of a what-if: given values first, else the workload's figures today.

    A given value that equals the known one changes nothing.
    """
    start = asdict(known) if known else {}
    changed = {
        name: value
        for name, value in given.items()
        if value is not None and value != _rounded(start.get(name))
    }
    values = start | changed
    with localcontext() as context:
        context.prec = DIGITS
        values["gpu_cost_per_run"] = _per_run(
            "gpu", values, changed, values.pop("credited", Decimal(1))
        )
        values["trn_cost_per_run"] = _per_run("trn", values, changed, Decimal(1))
    for name in ("epochs_per_run", "planned_port"):
        values.pop(name, None)
    return Migration(**values, months=months)


def lacking(asked: Migration) -> list[str]:
    """Lists the command-line options for what a what-if lacks: run costs, cadence, porting cost."""
    found = []
    for side in ("gpu", "trn"):
        if getattr(asked, f"{side}_cost_per_run") is None:
            by_epoch = getattr(asked, f"{side}_cost_per_epoch") is not None
            found.append("--epochs-per-run" if by_epoch else f"--{side}-cost-per-run")
    options = {"--runs-per-month": asked.runs_per_month, "--porting-cost": asked.porting_cost}
    found += [option for option, value in options.items() if value is None]
    return list(dict.fromkeys(found))


def _per_run(
    side: str, values: Mapping[str, Any], changed: Mapping[str, Any], credited: Decimal
) -> Decimal | None:
    """Returns a run's cost: as given, else epochs × cost per epoch if either is, else as known.

    The product is also used where no cost of a run is known; None where a factor of it is unknown.
    `credited` is the share of a run's epochs that it counts.
    """
    whole, each = f"{side}_cost_per_run", f"{side}_cost_per_epoch"
    by_epoch = changed.keys() & {each, "epochs_per_run"}
    if whole in changed or (values.get(whole) is not None and not by_epoch):
        cost: Decimal | None = values[whole]
        return cost
    cost, epochs = values.get(each), values.get("epochs_per_run")
    return None if cost is None or epochs is None else cost * epochs * credited


def _rounded(value: object) -> object:
    return value.quantize(PLACES, ROUND_HALF_UP) if isinstance(value, Decimal) else value
