"""Sums the lines of a day that differ only in hour, machine and amounts, before texts are read.

A bill repeats itself: a machine has a line per hour, and all of them have the same texts. Reading a
text (`NULL` is null, the first of two names) costs more than adding amounts. So lines are first
grouped by their texts as delivered, and the few rows that are left are read like lines. Lines that
differ for `spend_reduced` are never added, so its result is the same without this step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import ibis
import ibis.expr.types as ir

from models.formats import fields

CORRECTION = {"ChargeClass": "Correction", "ChargeCategory": "Adjustment"}
"""Columns whose value says that a line corrects another one."""
CORRECTIONS_ONLY = "ResourceId"
"""The widest column of a bill: only corrections need it, and they are few."""
PERIODS = "Periods"
"""Column of pre-aggregated lines: the starts of the periods that a line stands for, one for each
line of the bill; null on lines that were added up."""
ALIKE = "is of a period"
KIND, MOST, FEW, CORRECTS = "kind of line", 0, 1, 2
SIGNED = ("EffectiveCost", "ListCost", "BilledCost")
"""Amounts that are added per sign, so that free lines stay apart from lines that cancel out."""


class Few(NamedTuple):
    """Columns that only few lines of a bill have, computed and grouped by for those lines alone."""

    reads: Mapping[str, ir.Value]
    """Delivered columns that nothing else reads."""
    may: Callable[[ir.Table], ir.Value]
    """Whether a line may have one: asked of every line, so it must be cheap."""
    values: Callable[[ir.Table], Mapping[str, ir.Value]]
    """The values of lines that may have one, those in place of computed ones, and `ALIKE`."""


def add_up(
    lines: ir.Table,
    texts: Collection[str],
    computed: Mapping[str, ir.Value],
    amounts: Mapping[str, ir.Value],
    exact: Mapping[str, ir.Value],
    hours: Mapping[str, ir.Value],
    few: Few | None = None,
) -> ir.Table:
    """Sums amounts of bill lines with equal columns, equal computed values and equal cost signs.

    The columns are `texts`, the values `computed`. A sum is null as soon as one of its amounts is
    null. Of `hours` the first and the last remain. Corrections are grouped more finely, by their
    resource and by the `exact` values (such as the hour) in place of the `computed` ones.

    Lines that are `ALIKE` keep their amounts: those of a day with the same are one line of its
    first period, whose starts are in `PERIODS`.
    """
    held = [name for name in texts if name in lines.columns and name not in computed]
    resource = [name for name in (CORRECTIONS_ONLY,) if name in lines.columns]
    delivered = {name: lines[name] for name in [*held, *resource]}
    exactly = {f"exact {name}": value for name, value in exact.items()}
    reads = few.reads if few else {}
    rows = lines.select(**delivered, **computed, **amounts, **exactly, **hours, **reads)
    rows = _with_kinds(rows, few)
    groups, sums = [*held, *computed], list(amounts)
    parts = [_summed(rows.filter(rows[KIND] == MOST), groups, sums)]
    others = rows.filter(rows[KIND] != MOST)
    if few:
        values = few.values(others)
        others = others.mutate(**values)
        groups += [name for name in values if name not in (ALIKE, *groups)]
        parts.append(_few(others.filter(others[KIND] == FEW), groups, sums, list(exact)))
    if not CORRECTION.keys().isdisjoint(held):
        corrections = others.filter(others[KIND] == CORRECTS)
        precise = corrections.mutate(**{name: others[f"exact {name}"] for name in exact})
        parts.append(_summed(precise, [*groups, *resource], sums))
    return _united(parts)


def _with_kinds(rows: ir.Table, few: Few | None) -> ir.Table:
    """Adds a column that says how to sum a line: like most, with rare columns, or as correction."""
    if few:
        rows = rows.view()  # Ibis would write what `may` reads out again
    kinds: list[tuple[ir.Value, int]] = [
        ((fields.first_present(rows, name) == value).fill_null(False), CORRECTS)
        for name, value in CORRECTION.items()
        if name in rows.columns
    ]
    if few:
        kinds.append((few.may(rows), FEW))
    kind = ibis.cases(*kinds, else_=MOST) if kinds else ibis.literal(MOST)
    return rows.mutate(**{KIND: kind})


def _united(parts: Sequence[ir.Table]) -> ir.Table:
    """Unites tables of which some lack a column; it is null there."""
    kinds = {name: part[name].type() for part in parts for name in part.columns}
    rows = [
        part.mutate(**{n: ibis.null(kind) for n, kind in kinds.items() if n not in part.columns})
        for part in parts
    ]
    return ibis.union(*(part.select(*kinds) for part in rows)) if len(rows) > 1 else rows[0]


def _few(rows: ir.Table, names: list[str], amounts: list[str], exact: list[str]) -> ir.Table:
    """Sums lines; lines that are alike within a day become one line that lists their periods.

    Both come of one grouping, because whether a line is alike takes long to compute.
    """
    started, ended = (rows[f"exact {name}"] for name in exact)
    of_one = {
        **{f"one {name}": rows[name] for name in amounts},
        "day": started.truncate("D"),
        "length": ended.epoch_seconds() - started.epoch_seconds(),
    }
    alike = {name: ibis.ifelse(rows[ALIKE], value, None) for name, value in of_one.items()}
    keys, signs = {name: rows[name] for name in (*names, ALIKE)}, _signs(rows, amounts)
    found = rows.group_by(**keys, **alike, **signs).agg(
        **_sums(rows, amounts),
        **{f"first {name}": rows[f"exact {name}"].min() for name in exact},
        **{PERIODS: started.collect(where=rows[ALIKE]).sort()},
    )
    first = {name: found[f"first {name}"] for name in exact}
    one = {name: found[f"one {name}"].cast(found[name].type()) for name in amounts}
    own = {n: ibis.ifelse(found[ALIKE], value, found[n]) for n, value in (first | one).items()}
    return found.mutate(**own).drop(ALIKE, *alike, *signs, *(f"first {name}" for name in exact))


def _summed(rows: ir.Table, names: list[str], amounts: list[str]) -> ir.Table:
    keys, signs = {name: rows[name] for name in names}, _signs(rows, amounts)
    return rows.group_by(**keys, **signs).agg(**_sums(rows, amounts)).drop(*signs)


def _signs(rows: ir.Table, amounts: list[str]) -> dict[str, ir.Value]:
    return {f"sign of {name}": rows[name].sign() for name in SIGNED if name in amounts}


def _sums(rows: ir.Table, amounts: list[str]) -> dict[str, ir.Value]:
    sums = {name: _sum_unless_null(rows, rows[name]) for name in amounts}
    return {**sums, "FirstHour": rows.FirstHour.min(), "LastHour": rows.LastHour.max()}


def _sum_unless_null(rows: ir.Table, amount: ir.Value) -> ir.Value:
    return ibis.ifelse(amount.count() == rows.count(), amount.sum(), None)
