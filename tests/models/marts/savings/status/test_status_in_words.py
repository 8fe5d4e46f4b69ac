"""METHOD §6.5: the sentence beside a status, to the letter, whatever is known or unknown."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import ibis.expr.types as ir
import pytest

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.schema import MONEY
from models.marts.savings.status.status_in_words import status_in_words
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
DAY = date(2026, 9, 30)
STANDING = {
    "status": "string", "unpriced": "boolean", "untagged": "string", "notes": "string",
    "forecast_reason": "string", "must_verify": "boolean", "never_on_gpu": "boolean",
    "cumulative_gross_saving": MONEY,
    "unknown_idle": "string", "baseline_reason": "string", "planned": "boolean",
    "cumulative_investment": MONEY, "net_at_old_volume": MONEY, "first_invested": "date",
    "cutoff": "date", "none_priced": "boolean",
}  # fmt: skip


def in_words(rows: ir.Table, settings: Settings) -> ir.Table:
    return rows.select(words=status_in_words(rows, settings))


def words(status: str, basis: str = "effective", **known: object) -> str:
    """Of a workload of which nothing else is to be said."""
    usual = {"unpriced": False, "untagged": "", "notes": "", "must_verify": False, "planned": False}
    usual |= {"never_on_gpu": False, "none_priced": False}
    row = usual | {"status": status, "cumulative_investment": D(1)} | known
    settings = validated_settings({"cost": {"basis": basis}}, home=Path())
    (found,) = applied(in_words, table(STANDING, row), settings).to_pyarrow().to_pylist()
    said: str = found["words"]
    return said


PAID_BACK = "cumulative net saving has passed the investment"


@pytest.mark.parametrize(
    ("status", "known", "said"),
    [
        ("not_started", {}, "no production Trainium run has settled yet"),
        (
            "investing",
            {},
            "money was spent, no production Trainium run has settled yet",
        ),
        (
            "not_comparable",
            {"must_verify": True},
            "no loss is reported and require_verified is set: no saving is claimed",
        ),
        (
            "not_comparable",
            {},
            "no Trainium run shares recipe and unit of work with the GPU runs",
        ),
        ("not_comparable", {"never_on_gpu": True}, "no GPU run is known to compare with"),
        (
            "insufficient_baseline",
            {"none_priced": True, "baseline_reason": "2 of 3"},
            "the cost of no Trainium run is known: no saving is claimed",
        ),
        (
            "insufficient_baseline",
            {"cumulative_gross_saving": D(5), "baseline_reason": "2 of 3"},
            "some Trainium hours outside any run have no known cost yet: no saving is claimed",
        ),
        (
            "insufficient_baseline",
            {"cumulative_gross_saving": D(5), "unknown_idle": "idle is unknown"},
            "idle is unknown",
        ),
        (
            "insufficient_baseline",
            {"baseline_reason": "2 of 3", "unknown_idle": "idle is unknown"},
            "2 of 3",
        ),
        ("insufficient_baseline", {}, "no workload that moved has a GPU baseline"),
        (
            "losing",
            {},
            "Trainium with its overhead cost more than the GPU counterfactual in its last 84 days",
        ),
        ("no_investment", {}, "no investment is configured, so no break-even is claimed"),
        (
            "no_investment",
            {"planned": True},
            "the investment is dated after the last settled day, so no break-even is claimed",
        ),
        (
            "no_investment",
            {"first_invested": DAY, "cutoff": DAY, "planned": True},
            "funding covers all that was invested, so no break-even is claimed",
        ),
        (
            "no_investment",
            {"first_invested": DAY, "cutoff": DAY - timedelta(days=1), "planned": True},
            "the investment is dated after the last settled day, so no break-even is claimed",
        ),
        (
            "recovering",
            {"cumulative_investment": None},
            "what the migration cost is not known yet, so no break-even is claimed",
        ),
        (
            "recovering",
            {"must_verify": True, "cumulative_gross_saving": D(5)},
            "cumulative net saving has not yet passed the investment",
        ),
        (
            "broke_even",
            {"net_at_old_volume": D(0)},
            f"{PAID_BACK}, also at the volume trained before the move",
        ),
        (
            "broke_even",
            {"net_at_old_volume": D("-0.5")},
            f"{PAID_BACK} at today's volume; at the volume trained before the move $0.50 would be "
            "missing",
        ),
        (
            "broke_even",
            {},
            f"{PAID_BACK} at today's volume; how much was trained before the move is not known",
        ),
    ],
)
def test_a_status_is_told_in_one_sentence(status: str, known: dict[str, object], said: str) -> None:
    assert words(status, **known) == said


@pytest.mark.parametrize(
    ("basis", "why"),
    [
        (
            "effective",
            "; Trainium runs on Capacity Blocks are left out: their cost is not known yet",
        ),
        (
            "billed",
            "; Trainium runs are left out: as billed, hours that a plan or a Capacity Block paid "
            "for have no cost of their own",
        ),
        (
            "list",
            "; Trainium runs are left out: the bill has no list cost for some of their hours",
        ),
    ],
)
def test_runs_without_a_price_are_told_with_the_reason_of_the_basis(basis: str, why: str) -> None:
    assert words("losing", basis).endswith("in its last 84 days")
    assert words("losing", basis, unpriced=True).endswith("in its last 84 days" + why)


@pytest.mark.parametrize(
    ("status", "order"),
    [
        ("not_started", "; untagged; a note"),
        ("investing", "; untagged; a note"),
        ("recovering", "; a note; forecast: too little data"),
        ("losing", "; a note; forecast: too little data"),
        ("broke_even", "; a note"),
        ("no_investment", "; a note"),
    ],
)
def test_untagged_spend_is_told_before_a_move_and_the_forecast_on_the_way(
    status: str, order: str
) -> None:
    alone = words(status)
    told = {"untagged": "; untagged", "notes": "; a note", "forecast_reason": "too little data"}
    assert words(status, **told) == alone + order
