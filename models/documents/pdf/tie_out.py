"""Builds the PDF's tables of how the bill ties out, by account and by bucket (METHOD §7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from models.contract.bill_totals import compared_with
from models.contract.decimal_text import dollars, rounded
from models.documents.pdf.figures import FEW, more_rows
from models.documents.spreadsheet_text import plain
from models.records.columns import BUCKETS, in_buckets
from models.records.statement import Row


def tie_out_table(rows: Sequence[Row]) -> dict[str, Any]:
    """Builds the PDF's bill check: six accounts with largest remainder, and the sum of all.

    Fractions of a cent put none before a larger bill.
    """
    billed = [row for row in rows if row["basis"] == "billed"]
    bridges = {(r["billing_account"], r["account"]): r for r in rows if r["basis"] == "effective"}
    accounts = [
        _account(row, bridges.get((row["billing_account"], row["account"]))) for row in billed
    ]
    accounts.sort(key=lambda line: (-abs(rounded(line[3], 2)), -abs(line[1]), line[0]))
    sums = [sum((line[n] for line in accounts), Decimal(0)) for n in range(1, 5)]
    return {
        "columns": ["Account", "Bill", "In buckets", "Remainder", "Bridge", "Total from"],
        "rows": [[line[0], *map(dollars, line[1:5]), line[5]] for line in accounts[:FEW]],
        "total": ["All accounts, as billed", *map(dollars, sums), ""],
        "more": more_rows(billed, FEW),
    }


def _account(row: Row, effective: Row | None) -> list[Any]:
    held = in_buckets(row)
    bridge = effective["bridge"] if effective else Decimal(0)
    source = compared_with(row["total_source"])
    return [plain(_who(row)), row["bill_total"], held, row["remainder"], bridge, source]


def _who(row: Row) -> str:
    return row["account"] or "no account"


def effective_remainder(rows: Sequence[Row]) -> list[list[str]]:
    """Returns a PDF row: effective bill total less cost buckets, by account; [] if no remainder.

    The table of accounts is as billed.
    """
    off = [row for row in rows if row["basis"] == "effective" and row["remainder"]]
    if not off:
        return []
    off.sort(key=lambda row: (-abs(row["remainder"]), row["account"] or ""))
    each = [f"{plain(_who(row))} {dollars(row['remainder'])}" for row in off[:FEW]]
    more = [f"and {len(off) - FEW} more"] if len(off) > FEW else []
    whole = dollars(sum((row["remainder"] for row in off), Decimal(0)))
    return [["Remainder, effective", f"{whole} ({', '.join([*each, *more])})"]]


def bucket_lines(rows: Sequence[Row]) -> list[list[str]]:
    """Returns a line per cost basis: the sum of each cost bucket (tax, shared, …) over accounts.

    Cost buckets whose sum is $0 are left out.
    """
    sums = {
        basis: {
            name: sum(row[name] or 0 for row in rows if row["basis"] == basis) for name in BUCKETS
        }
        for basis in ("billed", "effective")
    }
    return [
        [
            f"Buckets, {basis}",
            ", ".join(
                f"{name.replace('_', ' ')} {dollars(amount)}"
                for name, amount in held.items()
                if amount
            )
            or "nothing",
        ]
        for basis, held in sums.items()
    ]
