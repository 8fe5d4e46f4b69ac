"""METHOD §5: what an epoch costs on GPU on a day. Exact fractions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from tests.support.simulator.company import Company
from tests.support.simulator.payer import Payer
from tests.support.simulator.work import Lineage

BLOCK = "capacity_block"
OWN_SERIES = ("spot", BLOCK)
LATEST = 8


@dataclass(frozen=True)
class Baseline:
    """A day's counterfactual; None where it is unknown."""

    platform: str | None
    cap: Fraction | None
    """The work that a result took, where a target loss is aimed at."""
    measured: Fraction
    repriced: Fraction | None
    measured_at_list: Fraction
    repriced_at_list: Fraction | None
    flags: frozenset[str]

    @property
    def value(self) -> Fraction:
        """Conservative: the lower, or measured where a price is unavailable."""
        return self.measured if self.repriced is None else min(self.measured, self.repriced)

    @property
    def value_at_list(self) -> Fraction:
        """The same method at list."""
        at_list = self.repriced_at_list
        return self.measured_at_list if at_list is None else min(self.measured_at_list, at_list)

    @property
    def result(self) -> Fraction:
        """What its platform asks: of a result, else of a unit of work."""
        return self.value * (1 if self.cap is None else self.cap)


def _good(lineage: Lineage) -> bool:
    return lineage.total.epochs >= lineage.least


def end(lineage: Lineage) -> date:
    """The day on which it ended; far away while it runs."""
    return lineage.ended_on or date.max


def latest(lineages: list[Lineage], most: int) -> list[Lineage]:
    """Those that ended last."""
    by_name = sorted(lineages, key=lambda m: m.name)
    return sorted(by_name, key=lambda m: m.ended_at, reverse=True)[:most]


def windows(
    ended: list[Lineage], day: date, days: int, least: int
) -> tuple[list[list[Lineage]], frozenset[str]]:
    """Each platform's lineages that may stand behind a day, and how that came about."""
    good = [m for m in ended if _good(m)]
    past = [m for m in good if end(m) <= day]
    newest = max(map(end, past), default=date.max)
    recent = [m for m in past if end(m) > newest - timedelta(days=days)] if past else []
    old = {"stale"} if newest <= day - timedelta(days=days) else set()
    found = []
    for platform in sorted({m.platform for m in recent}):
        mine = [m for m in recent if m.platform == platform]
        found.append(
            _with_failures(latest(mine, LATEST), [m for m in ended if m.platform == platform])
        )
    whole = sum(m.total.epochs for members in found for m in members)
    may = [
        members
        for members in found
        if sum(map(_good, members)) >= least and sum(m.total.epochs for m in members) * 10 >= whole
    ]
    if may:
        return may, frozenset(old)
    if len(good) < least:
        return [], frozenset()
    chosen = latest(recent, LATEST)
    if len(chosen) < least:
        later = sorted((m for m in good if end(m) > day), key=lambda m: (m.ended_at, m.name))
        chosen = (latest(past, least) + later)[:least]
        old |= (
            {"stale"} if set(map(id, past)) & set(map(id, chosen)) - set(map(id, recent)) else set()
        )
        old |= {"topped_up"} if any(end(m) > day for m in chosen) else set()
    return [_with_failures(chosen, ended)], frozenset(old)


def _with_failures(chosen: list[Lineage], beside: list[Lineage]) -> list[Lineage]:
    """And those that failed between the first end and the last."""
    ends = list(map(end, chosen))
    return chosen + [m for m in beside if not _good(m) and min(ends) <= end(m) <= max(ends)]


def baseline(company: Company, payer: Payer, ended: list[Lineage], day: date) -> Baseline | None:
    """The day's lowest baseline; None where too few lineages qualify."""
    asked = company.config["baseline"]
    found, flags = windows(ended, day, asked["window_days"], asked["min_runs"])
    aimed = {e["name"] for e in company.config["workloads"] if "target_loss" in e}
    may = [m for m in found if m[0].workload not in aimed or any(map(reached, m))]
    return min(
        (_of(company, payer, members, day, flags, members[0].workload in aimed) for members in may),
        key=lambda b: (b.result, b.measured),
        default=None,
    )


def reached(lineage: Lineage) -> bool:
    """Whether its loss ever was at the target."""
    return lineage.epochs_to_target is not None


def _cap(members: list[Lineage]) -> Fraction:
    """METHOD §3.6: all work until the target was reached, or in vain, by those that reached it."""
    way = [m.total.epochs if m.epochs_to_target is None else m.epochs_to_target for m in members]
    return Fraction(sum(way), sum(map(reached, members)))


def _of(
    company: Company,
    payer: Payer,
    members: list[Lineage],
    day: date,
    flags: frozenset[str],
    aimed: bool,
) -> Baseline:
    epochs = sum(m.total.epochs for m in members)
    cost, listed = sum(m.total.cost for m in members), sum(m.total.listed for m in members)
    repriced, at_list, unsure = _repriced(company, payer, members, day)
    unpriced = {"price_unavailable"} if repriced is None else set()
    measured = Fraction(cost, epochs)
    platforms = {m.platform for m in members}
    return Baseline(
        min(platforms) if len(platforms) == 1 else None,
        _cap(members) if aimed else None,
        measured,
        None if repriced is None else repriced / epochs,
        Fraction(listed, epochs),
        None if at_list is None else at_list / epochs,
        flags | unpriced | ({"stale_price"} if unsure and repriced is not None else set()),
    )


def _repriced(
    company: Company, payer: Payer, members: list[Lineage], day: date
) -> tuple[Fraction | None, Fraction | None, bool]:
    """The window's hours at the day's prices by the share paid then, plus the rest as it was.

    Or by the share that the payer pays by that day for its hours on demand, if that is lower.

    Effective, at list, and whether a price was not confirmed.
    """
    total: Fraction | None = Fraction(0)
    at_list: Fraction | None = Fraction(0)
    unsure = False
    terms: dict[tuple[str, str], list[Fraction | None]] = {}
    for row in (s for m in members for s in m.spend):
        if row.component != "accelerator" or row.machine is None:
            total, at_list = total + row.effective, at_list + row.listed
            continue
        own = row.option in OWN_SERIES
        series = row.option if own else "on_demand"
        term = terms.setdefault((row.machine, series), [Fraction(0)] * 3)
        then = company.price(row.machine, row.option, row.day) if own else None
        at_series = None if then is None else row.hours * Fraction(then)
        reference = at_series if own else row.listed
        for place, amount in enumerate((row.hours, row.effective, reference)):
            held = term[place]
            term[place] = None if held is None or amount is None else held + amount
    for (machine, option), (hours, effective, reference) in terms.items():
        own = option in OWN_SERIES
        price = company.price(machine, option if own else "on_demand", day)
        unsure |= not own and company.stale(machine, day)
        listed = company.price(machine, option if option == BLOCK else "on_demand", day)
        if total is None or price is None or None in (hours, effective, reference):
            total = None
        else:
            own_factor = effective / reference
            factor = own_factor if own else min(own_factor, payer.factor(machine, day, hours))
            total += hours * Fraction(price) * factor
        known = at_list is not None and listed is not None and hours is not None
        at_list = at_list + hours * Fraction(listed) if known else None
    return total, at_list, unsure
