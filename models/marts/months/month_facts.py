"""Computes the figures of every month as of today, whether or not it was closed.

Costs and savings are of settled days, by day. `credits` are as billed (negative), by billing month;
one without a workload tag is on the portfolio row only. `credit_share` is the part of the cost of
runs in the billing month that credits paid (METHOD §2.2), `covered_share` the part of the month's
Trainium spend that can be compared with GPU (METHOD §6.10). `status`, the cumulative columns and
`roi` are as of the month's last settled day.

`gpu_cost` and `trn_cost` are of all production, compared or not (METHOD §4.2). Savings, and the
`trn_cost` of `savings_daily`, are of the lineages that compare; the difference is in `left_out`
under `not_comparable`. Epochs and cost per epoch are those of the kind of work with most Trainium
cost, in its `unit`, of lineages whose work that unit counts, as in `cost_per_epoch`, which has the
other kinds. The portfolio has epochs only if all its workloads count the same unit.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, ratio, zero_if_null
from models.contract.portfolio import PORTFOLIO, with_portfolio
from models.contract.rules.dollars_by_reason import dollars_by_reason
from models.contract.rules.work.kinds_of_work import main_units, of_main_kind
from models.contract.schema import EXPLAINERS, NUMBER
from models.contract.units import EPOCH
from models.marts.months.credits_by_month import credits_by_month, with_credit_months

KEYS = ["month", "workload"]
LINE = ["workload", "lineage"]
TOTALS = ("cumulative_net", "cumulative_investment")
COSTS, MAIN_COSTS = ("gpu_cost", "trn_cost"), ("gpu_main_cost", "trn_main_cost")
FLOWS = (
    "counterfactual", "gross_saving", "overhead", "net_saving", "saving_at_list",
    "saving_at_old_volume",
)  # fmt: skip


@mart(
    grain="month × workload, and `(portfolio)`",
    units="dollars on `cost.basis`, credits as billed; epochs in `unit`",
    nulls="unknown; costs: no bill names the runs of the month; credits: a payer may hide them; "
    "unit, epochs: the portfolio's workloads count different ones",
    method="§7.1",
    whose="workload",
)
def month_facts(
    all_savings_daily: ir.Table,
    standings: ir.Table,
    baselines: ir.Table,
    left_out_and_flagged: ir.Table,
    unit_daily: ir.Table,
    lineage_facts: ir.Table,
    kinds: ir.Table,
    spend_daily: ir.Table,
    hidden_credits: ir.Table,
    credit_shares: ir.Table,
    judged_daily: ir.Table,
) -> ir.Table:
    """Computes figures by month of workloads and portfolio: cost, savings, status, credits, …."""
    credits = credits_by_month(spend_daily)
    rows = with_credit_months(_flows(all_savings_daily), credits, FLOWS)
    for part in (
        _production(unit_daily, lineage_facts),
        _unbilled(unit_daily, lineage_facts),
        _baseline(baselines),
        credits,
        _standing(standings),
        dollars_by_reason(_by_month(left_out_and_flagged), "left_out", KEYS),
        dollars_by_reason(_by_month(left_out_and_flagged), "flagged", KEYS),
        hidden_credits.select(*KEYS, hidden="accounts"),
        credit_shares.select(*KEYS, "credit_share"),
        _covered(judged_daily),
    ):
        rows = left_join(rows, part, KEYS)
    return _known(left_join(rows, main_units(kinds), ["workload"]))


def _known(rows: ir.Table) -> ir.Table:
    """Completes month figures: 0 where a month has none, null where unknown; adds cost per unit."""
    unit = ibis.ifelse(rows.workload == PORTFOLIO, rows.unit, rows.unit.fill_null(EPOCH))
    rows = rows.mutate(
        unit=unit,
        **{
            name: ibis.ifelse(rows.unbilled, None, zero_if_null(rows[name]))
            for name in (*COSTS, *MAIN_COSTS)
        },
    )
    begun = {name: ibis.ifelse(rows.before, ZERO, rows[name]) for name in TOTALS}
    rows = rows.mutate(status=ibis.ifelse(rows.before, "not_started", rows.status), **begun)
    unknown = {"gpu_cost": rows.gpu_unknown, "trn_cost": rows.trn_unknown}
    rows = rows.mutate(**{name: ibis.ifelse(unknown[name], None, rows[name]) for name in COSTS})
    return rows.mutate(
        credits=ibis.ifelse(rows.hidden.isnull(), zero_if_null(rows.credits), None),
        **{
            name: ibis.ifelse(rows.unit.isnull(), None, zero_if_null(rows[name]))
            for name in ("gpu_epochs", "trn_epochs")
        },
        gpu_cost_per_epoch=_per_unit(rows, "gpu"),
        trn_cost_per_epoch=_per_unit(rows, "trn"),
    ).select(*EXPLAINERS["month_facts"])


def _per_unit(rows: ir.Table, side: str) -> ir.Value:
    """Returns the main recipe's cost per unit on one chip; null if workloads' units differ."""
    cost = ratio(rows[f"{side}_main_cost"], rows[f"{side}_epochs"])
    return ibis.ifelse(rows.unit.isnull(), None, cost)


def _month(rows: ir.Table) -> ir.Value:
    return rows.date.strftime("%Y-%m")


def _by_month(left_out_and_flagged: ir.Table) -> ir.Table:
    return left_out_and_flagged.mutate(month=_month(left_out_and_flagged))


def _flows(days: ir.Table) -> ir.Table:
    """Sums savings and overhead over each month's settled days, and investment up to the last one.

    What was invested on a day for which a scheduler's allocations are missing was spent.
    """
    last = days.date.max(where=days.settled).over(ibis.window(group_by="workload"))
    rows = days.mutate(month=_month(days), spent=days.date <= last)
    settled = rows.settled
    return rows.group_by(KEYS).agg(
        **{name: known_sum(rows[name], where=settled) for name in FLOWS},
        investment=known_sum(rows.investment, where=rows.spent),
        settled_through=rows.date.max(where=settled),
    )


def _production(unit_daily: ir.Table, lineage_facts: ir.Table) -> ir.Table:
    """Sums settled cost and epochs of production runs by month, on GPU and on Trainium.

    Epochs, and `main_cost`, are of counted lineages of the main kind, where its unit counts the
    work. Of a lineage whose cost is unknown, only the month's cost is so.
    """
    billed = lineage_facts.filter(lineage_facts.own & (lineage_facts.all_hours > 0))
    rows = unit_daily.filter(unit_daily.settled & unit_daily.in_lineage)
    rows = rows.join(billed.select(*LINE, "counted"), LINE)
    in_ratio = rows.counted & rows.main & rows.counted_in_unit
    rows = rows.select(
        "workload",
        "hardware",
        "cost",
        month=_month(rows),
        main_cost=ibis.ifelse(in_ratio, rows.cost, ZERO),
        epochs=ibis.ifelse(in_ratio, rows.epochs, ZERO),
    )
    rows = with_portfolio(rows)
    sides = {"gpu": rows.hardware == "gpu", "trn": rows.hardware == "trainium"}
    return rows.group_by(KEYS).agg(
        **{
            f"{side}_{what}": rows[what].sum(where=on).cast(NUMBER)
            for side, on in sides.items()
            for what in ("cost", "main_cost", "epochs")
        },
        **{f"{side}_unknown": (on & rows.cost.isnull()).any() for side, on in sides.items()},
    )


def _unbilled(unit_daily: ir.Table, lineage_facts: ir.Table) -> ir.Table:
    """Returns by workload and month whether runs report epochs but none has accelerator-hours."""
    rows = unit_daily.filter(unit_daily.settled & unit_daily.own)
    rows = rows.join(lineage_facts.select("workload", "lineage", "all_hours"), LINE)
    heard = (rows.all_hours > 0).fill_null(False)
    return rows.group_by("workload", month=_month(rows)).agg(
        unbilled=~heard.any() & (rows.epochs > 0).any()
    )


def _baseline(baselines: ir.Table) -> ir.Table:
    """Returns each workload's GPU baseline on each month's last day: method, value, reason."""
    rows = of_main_kind(baselines)
    rows = rows.mutate(month=_month(rows))
    rows = rows.mutate(last=rows.date.max().over(ibis.window(group_by=KEYS)))
    last = rows.filter(rows.date == rows["last"])
    columns = {f"baseline_{name}": name for name in ("method", "value", "reason")}
    return last.select(*KEYS, **columns)


def _covered(judged_daily: ir.Table) -> ir.Table:
    """Computes the part of each month's Trainium spend that can be compared with GPU."""
    rows = with_portfolio(judged_daily.mutate(month=_month(judged_daily)))
    return rows.group_by(KEYS).agg(
        covered_share=ratio(known_sum(rows.judged_cost), known_sum(rows.trn_cost)),
    )


def _standing(standings: ir.Table) -> ir.Table:
    return standings.select(
        *KEYS,
        "status",
        "cumulative_net",
        "cumulative_investment",
        "roi",
        "parity",
        comparability=ibis.ifelse(
            standings.cutover.isnull(),
            None,
            ibis.ifelse(standings.none_compare, "not_comparable", "comparable"),
        ),
    )
