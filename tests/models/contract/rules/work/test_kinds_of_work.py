"""METHOD §1, §3.4: a kind of work is a workload's recipe; its main kind says the unit."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from models.contract.rules.work.kinds_of_work import (
    in_words,
    kind_of,
    main_units,
    recipe_of,
    with_own_baseline,
)
from tests.support.marts.hand_written_tables import rows, table

KINDS = {"workload": "string", "kind": "string", "main": "boolean", "unit": "string"}
BASELINES = {
    "date": "date", "workload": "string", "recipe": "string", "value": "decimal(38, 9)",
}  # fmt: skip


def units(*kinds: tuple[str, str, bool, str]) -> dict[str, str | None]:
    """By workload, of kinds of work: workload, recipe, whether it is the main one, and unit."""
    given = [dict(zip(KINDS, kind, strict=True)) for kind in kinds]
    return dict(rows(main_units(table(KINDS, *given)), "workload", "unit"))


@pytest.mark.parametrize(
    ("other", "whole"), [("billion_tokens", "billion_tokens"), ("epoch", None)]
)
def test_a_workload_counts_in_the_unit_of_its_main_kind_the_portfolio_in_that_of_all(
    other: str, whole: str | None
) -> None:
    found = units(
        ("a", "full", True, "billion_tokens"),
        ("a", "lora", False, "million_samples"),
        ("b", "", True, other),
    )
    assert found == {"a": "billion_tokens", "b": other, "(portfolio)": whole}


def test_a_portfolio_without_any_work_counts_in_epochs() -> None:
    """Such as that of an installation whose bill names no workload yet."""
    assert units() == {"(portfolio)": "epoch"}


def test_a_kind_has_the_baseline_of_its_own_recipe_workload_and_day() -> None:
    """Work of no recipe has that which is stated without one."""
    one, two = date(2026, 9, 1), date(2026, 9, 2)
    kinds = ((one, "w", "full"), (one, "w", ""), (two, "w", "full"), (one, "v", "full"))
    known = [(one, "w", "full", 10), (one, "w", None, 20), (two, "w", "full", 30)]
    days = table(
        {"date": "date", "workload": "string", "kind": "string"},
        *(dict(zip(("date", "workload", "kind"), kind, strict=True)) for kind in kinds),
    )
    held = table(BASELINES, *(dict(zip(BASELINES, row, strict=True)) for row in known))
    found = rows(with_own_baseline(days, held, "value"), "date", "workload", "kind", "value")
    values = {kind: value for *kind_, value in found for kind in [tuple(kind_)]}
    assert values == dict(zip(kinds, (Decimal(10), Decimal(20), Decimal(30), None), strict=True))


def test_an_unset_recipe_is_a_kind_and_is_told_in_words() -> None:
    given = table({"recipe": "string"}, {"recipe": "lora"}, {})
    kinds = given.mutate(kind=kind_of(given.recipe), words=in_words(given.recipe))
    kinds = kinds.mutate(again=recipe_of(kinds.kind))
    assert rows(kinds, "recipe", "kind", "again", "words") == [
        ("lora", "lora", "lora", "lora"),
        (None, "", None, "without a recipe"),
    ]
