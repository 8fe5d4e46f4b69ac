"""METHOD §3.4–3.6 and §6: what each day saved, after what it may claim. Exact fractions."""

from __future__ import annotations

import calendar
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from statistics import median
from typing import Any, NamedTuple

from tests.support.simulator.baseline import Baseline, baseline, reached
from tests.support.simulator.commitments import GPU_PLAN, MOVED
from tests.support.simulator.company import AS_OF, SETTLED, TRN1, Company
from tests.support.simulator.payer import Payer
from tests.support.simulator.spend import Spent, spent
from tests.support.simulator.work import Lineage, lineages

NIL = Fraction(0)
STRANDED = ("idle_commitment", GPU_PLAN)


class Flow(NamedTuple):
    """A settled day of a workload; None is unknown."""

    trn_cost: Fraction
    epochs: Fraction
    credited_epochs: Fraction
    counterfactual: Fraction | None
    gross_saving: Fraction | None
    overhead: Fraction
    net_saving: Fraction | None
    saving_at_list: Fraction | None
    investment: Fraction
    upkeep: Fraction


class Reckoning:
    """Every answer METHOD gives for a company, from its facts alone."""

    def __init__(self, company: Company) -> None:
        self.company = company
        self.spend = spent(company.charges)
        self.payer = Payer(self.spend)
        self.lineages = lineages(company, self.spend)
        self._known: dict[tuple[str, date], Baseline | None] = {}
        self._parities: dict[str, str | None] = {}
        self._credits: dict[tuple[str, date], Fraction] = {}

    @cached_property
    def workloads(self) -> list[str]:
        """Every workload anybody has named."""
        named = {entry["name"] for entry in self.company.config["workloads"]}
        return sorted(named | {workload for workload, _ in self.lineages})

    def of(self, workload: str, *, trainium: bool) -> list[Lineage]:
        """Counted lineages of a workload on one side."""
        return self._sides[workload, trainium]

    @cached_property
    def _sides(self) -> defaultdict[tuple[str, bool], list[Lineage]]:
        found: defaultdict[tuple[str, bool], list[Lineage]] = defaultdict(list)
        for (workload, _), lineage in sorted(self.lineages.items()):
            if lineage.counted:
                found[workload, lineage.trainium].append(lineage)
        return found

    def recipe(self, workload: str) -> str | None:
        """That of its Trainium work, else of its GPU work: each side has one here."""
        for trainium in (True, False):
            for lineage in self.of(workload, trainium=trainium)[:1]:
                return lineage.recipe
        return None

    def baseline(self, workload: str, day: date) -> Baseline | None:
        """What a unit of its main kind of work would cost on GPU that day."""
        key = workload, day
        if key not in self._known:
            recipe = self.recipe(workload)
            gpu = self.of(workload, trainium=False)
            ended = [m for m in gpu if m.ended_on and m.recipe == recipe]
            self._known[key] = baseline(self.company, self.payer, ended, day)
        return self._known[key]

    def compares(self, lineage: Lineage) -> bool:
        """The same recipe as the GPU side (one kind here), if it has one."""
        gpu = self.of(lineage.workload, trainium=False)
        return bool(gpu) and lineage.recipe == gpu[0].recipe

    def parity(self, lineage: Lineage) -> str | None:
        """METHOD §3.5, against the GPU lineages of the year up to the newest by its end."""
        key = f"{lineage.workload}/{lineage.name}"
        if key not in self._parities:
            self._parities[key] = self._parity(lineage)
        return self._parities[key]

    def _parity(self, lineage: Lineage) -> str | None:
        if not self.compares(lineage) or not self.of(lineage.workload, trainium=False):
            return None
        if self.aims(lineage.workload):
            late = "pending" if lineage.ended_on is None else "below_parity"
            return "parity" if reached(lineage) else late
        reference = [m.final_loss for m in self._reference(lineage) if m.final_loss is not None]
        if not reference:
            return "unverified"
        if lineage.ended_on is None:
            return "pending"
        equal = _equal(lineage.final_loss, median(reference)) or self.short(lineage)
        return "parity" if equal else "below_parity"

    def short(self, lineage: Lineage) -> bool:
        """Ended early and as good as GPU only at the same work."""
        reference = self._reference(lineage)
        if self.aims(lineage.workload) or lineage.ended_on is None or lineage.final_loss is None:
            return False
        known = [m for m in reference if m.final_loss is not None]
        work = lineage.total.epochs
        if not known or not work or work >= self._usual(lineage) * Fraction(9, 10):
            return False
        whole = _equal(lineage.final_loss, median(m.final_loss for m in known))
        there = median(m.loss_at(work) for m in reference if m.reached)
        return not whole and _equal(lineage.final_loss, there)

    def _usual(self, lineage: Lineage) -> Fraction:
        """The median work of the window that it is held against."""
        return median(m.total.epochs for m in self._held_against(lineage))

    def _reference(self, lineage: Lineage) -> list[Lineage]:
        """The GPU lineages that it is held against, those with too little work standing aside."""
        window = self._held_against(lineage)
        if not window:
            return []
        least = median(m.total.epochs for m in window) * Fraction(9, 10)
        return [m for m in window if m.total.epochs >= least]

    def _held_against(self, lineage: Lineage) -> list[Lineage]:
        """The qualifying GPU lineages that ended in the window up to the newest by its end."""
        gpu = [m for m in self.of(lineage.workload, trainium=False) if m.ended_on]
        gpu = [m for m in gpu if m.recipe == lineage.recipe and m.total.epochs >= m.least]
        ends = [m.ended_on for m in gpu if m.ended_on]
        past = [end for end in ends if end <= (lineage.ended_on or SETTLED)]
        if not ends:
            return []
        newest = max(past, default=min(ends))
        begin = newest - timedelta(days=self.company.config["baseline"]["window_days"])
        return [m for m in gpu if m.ended_on and begin < m.ended_on <= newest]

    def credited(self, lineage: Lineage, day: date) -> Fraction:
        """Epochs of the day whose counterfactual counts; with a target results (METHOD §3.6)."""
        key = f"{lineage.workload}/{lineage.name}", day
        if key not in self._credits:
            self._credits[key] = self._credited(lineage, day)
        return self._credits[key]

    def _credited(self, lineage: Lineage, day: date) -> Fraction:
        if not self.compares(lineage) or self.parity(lineage) == "below_parity":
            return NIL
        before = sum((d.epochs for at, d in lineage.days.items() if at < day), NIL)
        after = before + lineage.days[day].epochs
        base = self.baseline(lineage.workload, day)
        if base is None or base.cap is None:
            return after - before
        way = lineage.epochs_to_target
        if way is None:
            return min(after, base.cap) - min(before, base.cap)
        return (min(after, way) - min(before, way)) * base.cap / way

    def aims(self, workload: str) -> bool:
        """Whether its config has a target loss."""
        config = self.company.config["workloads"]
        return any(e["name"] == workload and "target_loss" in e for e in config)

    def none_compare(self, workload: str) -> bool:
        """It has Trainium lineages, and none of them compares."""
        mine = self.of(workload, trainium=True)
        return bool(mine) and not any(map(self.compares, mine))

    def must_verify(self, workload: str) -> bool:
        """`require_verified`, and no loss anywhere."""
        config = self.company.config["workloads"]
        asked = any(e["name"] == workload and e.get("require_verified") for e in config)
        return asked and self.unverified(workload)

    def unverified(self, workload: str) -> bool:
        """No Trainium lineage of it has a loss to be held against."""
        mine = self.of(workload, trainium=True)
        return bool(mine) and all(self.parity(m) == "unverified" for m in mine)

    def has_baseline(self, workload: str) -> bool:
        """Whether enough GPU lineages qualify at all."""
        return self.baseline(workload, SETTLED) is not None

    def barred(self, workload: str) -> bool:
        """No saving can be claimed at all."""
        unfit = self.none_compare(workload) or self.must_verify(workload)
        return unfit or not self.has_baseline(workload)

    def cutover(self, workload: str) -> date | None:
        """The first settled day of the first production Trainium run."""
        mine = self.of(workload, trainium=True)
        return min((day for m in mine for day in m.active if day <= SETTLED), default=None)

    def begin(self, workload: str) -> date | None:
        """Its first charge, sample or outlay."""
        days = [c.day for c in self.company.charges if c.workload == workload]
        days += [s.at.date() for s in self.company.samples if s.workload == workload]
        days += [e["date"] for e in self.company.config["investments"] if workload == _owner(e)]
        return min(days, default=None)

    @cached_property
    def flows(self) -> dict[str, dict[date, Flow]]:
        """Every settled day of every workload, from its first."""
        found: dict[str, dict[date, Flow]] = {}
        for workload in self.workloads:
            begin = self.begin(workload)
            days = until(begin, SETTLED) if begin else ()
            found[workload] = {day: self._flow(workload, day) for day in days}
        return found

    def _flow(self, workload: str, day: date) -> Flow:
        mine = [m for m in self.of(workload, trainium=True) if day in m.days]
        mine = [m for m in mine if self.compares(m) or self.none_compare(workload)]
        cost = sum((m.days[day].cost for m in mine), NIL)
        epochs = sum((m.days[day].epochs for m in mine), NIL)
        credited = sum((self.credited(m, day) for m in mine), NIL)
        kept = self.upkeep[workload, day]
        overhead = self.overheads[workload, day] + kept
        invested = self.outlays[workload, day]
        if mine and self.barred(workload):
            return Flow(cost, epochs, credited, None, None, overhead, None, None, invested, kept)
        base = self.baseline(workload, day) if mine else None
        due = base.value * credited if base else NIL
        listed = sum((m.days[day].listed for m in mine), NIL)
        at_list = base.value_at_list * credited - listed if base else NIL
        gross = due - cost
        net = gross - overhead
        return Flow(cost, epochs, credited, due, gross, overhead, net, at_list, invested, kept)

    @cached_property
    def upkeep(self) -> defaultdict[tuple[str | None, date], Fraction]:
        """What each day of an upkeep costs its workload (None: the portfolio), until it ends."""
        found: defaultdict[tuple[str | None, date], Fraction] = defaultdict(Fraction)
        ends = {entry["name"]: entry.get("ends") for entry in self.company.config["workloads"]}
        for entry in self.company.config["investments"]:
            if entry["kind"] == "upkeep":
                last = entry.get("until") or ends.get(entry.get("workload")) or AS_OF
                for day in until(entry["date"], min(last, AS_OF)):
                    length = calendar.monthrange(day.year, day.month)[1]
                    found[_owner(entry), day] += Fraction(entry["amount_per_month"]) / length
        return found

    @cached_property
    def overheads(self) -> defaultdict[tuple[str | None, date], Fraction]:
        """Trainium overhead from cutover on, and idle commitment; None owns what covered no run.

        What lies idle beside GPU runs is the GPU side's own.
        """
        found: defaultdict[tuple[str | None, date], Fraction] = defaultdict(Fraction)
        cutovers = {workload: self.cutover(workload) for workload in self.workloads}
        for row in self.spend:
            since = cutovers.get(row.workload or "")
            ours = row.bucket == "overhead" and row.machine in (None, TRN1)
            if ours and since and since <= row.day <= SETTLED:
                found[row.workload, row.day] += row.effective
        first = min(day for day in cutovers.values() if day)
        for owner, day, amount in self._idle():
            found[owner, day] += amount if owner or day >= first else NIL
        return found

    def _idle(self) -> Iterator[tuple[str | None, date, Fraction]]:
        """Each commitment's idle of a month, by the hours it covered that month."""
        settled = [s for s in self.spend if s.day <= SETTLED]
        by_month: defaultdict[tuple[str | None, str], list[Spent]] = defaultdict(list)
        for row in (s for s in settled if s.bucket == "direct"):
            by_month[row.commitment, f"{row.day:%Y-%m}"].append(row)
        for row in (s for s in settled if s.bucket == "idle_commitment"):
            left = row.effective - self.stranded.get((row.commitment, row.day), NIL)
            covered = by_month[row.commitment, f"{row.day:%Y-%m}"]
            hours = sum((s.hours for s in covered), NIL)
            if not hours:
                yield None, row.day, left
            for each in covered:
                if each.machine == TRN1:
                    yield each.workload, each.day, left * each.hours / hours

    @cached_property
    def stranded(self) -> dict[tuple[str | None, date], Fraction]:
        """Of the GPU plan's idle after the move, what lies beyond its monthly average before."""
        idle = [s for s in self.spend if (s.bucket, s.commitment) == STRANDED]
        before = sum((s.effective for s in idle if s.day < MOVED), NIL)
        usual = before / (MOVED.month - min(s.day for s in idle).month)
        found = {}
        for row in (s for s in idle if s.day >= MOVED):
            month = sum((s.effective for s in idle if s.month == row.month), NIL)
            found[row.commitment, row.day] = max(NIL, month - usual) * row.effective / month
        return found

    @cached_property
    def outlays(self) -> defaultdict[tuple[str | None, date], Fraction]:
        """Investment by workload (None: the portfolio's own) and day."""
        found: defaultdict[tuple[str | None, date], Fraction] = defaultdict(Fraction)
        for entry in self.company.config["investments"]:
            if entry["kind"] != "upkeep":
                found[_owner(entry), entry["date"]] += _paid(entry)
        for lineage in self.lineages.values():
            for day, amounts in lineage.days.items() if not lineage.counted else ():
                found[lineage.workload, day] += amounts.cost
        for row in self.spend:
            since = self.cutover(row.workload) if row.workload else None
            early = row.day <= SETTLED and (since is None or row.day < since)
            if row.bucket == "overhead" and row.machine == TRN1 and early:
                found[row.workload, row.day] += row.effective
        for (_, day), amount in self.stranded.items():
            found["november", day] += amount
        return found


def _equal(loss: float | None, reference: float) -> bool:
    """Whether a loss is at most one percent worse than a reference above zero."""
    return loss is not None and loss <= reference * 1.01


def _owner(entry: dict[str, object]) -> str | None:
    owner = entry.get("workload")
    return None if owner is None else str(owner)


def _paid(entry: dict[str, Any]) -> Fraction:
    """What a one-time entry costs on its date."""
    if entry["kind"] == "engineering":
        return Fraction(entry["days"]) * Fraction(entry["day_rate"])
    return Fraction(entry["amount"])


def until(begin: date, end: date) -> Iterator[date]:
    """Every day from one to another, both included."""
    while begin <= end:
        yield begin
        begin += timedelta(days=1)
