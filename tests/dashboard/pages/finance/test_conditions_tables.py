"""What a close recorded of its conditions is shown as those of an open month are."""

from __future__ import annotations

from dataclasses import replace

from dashboard.pages.finance.conditions_tables import conditions, conditions_at_close
from models.closing.conditions import Condition
from tests.support.dashboard.text import text
from tests.support.documents.papers import paper


def test_a_closed_month_shows_its_conditions_as_an_open_one_does() -> None:
    known = [
        Condition("final", True, "invoiced"),
        Condition("in order", False, "close 2025-07 first"),
    ]
    close = paper().close
    assert close is not None
    closed = replace(close, notes=tuple(one.line for one in known))
    assert text(conditions_at_close(closed)) == text(conditions(known))
    assert "In order not met close 2025-07 first" in text(conditions(known))


def test_a_remainder_that_was_explained_says_so() -> None:
    close = paper().close
    assert close is not None
    line = Condition("tied", False, "off by 1", "a late credit").line
    said = text(conditions_at_close(replace(close, notes=(line, "closed by hand"))))
    assert "Tied explained off by 1 (a late credit)" in said
    assert "closed by hand" in said
