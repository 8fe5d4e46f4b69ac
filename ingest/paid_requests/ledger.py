"""Keeps the ledger of paid AWS requests: records each before it is sent, enforces the daily cap.

`requests.jsonl` lies beside the warehouse and is only appended to. Because a request is recorded
first, a crash can make the ledger claim a cent too much, never one too little. One line:

    {"at": "2026-10-31T06:00:02+00:00", "source": "cost_explorer", "account": "999900000001",
     "operation": "GetCostAndUsage", "dollars": "0.01"}

A crash can cut off the last line, and a disk can damage any. Then it is unknown whether a request
was sent, and at which price. Such a line counts as the `DEAREST` request on every day that it may
be from, which are the days between its neighbours', and is reported on those days.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from threading import Lock

from models.contract.errors import BudgetError
from models.raw import atomic_files
from models.raw.appended_lines import append_line

FILE = "requests.jsonl"
ZERO = Decimal(0)
CENT = Decimal("0.01")
DEAREST = CENT
"""The price of the most expensive request: a page of Cost Explorer, or of its tags."""
COUNTS = f"it counts as ${DEAREST} on each day that it may be from"
REMEDY = "correct it, or delete it if AWS billed nothing then"
FIELDS = ("at", "dollars")


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Request:
    """One paid AWS request; `at` is UTC and ISO, `dollars` is decimal text."""

    at: str
    source: str
    account: str
    operation: str
    dollars: str


class RequestLedger:
    """The ledger of paid AWS requests, `requests.jsonl`; used only under the writer's lock."""

    def __init__(self, folder: Path, cap: Decimal, clock: Callable[[], datetime] = _now) -> None:
        self.path = folder / FILE
        self.cap = cap
        self._clock = clock
        self._day, self._spent = "", Decimal(0)
        self._guard = Lock()
        self.made: list[Request] = []
        """The requests that were paid for through this object."""
        self.damaged: list[int] = []
        """Lines that cannot be read and that count today, from 1."""

    @property
    def notices(self) -> list[str]:
        """A warning for each damaged line of the request ledger that counts as spent today."""
        self._spent_today(self._today())
        problem = f"of {self.path} is damaged: {COUNTS}; {REMEDY}"
        return [f"line {number} {problem}" for number in self.damaged]

    @property
    def left(self) -> Decimal:
        """Dollars for AWS requests that the daily cap still allows today (UTC)."""
        return max(self.cap - self._spent_today(self._today()), ZERO)

    def pay(self, source: str, account: str, operation: str, dollars: Decimal) -> None:
        """Records a paid request before it is sent. `BudgetError` if it would exceed the cap.

        Threads may call it at the same time, because several files are fetched at once.
        """
        with self._guard:
            now = self._clock().astimezone(UTC)
            spent = self._spent_today(f"{now:%Y-%m-%d}")
            if spent + dollars > self.cap:
                waiting = ", or wait for tomorrow (UTC)" if dollars <= self.cap else ""
                raise BudgetError(
                    f"{source}: the next {operation} would exceed cost.api_budget_usd_per_day",
                    value=f"${format_dollars(spent)} of ${self.cap} spent today",
                    remedy=f"raise it{waiting}",
                )
            at = now.isoformat(timespec="seconds")
            request = Request(at, source, account, operation, f"{dollars:f}")
            append(self.path, asdict(request))
            self._spent += dollars
            self.made.append(request)

    def _today(self) -> str:
        return f"{self._clock().astimezone(UTC):%Y-%m-%d}"

    def _spent_today(self, day: str) -> Decimal:
        """Returns the dollars recorded for a UTC day, with $0.01 for each damaged line."""
        if day != self._day:
            paid = (line["dollars"] for line in read_lines(self.path) if line["at"].startswith(day))
            self.damaged = damaged_lines(self.path, day)
            known = sum(map(Decimal, paid), ZERO)
            self._day, self._spent = day, known + DEAREST * len(self.damaged)
        return self._spent


def format_dollars(amount: Decimal) -> str:
    """Formats dollars: whole cents with two decimals, others with all digits, nothing as "0"."""
    if not amount:
        return "0"
    exact = amount == amount.quantize(CENT)
    return f"{amount:.2f}" if exact else f"{amount.normalize():f}"


def format_count(number: int, what: str = "paid request") -> str:
    """Formats a number with its noun: `3 paid requests`, `1 paid request`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def append(path: Path, document: dict[str, object]) -> None:
    """Appends one document as a JSON line to a file, and waits until the disk has it."""
    with atomic_files.write_errors(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        append_line(path, json.dumps(document).encode())


def read_lines(path: Path) -> Iterator[dict[str, str]]:
    """Yields the readable lines of the request ledger, oldest first; none without a file."""
    return (found for _, found in _numbered_lines(path) if found)


def damaged_lines(path: Path, day: str = "") -> list[int]:
    """Returns the numbers, from 1, of lines of the request ledger that cannot be read.

    With `day`, returns only the lines that may be of that UTC day, judged by the days of the
    readable lines before and after.
    """
    counted: list[int] = []
    waiting: list[int] = []
    before = ""
    for number, found in [*_numbered_lines(path), (0, {"at": "9999-12-31"})]:
        if found is None:
            waiting.append(number)
            continue
        after = found["at"][: len(day)]
        if min(before, after) <= day <= max(before, after):  # a clock may have been set back
            counted += waiting
        waiting, before = [], after
    return counted


def _numbered_lines(path: Path) -> Iterator[tuple[int, dict[str, str] | None]]:
    """Yields each line of the request ledger with its number; None for an unreadable line."""
    if path.exists():
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, _parsed(line)


def _parsed(line: bytes) -> dict[str, str] | None:
    """Parses a line of the request ledger; None where it is damaged."""
    try:
        found = json.loads(line)
        at, dollars = (found[name] for name in FIELDS)
        whole = datetime.fromisoformat(at).tzinfo and Decimal(dollars) >= 0
    except (ValueError, TypeError, KeyError, InvalidOperation):
        return None
    return found if whole else None
