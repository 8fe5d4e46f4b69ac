"""Kinds of training work (recipe and epoch size): their names, and the baseline of each.

A kind is a workload's recipe and samples per epoch (METHOD §3.4). The mart `baselines` holds the
GPU baseline of kind 0, the main one, and `further_baselines` those of the kinds 1, 2, …
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join

KIND = ["workload", "kind"]
KIND_SINCE = [*KIND, "since"]
"""A baseline's value holds from the day `since` until the next one of its kind."""


def in_words(kinds: ir.Table) -> ir.Value:
    """Describes a kind of training work by recipe and size: `qlora in epochs of 50000 samples`."""
    size = kinds.samples_per_epoch.cast("decimal(38, 0)").cast("string")
    sized = ibis.coalesce(" in epochs of " + size + " samples", "")
    return kinds.recipe.fill_null("without a recipe") + sized


def with_own_baseline(
    rows: ir.Table, baselines: ir.Table, further_baselines: ir.Table, *names: str
) -> ir.Table:
    """Joins to each day of a workload the GPU baseline of its kind of work (recipe, epoch size).

    `rows` are date × workload × `kind`; `names` are the baseline's columns to add.
    """
    keys = ["date", "workload"]
    first = left_join(rows, baselines.select(*keys, *names), keys)
    further = further_baselines.select(
        *keys, "kind", **{f"further_{name}": further_baselines[name] for name in names}
    )
    both = left_join(first, further, [*keys, "kind"])
    own = {name: ibis.ifelse(both.kind > 0, both[f"further_{name}"], both[name]) for name in names}
    return both.mutate(**own).drop(*(f"further_{name}" for name in names))
