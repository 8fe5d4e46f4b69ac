"""Collects each workload's dollars left out or flagged, and notes that hold for any status.

`left_out` and `flagged` are dollars by reason. The other columns are texts that `status_in_words`
puts together: `baseline_reason` why the baseline is what it is, `unknown_idle` why the portfolio's
idle commitment is unknown, `untagged` what may be anyone's first run, `notes` what holds of any
status. Nothing here waits for savings or forecasts, so that `break_even`, which waits for both,
has little left to do.
"""

from __future__ import annotations

import operator
from functools import reduce

import ibis
import ibis.expr.types as ir

from models.contract import stalled_bills
from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import cents_text, known_sum
from models.contract.portfolio import with_portfolio
from models.contract.rules import untagged_spend_note
from models.contract.rules.attribution_groups import UNTAGGED
from models.contract.rules.dollars_by_reason import dollars_by_reason
from models.contract.rules.recent_window import between
from models.contract.rules.work.kinds_of_work import KIND, with_own_baseline
from models.contract.schema import PORTFOLIO
from models.marts.savings.portfolio_daily import portfolio_span

COLUMNS = ("workload", "left_out", "flagged", "baseline_reason", "unknown_idle", "untagged")


@step(
    grain="workload, and `(portfolio)`",
    units="dollars on `cost.basis`; words",
    nulls="there is nothing to say",
    method="§6.5, §6.8",
    whose="workload",
)
def remarks(
    workload_state: ir.Table,
    left_out_and_flagged: ir.Table,
    baselines: ir.Table,
    workload_settled: ir.Table,
    settled_accounts: ir.Table,
    silent_payers: ir.Table,
    hidden_credits: ir.Table,
    idle_by_kind: ir.Table,
    spend_daily: ir.Table,
    investment_daily: ir.Table,
    work_daily: ir.Table,
    credited_daily: ir.Table,
) -> ir.Table:
    """Collects each workload's left-out and flagged dollars and the notes shown with its status."""
    everyone = ibis.literal(PORTFOLIO).name("workload").as_table()
    rows = workload_state.select("workload").union(everyone)
    bills = settled_accounts.select(
        payer="billing_account", stalled=_stalled_bill(settled_accounts)
    )
    for part in (
        dollars_by_reason(left_out_and_flagged, "left_out", ["workload"]),
        dollars_by_reason(left_out_and_flagged, "flagged", ["workload"]),
        _baseline_reason(credited_daily, baselines),
        _unknown_idle(portfolio_span(workload_state, settled_accounts), silent_payers, bills),
        _misplaced_purposes(work_daily, credited_daily),
        _lagging_bills(workload_settled, bills),
        _hidden_credits(hidden_credits),
        _idle_by_kind(idle_by_kind),
        _recently_stranded(investment_daily, workload_settled),
    ):
        rows = left_join(rows, part, ["workload"])
    rows = rows.cross_join(_untagged_spend(spend_daily))
    names = ("misplaced", "lag", "hidden", "by_kind", "stranded")
    notes = reduce(operator.add, (rows[name].fill_null("") for name in names))
    return rows.select(*COLUMNS, notes=notes)


def _stalled_bill(accounts: ir.Table) -> ir.Value:
    """Returns the warning that a billing account's export has stalled, with the remedy."""
    newest = accounts.newest_day.cast("string")
    ignored = stalled_bills.contradicted(accounts.contradicted.cast("string"), newest)
    return stalled_bills.undelivered(
        accounts.billing_account.fill_null("without an id"),
        newest,
        (ibis.literal(" (") + ignored + ")").fill_null(""),
    )


def _unknown_idle(end: ir.Table, silent_payers: ir.Table, bills: ir.Table) -> ir.Table:
    """Returns a note on why the portfolio's idle commitment is unknown."""
    late = silent_payers.join(end, silent_payers.settled_through < end.end)
    bills_late = late.join(bills, late.billing_account.identical_to(bills.payer))
    since = bills_late.settled_through.min().cast("string")
    every = bills_late.stalled.collect(order_by=bills_late.payer).join("; ")
    words = (
        ibis.literal("idle commitment that belongs to no workload is unknown after ")
        + since
        + ", so no saving is claimed: "
        + every
    )
    return bills_late.agg(unknown_idle=words).select(
        workload=ibis.literal(PORTFOLIO), unknown_idle="unknown_idle"
    )


def _baseline_reason(credited_daily: ir.Table, baselines: ir.Table) -> ir.Table:
    """Returns the reason, in words, of each workload's baseline on its last settled training day.

    That of its main kind if this trained on that day. A baseline that later GPU runs brought says
    nothing of why there is no saving.
    """
    counted = credited_daily.settled & (credited_daily.standing == "counted")
    done = credited_daily.filter(counted).select("date", *KIND, "main").distinct()
    days = with_own_baseline(done, baselines, "reason")
    newest = days.date.max().over(ibis.window(group_by="workload"))
    last = days.mutate(newest=newest).filter(lambda row: row.date == row.newest)
    return last.group_by("workload").agg(
        baseline_reason=ibis.coalesce(last.reason.min(where=last.main), last.reason.min())
    )


def _misplaced_purposes(work_daily: ir.Table, credited_daily: ir.Table) -> ir.Table:
    """Returns a note on which Trainium runs state a purpose that is none of the known words."""
    line = ["workload", "lineage"]
    unfollowed = work_daily.filter(work_daily.misplaced.notnull())
    unfollowed = unfollowed.filter(unfollowed.hardware == "trainium")
    unfollowed = unfollowed.semi_join(
        credited_daily.filter(credited_daily.standing == "counted"), line
    )
    own = unfollowed.select("workload", "run", "purpose").distinct()
    named = own.workload + "/" + own.run
    everyone = own.select("purpose", workload=ibis.literal(PORTFOLIO), run=named)
    runs = own.union(everyone.select(own.columns))
    more = runs.count() - 1
    others = ibis.ifelse(more > 0, " (and " + more.cast("string") + " more)", "")
    words = "; purpose " + runs.purpose.argmin(runs.run) + " of run " + runs.run.min() + others
    rule = " is not production, baseline, validation, port or benchmark: "
    effect = "its cost counts and its epochs are not credited until it is"
    return runs.group_by("workload").agg(misplaced=words + rule + effect)


def _lagging_bills(workload_settled: ir.Table, bills: ir.Table) -> ir.Table:
    """Returns a note on how far a workload's bill lags; for the portfolio, whose bills do."""
    held = workload_settled.filter(workload_settled.held_by.notnull())
    held = left_join(held.rename(payer="held_by"), bills, ["payer"])
    through = held.settled_through.cast("string")
    own = held.select(
        "workload", lag=ibis.literal("; settled through ") + through + " only: " + held.stalled
    )
    names = held.workload.collect(order_by=held.workload).join(", ")
    every = held.agg(lag=ibis.literal("; settled less far than the others: ") + names)
    return own.union(every.select(workload=ibis.literal(PORTFOLIO), lag="lag"))


def _hidden_credits(hidden_credits: ir.Table) -> ir.Table:
    """Returns a note on the accounts from which a payer may hide credits and discounts."""
    newest = hidden_credits.accounts.argmax(hidden_credits.month)
    return hidden_credits.group_by("workload").agg(
        hidden=ibis.literal("; credits and discounts are unknown: a payer may hide them from ")
        + newest
        + ", whose bill is from their own Cost Explorer"
    )


def _idle_by_kind(idle_by_kind: ir.Table) -> ir.Table:
    """Returns a note on idle commitment dollars that are shared, as the bill names only kinds."""
    every = with_portfolio(idle_by_kind)
    sums = every.group_by("workload").agg(amount=known_sum(every.amount))
    dollars = cents_text(sums.amount)
    words = (
        " of idle commitment is shared by hours among workloads, because the bill names kinds of "
        "commitment only and not which one was idle"
    )
    return sums.filter(sums.amount != 0).select(
        "workload", by_kind=ibis.literal("; $") + dollars + words
    )


def _recently_stranded(investment_daily: ir.Table, workload_settled: ir.Table) -> ir.Table:
    """Returns a note on the commitment dollars that the move left idle in the last 12 weeks."""
    idle = investment_daily.filter(investment_daily.kind == "stranded_commitment")
    through = workload_settled.select("workload", "recent_since", cutoff="settled_through")
    rows = idle.join(through, "workload")
    rows = rows.filter(between(rows.date, rows.recent_since, rows.cutoff))
    rows = rows.select("workload", "amount")
    every = with_portfolio(rows)
    sums = every.group_by("workload").agg(amount=known_sum(every.amount))
    dollars = cents_text(sums.amount)
    words = " of commitments was left idle in the last 12 weeks, which no month to come counts"
    return sums.filter(sums.amount > 0).select(
        "workload", stranded=ibis.literal("; $") + dollars + words
    )


def _untagged_spend(spend_daily: ir.Table) -> ir.Table:
    """Returns a note on how much Trainium spend has no run or workload."""
    rows = spend_daily.filter(spend_daily.settled & (spend_daily.hardware == "trainium"))
    nobodys = rows.attribution == UNTAGGED
    lost = rows.effective_cost.sum(where=nobodys)
    some = rows.effective_cost.isnull().any(where=nobodys)
    before = ibis.ifelse(some, untagged_spend_note.AT_LEAST, untagged_spend_note.BEFORE)
    words = before + cents_text(lost) + untagged_spend_note.AFTER
    return rows.agg(untagged=ibis.ifelse(lost > 0, words, ""))
