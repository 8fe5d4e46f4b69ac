"""Which window each month's baseline rests on: the one in force on its last settled day."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.rules.kinds_of_work import KIND, KIND_SINCE, in_words, kind_of, recipe_of


def month_windows(
    savings_by_kind: ir.Table,
    calendar: ir.Table,
    baseline_steps: ir.Table,
    kinds: ir.Table,
) -> ir.Table:
    """Finds the baseline window that held on a month's last settled day, of kinds with work in it.

    Returns a row per month, workload and kind of work. Others need none, because without work on
    Trainium they have no counterfactual. `kind_of_work` is null for the main kind.
    """
    done = savings_by_kind.filter(savings_by_kind.epochs > 0)
    trained = done.select(
        "workload", month=done.date.strftime("%Y-%m"), kind=kind_of(done.recipe)
    ).distinct()
    days = calendar.filter(calendar.settled)
    days = days.mutate(month=days.date.strftime("%Y-%m"))
    ends = days.group_by("month", "workload").agg(date=days.date.max())
    named = ibis.ifelse(kinds.main, None, in_words(recipe_of(kinds.kind)))
    due = ends.join(trained, ["month", "workload"])
    due = due.join(kinds.select(*KIND, kind_of_work=named), KIND)
    steps = baseline_steps.select(*KIND_SINCE, date="since")
    held = due.asof_join(steps, on="date", predicates=KIND)
    return held.select("month", *KIND, "kind_of_work", "since")
