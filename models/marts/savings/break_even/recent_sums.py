"""Sums each workload's savings in the recent window: the 84 settled days up to a cutoff.

Every pace and every "now" uses it. The portfolio's is the sum of its workloads' windows, each up to
that workload's own last settled day, and of what belongs to no workload in its own last 84 days.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum, zero_if_null
from models.contract.portfolio import PORTFOLIO, of_portfolio, of_workloads
from models.contract.rules.recent_window import between
from models.contract.rules.work.kinds_of_work import KIND, kind_of
from models.marts.savings.break_even.window_begins import with_begin
from models.marts.savings.status.losing_window import with_last_work

KEYS = ["workload", "cutoff"]
WORK = ("epochs", "credited_epochs")
FLOWS = (*WORK, "counterfactual", "trn_cost", "overhead", "upkeep", "net_saving")


def recent_sums(
    cutoffs: ir.Table, settled: ir.Table, savings_by_kind: ir.Table, credited_daily: ir.Table
) -> ir.Table:
    """Sums each workload's savings and counts its runs over the 84 days up to each month's end.

    `settled` holds the settled days of workloads and portfolio. `recent_since` is the first of the
    84; null if there are fewer. Returns a row per workload, and `(portfolio)`, × cutoff; sums are
    in dollars on `cost.basis`, null where an amount is unknown. The portfolio's work is null where
    workloads count different units.
    """
    own = of_workloads(settled)
    parts = with_begin(_parts(cutoffs, own), own, "last", "begin")
    parts = with_last_work(parts, credited_daily)
    parts = with_begin(parts, own, "judged", "judged_begin")
    days = own.select(*_DAY, unknown=ibis.literal(value=False))
    days = days.union(_of_no_workload(settled, own))
    sums = _sums(_within(parts, days))
    return left_join(sums, _lineages(parts, savings_by_kind, credited_daily), KEYS)


_DAY = ("workload", "date", "gross_saving", *FLOWS[:-1])


def _parts(cutoffs: ir.Table, own: ir.Table) -> ir.Table:
    """Lists, per workload and month end, whose days to sum and to when; the portfolio sums all."""
    dated = cutoffs.filter(cutoffs.cutoff.notnull()).select(*KEYS)
    alone = dated.mutate(part=dated.workload, last=dated.cutoff)
    whole = dated.filter(dated.workload == PORTFOLIO)
    span = own.group_by(part="workload").agg(begin=own.date.min(), end=own.date.max())
    every = whole.join(span, span.begin <= whole.cutoff)
    every = every.mutate(last=ibis.least(every.cutoff, every.end))
    return alone.union(every.select(alone.columns))


def _of_no_workload(settled: ir.Table, own: ir.Table) -> ir.Table:
    """Returns the portfolio's daily overhead and upkeep that belong to no workload.

    `unknown` marks days on which the portfolio can claim no saving. Work is none, or null where
    workloads count different units, so that no sum adds tokens to epochs.
    """
    outgoings = ("overhead", "upkeep")
    named = own.group_by("date").agg(**{f"own_{n}": own[n].sum() for n in outgoings})
    days = left_join(of_portfolio(settled), named, ["date"])
    nothing = dict.fromkeys(_DAY[2:], ZERO)
    work = {name: ibis.ifelse(days[name].isnull(), None, ZERO) for name in WORK}
    left = {n: days[n] - zero_if_null(days[f"own_{n}"]) for n in outgoings}
    return days.mutate(**nothing | work | left, unknown=days.net_saving.isnull()).select(
        *_DAY, "unknown"
    )


def _within(parts: ir.Table, days: ir.Table) -> ir.Table:
    """Selects workloads' days of the recent or the losing window, marks which, adds net saving."""
    rows = parts.join(days.rename(part="workload"), "part")
    recent = between(rows.date, rows.begin, rows["last"])
    judged = between(rows.date, rows.judged_begin, rows.judged).fill_null(False)
    rows = rows.mutate(recent=recent, judged=judged).filter(recent | judged)
    known = ibis.ifelse(
        rows.workload == PORTFOLIO, zero_if_null(rows.gross_saving), rows.gross_saving
    )
    return rows.mutate(net_saving=ibis.ifelse(rows.unknown, None, known - rows.overhead))


def _sums(rows: ir.Table) -> ir.Table:
    return rows.group_by(KEYS).agg(
        **{f"recent_{name}": known_sum(rows[name], where=rows.recent) for name in FLOWS},
        judged_net_saving=known_sum(rows.net_saving, where=rows.judged),
        last_worked=rows.last_worked.max(),
        recent_since=rows.begin.max(where=rows.part == rows.workload),
    )


def _lineages(parts: ir.Table, savings_by_kind: ir.Table, credited_daily: ir.Table) -> ir.Table:
    """Counts runs (resumed ones as one) that trained in the window, and those of known saving.

    A recipe without a baseline has none, though its workload saves by another recipe.
    """
    known = savings_by_kind.filter(savings_by_kind.gross_saving.notnull())
    known = known.select("date", "workload", kind=kind_of(known.recipe), known=True)
    worked = credited_daily.filter(credited_daily.active)
    worked = left_join(worked, known, ["date", *KIND])
    saved = worked.known & (worked.standing == "counted")
    worked = worked.select("date", "lineage", part="workload", saved=saved.fill_null(False))
    rows = parts.join(worked, "part")
    rows = rows.filter(between(rows.date, rows.begin, rows["last"]))
    each = rows.group_by(*KEYS, "part", "lineage").agg(saved=rows.saved.any())
    return each.group_by(KEYS).agg(
        recent_lineages=each.count(), recent_runs=each.count(where=each.saved)
    )
