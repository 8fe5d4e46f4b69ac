"""Finds which GPU runs are behind the baseline of a day, or of a month's last settled day."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.rules.work.kinds_of_work import (
    KIND,
    KIND_SINCE,
    SEVERAL,
    in_words,
    kind_of,
    recipe_of,
)


def month_windows(
    savings_by_kind: ir.Table,
    calendar: ir.Table,
    baselines: ir.Table,
    baseline_window: ir.Table,
    kinds: ir.Table,
) -> ir.Table:
    """Returns which set of GPU runs was behind each month's baseline on its last settled day.

    The set is named by `candidate` and `since`. Returns a row per month, workload and kind of work
    with work on Trainium; others have no counterfactual. `kind_of_work` is null for the main kind.
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
    return chosen_windows(due, baselines, baseline_window)


def chosen_windows(due: ir.Table, baselines: ir.Table, baseline_window: ir.Table) -> ir.Table:
    """Returns which set of GPU runs (`candidate`, `since`) is behind the baseline on given dates.

    `due` has the dates, each with a kind of work.
    """
    known = baselines.filter(baselines.measured.notnull())
    chosen = known.mutate(kind=kind_of(known.recipe), candidate=known.platform.fill_null(SEVERAL))
    held = due.join(chosen.select("date", *KIND, "candidate"), ["date", *KIND])
    begins = baseline_window.select(*KIND_SINCE).distinct()
    begun = held.join(begins, KIND).filter(lambda row: row.since <= row.date)
    return begun.group_by(held.columns).agg(since=begun.since.max())
