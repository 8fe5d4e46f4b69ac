"""METHOD §5: each flag of a baseline, and its reason to the letter, by hand."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis.expr.types as ir
import pytest

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.marts.baseline.flags_and_reason import flags, reason
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
MONEY = "decimal(38, 9)"
SAID = ("stale", "outdated", "topped_up", "unpriced", "stale_price", "enough")
ROW = {
    **dict.fromkeys(SAID, "boolean"),
    **dict.fromkeys(("measured", "repriced", "fixed", "cap", "unpriced_hours", "gpu_hours"), MONEY),
    **dict.fromkeys(("runs", "missed_by", "reached", "lineages"), "int64"),
    **dict.fromkeys(("unit", "omitted", "candidate", "others", "follows", "unpriced_kinds",
                     "missed_on"), "string"),
}  # fmt: skip
USUAL: dict[str, Any] = {
    **dict.fromkeys(SAID, False), "enough": True, "runs": 2, "unit": "epoch", "omitted": "",
    "measured": D("262.5"), "repriced": D("175.875"), "unpriced_hours": D("12.5"),
    "gpu_hours": D(100), "unpriced_kinds": "p5.48xlarge",
}  # fmt: skip


def _said(rows: ir.Table, settings: Settings) -> ir.Table:
    return rows.select(flags=flags(rows, settings.baseline.method), reason=reason(rows, settings))


def said(column: str, method: str = "conservative", **columns: object) -> Any:  # noqa: ANN401
    settings = validated_settings({"baseline": {"method": method, "min_runs": 3}}, home=Path())
    made = applied(_said, table(ROW, USUAL | columns), settings)
    ((row),) = made.to_pyarrow().to_pylist()
    return row[column]


@pytest.mark.parametrize(
    ("columns", "always", "of_prices"),
    [
        ({}, [], []),
        ({"stale": True}, ["stale"], []),
        ({"outdated": True}, ["stale"], []),
        ({"topped_up": True}, ["topped_up"], []),
        ({"unpriced": True}, [], ["price_unavailable"]),
        ({"stale_price": True}, [], ["stale_price"]),
        ({"stale_price": True, "repriced": None}, [], []),
    ],
)
def test_a_quote_has_no_flags_and_prices_matter_where_hours_are_repriced(
    columns: dict[str, Any], always: list[str], of_prices: list[str]
) -> None:
    found = {method: said("flags", method, **columns)
             for method in ("fixed", "measured", "repriced", "conservative")}  # fmt: skip
    both = always + of_prices
    assert found == {"fixed": [], "measured": always, "repriced": both, "conservative": both}


def test_flags_stand_in_their_order() -> None:
    every = dict.fromkeys(SAID, True)
    assert said("flags", **every) == ["stale", "topped_up", "price_unavailable", "stale_price"]


UNPRICED = "price unavailable for 12.50 of 100.00 GPU hours, p5.48xlarge"
MEASURED, REPRICED = {"repriced": D("262.5")}, {"unpriced": True, "repriced": None}


@pytest.mark.parametrize(
    ("method", "columns", "words"),
    [
        ("measured", {}, "measured $262.50: what an epoch cost (2 GPU runs)"),
        ("measured", {"runs": 1}, "measured $262.50: what an epoch cost (1 GPU run)"),
        ("measured", {"unit": "billion_tokens"},
         "measured $262.50: what a billion tokens cost (2 GPU runs)"),
        ("repriced", {}, "repriced $175.88: the same hours at the day's price (2 GPU runs)"),
        ("repriced", REPRICED, f"{UNPRICED}: the hours cannot be repriced (2 GPU runs)"),
        ("conservative", {}, "repriced $175.88 is below measured $262.50 (2 GPU runs)"),
        ("conservative", MEASURED, "measured $262.50 is not above repriced $262.50 (2 GPU runs)"),
        ("conservative", REPRICED,
         f"measured $262.50: {UNPRICED}, so none is repriced (2 GPU runs)"),
        ("measured", {"candidate": "p5", "others": "p4d $300.00"},
         "measured $262.50: what an epoch cost (2 GPU runs on p5; p4d $300.00)"),
        ("measured", {"omitted": "; one left out"},
         "measured $262.50: what an epoch cost (2 GPU runs); one left out"),
    ],
)  # fmt: skip
def test_the_value_is_said_in_words(method: str, columns: dict[str, Any], words: str) -> None:
    assert said("reason", method, **columns) == words


FOLLOWS = "; the payer's discount follows: 80 % of list"
UNCONFIRMED = "; price not confirmed for 45 days"


@pytest.mark.parametrize(
    ("columns", "always", "of_prices"),
    [
        ({"stale": True}, "; stale: some ended longer ago than the window", ""),
        ({"stale": True, "outdated": True}, "; stale: the newest ended longer ago than the window",
         ""),
        ({"topped_up": True}, "; topped up with runs that ended later", ""),
        ({"stale_price": True}, "", UNCONFIRMED),
        ({"follows": "80 %"}, "", FOLLOWS),
        ({"stale": True, "topped_up": True, "stale_price": True, "follows": "80 %",
          "omitted": "; one left out"},
         "; stale: some ended longer ago than the window; topped up with runs that ended later",
         UNCONFIRMED + FOLLOWS),
    ],
)  # fmt: skip
def test_what_is_odd_about_its_runs_and_prices_follows(
    columns: dict[str, Any], always: str, of_prices: str
) -> None:
    omitted = columns.get("omitted", "")
    measured = "measured $262.50: what an epoch cost (2 GPU runs)"
    assert said("reason", "measured", **columns) == measured + always + omitted
    lowered = "repriced $175.88 is below measured $262.50 (2 GPU runs)"
    assert said("reason", **columns) == lowered + always + of_prices + omitted


def test_without_enough_runs_there_is_no_value() -> None:
    few = {"enough": False, "omitted": "; one left out", "stale": True}
    words = "insufficient baseline: fewer than 3 qualifying GPU runs have ended"
    assert said("reason", **few) == f"{words} (2); one left out"
    assert said("reason", **few, runs=0) == f"{words}; one left out"
    missed = "insufficient baseline: of 4 GPU runs none reached the target loss"
    assert said("reason", **few, missed_by=4) == f"{missed}; one left out"


def test_a_quote_is_said_with_its_unit_or_that_there_is_none() -> None:
    quote = {"fixed": D(250), "unit": "million_samples", "stale": True, "enough": False}
    words = "the quote in the config, $250.00 a million samples"
    assert said("reason", "fixed", **quote) == words
    none = "no fixed_cost_per_epoch is configured for this workload"
    assert said("reason", "fixed") == none


@pytest.mark.parametrize("method", ["measured", "fixed"])
def test_a_result_is_credited_with_the_cap_and_platforms_without_one_are_named(method: str) -> None:
    cap = {"cap": D("7.5"), "reached": 2, "lineages": 3, "unit": "epoch"}
    plain = said("reason", method)
    credited = said("reason", method, **cap).removeprefix(plain)
    words = "; a result is credited 7.50 epochs: 2 of 3 GPU runs reached the target loss"
    assert credited == words
    missed = said("reason", method, **cap, missed_on="p4d")
    assert missed == plain + credited + "; on p4d none did"
    assert said("reason", method, missed_on="p4d") == plain
