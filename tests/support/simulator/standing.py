"""METHOD §6 and §7: where each workload stood at a month's end, and the months themselves."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil

from tests.support.simulator.company import SETTLED
from tests.support.simulator.saving import NIL, Flow, Reckoning, until

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
        total += amount
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
        overhead = whole.overhead + idle
        return whole._replace(
            overhead=overhead,
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
        return Totals(
            status,
            gross,
            net,
            invested,
            self._even(workload, flows) if claims and net and net >= invested else None,
            self._runs(workload, cutoff, net or NIL, owed) if claims else None,
            self._months(workload, cutoff, flows, owed) if claims else None,
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
        if self._recent(worked, flows) < 0:
            return "losing"
        if not invested:
            return "no_investment"
        return "broke_even" if net >= invested else "recovering"

    def _recent(self, worked: list[set[date]], flows: dict[date, Flow]) -> Fraction:
        """Net saving from the Monday of the twelfth-last week with a Trainium day."""
        mondays = {day - timedelta(days=day.weekday()) for days in worked for day in days}
        begin = sorted(mondays)[-12:][0]
        return sum((f.net_saving or NIL for day, f in flows.items() if day >= begin), NIL)

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

    def _upkeep(self, workload: str, cutoff: date) -> list[dict[str, object]]:
        return [
            entry
            for entry in self.truth.company.config["investments"]
            if entry["kind"] == "upkeep"
            and workload in (PORTFOLIO, entry.get("workload"))
            and entry["date"] <= cutoff
        ]

    def _runs(self, workload: str, cutoff: date, net: Fraction, owed: Fraction) -> int | None:
        paid = sum(
            (
                Fraction(entry["amount_per_month"])  # type: ignore[arg-type]
                / calendar.monthrange(day.year, day.month)[1]
                for entry in self._upkeep(workload, cutoff)
                for day in until(entry["date"], cutoff)  # type: ignore[arg-type]
            ),
            NIL,
        )
        each = (net - paid) / len(self.lineages(workload, cutoff))
        return ceil(owed / each) if each > 0 else None

    def _months(
        self, workload: str, cutoff: date, flows: dict[date, Flow], owed: Fraction
    ) -> float | None:
        begin = cutoff - timedelta(days=84)
        recent = sum((f.net_saving or NIL for day, f in flows.items() if day > begin), NIL)
        upkeep = sum(
            (Fraction(e["amount_per_month"]) for e in self._upkeep(workload, cutoff)),  # type: ignore[arg-type]
            NIL,
        )
        pace = recent / 12 * 52 / 12 - upkeep
        return float(owed / pace) if pace > 0 else None

    def month_ends(self, workload: str) -> Iterator[date]:
        """The last settled day of each month it has something to say about."""
        days = sorted(self.days[workload])
        yield from (day for day, after in pairwise(days) if day.month != after.month)
        yield from days[-1:]
