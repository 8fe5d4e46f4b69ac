"""METHOD §2 over the facts: whose each dollar is. Exact fractions, never rounded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from tests.support.simulator.company import ACCELERATORS, Charge


class Spent(NamedTuple):
    """A charge, or one run's share of it."""

    day: date
    month: str
    account: str
    bucket: str
    workload: str | None
    run: str | None
    component: str
    machine: str | None
    option: str
    hours: Fraction
    effective: Fraction
    billed: Fraction
    listed: Fraction
    commitment: str | None


def spent(charges: Iterable[Charge]) -> list[Spent]:
    """Every charge; shared ones split by accelerator-hours, or overhead (METHOD §2.6)."""
    charges = list(charges)
    by_day, by_month = _hours(charges)
    found: list[Spent] = []
    for charge in charges:
        if charge.bucket != "shared":
            found.append(_whole(charge, charge.bucket))
            continue
        placed = charge.machine is not None
        key = (charge.workload, charge.day, charge.machine)
        runs = by_day[key] if placed else by_month[charge.workload, f"{charge.day:%Y-%m}"]
        found += _shares(charge, runs) if runs else [_whole(charge, "overhead")]
    return found


Weights = Mapping[str, Fraction]


def _hours(
    charges: Iterable[Charge],
) -> tuple[
    Mapping[tuple[str | None, date, str | None], Weights],
    Mapping[tuple[str | None, str], Weights],
]:
    by_day: defaultdict[tuple[str | None, date, str | None], dict[str, Fraction]]
    by_month: defaultdict[tuple[str | None, str], dict[str, Fraction]]
    by_day, by_month = defaultdict(dict), defaultdict(dict)
    for charge in charges:
        if charge.bucket == "direct" and charge.run and charge.machine:
            hours = Fraction(charge.hours) * ACCELERATORS[charge.machine]
            held = by_day[charge.workload, charge.day, charge.machine]
            held[charge.run] = held.get(charge.run, Fraction(0)) + hours
    for (workload, day, _), held in by_day.items():
        for run in [run for run, hours in held.items() if hours <= 0]:
            del held[run]  # taken back, or none
        whole = by_month[workload, f"{day:%Y-%m}"]
        for run, hours in held.items():
            whole[run] = whole.get(run, Fraction(0)) + hours
    return by_day, by_month


def _whole(charge: Charge, bucket: str) -> Spent:
    return Spent(
        charge.day,
        charge.period,
        charge.account,
        bucket,
        charge.workload,
        charge.run,
        charge.component,
        charge.machine,
        charge.option,
        Fraction(charge.hours),
        Fraction(charge.effective),
        Fraction(charge.billed),
        Fraction(charge.priced),
        charge.commitment,
    )


def _shares(charge: Charge, runs: Weights) -> list[Spent]:
    whole, total = _whole(charge, "shared"), sum(runs.values())
    return [
        whole._replace(
            run=run,
            hours=whole.hours * hours / total,
            effective=whole.effective * hours / total,
            billed=whole.billed * hours / total,
            listed=whole.listed * hours / total,
        )
        for run, hours in runs.items()
    ]
