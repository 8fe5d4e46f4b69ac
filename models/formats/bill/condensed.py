"""Lines that differ in nothing that is read but their amounts, added up before they are read.

A bill repeats itself: a machine has a line an hour, and all of them bear the same texts. Reading a
text (`NULL` is null, the first of two names) costs more than adding amounts, so a day's lines are
added by their texts as delivered, and what is left, some hundredths, is read like lines. Nothing
is added across a difference that `spend_reduced` can see: condensed or not, it says the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import ibis
import ibis.expr.types as ir

CLASS, APART = "ChargeClass", "Correction"
"""Lines that alone need `ResourceId`, the widest column of a bill; they are few."""
RARE = "ResourceId"
SIGNED = ("EffectiveCost", "ListCost", "BilledCost")
"""Amounts that are not added across signs: what is free stays apart from what cancels out."""


def condensed(
    lines: ir.Table,
    texts: Collection[str],
    read: Mapping[str, ir.Value],
    amounts: Mapping[str, ir.Value],
    exact: Mapping[str, ir.Value],
) -> ir.Table:
    """One row per delivered `texts` and what was `read` of a line, its day say; `amounts` summed.

    A sum is unknown as soon as one of its amounts is. What is `exact`, its hour say, is of
    corrections alone.
    """
    held = [name for name in texts if name in lines.columns and name not in read]
    rare = [name for name in (RARE,) if name in lines.columns]
    kept = {name: lines[name] for name in [*held, *rare]}
    apart = {f"exact {name}": value for name, value in exact.items()}
    rows = lines.select(**kept, **read, **amounts, **apart)
    if CLASS not in held:
        return _added(rows, [*held, *read], list(amounts))
    corrects = rows[CLASS] == APART
    told = rows.filter(corrects).mutate(**{name: rows[f"exact {name}"] for name in exact})
    few = _added(told, [*held, *rare, *read], list(amounts))
    usual = _added(rows.filter(~corrects | rows[CLASS].isnull()), [*held, *read], list(amounts))
    unread = {name: ibis.null("string") for name in rare}
    return usual.mutate(**unread).select(few.columns).union(few)


def _added(rows: ir.Table, names: list[str], amounts: list[str]) -> ir.Table:
    signs = {f"sign of {name}": rows[name].sign() for name in SIGNED if name in amounts}
    keys = {name: rows[name] for name in names}
    added = rows.group_by(**keys, **signs).agg(
        **{name: _known_sum(rows, rows[name]) for name in amounts}
    )
    return added.drop(*signs)


def _known_sum(rows: ir.Table, amount: ir.Value) -> ir.Value:
    return ibis.ifelse(amount.count() == rows.count(), amount.sum(), None)
