"""Writes the status of a workload in words: why it applies, and what else to know."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.money import cents_text

UNPRICED = {
    "effective": "; Trainium runs on Capacity Blocks are left out: their cost is not known yet",
    "billed": "; Trainium runs are left out: as billed, hours that a plan or a Capacity Block paid "
    "for have no cost of their own",
}
NO_PRICE = "; Trainium runs are left out: the bill has no {} cost for some of their hours"
"""Why a run's cost is unknown, by `cost.basis`."""


NOT_COMPARABLE = "no Trainium run shares recipe and unit of work with the GPU runs"
FUNDED = "funding covers all that was invested, so no break-even is claimed"
NONE_PRICED = "the cost of no Trainium run is known: no saving is claimed"
NEVER_ON_GPU = "no GPU run is known to compare with"


def status_in_words(rows: ir.Table, settings: Settings) -> ir.Value:
    """Returns a text column: why the status applies, what is left out, notes, the forecast."""
    unpriced = UNPRICED.get(settings.cost.basis, NO_PRICE.format(settings.cost.basis))
    words = _status(rows) + ibis.ifelse(rows.unpriced, unpriced, "")
    unmoved = rows.status.isin(("not_started", "investing"))
    words = words + ibis.ifelse(unmoved, rows.untagged, "") + rows.notes
    ahead = rows.status.isin(("recovering", "losing")) & rows.forecast_reason.notnull()
    return ibis.ifelse(ahead, words + "; forecast: " + rows.forecast_reason, words)


def _status(rows: ir.Table) -> ir.Value:
    return ibis.cases(
        (rows.status == "not_started", "no production Trainium run has settled yet"),
        (rows.status == "investing", "money was spent, no production Trainium run has settled yet"),
        (
            (rows.status == "not_comparable") & rows.must_verify,
            "no loss is reported and require_verified is set: no saving is claimed",
        ),
        ((rows.status == "not_comparable") & rows.never_on_gpu, NEVER_ON_GPU),
        (rows.status == "not_comparable", NOT_COMPARABLE),
        ((rows.status == "insufficient_baseline") & rows.none_priced, NONE_PRICED),
        (
            (rows.status == "insufficient_baseline") & rows.cumulative_gross_saving.notnull(),
            rows.unknown_idle.fill_null(
                "some Trainium hours outside any run have no known cost yet: no saving is claimed"
            ),
        ),
        (
            rows.status == "insufficient_baseline",
            ibis.coalesce(rows.baseline_reason, "no workload that moved has a GPU baseline"),
        ),
        (
            rows.status == "losing",
            "Trainium with its overhead cost more than the GPU counterfactual in its last 84 days",
        ),
        (
            rows.status == "no_investment",
            ibis.cases(
                (rows.first_invested <= rows.cutoff, FUNDED),
                (
                    rows.planned,
                    "the investment is dated after the last settled day, so no break-even is "
                    "claimed",
                ),
                else_="no investment is configured, so no break-even is claimed",
            ),
        ),
        (
            (rows.status == "recovering") & rows.cumulative_investment.isnull(),
            "what the migration cost is not known yet, so no break-even is claimed",
        ),
        (rows.status == "broke_even", _paid_back(rows)),
        else_="cumulative net saving has not yet passed the investment",
    )


def _paid_back(rows: ir.Table) -> ir.Value:
    """Returns text: a move is paid back, and whether also at the volume before the move."""
    short = cents_text(-rows.net_at_old_volume)
    at_old_volume = ibis.cases(
        (rows.net_at_old_volume >= 0, ", also at the volume trained before the move"),
        (
            rows.net_at_old_volume < 0,
            ibis.literal(" at today's volume; at the volume trained before the move $")
            + short
            + " would be missing",
        ),
        else_=" at today's volume; how much was trained before the move is not known",
    )
    return ibis.literal("cumulative net saving has passed the investment") + at_old_volume
