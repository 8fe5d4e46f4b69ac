"""Defines the statement of a month: its tables and facts, and how they are written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from models.contract.edition import EDITION_OF_UNMARKED
from models.contract.schema import PORTFOLIO, REASONS
from models.contract.units import EPOCH, shared
from models.records.canonical_json import canonical_sha256, text
from models.records.columns import COSTS_PER_EPOCH, TABLES, tables_of

SINCE = {
    **dict.fromkeys(("baselines", "baseline_runs", "baseline_hours"), ("kind_of_work",)),
    "history": COSTS_PER_EPOCH,
}
"""Columns younger than the first closes: where they say nothing, a month keeps its SHA-256."""
Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
Facts = Mapping[str, str | None]


@dataclass(frozen=True)
class Statement:
    """What finance signs for a month: its tables of figures, and the facts behind them.

    Its tables are those of `columns.tables_of` its edition; in memory they have today's columns as
    well, null where the edition knew none.
    """

    month: str
    facts: Facts
    tables: Tables

    def document(self) -> dict[str, Any]:
        """Converts a month's statement for JSON: numbers as exact decimal text, dates as ISO."""
        columns = tables_of(self.edition)
        tables = {
            name: [
                {
                    column: text(row[column])
                    for column in columns[name]
                    if column not in SINCE.get(name, ()) or row[column] is not None
                }
                for row in rows
            ]
            for name, rows in self.tables.items()
        }
        return {"month": self.month, "facts": dict(self.facts), "tables": tables}

    @property
    def edition(self) -> int:
        """Returns the edition of the method that computed a month's statement; unmarked is 1."""
        return edition_of(self.facts)

    @property
    def sha256(self) -> str:
        """Returns the SHA-256 of a month's statement in its canonical form."""
        return canonical_sha256(self.document())

    def row(self, workload: str) -> Row:
        """Returns the summary row of one workload, or of the portfolio, in a month's statement."""
        return next(row for row in self.tables["summary"] if row["workload"] == workload)

    @property
    def unit(self) -> str | None:
        """Returns the unit of work that all workloads of a month share; None where they differ."""
        rows = self.tables["summary"]
        return shared(row["unit"] or EPOCH for row in rows if row["workload"] != PORTFOLIO)


def edition_of(facts: Facts) -> int:
    """Returns a statement's edition of the METHOD from its facts; 1 if it has none."""
    return int(facts.get("edition") or EDITION_OF_UNMARKED)


def whole_name(row: Row) -> str:
    """Returns a name for a baseline: the workload, and kind of work unless it is the main one."""
    kind = row["kind_of_work"]
    return row["workload"] if kind is None else f"{row['workload']} ({kind})"


def uncompared(row: Row) -> Decimal | None:
    """Returns a row's Trainium cost without a GPU cost to compare with; None if unknown.

    Where the saving of a month is unknown, nothing is compared. A row of several months has the sum
    of theirs. Statements of the first edition lack it.
    """
    given: Decimal | None = row.get("uncompared_cost")
    if given is not None:
        return given
    whole: Decimal | None = row["trn_cost"]
    return None if whole is None else whole - (row["compared_cost"] or Decimal(0))


def read(document: Mapping[str, Any]) -> Statement:
    """Parses a month's statement from its JSON document; `KeyError`, `ValueError` if it is none."""
    known = tables_of(edition_of(document["facts"]))
    tables = {
        name: [
            {
                column: _value(row.get(column), dtype)
                for column, dtype in {**TABLES.get(name, {}), **known[name]}.items()
            }
            for row in rows
        ]
        for name, rows in document["tables"].items()
        if name in known
    }
    return Statement(document["month"], document["facts"], tables)


def _value(value: Any, dtype: str) -> Any:  # noqa: ANN401 - whatever the column holds
    if value is None:
        return None
    if dtype == REASONS:
        return {key: None if held is None else Decimal(held) for key, held in value.items()}
    if dtype.startswith("decimal"):
        return Decimal(value)
    return date.fromisoformat(value) if dtype == "date" else value
