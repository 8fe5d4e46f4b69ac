"""Defines the columns and types of every table: delivered, published, or input of a build.

In: nothing. Out: names, types and order that exports, notebooks and the dashboard rely on. What
each published column means: docs/reference/marts.md. Chapters: METHOD §2 to §7. Money is dollars in
DECIMAL; ratios, hours, epochs and counts are plain numbers. A column that comes from `tags.extra`
is named `tag_<key>` and takes the place of `TAGS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from models.contract.portfolio import PORTFOLIO as PORTFOLIO
from models.contract.schema import baseline, cost, counted_costs, months, savings, trust, work
from models.contract.schema.delivered import ALLOCATIONS as ALLOCATIONS
from models.contract.schema.delivered import CAPACITY as CAPACITY
from models.contract.schema.delivered import CHARGES as CHARGES
from models.contract.schema.delivered import DELIVERED as DELIVERED
from models.contract.schema.delivered import DELIVERY_NUMBER as DELIVERY_NUMBER
from models.contract.schema.delivered import JOBS as JOBS
from models.contract.schema.delivered import PRICES as PRICES
from models.contract.schema.delivered import PROGRESS as PROGRESS
from models.contract.schema.delivered import UTILISATION as UTILISATION
from models.contract.schema.inputs import BESIDE as BESIDE
from models.contract.schema.inputs import CONFIG as CONFIG
from models.contract.schema.tags import expanded as expanded
from models.contract.schema.tags import with_tags as with_tags
from models.contract.schema.types import AMOUNT as AMOUNT
from models.contract.schema.types import COST_COLUMNS as COST_COLUMNS
from models.contract.schema.types import COSTS as COSTS
from models.contract.schema.types import MONEY as MONEY
from models.contract.schema.types import NUMBER as NUMBER
from models.contract.schema.types import NUMBERS as NUMBERS
from models.contract.schema.types import REASONS as REASONS
from models.contract.schema.types import TAGS as TAGS

MARTS: Mapping[str, Mapping[str, str]] = {
    **cost.MARTS,
    **work.MARTS,
    **baseline.MARTS,
    **savings.MARTS,
    **months.MARTS,
    "tie_out": cost.TIE_OUT,  # here, because the id of a snapshot depends on the order
    **trust.MARTS,
}
"""Published mart → column → type, in order."""

EXPLAINERS: Mapping[str, Mapping[str, str]] = {
    "portfolio_daily": savings.PORTFOLIO_DAILY,
    "settled_accounts": cost.SETTLED_ACCOUNTS,
    "snapshot": trust.SNAPSHOT,
    "queries": trust.QUERIES,
    "month_facts": months.MONTH_FACTS,
    "baseline_parts": baseline.BASELINE_PARTS,
    "baseline_runs": baseline.BASELINE_RUNS,
    "baseline_hours": baseline.BASELINE_HOURS,
    "payer_use": baseline.PAYER_USE,
    "late_changes": trust.LATE_CHANGES,
    "benchmark_runs": baseline.BENCHMARK_RUNS,
    "price_changes": baseline.PRICE_CHANGES,
    "price_history": cost.PRICE_HISTORY,
    "committed_rates": cost.COMMITTED_RATES,
    "loss_curve": work.LOSS_CURVE,
    "investments": savings.INVESTMENTS,
    "capacity_offers": cost.CAPACITY_OFFERS,
    "offered": cost.OFFERED,
    "accelerator_days": cost.ACCELERATOR_DAYS,
    "run_parts": cost.RUN_PARTS,
    "pool_use": cost.POOL_USE,
    "run_jobs": work.RUN_JOBS,
    "counted_runs": work.COUNTED_RUNS,
    "recent_windows": savings.RECENT_WINDOWS,
    "forecast_paths": savings.FORECAST_PATHS,
    "old_volume": savings.OLD_VOLUME,
    "judged_daily": savings.JUDGED_DAILY,
    "unjudged_kinds": savings.UNJUDGED_KINDS,
    "result_runs": savings.RESULT_RUNS,
    "results": savings.RESULTS,
    "gpu_overhead": savings.GPU_OVERHEAD,
    "counted_costs": counted_costs.COUNTED_COSTS,
    "over_allocated_periods": cost.OVER_ALLOCATED_PERIODS,
    "unsettled_spend": cost.UNSETTLED_SPEND,
}
"""Published besides the marts, so that a page can show how a number was computed."""
