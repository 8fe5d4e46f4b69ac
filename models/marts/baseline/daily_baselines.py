"""What an epoch of each kind of work costs on GPU on each day, by the configured method.

Grain: date × workload × kind. A step of the baseline (`baseline_steps`) holds until the next one of
its kind. The marts `baselines` (kind 0) and `further_baselines` (the others) show it (METHOD §5.5).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE, in_words
from models.marts.baseline.flags_and_reason import flags, reason
from models.marts.baseline.methods.chosen_method import value, value_at_list
from models.marts.baseline.methods.fixed import quoted


def kinds_in_words(comparable: ir.Table) -> ir.Table:
    """Lists each workload's kinds of work with recipe, samples per epoch and a name in words."""
    kinds = comparable.select(*KIND, recipe="kind_recipe", samples_per_epoch="kind_size").distinct()
    return kinds.mutate(kind_of_work=in_words(kinds))


def days_of_further_kinds(calendar: ir.Table, steps: ir.Table, kinds: ir.Table) -> ir.Table:
    """Pairs every calendar day of a workload with each of its further kinds with a baseline."""
    further = kinds.filter(kinds.kind > 0).semi_join(steps, KIND)
    return calendar.select("date", "workload").join(further, "workload")


def daily_baselines(
    days: ir.Table,
    baseline_steps: ir.Table,
    baseline_omissions: ir.Table,
    qualifying_runs: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes the GPU cost per epoch with its reason for each given day and kind of work."""
    steps = left_join(baseline_steps, baseline_omissions, KIND_SINCE)
    joined = days.asof_join(steps.rename(date="since"), on="date", predicates=KIND)
    joined = joined.drop(*(name for name in joined.columns if name.endswith("_right")))
    quotes = config_workloads.select(workload_="workload", fixed="fixed_cost_per_epoch")
    rows = joined.left_join(quotes, joined.workload == quotes.workload_)
    rows = left_join(rows, qualifying_runs, KIND)
    rows = rows.mutate(
        enough=rows.runs.notnull(),
        runs=ibis.coalesce(rows.runs, rows.qualifying, 0),
        fixed=quoted(rows),
        omitted=ibis.ifelse(rows.runs.notnull(), rows.omitted, rows.omitted_in_all).fill_null(""),
    )
    method = settings.baseline.method
    rows = rows.mutate(value=value(rows, method), value_at_list=value_at_list(rows, method))
    return rows.mutate(
        method=ibis.literal(method), flags=flags(rows, method), reason=reason(rows, settings)
    )
