"""What was spent, by day, owner and kind of use; every cent of the bill stands here once.

Grain: date × billing_period × billing_account × account × region × workload × run ×
instance_type × purchase_option × component × attribution × extra tags. Dollars on the four bases,
never added together. Shared charges are split over the runs of the day (with a platform) or of
the month (without one) by accelerator-hours, the residue of rounding going to the largest share;
where there was no such run they are `overhead` (METHOD §2.6), but what gives back GPU hours falls
on the last day before that had one. `hardware` is the run's, by most of its accelerator-hours;
`platform` is the charge's own. `invoiced`: AWS has issued the invoice of the account's month;
`final`: it has, or the month was closed. A cost that cannot be known is null, and `unpriced` says
so; such hours stand apart from priced ones of the same grain.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join, same_keys
from models.contract.money import allocated, known_sum
from models.contract.schema import COST_COLUMNS, MARTS, MONEY, with_tags
from models.marts.cost.charges.usage_types import types
from models.marts.cost.settled_days.settled_accounts import with_settled

AMOUNTS = ("instance_hours", "accelerator_hours", *COST_COLUMNS)


def spend_daily(
    amortised: ir.Table,
    catalog: ir.Table,
    bills: ir.Table,
    settled_accounts: ir.Table,
    closed_months: ir.Table,
    settings: Settings,
) -> ir.Table:
    """The mart of that name."""
    kinds = types(catalog).drop("accelerators")
    rows = left_join(_at_grain(amortised, settings), kinds, ["instance_type"])
    shared = rows.filter(rows.attribution == "shared")
    direct = rows.filter(rows.attribution == "direct")
    split = _split(shared, _hours(direct))
    every = rows.filter(rows.attribution != "shared").union(split)
    known = _with_hardware(every, _of_runs(direct, split))
    known = _with_final(with_settled(known, settled_accounts), bills, closed_months)
    return known.select(*with_tags(MARTS["spend_daily"], settings.tags.extra))


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
        "instance_type", "purchase_option", "component", "attribution", *extra, "unpriced",
    ]  # fmt: skip
    return known.group_by(keys).agg(
        instance_hours=known.instance_hours.sum().cast(MONEY),
        accelerator_hours=known.accelerator_hours.sum().cast(MONEY),
        **{name: known_sum(known[name]) for name in COST_COLUMNS},
    )


def _with_final(rows: ir.Table, bills: ir.Table, closed_months: ir.Table) -> ir.Table:
    """What AWS has invoiced is final, and so is what was closed (METHOD §1)."""
    joined = rows.left_join(bills, same_keys(rows, bills, ["billing_account", "billing_period"]))
    known = joined.select(*rows.columns, invoiced=joined.invoiced.fill_null(False))
    known = known.mutate(billing_period=known.billing_period.strftime("%Y-%m"))
    return known.mutate(final=known.invoiced | known.billing_period.isin(closed_months.month))


def _is_owned(rows: ir.Table) -> ir.BooleanValue:
    """Buckets whose rows belong to a workload; a tax line with a workload tag does not."""
    return rows.attribution.isin(("direct", "shared", "idle_commitment", "credit", "refund"))


def _hours(direct: ir.Table) -> ir.Table:
    """Accelerator-hours of each run, less those taken back: of a day and platform, of a month."""
    keys = ["workload", "owner", "slot", "platform"]
    each = direct.rename(owner="run", slot="date").group_by(keys)
    daily = each.agg(hours=direct.accelerator_hours.sum())
    daily = daily.filter(daily.hours > 0)
    whole = daily.mutate(slot=daily.slot.truncate("M"), platform=ibis.null("string"))
    return daily.union(whole.group_by(keys).agg(hours=whole.hours.sum()))


def _split(shared: ir.Table, hours: ir.Table) -> ir.Table:
    """Shared rows as their runs' shares, which add up to them; overhead where no run answers.

    What has no platform (storage, network) falls on the runs of its month.
    """
    shared = _placed(shared, hours)
    on = [
        shared.workload == hours.workload,
        shared.slot == hours.slot,
        shared.platform.identical_to(hours.platform),
    ]
    joined = shared.left_join(hours, on).select(shared, "owner", "hours")
    grain = [name for name in shared.columns if name not in AMOUNTS]
    split = allocated(joined, AMOUNTS, weight="hours", within=grain, owner="owner")
    told = split.mutate(
        run=split.owner,
        attribution=ibis.ifelse(split.owner.isnull(), "overhead", split.attribution),
    )
    return told.drop("owner", "hours", "slot")


def _placed(shared: ir.Table, hours: ir.Table) -> ir.Table:
    """Shared rows and their `slot`: the day, or the month, whose runs they fall on.

    What gives back GPU hours of a day without a run falls on the last day before that had one: no
    saving knows a GPU's overhead, and the baseline would keep what was paid back.
    """
    keys = ["workload", "platform", "date"]
    asked = shared.filter(_given_back(shared)).select(*keys).distinct()
    ran = hours.select("workload", "platform", ran="slot")
    before = asked.join(ran, ["workload", "platform"]).filter(lambda row: row.ran <= row.date)
    rows = left_join(shared, before.group_by(keys).agg(last=before.ran.max()), keys)
    day = ibis.ifelse(_given_back(rows), ibis.coalesce(rows["last"], rows.date), rows.date)
    slot = ibis.ifelse(rows.platform.isnull(), rows.date.truncate("M"), day)
    return rows.mutate(slot=slot).drop("last")


def _given_back(rows: ir.Table) -> ir.BooleanValue:
    """What lowers the cost of a GPU's hours."""
    return cast(ir.BooleanValue, (rows.hardware == "gpu") & (rows.effective_cost < 0))


def _of_runs(direct: ir.Table, split: ir.Table) -> ir.Table:
    """What runs used, of their own and shared."""
    columns = ("workload", "run", "hardware", "accelerator_hours")
    both = direct.select(columns).union(split.select(columns))
    return both.filter(both.accelerator_hours.notnull())


def _with_hardware(rows: ir.Table, ran: ir.Table) -> ir.Table:
    """A run's hardware is that of most of its accelerator-hours; all its rows inherit it."""
    each = ran.group_by("workload", "run", "hardware").agg(hours=ran.accelerator_hours.sum())
    order = ibis.window(
        group_by=["workload", "run"], order_by=[ibis.desc(each.hours), each.hardware]
    )
    most = each.mutate(rank=ibis.row_number().over(order)).filter(lambda row: row.rank == 0)
    told = most.select(workload_="workload", run_="run", hardware_="hardware")
    joined = rows.left_join(told, [rows.workload == told.workload_, rows.run == told.run_])
    return joined.mutate(hardware=ibis.coalesce(joined.hardware_, joined.hardware))
