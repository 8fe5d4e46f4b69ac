"""Computes what training did and cost: runs, resumed ones as lineages, progress, losses, cost.

In: `spend_daily`, the samples of progress and the config. Out: the work and cost of each run, day
and lineage, published as `runs`, `progress_daily` and `cost_per_epoch`. Chapters: METHOD §3 and §4.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.work.comparison.comparable import comparable
from models.marts.work.comparison.kinds import kinds
from models.marts.work.comparison.token_counter_checks import token_counter_checks
from models.marts.work.comparison.unit_daily import unit_daily
from models.marts.work.cost_per_epoch import cost_per_epoch
from models.marts.work.days.calendar import calendar
from models.marts.work.days.work_daily import work_daily
from models.marts.work.days.workload_settled import workload_settled
from models.marts.work.lineages.lineage_facts import lineage_facts
from models.marts.work.parity.final_losses import final_losses
from models.marts.work.parity.parity_verdicts import parity_verdicts
from models.marts.work.progress.differing_sources import differing_sources
from models.marts.work.progress.high_water_mark import progress_steps
from models.marts.work.progress.progress_daily import progress_daily
from models.marts.work.progress.samples import samples
from models.marts.work.runs.by_region_and_purchase import run_parts
from models.marts.work.runs.run_hours import run_hours
from models.marts.work.runs.run_jobs import run_jobs
from models.marts.work.runs.run_registry import run_registry
from models.marts.work.runs.runs import runs

WORK: tuple[Callable[..., ir.Table], ...] = (
    samples,
    differing_sources,
    run_registry,
    progress_steps,
    progress_daily,
    workload_settled,
    work_daily,
    lineage_facts,
    run_hours,
    final_losses,
    token_counter_checks,
    comparable,
    kinds,
    parity_verdicts,
    unit_daily,
    calendar,
    runs,
    run_jobs,
    run_parts,
    cost_per_epoch,
)
"""In the order in which a build should begin them, as far as they depend on each other."""
