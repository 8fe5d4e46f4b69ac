"""From a workload's few facts to the rows of every mart."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from models.contract.schema import EXPLAINERS, MARTS
from models.marts import MARTS as COMPUTED
from models.marts import SPEND_REDUCED
from tests.support.dashboard import days, pools, summaries
from tests.support.dashboard.days import Row

if TYPE_CHECKING:
    from tests.support.dashboard.world import Workload


def tables(workloads: tuple[Workload, ...], settled: date, as_of: date) -> dict[str, list[Row]]:
    """Every table of the contract but `snapshot`."""
    made: dict[str, list[Row]] = {name: [] for name in (*MARTS, *EXPLAINERS)}
    for workload in workloads:
        saved = days.savings(workload, settled, as_of)
        ran = days.runs(workload, settled)
        made["savings_daily"] += saved
        made["runs"] += ran
        made["spend_daily"] += days.spend(workload, saved, ran, settled)
        made["cost_per_epoch"] += summaries.cost_per_epoch(workload, saved, ran)
        made["baselines"] += summaries.baselines(workload, settled)
        made["baseline_parts"] += summaries.parts(workload, settled)
        made["price_changes"] += summaries.price_changes(workload)
        made["loss_curve"] += days.loss(workload, ran)
        made["investments"] += [
            {"date": day, "workload": workload.name, "kind": kind, "amount": amount}
            for day, kind, amount in workload.investments
        ]
        made["break_even"].append(summaries.standing(workload, saved))
        made["recent_windows"].append(summaries.recent_window(workload, saved, ran, settled))
        made["monthly_summary"] += summaries.months(workload, saved, settled)
    use = pools.pool_use({each.name: each.start for each in workloads}, settled, as_of)
    made |= {"pool_use": use, "run_jobs": pools.run_jobs(use), "pools": pools.pools(use)}
    made["allocation_coverage"] = pools.coverage(use)
    pools.identify(made["runs"], made["run_jobs"])
    made["portfolio_daily"] = days.portfolio_days(made["savings_daily"])
    made["break_even"].append(summaries.portfolio(made["break_even"]))
    made["monthly_summary"] += summaries.portfolio_months(made["monthly_summary"], settled)
    made["month_facts"] = [dict(row) for row in made["monthly_summary"]]
    made["spend_daily"] += days.untagged(settled)
    made["freshness"] = [summaries.fresh(settled)]
    made["queries"] = [
        {"mart": mart.__name__, "sql": f"SELECT *\nFROM {mart.__name__}"}
        for mart in (SPEND_REDUCED, *COMPUTED)
    ]
    return made
