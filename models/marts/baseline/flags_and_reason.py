"""Explains the value of a day's baseline: flags for programs, and a reason in words."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.money import cents_text
from models.contract.rules import credited_result_note
from models.contract.rules.flag_list import flag_list
from models.contract.rules.work.units_of_work import plural_names, singular_names
from models.marts.baseline.methods.chosen_method import is_lowered

REPRICING = ("repriced", "conservative")
"""Methods whose value depends on the prices of the day."""


def flags(rows: ir.Table, method: str) -> ir.Value:
    """Returns a baseline's flags as a list column: stale, topped up, price missing or stale."""
    return flag_list(
        {
            "stale": (rows.stale | rows.outdated) & (method != "fixed"),
            "topped_up": rows.topped_up & (method != "fixed"),
            "price_unavailable": rows.unpriced & (method in REPRICING),
            "stale_price": _rests_on_stale_price(rows, method),
        }
    )


def reason(rows: ir.Table, settings: Settings) -> ir.Value:
    """Returns the column of text that explains a day's baseline, or why it is insufficient."""
    method = settings.baseline.method
    if method == "fixed":
        return _quote(rows) + _capped(rows)
    count = rows.runs.cast("string")
    runs = count + ibis.ifelse(rows.runs == 1, " GPU run", " GPU runs")
    least = settings.baseline.min_runs
    too_few = f"insufficient baseline: fewer than {least} qualifying GPU runs have ended"
    too_few = ibis.ifelse(rows.runs > 0, too_few + " (" + count + ")", too_few)
    none = "insufficient baseline: of " + rows.missed_by.cast("string") + " GPU runs none reached"
    too_few = (none + " the target loss").coalesce(too_few)
    value = _computed(rows, method) + " (" + runs + _others(rows) + ")" + _remarks(rows, method)
    value = value + rows.omitted + _capped(rows)
    return ibis.ifelse(~rows.enough, too_few + rows.omitted, value)


def _others(rows: ir.Table) -> ir.Value:
    """Returns text: baseline platform and other platforms' cost per unit; "" without others."""
    words = ibis.literal(" on ") + rows.candidate + "; " + rows.others
    return words.fill_null("")


def _rests_on_stale_price(rows: ir.Table, method: str) -> ir.Value:
    """Whether a baseline, or the choice of its platform, uses a price unseen for 45 days.

    This includes a baseline that `conservative` keeps as measured, because a price cut since then
    would have changed its choice.
    """
    return rows.stale_price & rows.repriced.notnull() & (method in REPRICING)


def _quote(rows: ir.Table) -> ir.Value:
    """Returns text: the cost per unit quoted in the config, or that none is configured."""
    quote = "the quote in the config, $" + cents_text(rows.fixed) + " " + singular_names(rows.unit)
    return ibis.coalesce(quote, "no fixed_cost_per_epoch is configured for this workload")


def _computed(rows: ir.Table, method: str) -> ir.Value:
    """Returns text: how GPU cost per unit was found: measured, repriced, or the lower of both."""
    measured, repriced = "$" + cents_text(rows.measured), "$" + cents_text(rows.repriced)
    return {
        "measured": "measured " + measured + ": what " + singular_names(rows.unit) + " cost",
        "repriced": ibis.coalesce(
            "repriced " + repriced + ": the same hours at the day's price",
            _unpriced(rows) + ": the hours cannot be repriced",
        ),
        "conservative": ibis.cases(
            (
                rows.unpriced,
                "measured " + measured + ": " + _unpriced(rows) + ", so none is repriced",
            ),
            (is_lowered(rows), "repriced " + repriced + " is below measured " + measured),
            else_="measured " + measured + " is not above repriced " + repriced,
        ),
    }[method]


def _remarks(rows: ir.Table, method: str) -> ir.Value:
    """Returns text: whether a baseline's runs are old or ended later, and remarks on its prices."""
    stale = ibis.cases(
        (rows.outdated, "; stale: the newest ended longer ago than the window"),
        (rows.stale, "; stale: some ended longer ago than the window"),
        else_="",
    )
    later = ibis.ifelse(rows.topped_up, "; topped up with runs that ended later", "")
    unconfirmed = _rests_on_stale_price(rows, method)
    unconfirmed = ibis.ifelse(unconfirmed, "; price not confirmed for 45 days", "")
    return stale + later + unconfirmed + _followed(rows, method)


def _followed(rows: ir.Table, method: str) -> ir.Value:
    """Returns text: what part of list price a payer pays, if that lowers the baseline; else ""."""
    words = ibis.literal("; the payer's discount follows: ") + rows.follows + " of list"
    return ibis.ifelse(method in REPRICING, words, None).fill_null("")


def _unpriced(rows: ir.Table) -> ir.Value:
    """Returns text: how many of a baseline's GPU hours have no price, of which instance types."""
    hours = cents_text(rows.unpriced_hours) + " of " + cents_text(rows.gpu_hours) + " GPU hours"
    which = " for " + hours + ", " + rows.unpriced_kinds
    return "price unavailable" + which


def _capped(rows: ir.Table) -> ir.Value:
    """Returns text: the units that a result is credited, and which platforms missed the target."""
    reached, lineages = rows.reached.cast("string"), rows.lineages.cast("string")
    words = credited_result_note.BEFORE + cents_text(rows.cap) + " " + plural_names(rows.unit)
    words = (words + ": " + reached + " of " + lineages + credited_result_note.AFTER).fill_null("")
    missed = ("; on " + rows.missed_on + " none did").fill_null("")
    return words + ibis.ifelse(rows.cap.notnull(), missed, "")
