"""METHOD §6 and §7: where each workload stood at a month's end, and the months themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil

from tests.support.simulator.company import SETTLED
from tests.support.simulator.saving import NIL, Flow, Reckoning, until
from tests.support.simulator.work import Lineage

PORTFOLIO = "(portfolio)"
Amount = Fraction | None


@dataclass(frozen=True)
class Totals:
    """A workload, or the portfolio, up to and including a day."""

    status: str
    gross: Amount
    net: Amount
    investment: Fraction
    even: date | None
    runs: int | None
    months: float | None
    forward: Amount

    @property
    def cumulative_net(self) -> Amount:
        """Σ net saving − Σ investment."""
        return None if self.net is None else self.net - self.investment

    @property
    def claims(self) -> bool:
        """Whether progress and roi are said at all."""
        return self.investment > 0 and self.status in ("losing", "broke_even", "recovering")


def added(amounts: Iterable[Amount]) -> Amount:
    """A sum, unknown as soon as one of its parts is."""
    total = NIL
    for amount in amounts:
        if amount is None:
            return None
        total = total + amount if amount else total  # most days save nothing
    return total


class Book:
    """The portfolio's days beside the workloads', and every standing."""

    def __init__(self, reckoning: Reckoning) -> None:
        self.truth = reckoning

    @cached_property
    def days(self) -> dict[str, dict[date, Flow]]:
        """Flows of every workload, and of the portfolio: what is known, and what names none."""
        flows = dict(self.truth.flows)
        begin = min(day for mine in flows.values() for day in mine)
        return flows | {PORTFOLIO: {day: self._all(day) for day in until(begin, SETTLED)}}

    def _all(self, day: date) -> Flow:
        mine = [flows[day] for flows in self.truth.flows.values() if day in flows]
        sums = [sum((f[place] or NIL for f in mine), NIL) for place in range(len(Flow._fields))]
        whole = Flow(*sums)
        idle, loose = self.truth.overheads[None, day], self.truth.outlays[None, day]
        kept = self.truth.upkeep[None, day]
        overhead = whole.overhead + idle + kept
        return whole._replace(
            overhead=overhead,
            upkeep=whole.upkeep + kept,
            net_saving=(whole.gross_saving or NIL) - overhead,
            investment=whole.investment + loose,
        )

    def totals(self, workload: str, cutoff: date) -> Totals:
        """Where it stood on a settled day."""
        flows = {day: flow for day, flow in self.days[workload].items() if day <= cutoff}
        gross = added(f.gross_saving for f in flows.values())
        net = added(f.net_saving for f in flows.values())
        invested = sum((f.investment for f in flows.values()), NIL)
        status = self._status(workload, cutoff, flows, net, invested)
        claims = invested > 0 and net is not None
        claims &= status in ("losing", "broke_even", "recovering")
        owed = max(invested - (net or NIL), NIL)
        known = net is not None and status in (
            "losing",
            "broke_even",
            "recovering",
            "no_investment",
        )
        forward = self._forward(workload, cutoff, flows) if known else None
        return Totals(
            status,
            gross,
            net,
            invested,
            self._even(workload, flows) if claims and net and net >= invested else None,
            self._runs(workload, cutoff, flows, owed) if claims else None,
            float(owed / forward) if claims and forward and forward > 0 else None,
            forward,
        )

    def lineages(self, workload: str, cutoff: date) -> list[set[date]]:
        """Days until then on which each production Trainium lineage ran or reported, if any."""
        owners = self.truth.workloads if workload == PORTFOLIO else [workload]
        mine = [m for owner in owners for m in self.truth.of(owner, trainium=True)]
        found = [{day for day in m.active if day <= cutoff} for m in mine]
        return [days for days in found if days]

    def _status(
        self, workload: str, cutoff: date, flows: dict[date, Flow], net: Amount, invested: Fraction
    ) -> str:
        moved = [w for w in self.truth.workloads if self.truth.of(w, trainium=True)]
        mine = moved if workload == PORTFOLIO else [workload]
        unfit = all(self.truth.none_compare(w) for w in mine) or all(
            self.truth.must_verify(w) for w in mine
        )
        worked = self.lineages(workload, cutoff)
        if not worked:
            return "investing" if invested else "not_started"
        if unfit:
            return "not_comparable"
        if net is None or not any(map(self.truth.has_baseline, mine)):
            return "insufficient_baseline"
        if self._judged(worked, flows) < 0:
            return "losing"
        if not invested:
            return "no_investment"
        return "broke_even" if net >= invested else "recovering"

    def _judged(self, worked: list[set[date]], flows: dict[date, Flow]) -> Fraction:
        """Net saving of the 84 days up to now, or up to the last Trainium day if that is older."""
        now, last = max(flows), max(day for days in worked for day in days)
        return _window(flows, now if last in recent_days(now) else last)

    def _even(self, workload: str, flows: dict[date, Flow]) -> date | None:
        """The first day from which cumulative net stays at or above zero."""
        cuts = [c for w in self.truth.workloads if (c := self.truth.cutover(w))]
        begin = min(cuts) if workload == PORTFOLIO else self.truth.cutover(workload)
        total, spent, even = NIL, NIL, None
        for day in sorted(flows):
            spent += flows[day].investment
            total += (flows[day].net_saving or NIL) - flows[day].investment
            if total < 0:
                even = None
            elif even is None and spent > 0 and begin and day >= begin:
                even = day
        return even

    def _runs(
        self, workload: str, cutoff: date, flows: dict[date, Flow], owed: Fraction
    ) -> int | None:
        """What is owed by the recent window's net saving per lineage with a known saving."""
        owners = self.truth.workloads if workload == PORTFOLIO else [workload]
        mine = [m for w in owners if not self.truth.barred(w) for m in self._compared(w)]
        lately = [m for m in mine if any(day in recent_days(cutoff) for day in m.active)]
        each = _window(flows, cutoff) / len(lately) if lately else NIL
        return ceil(owed / each) if each > 0 else None

    def _compared(self, workload: str) -> list[Lineage]:
        return [m for m in self.truth.of(workload, trainium=True) if self.truth.compares(m)]

    def _forward(self, workload: str, cutoff: date, flows: dict[date, Flow]) -> Amount:
        """A month of the recent window, once it lies after the cutover whole."""
        cuts = [c for w in self.truth.workloads if (c := self.truth.cutover(w))]
        begin = min(cuts) if workload == PORTFOLIO else self.truth.cutover(workload)
        if begin is None or cutoff - begin < timedelta(days=83):
            return None
        return _window(flows, cutoff) / 12 * 52 / 12

    def month_ends(self, workload: str) -> Iterator[date]:
        """The last settled day of each month it has something to say about."""
        days = sorted(self.days[workload])
        yield from (day for day, after in pairwise(days) if day.month != after.month)
        yield from days[-1:]


def recent_days(last: date) -> set[date]:
    """The 84 days that end on one."""
    return set(until(last - timedelta(days=83), last))


def _window(flows: dict[date, Flow], last: date) -> Fraction:
    """Net saving of those days."""
    days = recent_days(last)
    return sum((f.net_saving or NIL for day, f in flows.items() if day in days), NIL)
