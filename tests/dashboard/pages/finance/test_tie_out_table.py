"""The tie-out on the page: a reader comes to the remainder with what stands beside it."""

from __future__ import annotations

from decimal import Decimal

from dashboard.pages.finance import statement_tables
from tests.support.dashboard.text import text
from tests.support.documents.papers import tables

D = Decimal


def test_the_bill_with_what_blocks_moved_less_the_buckets_is_the_remainder() -> None:
    """A block of October was paid in September: $240 of its fee are hours of the next month."""
    (row,) = tables()["tie_out"]
    effective = {"basis": "effective", "block_spread": D(-240), "bill_total": D("1065.66")}
    shown = statement_tables.tie_out([row | effective | {"remainder": D(0), "bridge": D(-240)}])
    words = text(shown)
    assert "The bill, $ Capacity Blocks, $ In buckets, $ Remainder, $" in words.replace(
        "\u00a0", " "
    )
    assert "1,065.66 −240.00 825.66 0.00 −240.00" in words
