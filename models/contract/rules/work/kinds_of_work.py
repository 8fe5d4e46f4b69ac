"""Kinds of training work: workload and recipe, each with a baseline of its own (METHOD §1, §3.4).

Within a build `kind` is the recipe, or empty where none is stated, because unset equals unset and
null equals nothing in a join. Published tables call it `recipe`, null where none is stated.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.portfolio import PORTFOLIO
from models.contract.units import EPOCH

KIND = ["workload", "kind"]
KIND_SINCE = [*KIND, "since"]
"""A baseline's value holds from the day `since` until the next one of its kind."""
CANDIDATE = [*KIND_SINCE, "candidate"]
"""Of the platforms that may be a day's baseline, the one that says least is (METHOD §5)."""
NO_GPU_RUN = "no GPU run to compare with"
"""Why a run of a workload does not compare of which no GPU run counts (METHOD §3.4)."""
SEVERAL = ""
"""The candidate of a window in which runs of several platforms are pooled."""


def kind_of(recipe: ir.Value) -> ir.Value:
    """Converts a column of recipes to kinds of work: a null recipe becomes ""."""
    return recipe.fill_null("")


def recipe_of(kind: ir.Value) -> ir.Value:
    """Converts a column of kinds of work to recipes: "" becomes null."""
    return kind.nullif("")


def in_words(recipe: ir.Value) -> ir.Value:
    """Converts a column of recipes to words: null becomes `without a recipe`."""
    return recipe.fill_null("without a recipe")


def with_own_baseline(rows: ir.Table, baselines: ir.Table, *names: str) -> ir.Table:
    """Adds columns of the GPU baseline for the row's date, workload and recipe; null without one.

    `rows` are date × workload × `kind`; `names` are the baseline's columns to add.
    """
    keys = ["date", *KIND]
    held = baselines.mutate(kind=kind_of(baselines.recipe))
    return left_join(rows, held.select(*keys, *names), keys)


def of_main_kind(rows: ir.Table) -> ir.Table:
    """Returns the rows of each workload's main recipe: the one with most Trainium spend."""
    return rows.filter(rows.main)


def main_units(kinds: ir.Table) -> ir.Table:
    """Returns the unit of each workload's main recipe; the portfolio's is null if they differ.

    The main recipe is that with most Trainium cost.
    """
    main = of_main_kind(kinds)
    same = ibis.ifelse(main.unit.nunique() <= 1, main.unit.max().fill_null(EPOCH), None)
    whole = main.agg(unit=same).select(workload=ibis.literal(PORTFOLIO), unit="unit")
    return main.select("workload", "unit").union(whole)
