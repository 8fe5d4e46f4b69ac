"""Has it paid for itself, and if not, when?

Grain: workload, and `(portfolio)`; at the last settled day. Dollars on the configured basis.
`progress`, `payback_months`, `roi` and `runs_to_break_even` are METHOD §6's; `saving_per_epoch` is
gross saving ÷ the Trainium epochs of that saving; `cumulative_saving_at_list` is gross saving at
list cost on both sides, null where a list price is unknown. `forecast_…` is the date's median and
80 % interval (null beyond 24 months, `never_share` says how often) while a workload is recovering
or losing, `saving_low` and `saving_high` the 80 % interval of the saving per epoch, `trn_epoch_…`
that of an epoch's cost on Trainium since the cutover, `baseline_…` of the GPU baseline, as a
fraction by which it may be off. All are drawn by `models.forecast`, and `forecast_reason` says from
what, or what is missing. `reason` says what the status rests on.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models import stalled
from models.joins import beside
from models.marts.standings import share
from models.money import ZERO, ratio
from models.schema import MARTS, PORTFOLIO, REASONS
from models.settings import Settings

UNPRICED = {
    "effective": "; Trainium runs on Capacity Blocks are left out: their cost is not known yet",
    "billed": "; Trainium runs are left out: as billed, hours that a plan or a Capacity Block paid "
    "for have no cost of their own",
}
NO_PRICE = "; Trainium runs are left out: the bill tells no {} cost of some of their hours"
"""Why a run's cost is unknown, by `cost.basis`."""


def break_even(
    standings: ir.Table,
    running: ir.Table,
    exceptions: ir.Table,
    baselines: ir.Table,
    forecasts: ir.Table,
    workload_settled: ir.Table,
    settled_accounts: ir.Table,
    silent_payers: ir.Table,
    hidden_credits: ir.Table,
    comparable: ir.Table,
    spend_daily: ir.Table,
    settings: Settings,
) -> ir.Table:
    """The mart of that name."""
    rows = standings.filter(standings.newest)
    rows = _of_workload(rows, _epochs(running))
    rows = _of_workload(rows, reasons(exceptions, "left_out", ["workload"]))
    rows = _of_workload(rows, reasons(exceptions, "flagged", ["workload"]))
    rows = _of_workload(rows, _baseline_words(baselines))
    rows = _of_workload(rows, forecasts)
    rows = _of_workload(rows, _lag(workload_settled, settled_accounts))
    rows = _of_workload(rows, _untold(rows, silent_payers, settled_accounts))
    rows = _of_workload(rows, _hidden(hidden_credits))
    rows = _of_workload(rows, _sizes(comparable))
    rows = rows.cross_join(_unnamed(spend_daily))
    remaining = rows.cumulative_investment - rows.cumulative_net_saving
    owed = ibis.greatest(remaining, ZERO)
    invested = rows.cumulative_investment > 0
    known = rows.status.isin(("losing", "broke_even", "recovering"))
    claimed = invested & known
    stands = claimed | (rows.status == "investing")
    return rows.mutate(
        progress=ibis.ifelse(stands, share(rows), None),
        roi=ibis.ifelse(stands, ratio(rows.cumulative_net, rows.cumulative_investment), None),
        runs_to_break_even=ibis.ifelse(claimed, _runs(rows, owed), None),
        payback_months=ibis.ifelse(claimed, _months(rows, owed), None),
        saving_per_epoch=ratio(rows.cumulative_gross_saving, rows.epochs),
        reason=_reason(rows, settings),
    ).select(*MARTS["break_even"])


def reasons(exceptions: ir.Table, kind: str, keys: list[str]) -> ir.Table:
    """`kind`'s dollars by reason, per workload and for the portfolio; unknown stays null."""
    given = exceptions.filter(exceptions.kind == kind)
    everyone = given.mutate(workload=ibis.literal(PORTFOLIO))
    rows = given.union(everyone.select(given.columns))
    unknown = rows.amount.isnull().any()
    sums = rows.group_by(*keys, "reason").agg(
        amount=ibis.ifelse(unknown, None, rows.amount.sum()).cast("decimal(38, 9)")
    )
    return sums.group_by(keys).agg(
        **{
            kind: ibis.map(
                sums.reason.collect(order_by=sums.reason),
                sums.amount.collect(order_by=sums.reason, include_null=True),
            ).cast(REASONS)
        }
    )


def _epochs(running: ir.Table) -> ir.Table:
    return running.group_by("workload").agg(epochs=running.saved_epochs.sum())


def _runs(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Remaining ÷ what a production lineage saves after its share of upkeep, rounded up."""
    upkeep = ibis.coalesce(rows.upkeep_so_far, ZERO)
    each = (rows.cumulative_net_saving - upkeep).cast("float64") / rows.lineages
    runs = (owed.cast("float64") / each).round(9).ceil()
    return ibis.ifelse(each > 0, runs, None).cast("int64")


def _months(rows: ir.Table, owed: ir.Value) -> ir.Value:
    """Remaining ÷ the pace of the last twelve settled weeks, in months."""
    upkeep = ibis.coalesce(rows.monthly_upkeep, ZERO).cast("float64")
    pace = rows.last_weeks_net.cast("float64") / 12 * 52 / 12 - upkeep
    return ibis.ifelse(pace > 0, owed.cast("float64") / pace, None)


def _baseline_words(baselines: ir.Table) -> ir.Table:
    return baselines.group_by("workload").agg(
        baseline_reason=baselines.reason.argmax(baselines.date)
    )


def _lag(workload_settled: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """In words, how far a workload's bill lies behind the others'; of the portfolio, whose does."""
    held = workload_settled.filter(workload_settled.held_by.notnull())
    payers = settled_accounts.select(held_by="billing_account", silent=_silent(settled_accounts))
    told = beside(held, payers, ["held_by"])
    own = told.select(
        "workload",
        lag=ibis.literal("; settled through ")
        + told.settled_through.cast("string")
        + " only: "
        + told.silent,
    )
    names = held.workload.collect(order_by=held.workload).join(", ")
    every = held.agg(lag=ibis.literal("; less far settled than the rest: ") + names)
    return own.union(every.select(workload=ibis.literal(PORTFOLIO), lag="lag"))


def _silent(accounts: ir.Table) -> ir.Value:
    """In words, that a payer's bill has stalled, and what to do."""
    newest = accounts.newest_day.cast("string")
    ignored = stalled.contradicted(accounts.contradicted.cast("string"), newest)
    return stalled.undelivered(
        accounts.billing_account.fill_null("without an id"),
        newest,
        (ibis.literal(" (") + ignored + ")").fill_null(""),
    )


def _untold(rows: ir.Table, silent_payers: ir.Table, settled_accounts: ir.Table) -> ir.Table:
    """In words, why the portfolio's idle commitment is unknown at its last settled day."""
    now = rows.filter(rows.workload == ibis.literal(PORTFOLIO)).select("workload", "cutoff")
    words = settled_accounts.select(payer="billing_account", silent=_silent(settled_accounts))
    late = now.join(silent_payers, silent_payers.settled_through < now.cutoff)
    told = late.join(words, late.billing_account.identical_to(words.payer))
    since = told.settled_through.min().cast("string")
    every = told.silent.collect(order_by=told.payer).join("; ")
    return told.group_by("workload").agg(
        untold=ibis.literal("idle commitment that no workload bears is unknown after ")
        + since
        + ", so no saving is claimed: "
        + every
    )


def _hidden(hidden_credits: ir.Table) -> ir.Table:
    """In words, whose bill may lack what its payer keeps to itself."""
    newest = hidden_credits.accounts.argmax(hidden_credits.month)
    return hidden_credits.group_by("workload").agg(
        hidden=ibis.literal("; credits and discounts are unknown: a payer may hide them from ")
        + newest
        + ", whose own Cost Explorer told the bill"
    )


def _sizes(comparable: ir.Table) -> ir.Table:
    """In words, why work that differs in size is not compared per token."""
    rows = comparable.filter(comparable.no_unit.notnull())
    return rows.group_by("workload").agg(
        sizes=ibis.literal("; samples per epoch differ, and tokens cannot stand for them: ")
        + rows.no_unit.max()
    )


def _unnamed(spend_daily: ir.Table) -> ir.Table:
    """In words, Trainium spend that names nobody; one row. It may be anyone's first run."""
    rows = spend_daily.filter(spend_daily.settled & (spend_daily.hardware == "trainium"))
    lost = rows.effective_cost.sum(where=rows.attribution == "untagged")
    dollars = lost.cast("decimal(38, 2)").cast("string")
    lacks = " (effective) of Trainium spend names no run or workload"
    words = ibis.literal("; but $") + dollars + lacks
    return rows.agg(unnamed=ibis.ifelse(lost > 0, words, ""))


def _reason(rows: ir.Table, settings: Settings) -> ir.Value:
    told = ibis.cases(
        (rows.status == "not_started", "no production Trainium run has settled yet"),
        (rows.status == "investing", "money was spent, no production Trainium run has settled yet"),
        (
            (rows.status == "not_comparable") & rows.must_verify,
            "no loss is reported and require_verified is set: no saving is claimed",
        ),
        (
            rows.status == "not_comparable",
            "no Trainium run shares recipe and samples per epoch with the GPU runs",
        ),
        (
            (rows.status == "insufficient_baseline") & rows.cumulative_gross_saving.notnull(),
            rows.untold.fill_null(
                "some Trainium hours outside any run have no known cost yet: no saving is claimed"
            ),
        ),
        (
            rows.status == "insufficient_baseline",
            ibis.coalesce(rows.baseline_reason, "no workload that moved has a GPU baseline"),
        ),
        (
            rows.status == "losing",
            "Trainium cost more than the GPU counterfactual since the twelfth-last working week",
        ),
        (
            rows.status == "no_investment",
            ibis.ifelse(
                rows.planned,
                "the investment is dated after the last settled day, so no break-even is claimed",
                "no investment is configured, so no break-even is claimed",
            ),
        ),
        (
            (rows.status == "recovering") & rows.cumulative_investment.isnull(),
            "what the migration cost is not known yet, so no break-even is claimed",
        ),
        (rows.status == "broke_even", "cumulative net saving has passed the investment"),
        else_="cumulative net saving has not yet passed the investment",
    )
    lacking = UNPRICED.get(settings.cost.basis, NO_PRICE.format(settings.cost.basis))
    told = told + ibis.ifelse(rows.unpriced, lacking, "")
    unmoved = rows.status.isin(("not_started", "investing"))
    told = told + ibis.ifelse(unmoved, rows.unnamed, "")
    told = told + rows.sizes.fill_null("") + rows.lag.fill_null("") + rows.hidden.fill_null("")
    ahead = rows.status.isin(("recovering", "losing")) & rows.forecast_reason.notnull()
    return ibis.ifelse(ahead, told + "; forecast: " + rows.forecast_reason, told)


def _of_workload(left: ir.Table, right: ir.Table) -> ir.Table:
    return beside(left, right, ["workload"])
