"""Savings against the migration's cost, day by day, before they are added up.

Grain: date × workload, and `(portfolio)`. Dollars on the configured basis. A workload whose
Trainium work cannot be compared, has no baseline, or must be verified and is not, has null savings
from its first Trainium day: unknown, not 0. Unsettled days carry cost and epochs, no savings
(METHOD §4, §6). The portfolio is the sum of what is known, plus investment and idle commitment
that name no workload; all overhead is deducted, also of workloads whose saving is unknown. Where no
workload that moved has a known saving, neither has the portfolio; its `saving_at_list` is null
where a saving it counts has none, its overhead and investment where those of a workload are
unknown, its overhead also after the last settled day of a payer that bore idle commitment of it:
what a saving is held against is never taken for $0 (METHOD §1, §2.5). `saved_epochs` are the epochs
of known savings.
"""

from __future__ import annotations

from functools import partial

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import ZERO, carried_product, known_sum, zero_if_null
from models.contract.rules.kinds_of_work import with_own_baseline
from models.contract.rules.known_cost import known_cost
from models.contract.schema import PORTFOLIO

KEYS = ("date", "workload")
WORK = ("trn_cost", "epochs", "credited_epochs")
SAVINGS = (
    "counterfactual", "gross_saving", "net_saving", "saving_at_list", "counterfactual_at_list",
)  # fmt: skip
OUTGOINGS = ("overhead", "investment")
UNKNOWN = {
    "saving_at_list": "unlisted",
    "counterfactual_at_list": "unlisted",
    "overhead": "no_overhead",
    "net_saving": "no_overhead",
    "investment": "no_investment",
}
"""What of the portfolio is unknown, by what says so."""
FLOWS = (
    "trn_cost", "epochs", "credited_epochs", "counterfactual", "gross_saving", "overhead",
    "net_saving", "saving_at_list", "counterfactual_at_list", "investment", "saved_epochs",
)  # fmt: skip


def ledger(
    calendar: ir.Table,
    credited_daily: ir.Table,
    baselines: ir.Table,
    further_baselines: ir.Table,
    workload_state: ir.Table,
    commitments: ir.Table,
    silent_payers: ir.Table,
    spend_daily: ir.Table,
    investment_daily: ir.Table,
    settled_accounts: ir.Table,
    settings: Settings,
) -> ir.Table:
    """One row per calendar day of each workload, then of the portfolio."""
    state = workload_state.select("workload", "cutover", "barred", "none_compare")
    days = left_join(calendar, state, ["workload"])
    by_kind = _worked(credited_daily, workload_state)
    by_kind = with_own_baseline(by_kind, baselines, further_baselines, "value", "value_at_list")
    days = left_join(days, _priced(_whole(by_kind, further_baselines)), list(KEYS))
    days = left_join(
        days, _overhead(spend_daily, commitments, workload_state, settings), list(KEYS)
    )
    days = left_join(days, _invested(investment_daily), list(KEYS))
    own = _saved(days).select(*KEYS, *FLOWS, "settled")
    end = portfolio_end(workload_state, settled_accounts)
    end = end.cross_join(silent_payers.agg(told=silent_payers.settled_through.min()))
    return own.union(_portfolio(own, commitments, investment_daily, end))


def _worked(credited_daily: ir.Table, workload_state: ir.Table) -> ir.Table:
    """Cost and epochs by kind of the lineages that count; of all, where none compares."""
    rows = left_join(
        credited_daily, workload_state.select("workload", "none_compare"), ["workload"]
    )
    rows = rows.filter((rows.standing == "counted") | rows.none_compare)
    return rows.group_by(*KEYS, "kind").agg(
        trn_cost=known_sum(rows.cost),
        trn_list=known_sum(rows.list_cost),
        epochs=rows.epochs.sum(),
        credited_epochs=rows.credited_epochs.sum(),
    )


def _whole(rows: ir.Table, further_baselines: ir.Table) -> ir.Table:
    """Of several kinds of work none is worth anything known where one is not on some day."""
    several = rows.semi_join(further_baselines, "workload")
    gaps = several.group_by("workload").agg(
        gap=several.value.isnull().any(), list_gap=several.value_at_list.isnull().any()
    )
    rows = left_join(rows, gaps, ["workload"])
    return rows.mutate(
        value=ibis.ifelse(rows.gap, None, rows.value),
        value_at_list=ibis.ifelse(rows.list_gap, None, rows.value_at_list),
    )


def _priced(rows: ir.Table) -> ir.Table:
    """The workload's day, each kind of work at its own baseline."""
    each = partial(carried_product, within=("workload", "kind"), order="date")
    rows = rows.mutate(
        counterfactual=each(rows.value, rows.credited_epochs),
        listed=each(rows.value_at_list, rows.credited_epochs),
    )
    amounts = ("trn_cost", "trn_list", "counterfactual", "listed")
    return rows.group_by(KEYS).agg(
        **{name: known_sum(rows[name]) for name in amounts},
        **{name: rows[name].sum() for name in ("epochs", "credited_epochs")},
        worked=ibis.literal(True),
    )


def _overhead(
    spend_daily: ir.Table, commitments: ir.Table, workload_state: ir.Table, settings: Settings
) -> ir.Table:
    """The workload's own Trainium overhead from cutover on, and the idle that falls on its runs."""
    spent = spend_daily.filter(spend_daily.attribution == "overhead")
    since = left_join(spent, workload_state.select("workload", "cutover"), ["workload"])
    on_gpu = (since.hardware == "gpu").fill_null(False)
    own = since.filter((since.date >= since.cutover) & ~on_gpu)
    cost = known_cost(own, settings.cost.basis)
    own = own.select(*KEYS, amount=cost)
    idle = commitments.filter(commitments.kind == "trainium").select(*KEYS, "amount")
    both = own.union(idle)
    return both.group_by(KEYS).agg(overhead=known_sum(both.amount), burdened=ibis.literal(True))


def _invested(investment_daily: ir.Table) -> ir.Table:
    return investment_daily.group_by(KEYS).agg(
        investment=known_sum(investment_daily.amount), spent=ibis.literal(True)
    )


def _saved(days: ir.Table) -> ir.Table:
    worked = days.worked.fill_null(False)
    known = days.settled & ~(worked & days.barred)
    counterfactual = _unless_none(days.counterfactual, worked)
    at_list = _unless_none(days.listed - days.trn_list, worked)
    rows = days.mutate(
        trn_cost=_unless_none(days.trn_cost, worked),
        epochs=zero_if_null(days.epochs),
        credited_epochs=zero_if_null(days.credited_epochs),
        counterfactual=ibis.ifelse(known, counterfactual, None),
        saving_at_list=ibis.ifelse(known, at_list, None),
        counterfactual_at_list=ibis.ifelse(known, _unless_none(days.listed, worked), None),
        overhead=ibis.ifelse(days.settled, _unless_none(days.overhead, days.burdened), None),
        investment=_unless_none(days.investment, days.spent),
    )
    rows = rows.mutate(gross_saving=rows.counterfactual - rows.trn_cost)
    rows = rows.mutate(saved_epochs=ibis.ifelse(rows.gross_saving.isnull(), 0, rows.epochs))
    return rows.mutate(net_saving=rows.gross_saving - rows.overhead)


def _unless_none(amount: ir.Value, given: ir.BooleanValue) -> ir.Value:
    """0 where nothing stands; null where what stands is unknown."""
    return ibis.ifelse(given, amount, ZERO)


def portfolio_end(workload_state: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """Until when the portfolio is settled, since when it moves, whether it saves blindly."""
    through = workload_state.settled_through
    end = workload_state.agg(
        moved=through.max(where=workload_state.cutover.notnull()),
        known=through.max(),
        start=workload_state.cutover.min(),
        blind=workload_state.barred.all(where=workload_state.has_trn).fill_null(False),
    )
    end = end.cross_join(settled_accounts.agg(billed=settled_accounts.settled_through.max()))
    whole = ibis.coalesce(end.moved, end.known, end.billed)
    return end.select("start", "blind", end=whole)


def _portfolio(
    own: ir.Table, commitments: ir.Table, investment_daily: ir.Table, end: ir.Table
) -> ir.Table:
    """The sum of what is known, of each workload as far as it is settled (METHOD §6)."""
    alone = commitments.filter(commitments.kind == "uncovered").cross_join(end)
    alone = alone.filter(alone.date >= alone.start)
    uncovered = alone.group_by("date").agg(uncovered=alone.amount.sum())
    loose = investment_daily.filter(investment_daily.workload.isnull())
    unnamed = loose.group_by("date").agg(unnamed=loose.amount.sum())
    own = own.cross_join(end.select("end"))
    counts = own.settled | (own.date > own.end)
    own = own.mutate(**{name: ibis.ifelse(counts, own[name], ZERO) for name in WORK}).drop("end")
    sums = own.group_by("date").agg(
        **{name: own[name].sum() for name in FLOWS},
        unlisted=(own.gross_saving.notnull() & own.saving_at_list.isnull()).any(),
        **{f"no_{name}": (own.settled & own[name].isnull()).any() for name in OUTGOINGS},
    )
    dates = sums.select("date").union(unnamed.select("date")).distinct()
    rows = left_join(
        left_join(left_join(dates, sums, ["date"]), uncovered, ["date"]), unnamed, ["date"]
    )
    rows = rows.cross_join(end)
    untold = (rows.date > rows.told) & (rows.date >= rows.start)
    rows = rows.mutate(
        settled=rows.date <= rows.end,
        overhead=zero_if_null(rows.overhead) + zero_if_null(rows.uncovered),
        investment=zero_if_null(rows.investment) + zero_if_null(rows.unnamed),
        no_overhead=rows.no_overhead | untold,
    )
    rows = rows.mutate(net_saving=zero_if_null(rows.gross_saving) - rows.overhead)
    known = rows.settled & ~(rows.blind & (rows.date >= rows.start).fill_null(False))
    kept = {name: ibis.ifelse(known, zero_if_null(rows[name]), None) for name in SAVINGS}
    kept["overhead"] = ibis.ifelse(rows.settled, rows.overhead, None)
    kept["investment"] = rows.investment
    rest = {name: zero_if_null(rows[name]) for name in FLOWS if name not in kept}
    for name, unknown in UNKNOWN.items():
        kept[name] = ibis.ifelse(rows[unknown], None, kept[name])
    return rows.mutate(workload=ibis.literal(PORTFOLIO), **kept, **rest).select(
        *KEYS, *FLOWS, "settled"
    )
