"""METHOD §6: the old volume, how much is judged and what more would cost. Exact fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from fractions import Fraction
from functools import cache

from tests.support.simulator.company import SETTLED
from tests.support.simulator.saving import NIL, Reckoning, until
from tests.support.simulator.work import Lineage

LEAST_DAYS = 56


def _on_gpu(truth: Reckoning, workload: str) -> list[Lineage]:
    """GPU lineages of the kind that trains on Trainium."""
    recipe = truth.recipe(workload)
    return [m for m in truth.of(workload, trainium=False) if m.recipe == recipe]


def pace(truth: Reckoning, workload: str) -> Fraction | None:
    """Units a day before the cutover; None where too few runs or days tell it."""
    cutover = truth.cutover(workload)
    if cutover is None:
        return None
    window = truth.company.config["baseline"]["window_days"]
    begin = cutover - timedelta(days=window)
    good = [m for m in _on_gpu(truth, workload) if m.ended_on and m.total.epochs >= m.least]
    before = {(day, m.name) for m in good for day in m.active if day < cutover}
    if not before:
        return None
    length = min(window, (cutover - min(day for day, _ in before)).days)
    days = {(day, name) for day, name in before if day >= begin}
    runs = len({name for _, name in days})
    if length < LEAST_DAYS or runs < truth.company.config["baseline"]["min_runs"]:
        return None
    work = sum((m.days[day].epochs for m in good for day in m.days if (day, m.name) in days), NIL)
    return work / length


@cache
def months_at_old_volume(truth: Reckoning, workload: str) -> dict[str, Fraction | None]:
    """Month → gross saving on the work that would have been trained anyway; from the cutover."""
    cutover, each = truth.cutover(workload), pace(truth, workload)
    if cutover is None:
        return {}
    lengths: defaultdict[str, int] = defaultdict(int)
    for day in until(cutover, SETTLED):
        lengths[f"{day:%Y-%m}"] += 1
    gross, credited, stayed = _by_month(truth, workload, cutover)
    found: dict[str, Fraction | None] = {}
    days, used = 0, NIL
    for month, length in sorted(lengths.items()):
        days, used = days + length, used + stayed[month]
        if each is None:
            found[month] = NIL if not credited.keys() & {month} else None
            continue
        old = max(NIL, min(credited[month], each * days - used))
        used += old
        whole = gross[month] < 0 or not credited[month]
        found[month] = gross[month] if whole else gross[month] * old / credited[month]
    return found


Sums = defaultdict[str, Fraction]


def _by_month(truth: Reckoning, workload: str, cutover: date) -> tuple[Sums, Sums, Sums]:
    """Gross saving, credited work, and production that stayed on GPU."""
    gross: Sums = defaultdict(Fraction)
    for day, flow in truth.flows[workload].items():
        gross[f"{day:%Y-%m}"] += flow.gross_saving or NIL
    return gross, _credited(truth, workload), _stayed(truth, workload, cutover)


def _credited(truth: Reckoning, workload: str) -> Sums:
    found: Sums = defaultdict(Fraction)
    mine = [m for m in truth.of(workload, trainium=True) if truth.compares(m)]
    for lineage, day in ((m, day) for m in mine for day in m.days if day <= SETTLED):
        if truth.baseline(workload, day) is not None:
            found[f"{day:%Y-%m}"] += truth.credited(lineage, day)
    return found


def _stayed(truth: Reckoning, workload: str, cutover: date) -> Sums:
    found: Sums = defaultdict(Fraction)
    for lineage in _on_gpu(truth, workload):
        for day, amounts in lineage.days.items():
            if cutover <= day <= SETTLED and lineage.first.attribute("purpose") != "baseline":
                found[f"{day:%Y-%m}"] += amounts.epochs
    return found


def judged_share(truth: Reckoning, workloads: Iterable[str], days: set[date]) -> Fraction | None:
    """The part of production on Trainium of some days that has a known counterfactual."""
    spent = judged = NIL
    for workload in workloads:
        for lineage in truth.of(workload, trainium=True):
            for day in lineage.days.keys() & days:
                cost = lineage.days[day].cost
                spent += cost
                base = None if truth.barred(workload) else truth.baseline(workload, day)
                judged += cost if base and truth.compares(lineage) else NIL
    return judged / spent if spent else None


def cost_to_know(truth: Reckoning, workloads: Iterable[str]) -> Fraction | None:
    """What GPU runs would cost where there are some of Trainium's kind, but too few."""
    total = None
    for workload in workloads:
        gpu = [m for m in _on_gpu(truth, workload) if m.ended_on and m.total.epochs >= m.least]
        missing = truth.company.config["baseline"]["min_runs"] - len(gpu)
        if gpu and missing > 0 and truth.cutover(workload):
            each = sum(m.total.cost for m in gpu) / sum(m.total.epochs for m in gpu)
            total = (total or NIL) + missing * gpu[0].least * each
    return total
