"""The months of a bill that one pull of Cost Explorer reads, the days of many in one answer.

How many at once says the day's cap: as many as it pays for. Where it cuts off months that stand
still, the next day goes on with the very same requests; a month that AWS still changes is begun
only where what is left of the day pays for it, and is begun anew on another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from ingest import calendar
from ingest.sources.cost_explorer.control_totals import refuse_unlike
from ingest.sources.cost_explorer.lines import Told
from ingest.sources.cost_explorer.minimum_budget import Need
from ingest.sources.cost_explorer.pages import PRICE, CutOffError, ExpiredError, TooLongError
from ingest.sources.cost_explorer.requests import Bill


@dataclass
class Ready:
    """Months that are told already."""

    bill: Bill
    told: Told

    @property
    def months(self) -> list[str]:
        """In order."""
        return sorted(self.told)

    def lines(self, month: str) -> tuple[pa.Table, list[str]]:
        """The lines of a month, and the ids of the requests they came from."""
        return self.told[month], self.bill.answers.request_ids


@dataclass
class Months(Ready):
    """Months that are read by day when the first of them is wanted; `told` are their pairs.

    Of these `still` no longer change. Calls `carry` where another day may go on with the read.
    """

    need: Need
    types: Sequence[str]
    still: Collection[str]
    carry: Callable[[], None]
    read: dict[str, tuple[pa.Table, list[str]]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._first = list(self.bill.answers.request_ids)
        self._most = 1 if self.need.singly else len(self.told)

    def lines(self, month: str) -> tuple[pa.Table, list[str]]:
        """As `Ready`; with it the adjoining months before it are read, as many as can be."""
        while month not in self.read:
            self._read(self._adjoining(month))
        lines, ids = self.read[month]
        refuse_unlike(month, lines)
        return lines, ids

    def _read(self, months: list[str]) -> None:
        asked = len(self.bill.answers.request_ids)
        while True:
            try:
                told = self._days(months, asked)
                break
            except (TooLongError, ExpiredError) as error:
                if len(months) == 1:
                    raise
                months = self._fewer(months, error)
        ids = self._first + self.bill.answers.request_ids[asked:]
        self.read = {month: (lines, ids) for month, lines in told.items()}
        self.done |= set(self.read)
        self.need.met(months)

    def _days(self, months: list[str], asked: int) -> Told:
        if not self._still(months):
            self._foresee(months[-1])
        try:
            return self.bill.days(months, self.told, self.types)
        except CutOffError as error:
            self._cut_off(months, len(self.bill.answers.request_ids) - asked, error)
            raise

    def _foresee(self, newest: str) -> None:
        """Raises `BudgetError` where no day, or not this one, pays for the days of `newest`."""
        parts, first = len(self.bill.parts([newest], self.told, self.types)), len(self._first)
        if not self.still:
            self.need.refuse(newest, first + parts)
        left = self.bill.answers.meter.ledger.left
        needed = max(parts, self.need.of(newest) - first)
        if needed * PRICE > left:
            self._later()
        self.need.wait(newest, needed, left)

    def _later(self) -> None:
        """Sees to it that another day comes further than this one."""
        if self.still:
            self.carry()
        elif not self.done and len(self.bill.answers.request_ids) > len(self._first):
            self.need.take_singly()  # what showed that together they are too long was paid for

    def _cut_off(self, months: list[str], paid: int, error: CutOffError) -> None:
        """Notes what the next day has to know. Raises `BudgetError` where no day pays."""
        if self.still:
            self.carry()
        if len(months) > 1:
            if not self._still(months) or error.pages > self.need.a_day:
                self.need.take_singly()
        elif self._still(months):
            self.need.refuse(months[0], error.pages)
        elif not self.still:
            needed = len(self._first) + paid + error.to_come
            self.need.refuse(months[0], needed)
            self.need.note(months, needed)

    def _still(self, months: Sequence[str]) -> bool:
        """Whether some of them stand still: then what is paid for is not lost on another day."""
        return any(month in self.still for month in months)

    def _fewer(self, months: list[str], error: TooLongError | ExpiredError) -> list[str]:
        """The newest of them; those that still change by themselves."""
        if isinstance(error, ExpiredError):
            return months[1:]
        self._most = max(1, min(error.days // 31, len(months) - 1))
        newest = months[-self._most :]
        return [month for month in newest if month not in self.still] or newest

    def _adjoining(self, month: str) -> list[str]:
        """The months without a gap around `month` that are not read yet, in order, the newest.

        Those after it are sealed already, by a pull that was cut off: their days came in one answer
        with its own, which is kept.
        """
        found = [month]
        if self._most == 1:
            return found
        while self._unread(before := calendar.month_before(found[0])):
            found.insert(0, before)
        while self._unread(after := calendar.month_after(found[-1])):
            found.append(after)
        return found[-self._most :]

    def _unread(self, month: str) -> bool:
        return month in self.told and month not in self.done
