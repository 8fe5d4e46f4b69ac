"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

from dashboard.snapshot.rows_behind.numbers import ROWS_BEHIND
from dashboard.wording.explanations import EVERY


def test_every_explanation_has_rows_and_a_name_of_its_own() -> None:
    assert len({of.key for of in EVERY}) == len(EVERY)
    assert {of.key for of in EVERY} == set(ROWS_BEHIND)
