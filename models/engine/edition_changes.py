"""Lists what a new edition (version) of the method changes in published figures (METHOD §7).

The first build by an edition compares its months with those of the snapshot that an earlier edition
published, so that a changed figure surprises nobody. The difference includes what was delivered
since that snapshot. Once the new snapshot is published, nothing is listed any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from ibis.backends.duckdb import Backend

from models.config.editions import changed_meanings
from models.config.settings import Settings
from models.contract.decimal_text import dollars, rounded
from models.contract.edition import EDITION, EDITION_OF_UNMARKED
from models.engine.warehouse.snapshots import Snapshots

FIGURES = (
    "net_saving", "investment", "counterfactual", "gross_saving", "overhead", "saving_at_list",
    "baseline_value", "baseline_reason",
)  # fmt: skip
MONTHS = f"SELECT month, workload, {', '.join(FIGURES)} FROM month_facts ORDER BY month, workload"
SIGNED = ("net_saving", "investment", "saving_at_list")
"""Figures that finance may have been given: a month in which none changed is not listed."""
Row = dict[str, Any]


def edition_changes(settings: Settings, snapshots: Snapshots, backend: Backend) -> list[str]:
    """Returns text lines: the published monthly figures that a new edition of the method changes.

    Empty where there is no earlier snapshot, or it is of this edition. Call it before publishing.
    """
    published = snapshots.answer(MONTHS)
    if published is None:
        return []
    marked = snapshots.answer("SELECT edition FROM snapshot")
    ((was,),) = marked if isinstance(marked, list) and marked else ((EDITION_OF_UNMARKED,),)
    if was == EDITION:
        return []
    old, new = _months(published), _months(backend.con.execute(MONTHS).fetchall())
    moved = [line for key in sorted({*old, *new}) for line in _moved(key, old, new)]
    head = (
        f"edition {EDITION} of the method computes now, edition {was} published before; in the "
        f"monthly summary {_rows(len(moved))} (docs/method/editions.md)"
    )
    return [head, *moved, *(f"config: {words}" for words in changed_meanings(settings))]


def _rows(count: int) -> str:
    return "1 row changes" if count == 1 else f"{count or 'no'} rows change"


def _months(rows: object) -> dict[tuple[str, str], Row]:
    known: Iterable[Any] = rows if isinstance(rows, list) else ()
    return {
        (month, workload): dict(zip(FIGURES, figures, strict=True))
        for month, workload, *figures in known
    }


def _moved(
    key: tuple[str, str], old: dict[tuple[str, str], Row], new: dict[tuple[str, str], Row]
) -> Iterator[str]:
    nothing: Row = dict.fromkeys(FIGURES)
    was, now = old.get(key, nothing), new.get(key, nothing)
    figures = [
        f"{name.replace('_', ' ')} {dollars(was[name])} is {dollars(now[name])}"
        for name in SIGNED
        if was[name] != now[name]
    ]
    if figures:
        yield f"{key[0]} {key[1]}: {', '.join(figures)}{_why(was, now)}"


def _why(was: Row, now: Row) -> str:
    """Returns a text in brackets: changed parts of a saving, and a new GPU baseline; "" if none."""
    parts = {
        "on GPU": (was["counterfactual"], now["counterfactual"]),
        "Trainium cost compared": (_compared(was), _compared(now)),
        "overhead": (was["overhead"], now["overhead"]),
    }
    words = [
        f"{name} {rounded(now_ - was_, 2):+,}"
        for name, (was_, now_) in parts.items()
        if was_ is not None and now_ is not None and was_ != now_
    ]
    if was["baseline_value"] != now["baseline_value"]:
        value = f"{dollars(was['baseline_value'])} is {dollars(now['baseline_value'])}"
        why = f": {now['baseline_reason']}" if now["baseline_reason"] else ""
        words.append(f"GPU baseline {value}{why}")
    return f" ({'; '.join(words)})" if words else ""


def _compared(row: Row) -> Decimal | None:
    whole, saved = row["counterfactual"], row["gross_saving"]
    return None if whole is None or saved is None else Decimal(whole - saved)
