"""METHOD §3: how far each lineage got, day by day, and where it ended. Exact fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from functools import cached_property
from statistics import median
from typing import NamedTuple

from tests.support.simulator.company import SETTLED, TRN1, Company, Run, Sample
from tests.support.simulator.spend import Spent

QUIET = timedelta(days=3)
SIDE = ("port", "validation", "benchmark")


class Step(NamedTuple):
    """What one run did on one day."""

    day: date
    run: str
    epochs: Fraction
    repeated: Fraction


class Day(NamedTuple):
    """Dollars, dollars at list, and epochs."""

    cost: Fraction
    listed: Fraction
    epochs: Fraction


@dataclass
class Lineage:
    """A run and what resumed it: all its spend, and its steps on settled days."""

    workload: str
    name: str
    runs: list[Run]
    spend: list[Spent] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    losses: list[tuple[datetime, float]] = field(default_factory=list)
    reached: list[tuple[Fraction, float]] = field(default_factory=list)
    """How far it was, in the order of time, at each loss."""
    least: Fraction = Fraction(9, 10)
    """The work from which it qualifies for a baseline (METHOD §5)."""
    last_sample: datetime | None = None
    target_at: datetime | None = None
    epochs_to_target: Fraction | None = None
    active: set[date] = field(default_factory=set)

    @property
    def first(self) -> Run:
        """The run that started it."""
        return next(run for run in self.runs if run.name == self.name)

    @property
    def recipe(self) -> str | None:
        """What it trained (METHOD §3.4)."""
        found: str | None = self.first.attribute("recipe")
        return found

    @property
    def trainium(self) -> bool:
        """Which hardware it ran on: one machine a run."""
        return self.first.machine == TRN1

    @property
    def platform(self) -> str:
        """The instance family it ran on."""
        return self.first.machine.split(".")[0]

    @property
    def counted(self) -> bool:
        """Porting and validation stand in investment only (METHOD §6)."""
        return self.first.attribute("purpose") not in SIDE

    @property
    def ended_on(self) -> date | None:
        """Its last day, once nothing followed for `settle_days` (METHOD §1)."""
        last = max(self.active)
        return last if last <= SETTLED - QUIET else None

    @property
    def ended_at(self) -> datetime:
        """Its last sample on that day, else its midnight; far away while it runs."""
        if self.ended_on is None:
            return datetime.combine(date.max, time())
        midnight = datetime.combine(self.ended_on, time())
        return max(self.last_sample or midnight, midnight)

    @property
    def final_loss(self) -> float | None:
        """The median of its last 5 % of losses, once it has ended."""
        if not self.losses or self.ended_on is None:
            return None
        last = sorted(self.losses, reverse=True)[: max(1, len(self.losses) // 20)]
        return median(loss for _, loss in last)

    def loss_at(self, work: Fraction) -> float:
        """Its loss at some work: of the last twentieth before, else the next, else the last."""
        near = [loss for at, loss in self.reached if work * Fraction(19, 20) < at <= work]
        if near:
            return median(near)
        after = [(at, loss) for at, loss in self.reached if at > work]
        return after[0][1] if after else self.reached[-1][1]

    @cached_property
    def days(self) -> dict[date, Day]:
        """What each of its days came to, settled or not."""
        found: defaultdict[date, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * 3)
        for row in self.spend:
            found[row.day][0] += row.effective
            found[row.day][1] += row.listed
        for step in self.steps:
            found[step.day][2] += step.epochs
        return {day: Day(*amounts) for day, amounts in sorted(found.items())}

    @cached_property
    def total(self) -> Day:
        """The same over its settled days."""
        settled = [amounts for day, amounts in self.days.items() if day <= SETTLED]
        return Day(*(sum(column, Fraction(0)) for column in zip(*settled, strict=True)))


def lineages(company: Company, spend: Iterable[Spent]) -> dict[tuple[str, str], Lineage]:
    """Every lineage with all that is its own."""
    parents = {(r.workload, r.name): r.attribute("resumed_from") for r in company.runs}
    roots = {key: _root(parents, *key) for key in parents}
    found: dict[tuple[str, str], Lineage] = {}
    for run in company.runs:
        name = roots[run.workload, run.name]
        lineage = found.setdefault((run.workload, name), Lineage(run.workload, name, []))
        lineage.runs.append(run)
    for row in spend:
        if row.workload and row.run:
            found[row.workload, roots[row.workload, row.run]].spend.append(row)
    logs = defaultdict(list)
    for sample in company.samples:
        logs[sample.workload, roots[sample.workload, sample.run]].append(sample)
    targets = {entry["name"]: entry.get("target_loss") for entry in company.config["workloads"]}
    for key, samples in logs.items():
        size = unit_size(company, key[0], found[key].first)
        _logged(found[key], samples, targets.get(key[0]), size)
    for lineage in found.values():
        ran = {s.day for s in lineage.spend if s.bucket == "direct" or s.machine}
        lineage.active = ran | {s.day for s in lineage.steps}
    for workload in {workload for workload, _ in found}:
        _least(company, [each for each in found.values() if each.workload == workload])
    return found


def unit(company: Company, workload: str) -> str:
    """What is counted: tokens where nothing else is told, samples where epochs differ in size."""
    mine = [run for run in company.runs if run.workload == workload]
    if any(run.in_tokens for run in mine):
        return "billion_tokens"
    usual = next((r.attribute("samples_per_epoch") for r in mine if r.machine != TRN1), None)
    sizes = [r.attribute("samples_per_epoch") for r in mine if r.machine == TRN1]
    apart = [size for size in sizes if usual and size and abs(size - usual) > usual / 100]
    return "million_samples" if apart else "epoch"


def unit_size(company: Company, workload: str, run: Run) -> Fraction:
    """How many of the workload's units an epoch of a run is."""
    if unit(company, workload) != "million_samples":
        return Fraction(1)
    return Fraction(run.attribute("samples_per_epoch"), 10**6)


def _least(company: Company, lineages: list[Lineage]) -> None:
    """Below 0.9 epoch a lineage failed; in other units below a tenth of the median, by cost."""
    if not lineages or unit(company, lineages[0].workload) == "epoch":
        return
    ended = [m for m in lineages if not m.trainium and m.counted and m.ended_on and m.total.epochs]
    ended.sort(key=lambda m: m.total.epochs)
    whole, so_far = sum(m.total.cost for m in ended), Fraction(0)
    for lineage in ended:
        so_far += lineage.total.cost
        if so_far * 2 >= whole:
            for each in lineages:
                each.least = lineage.total.epochs / 10
            return


def _root(parents: dict[tuple[str, str], str | None], workload: str, run: str) -> str:
    while parent := parents[workload, run]:
        run = parent
    return run


def _logged(lineage: Lineage, samples: list[Sample], target: float | None, size: Fraction) -> None:
    """The high-water mark over all runs; a rise over a gap is spread over the gap's time."""
    high, before = Fraction(0), dict[str, tuple[datetime, Fraction]]()
    resumes = {run.name for run in lineage.runs if run.attribute("resumed_from")}
    lineage.last_sample = max(sample.at for sample in samples)
    for sample in sorted(samples, key=lambda s: (s.at, s.epoch)):
        epoch = Fraction(sample.epoch) * size
        since, previous = before.get(sample.run, (sample.at, Fraction(0)))
        rise = max(epoch - high, Fraction(0))
        fresh = sample.run in resumes and sample.run not in before
        worked = rise if fresh else max(epoch - previous, Fraction(0))
        lineage.steps += _spread(sample, since, rise, max(worked - rise, Fraction(0)))
        high, before[sample.run] = max(high, epoch), (sample.at, epoch)
        if sample.loss is not None:
            lineage.losses.append((sample.at, sample.loss))
            lineage.reached.append((high, sample.loss))
            if target is not None and sample.loss <= target and lineage.target_at is None:
                lineage.target_at, lineage.epochs_to_target = sample.at, high


def _spread(sample: Sample, since: datetime, rise: Fraction, repeated: Fraction) -> Iterator[Step]:
    whole = int((sample.at - since).total_seconds())
    if not whole:
        yield Step(sample.at.date(), sample.run, rise, repeated)
    while since < sample.at:
        midnight = datetime.combine(since.date() + timedelta(days=1), time())
        until = min(sample.at, midnight)
        part = Fraction(int((until - since).total_seconds()), max(whole, 1))
        yield Step(since.date(), sample.run, rise * part, repeated * part)
        since = until
