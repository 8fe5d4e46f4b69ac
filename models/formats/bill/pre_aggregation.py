"""Sums the lines of a day that differ only in their amounts, before their texts are read.

A bill repeats itself: a machine has a line per hour, and all of them have the same texts. Reading a
text (`NULL` is null, the first of two names) costs more than adding amounts. So lines are first
grouped by their texts as delivered, and the few rows that are left are read like lines. Lines that
differ for `spend_reduced` are never added, so its result is the same without this step.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import ibis
import ibis.expr.types as ir

CLASS, CORRECTION = "ChargeClass", "Correction"
CORRECTIONS_ONLY = "ResourceId"
"""The widest column of a bill: only corrections need it, and they are few."""
SIGNED = ("EffectiveCost", "ListCost", "BilledCost")
"""Amounts that are added per sign, so that free lines stay apart from lines that cancel out."""


def add_up(
    lines: ir.Table,
    texts: Collection[str],
    computed: Mapping[str, ir.Value],
    amounts: Mapping[str, ir.Value],
    exact: Mapping[str, ir.Value],
    hours: Mapping[str, ir.Value],
) -> ir.Table:
    """Sums amounts of bill lines with equal columns, equal computed values and equal cost signs.

    The columns are `texts`, the values `computed`. A sum is null as soon as one of its amounts is
    null. Of `hours` the first and the last remain. Corrections are grouped more finely, by their
    resource and by the `exact` values (such as the hour) in place of the `computed` ones.
    """
    held = [name for name in texts if name in lines.columns and name not in computed]
    resource = [name for name in (CORRECTIONS_ONLY,) if name in lines.columns]
    delivered = {name: lines[name] for name in [*held, *resource]}
    exactly = {f"exact {name}": value for name, value in exact.items()}
    rows = lines.select(**delivered, **computed, **amounts, **exactly, **hours)
    if CLASS not in held:
        return _summed(rows, [*held, *computed], list(amounts))
    corrects = rows[CLASS] == CORRECTION
    corrections = rows.filter(corrects).mutate(**{name: rows[f"exact {name}"] for name in exact})
    fine = _summed(corrections, [*held, *resource, *computed], list(amounts))
    others = rows.filter(~corrects | rows[CLASS].isnull())
    coarse = _summed(others, [*held, *computed], list(amounts))
    no_resource = {name: ibis.null("string") for name in resource}
    return coarse.mutate(**no_resource).select(fine.columns).union(fine)


def _summed(rows: ir.Table, names: list[str], amounts: list[str]) -> ir.Table:
    signs = {f"sign of {name}": rows[name].sign() for name in SIGNED if name in amounts}
    keys = {name: rows[name] for name in names}
    sums = rows.group_by(**keys, **signs).agg(
        **{name: _sum_unless_null(rows, rows[name]) for name in amounts},
        FirstHour=rows.FirstHour.min(),
        LastHour=rows.LastHour.max(),
    )
    return sums.drop(*signs)


def _sum_unless_null(rows: ir.Table, amount: ir.Value) -> ir.Value:
    return ibis.ifelse(amount.count() == rows.count(), amount.sum(), None)
