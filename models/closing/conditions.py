"""Checks the conditions that must hold before a month may be closed (METHOD §7.3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from models.closing.monthly_statement import Ask
from models.closing.unsettled_days import silent_bills, waits_for_other_bills, without_allocations
from models.config.settings import Settings
from models.contract.bill_totals import compared_with
from models.contract.decimal_text import decimal_text
from models.contract.edition import EDITION
from models.contract.month import last_day
from models.contract.stalled_bills import NAMELESS
from models.records.closes import Close
from models.records.statement import Row, Statement

GRACE = timedelta(days=10)
"""After the month's end, where the bill names no invoice (METHOD §7.3)."""
INVOICED = f"""
WITH bills AS (
    SELECT billing_account AS payer,
        coalesce(bool_or(invoiced) FILTER (billing_period = '{{month}}'), false) AS final,
        bool_or(invoiced) AS ever,
        coalesce(bool_or(invoiced) FILTER (billing_period > '{{month}}'), false) AS later
    FROM spend_daily GROUP BY 1
), mine AS (
    SELECT DISTINCT coalesce(account, '{NAMELESS}') AS account, billing_account
    FROM spend_daily WHERE billing_period = '{{month}}'
)
SELECT account, billing_account, final, ever, later
FROM mine JOIN bills ON payer IS NOT DISTINCT FROM billing_account ORDER BY 1, 2"""
STALE = """SELECT DISTINCT source, coalesce(why, '') AS why FROM freshness
WHERE stale ORDER BY source"""
HALF_A_CENT = Decimal("0.005")
LINE = re.compile(r"(.+?) +(ok|explained|NOT MET) +(.*)")
"""What `Condition.line` writes, and a close keeps."""


@dataclass(frozen=True)
class Condition:
    """One condition for closing a month: its name, whether it is met, and why.

    `explained` is a person's explanation of a remainder with which the month is closed all the
    same.
    """

    name: str
    met: bool
    text: str
    explained: str = ""

    @property
    def holds(self) -> bool:
        """Whether a condition for closing a month is met, or explained by a person."""
        return self.met or bool(self.explained)

    @property
    def line(self) -> str:
        """Formats a condition for closing a month as one line of text for the terminal."""
        mark = "explained" if self.explained and not self.met else "ok" if self.met else "NOT MET"
        reason = f" ({self.explained})" if self.explained and not self.met else ""
        return f"{self.name:<10} {mark:<10} {self.text}{reason}"

    def document(self) -> dict[str, object]:
        """Converts a condition for closing a month to a dictionary for JSON."""
        return {"name": self.name, "met": self.met, "said": self.text, "explained": self.explained}


def recorded_condition(line: str) -> tuple[str, str, str]:
    """Parses a stored condition line to name, result (`ok`, `explained`, `NOT MET`) and reason."""
    found = LINE.fullmatch(line)
    return (found[1], found[2], found[3]) if found else ("", "", line)


def conditions(
    statement: Statement,
    ask: Ask,
    settings: Settings,
    closes: Sequence[Close],
    explanation: str = "",
) -> list[Condition]:
    """Checks the five conditions for closing any month, and lists them, met or not."""
    invoiced = _invoiced(statement, settings)
    return [
        final(statement.month, ask, settings, invoiced),
        _settled(statement, ask, settings, invoiced),
        _tied(statement, explanation),
        _fresh(ask),
        in_order(statement.month, closes),
    ]


def _invoiced(statement: Statement, settings: Settings) -> set[str]:
    """Returns the set of accounts whose charges for the month are stated by `[[invoices]]`.

    It has `no account` where the invoice is the total of a bill that names none.
    """
    told = {entry.account for entry in settings.invoices if entry.month == statement.month}
    totals = (row for row in statement.tables["tie_out"] if row["total_source"] == "invoice")
    return told | {row["account"] or NAMELESS for row in totals}


def final(month: str, ask: Ask, settings: Settings, invoiced: Collection[str]) -> Condition:
    """Returns the condition, met or not: a month is invoiced, or ten days over without invoices.

    A month of an account that has two payers is invoiced by both. No invoice is awaited for a bill
    that has never named one, or names one for later months only. Such a month was delivered before
    exports named invoices, or AWS sent no invoice for it. A month without any line of a bill waits
    ten days as well, because its bill may be late. `invoiced` are the accounts of `[[invoices]]`.
    """
    ends = last_day(month)
    open_until = ends + GRACE
    bills = ask(INVOICED.format(month=month))
    rows = [
        row
        for row in bills
        if not {*invoiced} & {row["account"], row["billing_account"]} and not row["final"]
    ]
    unbilled = not bills and not invoiced
    late = [row for row in rows if row["ever"] and not row["later"]]
    if settings.today <= ends:
        return Condition("final", False, f"{month} ends on {ends}")
    if late:
        what = f"no invoice yet for {_named(late)} ([[invoices]] says what AWS charged)"
        return Condition("final", False, what)
    if (rows or unbilled) and settings.today < open_until:
        what = f"the bill of {_named(rows)} names no invoice" if rows else f"no bill of {month} yet"
        return Condition("final", False, f"{what}: final on {open_until}")
    return Condition("final", True, _why_final(bool(rows) or unbilled, ends))


def _named(rows: Iterable[Row]) -> str:
    return ", ".join(dict.fromkeys(row["account"] for row in rows))


def _why_final(silent: bool, ends: date) -> str:
    return (
        f"no invoice is named, and {GRACE.days} days passed since {ends}" if silent else "invoiced"
    )


def _settled(
    statement: Statement, ask: Ask, settings: Settings, invoiced: Collection[str]
) -> Condition:
    """Returns the condition, met or not: each day of a month is settled, per workload and account.

    A month in which only a credit was billed has no day to settle. Days of a cluster whose
    allocations were not delivered are named; they hold up no close, as they may never be delivered.
    Once the month's last day is old enough, a workload waits for no more than its accounts' bills:
    also for one that is whole but stops before other accounts' charges for the workload.
    """
    ends = last_day(statement.month)
    behind = [
        f"{row['workload']} through {row['settled_through']}"
        for row in statement.tables["summary"]
        if settings.last_settled < ends and row["settled_through"] and row["settled_through"] < ends
    ]
    silent = silent_bills(statement.month, ask, settings, invoiced)
    found = [*filter(None, [", ".join(behind)]), *silent]
    if not found and settings.last_settled >= ends:
        unsettled = statement.tables.get("unsettled", [])
        found = [*waits_for_other_bills(statement.month, unsettled, ask)]
    if found:
        return Condition("settled", False, f"not every day is settled: {'; '.join(found)}")
    undelivered = without_allocations(statement.month, ask)
    return Condition("settled", True, f"every day through {ends}{undelivered}")


def _tied(statement: Statement, explanation: str) -> Condition:
    """Returns the condition, met, explained or not: a month's bill ties out to half a cent."""
    off = [row for row in statement.tables["tie_out"] if row["remainder"]]
    remainders = ", ".join(
        f"{row['account'] or NAMELESS} {row['basis']} {decimal_text(row['remainder'])}"
        for row in off
    )
    if any(abs(row["remainder"]) > HALF_A_CENT for row in off):
        what = "a remainder" if explanation else "remains unexplained"
        return Condition("tied", False, f"{what}: {remainders}", explanation)
    sources = sorted({row["total_source"] for row in statement.tables["tie_out"]})
    against = ", ".join(compared_with(source) for source in sources)
    rest = f" except fractions of a cent: {remainders}" if off else ""
    return Condition("tied", True, f"no remainder against {against or 'nothing'}{rest}")


def _fresh(ask: Ask) -> Condition:
    stale = [f"{row['source']}: {row['why']}" for row in ask(STALE)]
    if stale:
        return Condition("fresh", False, "; ".join(stale))
    return Condition("fresh", True, "no source is stale")


def in_order(month: str, closes: Iterable[Close]) -> Condition:
    """Returns the condition, met or not, that all months since the first close are closed.

    So every adjustment of a closed month belongs to exactly one later month.
    """
    closed = {close.month for close in closes}
    missing = sorted(set(_between(min(closed, default=month), month)) - closed)
    if missing:
        return Condition("in order", False, f"close {missing[0]} first")
    return Condition("in order", True, "every month before it since the first close is closed")


def new_edition(closes: Iterable[Close], acknowledged: int | None = None) -> list[Condition]:
    """Lists the condition that a person accepts a new METHOD edition; empty without a new one.

    Empty where no month was closed by an earlier edition, or one already by this. `acknowledged` is
    the edition that a person names.
    """
    editions = {close.statement.edition for close in closes}
    if not editions or EDITION in editions:
        return []
    said = (
        f"closed months are of edition {max(editions)} of the method; edition {EDITION} counts "
        "otherwise, what it changes of them is adjusted in this month (docs/method/editions.md): "
        f"`breakeven close` with --edition {EDITION} acknowledges it"
    )
    consent = f"edition {EDITION} is acknowledged" if acknowledged == EDITION else ""
    return [Condition("edition", False, said, consent)]


def _between(first: str, month: str) -> Iterator[str]:
    year, number = int(first[:4]), int(first[5:])
    while (month_between := f"{year:04}-{number:02}") < month:
        yield month_between
        year, number = (year + 1, 1) if number == 12 else (year, number + 1)
