"""The statement of a month as a value: its tables, its facts, its canonical form and SHA-256."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

from models.contract.decimal_text import decimal_text
from models.contract.schema import REASONS
from models.records.columns import TABLES

SINCE = ("kind_of_work",)
"""Columns younger than the first closes: where they say nothing, a month keeps its SHA-256."""
Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
Facts = Mapping[str, str | None]


@dataclass(frozen=True)
class Statement:
    """What finance signs for `month`: rows of `columns.TABLES`, and in words what they rest on."""

    month: str
    facts: Facts
    tables: Tables

    def document(self) -> dict[str, Any]:
        """As JSON: every number is exact decimal text, dates are ISO."""
        tables = {
            name: [
                {
                    column: _text(row[column])
                    for column in TABLES[name]
                    if column not in SINCE or row[column] is not None
                }
                for row in rows
            ]
            for name, rows in self.tables.items()
        }
        return {"month": self.month, "facts": dict(self.facts), "tables": tables}

    @property
    def sha256(self) -> str:
        """SHA-256 of the canonical form."""
        return digest(self.document())

    def row(self, workload: str) -> Row:
        """The summary of one workload, or of the portfolio."""
        return next(row for row in self.tables["summary"] if row["workload"] == workload)

    def several(self, workload: str) -> bool:
        """Whether it is held against GPU baselines of several kinds of work."""
        named = [row["workload"] for row in self.tables["baselines"]]
        return named.count(workload) > 1


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of JSON in its canonical form: keys in order, no idle space, UTF-8."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def whole_name(row: Row) -> str:
    """Of a baseline, or what it was computed from: its workload, and which kind of its work."""
    kind = row["kind_of_work"]
    return row["workload"] if kind is None else f"{row['workload']} ({kind})"


def read(document: Mapping[str, Any]) -> Statement:
    """The statement that a document says. `KeyError`, `ValueError` where it says none."""
    tables = {
        name: [
            {column: _value(row.get(column), dtype) for column, dtype in TABLES[name].items()}
            for row in rows
        ]
        for name, rows in document["tables"].items()
        if name in TABLES
    }
    return Statement(document["month"], document["facts"], tables)


def _text(value: object) -> object:
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _text(value[key]) for key in sorted(value)}
    return value


def _value(said: Any, dtype: str) -> Any:  # noqa: ANN401 - whatever the column holds
    if said is None:
        return None
    if dtype == REASONS:
        return {key: None if held is None else Decimal(held) for key, held in said.items()}
    if dtype.startswith("decimal"):
        return Decimal(said)
    return date.fromisoformat(said) if dtype == "date" else said
