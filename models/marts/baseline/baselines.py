"""The GPU counterfactual of each day: what an epoch of this workload would cost on GPU.

Grain: date × workload. Dollars per epoch on the configured basis; null where fewer than
`baseline.min_runs` qualifying GPU runs exist (`insufficient_baseline`) or a needed price is
unknown. `value` follows `baseline.method`; `conservative` is the lower of measured and repriced,
and measured (flag `price_unavailable`) where a price is missing. `stale_price`: the value, or the
comparison that chose it, stands on a price not seen for 45 days. `value_at_list` repeats the same
method at list cost. `reason` says in words why the value is what it is (METHOD §5). Where a
workload is compared per token (flag `per_token`), an epoch here is a Trainium epoch's tokens. Where
its Trainium work is of several kinds (`work_kinds`), each is held against GPU runs of its own kind:
`baselines` is kind 0's (flag `several_kinds`, and `reason` names the others), `further_baselines`
the others'.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.joins import left_join
from models.contract.money import product, ratio
from models.contract.rules.kinds_of_work import KIND, KIND_SINCE, in_words
from models.contract.schema import MARTS, MONEY


def baselines(
    calendar: ir.Table,
    baseline_steps: ir.Table,
    baseline_omissions: ir.Table,
    qualifying_runs: ir.Table,
    further_baselines: ir.Table,
    work_kinds: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """The mart of that name, for every day of the workload's calendar."""
    days = calendar.select("date", "workload", kind=ibis.literal(0, "int64"))
    steps = left_join(baseline_steps, baseline_omissions, KIND_SINCE)
    rows = valued(days, steps, qualifying_runs, config_workloads, settings)
    rows = left_join(rows, _others(further_baselines), ["date", "workload"])
    first = work_kinds.filter(work_kinds.kind == 0)
    rows = left_join(rows, first.select("workload", main=in_words(first)), ["workload"])
    also = ibis.ifelse(rows.others.notnull(), ["several_kinds"], [])
    told = ibis.coalesce(rows.main + ": " + rows.reason + rows.others, rows.reason)
    return rows.mutate(flags=rows.flags.concat(also), reason=told).select(*MARTS["baselines"])


def _others(further: ir.Table) -> ir.Table:
    """In words, what an epoch of the further kinds of work costs on GPU."""
    told = further.mutate(told="; " + further.kind_of_work + ": " + further.reason)
    return told.group_by("date", "workload").agg(
        others=told.told.collect(order_by=told.kind).join("")
    )


def valued(
    days: ir.Table,
    steps: ir.Table,
    qualifying_runs: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """`days` of workloads and kinds with what the step in force says."""
    joined = days.asof_join(steps.rename(date="since"), on="date", predicates=KIND)
    joined = joined.drop(*(name for name in joined.columns if name.endswith("_right")))
    quotes = config_workloads.select(workload_="workload", fixed="fixed_cost_per_epoch")
    rows = joined.left_join(quotes, joined.workload == quotes.workload_)
    rows = left_join(rows, qualifying_runs, KIND)
    rows = rows.mutate(
        enough=rows.runs.notnull(),
        runs=ibis.coalesce(rows.runs, rows.qualifying, 0),
        fixed=_quoted(rows),
        omitted=ibis.ifelse(rows.runs.notnull(), rows.omitted, rows.omitted_in_all).fill_null(""),
    )
    rows = rows.mutate(value=_value(rows, settings), value_at_list=_at_list(rows, settings))
    method = settings.baseline.method
    return rows.mutate(
        method=ibis.literal(method), flags=_flags(rows, method), reason=_reason(rows, settings)
    )


def _quoted(rows: ir.Table) -> ir.Value:
    """The quote is for a GPU epoch; per token it is scaled to a Trainium epoch."""
    quote = rows.fixed.cast(MONEY)
    scaled = ratio(product(quote, product(rows.gpu_epochs, rows.per_epoch)), rows.work)
    return ibis.ifelse(rows.tokens_per_epoch.isnull(), quote, scaled)


def _value(rows: ir.Table, settings: Settings) -> ir.Value:
    return {
        "measured": rows.measured,
        "repriced": rows.repriced,
        "fixed": rows.fixed,
        "conservative": ibis.ifelse(_lowered(rows), rows.repriced, rows.measured),
    }[settings.baseline.method]


def _at_list(rows: ir.Table, settings: Settings) -> ir.Value:
    measured, repriced = rows.measured_at_list, rows.repriced_at_list
    return {
        "measured": measured,
        "repriced": repriced,
        "fixed": ibis.null(MONEY),
        "conservative": ibis.ifelse(repriced < measured, repriced, measured),
    }[settings.baseline.method]


def _lowered(rows: ir.Table) -> ir.BooleanValue:
    """Null, so no, where a price is missing."""
    return rows.repriced < rows.measured


def _unconfirmed(rows: ir.Table, method: str) -> ir.Value:
    """Also where `conservative` keeps measured: it would not, had the price been cut since."""
    reprices = method in ("repriced", "conservative")
    return rows.stale_price & rows.repriced.notnull() & reprices


def _flags(rows: ir.Table, method: str) -> ir.Value:
    reprices = method in ("repriced", "conservative")
    marks = {
        "stale": rows.stale,
        "topped_up": rows.topped_up,
        "price_unavailable": rows.unpriced & reprices,
        "stale_price": _unconfirmed(rows, method),
        "per_token": rows.tokens_per_epoch.notnull(),
    }
    named = ibis.array(
        [ibis.ifelse(held, name, ibis.null("string")) for name, held in marks.items()]
    )
    return named.filter(lambda name: name.notnull())


def _reason(rows: ir.Table, settings: Settings) -> ir.Value:
    if settings.baseline.method == "fixed":
        told = "the quote in the config, $" + _cents(rows.fixed) + " an epoch"
        told = ibis.coalesce(told, "no fixed_cost_per_epoch is configured for this workload")
        return told + _capped(rows) + _per_token(rows)
    runs = rows.runs.cast("string")
    behind = runs + ibis.ifelse(rows.runs == 1, " GPU run", " GPU runs")
    needed = str(settings.baseline.min_runs)
    absent = f"insufficient baseline: fewer than {needed} qualifying GPU runs have ended"
    absent = ibis.ifelse(rows.runs > 0, absent + " (" + runs + ")", absent)
    paid, today = "$" + _cents(rows.measured), "$" + _cents(rows.repriced)
    best = {
        "measured": "measured " + paid + ": what an epoch cost",
        "repriced": ibis.coalesce(
            "repriced $" + _cents(rows.repriced) + ": the same hours at the day's price",
            _unpriced(rows) + ": the hours cannot be repriced",
        ),
        "conservative": ibis.cases(
            (
                rows.unpriced,
                "measured " + paid + ": " + _unpriced(rows) + ", so none is repriced",
            ),
            (_lowered(rows), "repriced " + today + " is below measured " + paid),
            else_="measured " + paid + " is not above repriced " + today,
        ),
    }[settings.baseline.method]
    told = best + " (" + behind + ")"
    told = told + ibis.ifelse(rows.stale, "; stale: some ended longer ago than the window", "")
    told = told + ibis.ifelse(rows.topped_up, "; topped up with runs that ended later", "")
    unconfirmed = _unconfirmed(rows, settings.baseline.method)
    told = told + ibis.ifelse(unconfirmed, "; price not confirmed for 45 days", "")
    told = told + rows.omitted + _capped(rows) + _per_token(rows)
    return ibis.ifelse(~rows.enough, absent + rows.omitted, told)


def _unpriced(rows: ir.Table) -> ir.Value:
    """Which hours have no price; one of them is enough, for no mean of the others stands for it."""
    hours = _cents(rows.unpriced_hours) + " of " + _cents(rows.gpu_hours) + " GPU hours"
    which = " for " + hours + ", " + rows.unpriced_kinds
    return "price unavailable" + which


def _capped(rows: ir.Table) -> ir.Value:
    """How many epochs earn a saving where nobody knows how many the target takes."""
    most = _cents(rows.epochs_to_target)
    told = "; no GPU run reached the target loss: no run is credited more than the " + most
    return ibis.ifelse(rows.target_missed, told + " epochs that they ran (median)", "").fill_null(
        ""
    )


def _per_token(rows: ir.Table) -> ir.Value:
    size = rows.tokens_per_epoch.cast("decimal(38, 0)").cast("string")
    noun = ibis.ifelse(size == "1", " token", " tokens")
    told = "; per token: epochs differ in size, one on Trainium is " + size + noun
    return ibis.coalesce(told, "")


def _cents(value: ir.Value) -> ir.Value:
    return value.cast("decimal(38, 2)").cast("string")
