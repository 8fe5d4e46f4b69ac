"""METHOD §5: what the company's one payer pays of the list price of a machine. Exact fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from fractions import Fraction

from tests.support.simulator.company import SETTLED
from tests.support.simulator.spend import Spent

USED = ("direct", "shared", "overhead", "untagged")
ON_DEMAND = ("on_demand", "committed")
DAYS, LEAST = 84, 200
NEVER = Fraction(10**9)
"""A factor that is above any other."""
Sums = tuple[Fraction, Fraction, Fraction]
"""Hours, what was paid for them, and what they cost at list."""


class Payer:
    """Its settled hours of every machine by day, whoever used them."""

    def __init__(self, spend: Iterable[Spent]) -> None:
        self._days: defaultdict[tuple[str, date], list[Spent]] = defaultdict(list)
        for row in spend:
            used = row.component == "accelerator" and row.bucket in USED and row.day <= SETTLED
            if used and row.machine and row.option in ON_DEMAND:
                self._days[row.machine, row.day].append(row)
        self._known: dict[tuple[str, date], Sums] = {}

    def factor(self, machine: str, day: date, hours: Fraction) -> Fraction:
        """The part of list that it pays by a day, where its hours are enough for a window's."""
        own, paid, listed = self._sums(machine, day)
        enough = own >= LEAST and own * 2 >= hours and listed
        return paid / listed if enough else NEVER

    def _sums(self, machine: str, day: date) -> Sums:
        key = machine, day
        if key not in self._known:
            rows = [
                row
                for back in range(DAYS)
                for row in self._days.get((machine, day - timedelta(days=back)), ())
            ]
            nil = Fraction(0)
            self._known[key] = (
                sum((row.hours for row in rows), nil),
                sum((row.effective for row in rows), nil),
                sum((row.listed for row in rows), nil),
            )
        return self._known[key]
