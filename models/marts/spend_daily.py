"""What was spent, by day, owner and kind of use; every cent of the bill stands here once.

Grain: date × billing_period × billing_account × account × region × workload × run ×
instance_type × purchase_option × component × attribution × extra tags. Dollars on the four bases,
never added together. Shared charges are split over the runs of the day (with a platform) or of
the month (without one) by accelerator-hours, the residue of rounding going to the largest share;
where there was no such run they are `overhead` (METHOD §2.6). `hardware` is the run's, by most of
its accelerator-hours; `platform` is the charge's own. `invoiced`: AWS has issued the invoice of the
account's month; `final`: it has, or the month was closed. A cost that cannot be known is null, and
`unpriced` says so; such hours stand apart from priced ones of the same grain.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.money import allocated, known_sum
from models.schema import COST_COLUMNS, MARTS, MONEY, with_tags
from models.settings import Settings

AMOUNTS = ("instance_hours", "accelerator_hours", *COST_COLUMNS)


def spend_daily(amortised: ir.Table, closed_months: ir.Table, settings: Settings) -> ir.Table:
    """The mart of that name."""
    rows = _at_grain(amortised, settings)
    shared = rows.filter(rows.attribution == "shared")
    direct = rows.filter(rows.attribution == "direct")
    split = _split(shared, _hours(direct))
    every = rows.filter(rows.attribution != "shared").union(split)
    every = _with_final(every, closed_months)
    return _with_hardware(every).select(*with_tags(MARTS["spend_daily"], settings.tags.extra))


def _at_grain(amortised: ir.Table, settings: Settings) -> ir.Table:
    extra = [f"tag_{key}" for key in settings.tags.extra]
    known = amortised.mutate(
        workload=ibis.ifelse(_is_owned(amortised), amortised.workload, None),
        run=ibis.ifelse(amortised.attribution == "direct", amortised.run, None),
        **{
            name: ibis.ifelse(amortised.unpriced, None, amortised[name])
            for name in ("list_cost", "contracted_cost", "effective_cost")
        },
    )
    keys = [
        "date", "billing_period", "billing_account", "account", "region", "workload", "run",
        "instance_type", "purchase_option", "component", "attribution", *extra, "platform",
        "hardware", "unpriced", "settled", "final",
    ]  # fmt: skip
    sums = known.group_by(keys).agg(
        instance_hours=known.instance_hours.sum().cast(MONEY),
        accelerator_hours=known.accelerator_hours.sum().cast(MONEY),
        **{name: known_sum(known[name]) for name in COST_COLUMNS},
    )
    return sums.mutate(billing_period=sums.billing_period.strftime("%Y-%m"))


def _with_final(rows: ir.Table, closed_months: ir.Table) -> ir.Table:
    """What AWS has invoiced is final, and so is what was closed (METHOD §1)."""
    rows = rows.rename(invoiced="final")
    return rows.mutate(final=rows.invoiced | rows.billing_period.isin(closed_months.month))


def _is_owned(rows: ir.Table) -> ir.BooleanValue:
    """Buckets whose rows belong to a workload; a tax line with a workload tag does not."""
    return rows.attribution.isin(("direct", "shared", "idle_commitment", "credit", "refund"))


def _hours(direct: ir.Table) -> ir.Table:
    """Accelerator-hours of each run by day and platform, less those that were taken back."""
    each = direct.group_by("workload", "run", "date", "platform").agg(
        hours=direct.accelerator_hours.sum()
    )
    return each.filter(each.hours > 0)


def _split(shared: ir.Table, hours: ir.Table) -> ir.Table:
    """Shared rows as their runs' shares; as overhead where no run answers for them."""
    by_day = hours.select("workload", "date", "platform", owner="run", hours="hours")
    monthly = hours.mutate(month=hours.date.truncate("M"))
    by_month = monthly.group_by("workload", "month", owner="run").agg(hours=monthly.hours.sum())
    placed = shared.filter(shared.platform.notnull())
    loose = shared.filter(shared.platform.isnull()).mutate(month=lambda row: row.date.truncate("M"))
    return _shares(placed, by_day, ["workload", "date", "platform"]).union(
        _shares(loose, by_month, ["workload", "month"]).drop("month")
    )


def _shares(shared: ir.Table, hours: ir.Table, on: list[str]) -> ir.Table:
    """One row per charge and run that used the day or month; amounts still add up."""
    joined = shared.left_join(hours, on)
    joined = joined.drop(*(name for name in joined.columns if name.endswith("_right")))
    grain = [name for name in shared.columns if name not in AMOUNTS]
    split = allocated(joined, AMOUNTS, weight="hours", within=grain, owner="owner")
    return split.mutate(
        run=split.owner,
        attribution=ibis.ifelse(split.owner.isnull(), "overhead", split.attribution),
    ).select(shared.columns)


def _with_hardware(rows: ir.Table) -> ir.Table:
    """A run's hardware is that of most of its accelerator-hours; all its rows inherit it."""
    ran = rows.filter(rows.accelerator_hours.notnull())
    each = ran.group_by("workload", "run", "hardware").agg(hours=ran.accelerator_hours.sum())
    order = ibis.window(
        group_by=["workload", "run"], order_by=[ibis.desc(each.hours), each.hardware]
    )
    most = each.mutate(rank=ibis.row_number().over(order)).filter(lambda row: row.rank == 0)
    told = most.select(workload_="workload", run_="run", hardware_="hardware")
    joined = rows.left_join(told, [rows.workload == told.workload_, rows.run == told.run_])
    return joined.mutate(hardware=ibis.coalesce(joined.hardware_, joined.hardware))
