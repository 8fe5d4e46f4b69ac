"""Publishes every run: its cost, progress, loss, credited epochs and flags.

Dollars and epochs are of settled days, on the configured basis; `unsettled` is the cost of other
days. `cost_to_target_loss` is the lineage's cost until its loss first reached the target, on the
run that reached it. A run without charges has no cost: null, never $0. `flags` list what is
unusual; a run has the tags of most of its accelerator-hours (METHOD §4.4).
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join, same_keys
from models.contract.money import ZERO, known_sum, product, ratio, zero_if_null
from models.contract.rules.allocation_flags import DAILY, OVER
from models.contract.rules.work.units_of_work import MEASURES, SIZE
from models.contract.schema import MARTS, NUMBER, with_tags
from models.contract.units import PRICES
from models.marts.work.runs.cost_to_target_loss import cost_to_target_loss
from models.marts.work.runs.credited_epochs_by_run import credited_epochs
from models.marts.work.runs.identified_by import with_identified_by
from models.marts.work.runs.idle_and_repeated_cost import (
    idle_cost,
    repeated_cost,
    startup_cost,
    with_start,
)
from models.marts.work.runs.run_flags import run_flags
from models.marts.work.runs.run_tags import most_tagged

RUN = ["workload", "run"]
LINE = ["workload", "lineage"]
COMPONENTS = ("accelerator_cost", "storage_cost", "network_cost", "other_cost")
COUNTS = ("epochs", "repeated_epochs", "accelerator_hours")
COSTS = ("cost", "list_cost", "idle_cost", "startup_cost", "unsettled", *COMPONENTS)


@mart(
    grain="workload × run",
    units="dollars on `cost.basis`, of settled days; epochs in `unit`; accelerator-hours",
    nulls="costs: nothing was charged, or a charge has no known cost; startup_cost: no progress "
    "yet; cost_per_epoch: no epoch yet; cost_per_million_samples, cost_per_billion_tokens: the run "
    "reports none; cost_to_target_loss: not reached, or the cost is unknown; "
    "final_loss, ended_at: has not ended; elapsed_hours: no hour is known; wait_hours: no "
    "source has it; identified_by: no accelerator-hours on the bill",
    method="§3.4 to §3.6, §4.1 to §4.5",
    whose="run",
)
def runs(
    unit_daily: ir.Table,
    run_registry: ir.Table,
    lineages: ir.Table,
    lineage_facts: ir.Table,
    final_losses: ir.Table,
    comparable: ir.Table,
    parity_verdicts: ir.Table,
    credited_daily: ir.Table,
    spend_daily: ir.Table,
    gross_bills: ir.Table,
    runs_hidden_by_grouping: ir.Table,
    run_hours: ir.Table,
    progress_steps: ir.Table,
    pool_days: ir.Table,
    config_rules: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Computes every run's cost, progress, loss, credited epochs and flags."""
    sums = _sums(with_start(unit_daily, run_hours, progress_steps))
    rows = left_join(left_join(sums, lineages, RUN), run_registry, RUN)
    seen = run_registry.select("workload", resumed_from="run", parent_known=ibis.literal(True))
    rows = left_join(rows, seen, ["workload", "resumed_from"])
    rows = left_join(rows, lineage_facts.select(*LINE, "ended", "all_hours"), LINE)
    rows = rows.mutate(all_hours=ibis.ifelse(rows.in_lineage, rows.all_hours, rows.every_hour))
    rows = left_join(rows, final_losses, LINE)
    rows = rows.mutate(final_loss=ibis.ifelse(rows.ended, rows.final_loss, None))
    compared = comparable.select(*LINE, "comparability")
    judged = left_join(compared, parity_verdicts.select(*LINE, "parity", "short"), LINE)
    rows = left_join(rows, judged.mutate(in_lineage=ibis.literal(True)), [*LINE, "in_lineage"])
    rows = left_join(rows, credited_epochs(unit_daily, credited_daily), RUN)
    to_target = cost_to_target_loss(unit_daily, lineage_facts, run_registry, lineages, run_hours)
    rows = left_join(rows, to_target, RUN)
    rows = left_join(rows, run_hours, RUN)
    rows = left_join(rows, _allocations(pool_days), RUN)
    rows = left_join(rows, _gross(spend_daily, gross_bills), RUN)
    hidden = (
        runs_hidden_by_grouping.select("run").distinct().mutate(charges_hidden=ibis.literal(True))
    )
    rows = left_join(rows, hidden, ["run"])
    for key in settings.tags.extra:
        rows = left_join(rows, most_tagged(spend_daily, f"tag_{key}"), RUN)
    rows = with_identified_by(rows, config_rules)
    return _figures(rows).select(*with_tags(MARTS["runs"], settings.tags.extra))


def _figures(rows: ir.Table) -> ir.Table:
    """Computes each run's times, cost per epoch, repeated cost and flags."""
    per = {name: _per(rows, _counted(rows, unit)) for name, unit in PRICES.items()}
    return rows.mutate(
        started_at=ibis.least(rows.first_sample, rows.first_day.cast("timestamp")),
        ended_at=ibis.ifelse(rows.ended, _end(rows), None),
        credited_epochs=zero_if_null(rows.credited_epochs),
        cost_per_epoch=_per(rows, rows.epochs),
        **per,
        repeated_cost=ibis.ifelse(rows.charged, zero_if_null(repeated_cost(rows)), None),
        flags=run_flags(rows),
    )


def _counted(rows: ir.Table, unit: str) -> ir.Value:
    return product(rows[MEASURES[unit]], ibis.literal(SIZE[unit]).cast(NUMBER))


def _per(rows: ir.Table, work: ir.Value) -> ir.Value:
    """Divides a run's cost by its work; null where its lineage of runs has no accelerator-hours."""
    return ibis.ifelse(rows.all_hours == 0, None, ratio(rows.cost, work))


def _sums(rows: ir.Table) -> ir.Table:
    """Sums the days of each run: cost by component, epochs, hours, first and last day."""
    settled = rows.settled
    sums = rows.group_by(RUN).agg(
        hardware=rows.hardware.max(),
        platform=rows.platform.max(),
        unit=rows.unit.max(),
        mixed=rows.mixed.any(),
        in_lineage=rows.in_lineage.any(),
        misplaced=rows.misplaced.max(),
        first_day=rows.date.min(where=rows.active),
        last_day=rows.date.max(where=rows.active),
        charged=rows.charged.any(),
        every_hour=rows.accelerator_hours.sum(),
        cost=known_sum(ibis.ifelse(settled, rows.cost, ZERO)),
        list_cost=known_sum(ibis.ifelse(settled, rows.list_cost, ZERO)),
        unsettled=known_sum(ibis.ifelse(settled, ZERO, rows.cost)),
        idle_cost=idle_cost(rows),
        startup_cost=startup_cost(rows),
        unbilled=(rows.unbilled_epochs > 0).any(),
        **{n: zero_if_null(rows[n].sum(where=settled)) for n in COUNTS},
        **{MEASURES[unit]: rows[MEASURES[unit]].sum(where=settled) for unit in PRICES.values()},
        **{n: known_sum(ibis.ifelse(settled, rows[n], ZERO)) for n in COMPONENTS},
    )
    return sums.mutate(**{n: ibis.ifelse(sums.charged, sums[n], None) for n in COSTS})


def _end(rows: ir.Table) -> ir.Value:
    """Returns when a run was last active: the later of its newest sample and last active day."""
    charged = rows.last_day.cast("timestamp")
    return ibis.greatest(rows.last_sample, charged)


def _gross(spend_daily: ir.Table, gross_bills: ir.Table) -> ir.Table:
    """Lists runs with a charge in a month whose costs are before discounts (METHOD §2.1)."""
    month = ["billing_account", "billing_period"]
    found = spend_daily.join(gross_bills, same_keys(spend_daily, gross_bills, month))
    return found.select(*RUN).distinct().mutate(gross=ibis.literal(value=True))


def _allocations(pool_days: ir.Table) -> ir.Table:
    """Sums the hours that job allocations gave each run; flags over-allocated and daily ones."""
    pool_days = pool_days.filter(~pool_days.by_tag)
    flags = pool_days.allocation_flags.fill_null("")
    return pool_days.group_by(*RUN).agg(
        held_hours=pool_days.accelerator_hours.sum(),
        **{name: flags.contains(name).any() for name in (OVER, DAILY)},
    )
