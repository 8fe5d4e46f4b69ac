"""Compares two statements of a month, figure by figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from models.records.statement import Statement

KEYS: Mapping[str, tuple[str, ...]] = {
    "summary": ("workload",),
    "to_date": ("period", "workload"),
    "history": ("month", "workload"),
    "baselines": ("workload", "kind_of_work"),
    "baseline_runs": ("workload", "kind_of_work", "lineage"),
    "baseline_hours": (
        "workload", "kind_of_work", "platform", "instance_type", "region", "purchase_option",
    ),
    "runs": ("workload", "run"),
    "tie_out": ("billing_account", "account", "basis"),
    "adjustments": (
        "month", "kind", "workload", "billing_account", "account", "basis", "measure",
        "changed_by",
    ),
    "unsettled": ("workload", "waits_for"),
    "curve": ("date",),
}  # fmt: skip
"""What names a row of each table."""


class Difference(NamedTuple):
    """One figure that differs between two statements of a month, with its old and new value.

    It names the figure's table and whose figure it is. Values are exact text; None where a
    statement lacks the figure or it is unknown.
    """

    table: str
    whose: str
    figure: str
    was: str | None
    now: str | None

    def __str__(self) -> str:
        """Formats a figure that differs between two statements as one line of text."""
        where = " ".join(part for part in (self.table, self.whose, self.figure) if part)
        return f"{where} was {self.was}, is {self.now}"


def differences(old: Statement, new: Statement) -> Iterator[Difference]:
    """Yields every figure that differs between two statements of a month.

    A row that only one of the two has differs in each of its figures.
    """
    was, now = old.document(), new.document()
    for name in sorted({*was["facts"], *now["facts"]}):
        before, after = was["facts"].get(name), now["facts"].get(name)
        if before != after:
            yield Difference("facts", "", name, before, after)
    for table, keys in KEYS.items():
        yield from _of_table(
            table, *(_named(side["tables"].get(table, []), keys) for side in (was, now))
        )


def _of_table(
    table: str, was: Mapping[tuple[str, ...], Any], now: Mapping[tuple[str, ...], Any]
) -> Iterator[Difference]:
    for key in dict.fromkeys((*was, *now)):
        old, new = was.get(key, {}), now.get(key, {})
        whose = " ".join(filter(None, key))
        for figure in dict.fromkeys((*old, *new)):
            before, after = old.get(figure), new.get(figure)
            if before != after:
                yield Difference(table, whose, figure, _text(before), _text(after))


def _named(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> dict[tuple[str, ...], Any]:
    return {tuple(str(row.get(key) or "") for key in keys): row for row in rows}


def _text(value: object) -> str | None:
    return None if value is None else str(value)
