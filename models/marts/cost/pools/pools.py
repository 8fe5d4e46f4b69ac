"""Sums what each pool of shared machines cost by month: by who held it, and by why it was idle."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, zero_if_null
from models.contract.rules.known_cost import known_cost
from models.contract.schema import MARTS, REASONS
from models.marts.cost.pools.who_held import who_held

POOL = ["month", "cluster", "instance_type"]


@mart(
    grain="month × cluster × instance_type",
    units="accelerator-hours; dollars on `cost.basis`",
    nulls="a cost, in all or by name, is null as soon as one day's is unknown; maps: nothing to "
    "name",
    method="§2.10",
    whose="company",
)
def pools(pool_days: ir.Table, settings: Settings) -> ir.Table:
    """Sums hours and cost of each machine pool by month: in all, held by jobs, and idle.

    `idle_by_reason` are dollars by reason, `owners` dollars by workload. `undelivered_hours` are of
    days without allocations: nobody knows whether jobs held these.
    """
    cost = known_cost(pool_days, settings.cost.basis)
    rows = pool_days.mutate(month=pool_days.date.strftime("%Y-%m"), cost=cost)
    kinds = who_held(rows)
    sums = rows.group_by(*POOL, "platform", "hardware").agg(
        accelerator_hours=rows.accelerator_hours.sum(),
        cost=known_sum(rows.cost),
        settled=rows.settled.all(),
        **{f"{name}_hours": rows.accelerator_hours.sum(where=of) for name, of in kinds.items()},
        **{
            f"{name}_cost": known_sum(ibis.ifelse(of, rows.cost, ZERO))
            for name, of in kinds.items()
        },
    )
    idle = _map(rows.filter(kinds["idle"]), "holding", "idle_by_reason")
    owned = rows.filter(rows.workload.notnull())
    owners = _map(owned, "workload", "owners")
    found = left_join(left_join(sums, idle, POOL), owners, POOL)
    found = found.mutate(
        **{f"{name}_hours": zero_if_null(found[f"{name}_hours"]) for name in kinds}
    )
    return found.select(**{name: found[name].cast(dtype) for name, dtype in MARTS["pools"].items()})


def _map(rows: ir.Table, key: str, name: str) -> ir.Table:
    """Maps, per pool and month, the values of a text column to their cost; null if unknown."""
    each = rows.group_by(*POOL, key).agg(amount=known_sum(rows.cost))
    each = each.filter(each[key].notnull())
    made = ibis.map(
        each[key].collect(order_by=each[key]),
        each.amount.collect(order_by=each[key], include_null=True),
    )
    return each.group_by(POOL).agg(made.cast(REASONS).name(name))
