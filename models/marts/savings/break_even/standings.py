"""Where each workload stood at the end of each month, and stands now.

Grain: workload (and `(portfolio)`) × cutoff. Cutoffs are the month ends, and the last settled day
(`newest`). Only settled days up to the cutoff count. `status` is the first that holds of METHOD §6;
what ran or reported makes a day of a run, storage before or after it does not;
`break_even_date` the first settled day from which cumulative net stays ≥ 0 up to the cutoff.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import ZERO, known_sum
from models.contract.rules.recent_weeks import WEEKS, in_recent_weeks
from models.contract.schema import EXPLAINERS, MONEY, PORTFOLIO

FLOWS = ("epochs", "credited_epochs", "counterfactual", "trn_cost", "overhead")
TOTALS = (
    "cumulative_gross_saving",
    "cumulative_net_saving",
    "cumulative_investment",
    "cumulative_net",
    "cumulative_saving_at_list",
)


def standings(
    running: ir.Table,
    workload_state: ir.Table,
    credited_daily: ir.Table,
    investment_daily: ir.Table,
    config_investments: ir.Table,
) -> ir.Table:
    """Totals, status and pace per workload and cutoff."""
    settled = running.filter(running.settled)
    cutoffs = _cutoffs(settled, workload_state)
    keys = ["workload", "cutoff"]
    rows = cutoffs.join(settled, "workload").filter(lambda row: row.date <= row.cutoff)
    latest = rows.filter(rows.date == rows.cutoff).select(*keys, *TOTALS)
    ended = left_join(cutoffs, latest, keys)
    ended = left_join(ended, _pace(rows, cutoffs, credited_daily), keys)
    ended = left_join(ended, _work(cutoffs, credited_daily), keys)
    ended = left_join(ended, _upkeep(cutoffs, config_investments), keys)
    ended = left_join(ended, _upkeep_so_far(cutoffs, investment_daily), keys)
    ended = left_join(ended, _planned(cutoffs, config_investments), keys)
    state = _state(workload_state)
    ended = left_join(ended, state, ["workload"])
    ended = left_join(ended, _turning(rows, state.select("workload", "cutover")), keys)
    ended = ended.mutate(status=_status(ended))
    even = ended.cumulative_net.notnull() & ended.status.isin(("broke_even", "losing"))
    return ended.mutate(break_even_date=ibis.ifelse(even, ended.since, None))


def _cutoffs(settled: ir.Table, workload_state: ir.Table) -> ir.Table:
    """Each month's last settled day per workload; `newest` marks the last of all.

    A workload without any settled day stands there too, with nothing yet; so does the portfolio.
    """
    months = settled.group_by("workload", month=settled.date.truncate("M")).agg(
        cutoff=settled.date.max()
    )
    newest = months.month.max().over(ibis.window(group_by="workload"))
    known = months.select(
        "workload", "cutoff", month=months.month.strftime("%Y-%m"), newest=months.month == newest
    )
    everyone = workload_state.agg(known=workload_state.count())
    everyone = everyone.select(workload=ibis.literal(PORTFOLIO))
    named = workload_state.select("workload").union(everyone)
    idle = named.anti_join(known, "workload")
    return known.union(
        idle.select(
            "workload",
            cutoff=ibis.null("date"),
            month=ibis.null("string"),
            newest=ibis.literal(True),
        )
    )


def _production_days(credited_daily: ir.Table) -> ir.Table:
    """Settled production Trainium days per workload, and for the portfolio of any."""
    worked = credited_daily.filter(credited_daily.settled & credited_daily.active)
    worked = worked.select("workload", "lineage", "date")
    everyone = worked.select(
        workload=ibis.literal(PORTFOLIO),
        lineage=worked.workload + "/" + worked.lineage,
        date="date",
    )
    return worked.union(everyone)


def _pace(rows: ir.Table, cutoffs: ir.Table, credited_daily: ir.Table) -> ir.Table:
    """Net saving since the twelfth-last working week began, and over the last 84 days; and the
    epochs of all that was saved."""
    days = _production_days(credited_daily)
    worked = days.select("workload", week=days.date.truncate("W")).distinct()
    weeks = cutoffs.join(worked, "workload").filter(lambda row: row.week <= row.cutoff)
    order = ibis.window(group_by=["workload", "cutoff"], order_by=ibis.desc(weeks.week))
    recent = weeks.mutate(rank=ibis.row_number().over(order)).filter(lambda row: row.rank < WEEKS)
    begin = recent.group_by("workload", "cutoff").agg(begin=recent.week.min())
    paced = rows.join(begin, ["workload", "cutoff"])
    inside = paced.date.cast("timestamp") >= paced.begin.cast("timestamp")
    return paced.group_by("workload", "cutoff").agg(
        recent_net=known_sum(paced.net_saving, where=inside),
        last_weeks_net=known_sum(paced.net_saving, where=in_recent_weeks(paced)),
        saved_epochs=paced.saved_epochs.sum(),
    )


def _work(cutoffs: ir.Table, credited_daily: ir.Table) -> ir.Table:
    done = cutoffs.join(_production_days(credited_daily), "workload").filter(
        lambda row: row.date <= row.cutoff
    )
    each = done.group_by("workload", "cutoff", "lineage").agg(date=done.date.max())
    return each.group_by("workload", "cutoff").agg(
        lineages=each.count(),
        recent_lineages=each.count(where=in_recent_weeks(each)),
        last_worked=each.date.max(),
    )


def _concerned(cutoffs: ir.Table, entries: ir.Table) -> ir.BooleanValue:
    """Whose an entry is; the portfolio carries them all."""
    return (cutoffs.workload == entries.owner) | (cutoffs.workload == PORTFOLIO)


def _upkeep(cutoffs: ir.Table, config_investments: ir.Table) -> ir.Table:
    """Dollars per month of the upkeep that runs at the cutoff; the portfolio carries all of it."""
    entries = config_investments.select("date", "amount_per_month", owner="workload")
    due = cutoffs.join(
        entries,
        [_concerned(cutoffs, entries), cutoffs.cutoff >= entries.date],
    )
    return due.group_by("workload", "cutoff").agg(
        monthly_upkeep=due.amount_per_month.sum().cast(MONEY)
    )


def _upkeep_so_far(cutoffs: ir.Table, investment_daily: ir.Table) -> ir.Table:
    paid = investment_daily.filter(investment_daily.kind == "upkeep").select(
        "date", "amount", owner="workload"
    )
    due = cutoffs.join(
        paid,
        [_concerned(cutoffs, paid), cutoffs.cutoff >= paid.date],
    )
    return due.group_by("workload", "cutoff").agg(upkeep_so_far=due.amount.sum())


def _planned(cutoffs: ir.Table, config_investments: ir.Table) -> ir.Table:
    """Whether the config holds an investment that is dated after the cutoff."""
    entries = config_investments.select("date", owner="workload")
    ahead = cutoffs.join(
        entries,
        [_concerned(cutoffs, entries), cutoffs.cutoff < entries.date],
    )
    return ahead.group_by("workload", "cutoff").agg(planned=ibis.literal(True))


def _state(workload_state: ir.Table) -> ir.Table:
    """The verdict on each workload; the portfolio is barred only if every migrated one is."""
    columns = ["none_compare", "has_baseline", "must_verify", "unpriced", "cutover", "parity"]
    moved = workload_state.has_trn
    portfolio = workload_state.agg(
        none_compare=workload_state.none_compare.all(where=moved),
        has_baseline=workload_state.has_baseline.any(where=moved),
        must_verify=workload_state.must_verify.all(where=moved),
        unpriced=workload_state.unpriced.any(),
        cutover=workload_state.cutover.min(),
        parity=ibis.null("string"),
    ).mutate(workload=ibis.literal(PORTFOLIO))
    return workload_state.select("workload", *columns).union(portfolio.select("workload", *columns))


def _turning(rows: ir.Table, cutovers: ir.Table) -> ir.Table:
    """The first day after the last on which cumulative net was below zero."""
    paid = left_join(rows, cutovers, ["workload"])
    below = paid.group_by("workload", "cutoff").agg(
        last_below=paid.date.max(where=paid.cumulative_net < 0)
    )
    after = left_join(paid, below, ["workload", "cutoff"])
    after = after.filter(
        (after.cumulative_investment > 0)
        & (after.date >= after.cutover)
        & (after.last_below.isnull() | (after.date > after.last_below))
    )
    return after.group_by("workload", "cutoff").agg(since=after.date.min())


def _status(rows: ir.Table) -> ir.Value:
    worked = rows.lineages.notnull()
    unknown = rows.cumulative_investment.isnull() & rows.cutoff.notnull()
    invested = unknown | (ibis.coalesce(rows.cumulative_investment, ZERO) > 0)
    return ibis.cases(
        (~worked & ~invested, "not_started"),
        (~worked, "investing"),
        (rows.none_compare | rows.must_verify, "not_comparable"),
        (~rows.has_baseline | rows.cumulative_net_saving.isnull(), "insufficient_baseline"),
        (rows.recent_net < 0, "losing"),
        (~invested, "no_investment"),
        (rows.cumulative_net >= 0, "broke_even"),
        else_="recovering",
    )


def paces(standings: ir.Table, running: ir.Table) -> ir.Table:
    """What `break_even` counts runs to come and upkeep by, and what those so far cost and saved.

    Dollars and epochs, one row per workload; `recent_…` of the last twelve settled weeks.
    """
    rows = standings.filter(standings.newest)
    rows = left_join(rows, _flows(rows.select("workload", "cutoff"), running), ["workload"])
    return rows.mutate(
        settled_through="cutoff",
        runs=ibis.coalesce(rows.lineages, 0),
        recent_runs=ibis.coalesce(rows.recent_lineages, 0),
        **{name: ibis.coalesce(rows[name], ZERO) for name in ("monthly_upkeep", "upkeep_so_far")},
    ).select(*EXPLAINERS["paces"])


def _flows(cutoffs: ir.Table, running: ir.Table) -> ir.Table:
    """Sums of settled days, and of those of late."""
    days = running.filter(running.settled)
    days = days.join(cutoffs, "workload")
    recent = in_recent_weeks(days)
    return days.group_by("workload").agg(
        **{name: known_sum(days[name]) for name in FLOWS},
        **{f"recent_{name}": known_sum(days[name], where=recent) for name in FLOWS},
    )
