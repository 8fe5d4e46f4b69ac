"""Computes the measured and repriced GPU cost per unit from each day on which it changes.

One row per platform that may be the baseline (`candidate`), for the window that began on `window`.
`measured` is cost ÷ work of its lineages, `repriced` the same hours at the day's price; which of
them counts, and which candidate's, is chosen per day. `…_at_list` repeats the method with list
cost in place of the effective cost. `part_repriced` is what the hours cost at the day's price,
`part_public` without the discount of the runs, `cap` what work a result took (`window_sums`).
"""

from __future__ import annotations

import ibis.expr.types as ir

from models.contract.money import ratio
from models.contract.rules.work.kinds_of_work import CANDIDATE, KIND
from models.marts.baseline.methods.measured import window_sums
from models.marts.baseline.methods.repriced import (
    priced_days,
    repriced_terms,
    summed_terms,
    window_hours,
)


def stepped_terms(
    baseline_window: ir.Table, lineage_facts: ir.Table, gpu_use: ir.Table, price_steps: ir.Table
) -> ir.Table:
    """Reprices each baseline's GPU hours on its first day and whenever one of its prices changes.

    A price changes where one begins, ends or becomes stale.

    A row per workload, kind, since, candidate and way of buying hours (`repriced_terms`).
    """
    hours = window_hours(baseline_window, lineage_facts, gpu_use).rename(window="since")
    days = priced_days(hours, baseline_window, price_steps)
    return repriced_terms(days.join(hours, [*KIND, "window"]), price_steps, "since")


def baseline_steps(
    terms: ir.Table, baseline_window: ir.Table, lineage_facts: ir.Table, comparable: ir.Table
) -> ir.Table:
    """Computes each baseline's measured and repriced GPU cost per unit, a row per price change.

    A row per workload, kind, since and candidate. Repriced columns are null where a price is
    unknown, `newest` where no lineage had ended yet (METHOD §5.2, §5.3).
    """
    window = window_sums(baseline_window, lineage_facts, comparable)
    rows = summed_terms(terms).join(window.rename(window="since"), [*KIND, "window", "candidate"])
    other_list = rows.all_list_cost - rows.part_list_cost
    return rows.mutate(
        measured=ratio(rows.cost, rows.work),
        measured_at_list=ratio(rows.all_list_cost, rows.work),
        repriced=rows.part_repriced + rows.other_per_epoch,
        repriced_at_list=rows.part_repriced_at_list + ratio(other_list, rows.work),
    ).select(
        *CANDIDATE, "window", "newest", "runs", "stale", "topped_up", "work",
        "lineages", "reached", "cap", "missed",
        "measured", "repriced", "measured_at_list", "repriced_at_list", "part_repriced",
        "part_public", "stale_price", "unpriced", "gpu_hours", "unpriced_hours", "unpriced_kinds",
    )  # fmt: skip
