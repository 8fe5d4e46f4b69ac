"""Why a day's baseline has the value that it has: flags for machines and a reason in words."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.marts.baseline.methods.conservative import is_lowered


def flags(rows: ir.Table, method: str) -> ir.Value:
    """Lists what is odd about the value: stale, topped up, without a price, per token."""
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


def _unconfirmed(rows: ir.Table, method: str) -> ir.Value:
    """Also where `conservative` keeps measured: it would not, had the price been cut since."""
    reprices = method in ("repriced", "conservative")
    return rows.stale_price & rows.repriced.notnull() & reprices


def reason(rows: ir.Table, settings: Settings) -> ir.Value:
    """Says in words which value holds and why: `repriced $175.88 is below measured $262.50`."""
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
            (is_lowered(rows), "repriced " + today + " is below measured " + paid),
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
