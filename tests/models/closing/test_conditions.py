"""The conditions of a close in words, and the order in which months are closed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.closing.conditions import Condition, in_order, recorded_condition
from models.records.closes import Close
from tests.support.documents.papers import paper


def closed(*months: str) -> list[Close]:
    found = paper().close
    assert found is not None
    return [replace(found, statement=replace(found.statement, month=month)) for month in months]


@pytest.mark.parametrize(
    ("condition", "line", "holds"),
    [
        (Condition("final", True, "invoiced"), "final      ok         invoiced", True),
        (Condition("tied", False, "off by 1"), "tied       NOT MET    off by 1", False),
        (
            Condition("tied", False, "off by 1", "a late credit"),
            "tied       explained  off by 1 (a late credit)",
            True,
        ),
        (Condition("tied", True, "none", "a late credit"), "tied       ok         none", True),
    ],
)
def test_an_explanation_is_told_only_of_what_is_not_met(
    condition: Condition, line: str, holds: bool
) -> None:
    assert (condition.line, condition.holds) == (line, holds)
    name, mark, said = recorded_condition(line)
    assert (name, said) == (condition.name, line[22:])
    assert (mark != "NOT MET") is holds


def test_a_line_of_another_form_is_kept_whole() -> None:
    assert recorded_condition("closed by hand") == ("", "", "closed by hand")


@pytest.mark.parametrize(
    ("before", "month", "first"),
    [
        ((), "2026-10", ""),
        (("2026-09",), "2026-10", ""),
        (("2026-10",), "2026-10", ""),  # reopened
        (("2026-12",), "2026-10", ""),  # before the first close nothing is missed
        (("2025-11",), "2026-02", "2025-12"),
        (("2025-11", "2025-12", "2026-02"), "2026-03", "2026-01"),
    ],
)
def test_months_are_closed_without_a_gap_since_the_first(
    before: tuple[str, ...], month: str, first: str
) -> None:
    found = in_order(month, closed(*before))
    told = "every month before it since the first close is closed"
    assert (found.met, found.text) == (not first, f"close {first} first" if first else told)
