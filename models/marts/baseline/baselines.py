"""Publishes what a unit of each training recipe's work would cost on GPU on each day, and why.

A kind is a workload and a recipe; `unit` says what is counted for it (METHOD §3.4). Of the
platforms that may be its baseline (`candidates`), the one with the lowest value on the day is the
baseline (`platform`), because you would rent the GPU that served you best. With a target loss it is
the platform on which a result costs least, `value` × `cap`; a platform on which no run reached the
target is not a candidate. `value` is null if fewer than `baseline.min_runs` qualifying GPU runs
exist, or if no platform's reached the target (`insufficient_baseline`). `conservative` keeps the
measured value if a price is missing (flag `price_unavailable`). `stale_price`: the value, or the
comparison that chose it, rests on a price not seen for 45 days. `main` marks the workload's main
kind, the one with most Trainium cost; a workload without one has a row without recipe.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.rules.work.kinds_of_work import KIND, kind_of, recipe_of
from models.contract.schema import MARTS
from models.contract.units import EPOCH
from models.marts.baseline.flags_and_reason import flags, reason
from models.marts.baseline.methods.baseline_steps import baseline_steps, stepped_terms
from models.marts.baseline.methods.chosen_method import value, value_at_list
from models.marts.baseline.methods.fixed import quoted
from models.marts.baseline.methods.lowered_by_payer_discount import with_discounts
from models.marts.baseline.methods.lowest_candidate import lowest
from models.marts.baseline.windows.omitted_runs import omissions
from models.marts.baseline.windows.stale_windows import is_stale
from models.marts.baseline.windows.target_cap import candidates_by_day


@mart(
    grain="date × workload × recipe",
    units="dollars on `cost.basis` per `unit`",
    nulls="value: too few GPU runs, no quote, or a needed price is unknown; recipe: none is "
    "stated; platform: runs of several are pooled; factor: a price is unknown; cap: no target loss",
    method="§5.5",
    whose="workload",
)
def baselines(
    calendar: ir.Table,
    kinds: ir.Table,
    baseline_window: ir.Table,
    qualifying_runs: ir.Table,
    lineage_facts: ir.Table,
    comparable: ir.Table,
    gpu_use: ir.Table,
    price_steps: ir.Table,
    applicable_discounts: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes GPU cost per unit by day, workload and training recipe, with the reason in words."""
    terms = stepped_terms(baseline_window, lineage_facts, gpu_use, price_steps)
    steps = baseline_steps(terms, baseline_window, lineage_facts, comparable)
    rows = candidates_by_day(_days(calendar, kinds), steps)
    rows = with_discounts(rows, terms, applicable_discounts)
    omitted = omissions(lineage_facts, comparable, baseline_window, settings).rename(window="since")
    rows = left_join(rows, omitted, [*KIND, "window"])
    quotes = config_workloads.select("workload", fixed="fixed_cost_per_epoch")
    rows = left_join(left_join(rows, quotes, ["workload"]), qualifying_runs, KIND)
    rows = rows.mutate(
        recipe=recipe_of(rows.kind),
        platform=rows.candidate.nullif(""),
        enough=rows.runs.notnull(),
        runs=ibis.coalesce(rows.runs, rows.qualifying, 0),
        fixed=quoted(rows),
        omitted=ibis.ifelse(rows.runs.notnull(), rows.omitted, rows.omitted_in_all).fill_null(""),
        outdated=is_stale(rows, settings),
    )
    method = settings.baseline.method
    rows = rows.mutate(value=value(rows, method), value_at_list=value_at_list(rows, method))
    rows = lowest(rows)
    return rows.mutate(
        method=ibis.literal(method), flags=flags(rows, method), reason=reason(rows, settings)
    ).select(*MARTS["baselines"])


def _days(calendar: ir.Table, kinds: ir.Table) -> ir.Table:
    """Pairs every calendar day of a workload with each of its training recipes."""
    days = left_join(
        calendar.select("date", "workload"), kinds.select(*KIND, "unit", "main"), ["workload"]
    )
    return days.mutate(
        kind=kind_of(days.kind), unit=days.unit.fill_null(EPOCH), main=days.main.fill_null(True)
    )
