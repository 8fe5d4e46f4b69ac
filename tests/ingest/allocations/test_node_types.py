"""The instance type of a node whose machine is not known: told, configured, or as delivered."""

from __future__ import annotations

from datetime import date

import pytest

from ingest.allocations.node_types import NodeTypes

TRN, P5, P4 = "ml.trn1.32xlarge", "ml.p5.48xlarge", "ml.p4d.24xlarge"
DELIVERED = {"n1": {date(2026, 9, 1): TRN, date(2026, 9, 9): P5}, "n2": {date(2026, 9, 1): TRN}}


@pytest.mark.parametrize(
    ("node", "day", "kind"),
    [("n1", 2, TRN), ("n1", 8, P5), ("n1", 5, TRN), ("n2", 30, TRN), ("n3", 1, None)],
)
def test_what_was_delivered_counts_by_the_nearest_day(
    node: str, day: int, kind: str | None
) -> None:
    """Names of nodes are used again."""
    assert NodeTypes(delivered=DELIVERED).of(node, date(2026, 9, day)) == kind


def test_what_is_told_comes_before_the_config_and_the_config_before_what_was_delivered() -> None:
    types = NodeTypes({"n*": P4}, {"n1": P5}, DELIVERED)
    assert [types.of(node, date(2026, 9, 1)) for node in ("n1", "n2")] == [P5, P4]
