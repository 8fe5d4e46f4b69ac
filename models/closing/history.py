"""Builds a statement's monthly history, and its fiscal quarter and year to date (METHOD §7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from models.config.settings import Settings
from models.contract.schema import PORTFOLIO
from models.contract.schema.months import AMOUNTS, MONTH_FACTS
from models.contract.units import EPOCH
from models.records.adjustment_amounts import SIGNS, net
from models.records.closes import Close
from models.records.columns import EPOCHS, FLOWS, TABLES
from models.records.statement import Row, uncompared

NOTHING = Decimal(0)
COMPARED = ("compared_cost", "uncompared_cost")
ROUNDING = Decimal("0.000001")
"""What two quotients of the same amounts may differ by, rounded by SQL and by Python."""


def portfolio_last(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda r: (r["workload"] == PORTFOLIO, r["workload"], r["month"]))


def by_workload(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["workload"]].append(row)
    return found


def due_in(month: str, facts: Iterable[Row], closes: Iterable[Close]) -> str:
    """Returns the month that books all adjustments: the first one open since the first close.

    Adjustments of closed months are due in it alone: no two drafts count them (METHOD §7.4).
    """
    closed = {close.month for close in closes}
    since = min(closed, default=month)
    months = {row["month"] for row in facts} - closed
    return min((known for known in months if known >= since), default=month)


def of_nothing_left(due: str, facts: Iterable[Row], moved: Iterable[Row]) -> list[Row]:
    """Lists zero rows for workloads that have adjustments but no row of their own in that month.

    Without them their adjustments would be those of no workload.
    """
    known = {row["workload"] for row in facts if row["month"] == due}
    adjusted = {row["workload"] for row in moved if row["measure"] in SIGNS} - known - {None}
    nothing = dict.fromkeys(MONTH_FACTS) | dict.fromkeys((*AMOUNTS, *COMPARED), NOTHING)
    return [
        nothing | {"month": due, "workload": workload, "unit": EPOCH}
        for workload in sorted(adjusted)
    ]


def monthly_history(
    month: str, facts: Sequence[Row], closes: Sequence[Close], moved: Sequence[Row]
) -> list[Row]:
    """Lists a row per workload and month up to `month`: closed ones as closed, others as of now."""
    closed = {close.month: close for close in closes}
    due = due_in(month, facts, closes)
    rows: list[Row] = []
    for of in sorted({row["month"] for row in facts if row["month"] <= month}):
        close = closed.get(of)
        known = [row for row in facts if row["month"] == of]
        of_month = close.statement.tables["summary"] if close else known
        number, mine = close.version if close else None, moved if of == due else ()
        rows += [
            {"adjustments": net(mine, row["workload"])}
            | row
            | {"closed": number, "uncompared_cost": uncompared(row)}
            for row in of_month
        ]
    return _rolled(portfolio_last(rows))


def _rolled(rows: Sequence[Row]) -> list[Row]:
    """Lists the rows with `other_change`: what else moved cumulative net since the month before.

    A month that was never closed, or was reopened, causes such a change.
    """
    before: dict[str, Decimal | None] = {}
    found = []
    for row in rows:
        moved = _sum((before.get(row["workload"], NOTHING), row["net_saving"], row["adjustments"]))
        closing, spent = row["cumulative_net"], row["investment"]
        known = closing is not None and moved is not None and spent is not None
        other = closing - (moved - spent) if known else None
        before[row["workload"]] = closing
        rolled = row | {"other_change": other} | _of_main_kind(row)
        found.append({name: rolled[name] for name in TABLES["history"]})
    return found


def _of_main_kind(row: Row) -> dict[str, Decimal | None]:
    """Returns GPU and Trainium cost per unit of work, each null where it equals row cost ÷ work.

    So it is where some of the cost is of another kind of work than the main one, of work that its
    unit does not count, or of a run whose cost is unknown.
    """
    found: dict[str, Decimal | None] = {}
    for side in ("gpu", "trn"):
        name, cost, work = f"{side}_cost_per_epoch", row[f"{side}_cost"], row[f"{side}_epochs"]
        each = row[name]
        has_quotient = work and each is not None
        same = cost is not None and has_quotient and abs(cost / work - each) < ROUNDING
        found[name] = each if has_quotient and not same else None
    return found


def to_date(month: str, history: Sequence[Row], settings: Settings) -> list[Row]:
    fiscal = settings.fiscal
    found = []
    for period, months in (
        ("quarter", fiscal.quarter_to_date(month)),
        ("year", fiscal.year_to_date(month)),
    ):
        for workload, pasts in by_workload(history).items():
            rows = [row for row in pasts if row["month"] in months]
            sums = {name: _sum(row[name] for row in rows) for name in (*EPOCHS, *FLOWS)}
            found.append({"period": period, "since": months[0], "workload": workload, **sums})
    return found


def _sum(values: Iterable[Decimal | None]) -> Decimal | None:
    """Sums amounts; None (unknown) as soon as one of them is None."""
    given = list(values)
    known = [value for value in given if value is not None]
    return sum(known, NOTHING) if len(known) == len(given) else None
